//! Netlists of which there is no estimate, and verdicts.

use super::hand::netlist;
use respray_synth::fmax::{UltraScale, Verdict};

fn refusal(text: &str) -> String {
    UltraScale::delays().estimate(&netlist(text), 322.265625).unwrap_err().to_string()
}

#[test]
fn a_netlist_that_cannot_be_timed_is_refused_in_a_sentence() {
    let loops = "there is no estimate of Fmax: logic forms a loop through";
    for (text, said) in [
        (
            "FDRE a D=0 Q=q\nLDCE latch D=q Q=n\nFDRE b D=n Q=z",
            "there is no estimate of Fmax: the table of delays does not know LDCE, the cell `latch`",
        ),
        (
            "FDRE a D=0 Q=q\nDSP48E2 m A=q PREG:1 P=p\nFDRE b D=p Q=z",
            "there is no estimate of Fmax: the table of delays does not know DSP48E2 with PREG, the cell `m`",
        ),
        (
            "in clk\nRAMB36E2 r CLKARDCLK=clk CASDOUTA=n\nFDRE b D=n Q=z",
            "there is no estimate of Fmax: the table of delays does not know RAMB36E2 with output CASDOUTA, the cell `r`",
        ),
        (
            "in clk\nFDRE a D=0 Q=q\nRAMB36E2 r CLKARDCLK=clk CASDINA=q",
            "there is no estimate of Fmax: the table of delays does not know RAMB36E2 with input CASDINA, the cell `r`",
        ),
        (
            "FDRE a D=0 Q=q\nFDRE b D=q Q=z IS_C_INVERTED:1",
            "there is no estimate of Fmax: the table of delays does not know FDRE at the falling edge of its clock, the cell `b`",
        ),
        (
            "in clk\nin other\nFDRE a D=0 Q=q\nRAMB36E2 r CLKARDCLK=other DINADIN=q",
            "there is no estimate of Fmax: it is for one clock, and there are two, `clk` and `other`",
        ),
        (
            "FDRE a D=0 Q=q",
            "there is no estimate of Fmax: there is no path from a register or port to another",
        ),
        ("LUT2 l I0=a I1=b O=c\nLUT2 m I0=c I1=0 O=a\nFDRE b D=c Q=b", loops),
        ("INV i I=a O=b\nINV j I=b O=a\nFDRE c D=a Q=z", loops),
        (
            "FDRE a D=0 Q=q\nCARRY4 k CI=c3 CYINIT=0 S=q,0,0,0 DI=0,0,0,0 CO=c0,c1,c2,c3\nFDRE b D=c0 Q=z",
            loops,
        ),
    ] {
        let is = refusal(text);
        assert!(if said == loops { is.starts_with(said) } else { is == said }, "{is}\n{said}");
    }
}

#[test]
fn a_loop_is_told_by_a_cell_that_is_in_it() {
    // `before` leads into the loop and `after` out of it: neither is in it.
    let text = "FDRE a D=0 Q=q\nLUT1 x I0=q O=before\nLUT2 y I0=before I1=back O=forth\nLUT1 z I0=forth O=back\n\
                LUT1 w I0=forth O=after\nFDRE b D=after Q=end";
    let is = refusal(text);
    assert!(
        is.ends_with("through LUT2, the cell of `forth`") || is.ends_with("through LUT1, the cell of `back`"),
        "{is}"
    );
}

#[test]
fn a_verdict_is_safe_with_wide_wires_and_out_of_reach_without_any() {
    // 317 ps without wires, 437 with wide ones, and 200 are for the shell.
    let path = netlist("FDRE a D=0 Q=q\nFDRE b D=q Q=z");
    let at = |clock_mhz: f64| UltraScale::delays().estimate(&path, clock_mhz).unwrap().verdict;
    let mhz = |ps: f64| 1e6 / ps;
    assert_eq!(at(mhz(638.0)), Verdict::Safe);
    assert_eq!(at(mhz(636.0)), Verdict::Doubtful);
    assert_eq!(at(mhz(318.0)), Verdict::Doubtful);
    assert_eq!(at(mhz(316.0)), Verdict::OutOfReach);
    let estimate = UltraScale::delays().estimate(&path, 100.0).unwrap();
    assert_eq!(estimate.verdict_at(mhz(316.0)), Verdict::OutOfReach);
    assert_eq!(estimate.path_in_words(), "FDRE `q` 0.08 → wire to 1 0.08, FDRE `z` 0.19");
    assert_eq!(estimate.ends(), "FDRE `q` → 0 cells → FDRE `z`");
    let words = serde_json::to_value(&estimate).unwrap();
    assert_eq!(words["verdict"], "safe");
    assert_eq!(words["path"][1]["fan_out"], 1);
}
