//! Figures of a small engine: against its netlist, against Yosys's own count of levels, and against its structure.

use std::collections::BTreeMap;

use crate::common::{FINDER_PORTS, bench, engine, generated};
use respray_synth::device::{CARDS, ECP5, ICE40};
use respray_synth::{SynthError, routed, xilinx};

fn unchanged(verilog: &str) -> String {
    verilog.to_string()
}

/// Cells by type, counted from the JSON netlist with nothing of the library.
fn recount(netlist: &std::path::Path, module: &str) -> BTreeMap<String, u32> {
    let json: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(netlist).unwrap()).unwrap();
    let mut count = BTreeMap::new();
    for cell in json["modules"][module]["cells"].as_object().unwrap().values() {
        *count.entry(cell["type"].as_str().unwrap().to_string()).or_default() += 1;
    }
    count
}

#[test]
fn figures_equal_the_cells_of_the_netlist() {
    let (bench, engine) = (bench(), engine(unchanged));
    let figures = xilinx::measure(&bench, &engine).unwrap();
    let cells = recount(&xilinx::run(&bench, &engine).unwrap().join("netlist.json"), "engine");
    let of = |kind: &str| cells.get(kind).copied().unwrap_or(0);
    let luts: Vec<u32> = (1..=6).map(|n| of(&format!("LUT{n}"))).collect();
    assert_eq!(figures.lut_by_inputs.to_vec(), luts);
    assert_eq!((figures.srl, figures.inv), (of("SRL16E"), of("INV")));
    assert_eq!((figures.bram36, figures.bram18, figures.ff), (0, of("RAMB18E2"), of("FDRE")));
    assert_eq!((figures.srl, figures.bram18), (16, 1), "the engine's four registers of 16 bits and its RAM");
    assert_eq!(figures.luts, figures.lc_estimate + of("SRL16E") + of("INV"));
}

#[test]
fn logic_cells_are_those_that_yosys_estimates() {
    let bench = bench();
    let finder = generated(include_str!("common/first_zero.v"), "finder", &FINDER_PORTS);
    for design in [engine(unchanged), finder] {
        let figures = xilinx::measure(&bench, &design).unwrap();
        let stat = std::fs::read_to_string(xilinx::run(&bench, &design).unwrap().join("stat.json")).unwrap();
        let estimate = format!("\"estimated_num_lc\": {}\n", figures.lc_estimate);
        assert!(stat.contains(&estimate), "{estimate} {stat}");
    }
    // By Yosys's rule: each LUT5 takes a LUT1, each LUT4 and LUT3 a LUT1 or LUT2, the rest goes in pairs.
    assert_eq!(xilinx::lc_estimate([0, 16, 25, 4, 1, 7]), 37);
    assert_eq!(xilinx::lc_estimate([3, 9, 1, 2, 1, 0]), 4 + 4);
    assert_eq!(xilinx::lc_estimate([0, 0, 5, 0, 0, 1]), 6);
}

#[test]
fn levels_equal_what_yosys_counts_once_registers_and_memories_are_cut() {
    let (bench, engine) = (bench(), engine(unchanged));
    let figures = xilinx::measure(&bench, &engine).unwrap();
    let netlist = xilinx::run(&bench, &engine).unwrap().join("netlist.json");
    let folder = tempfile::tempdir().unwrap();
    let script =
        format!("read_json {}\ndelete t:FD* t:RAMB* t:SRL* t:$scopeinfo\nltp -noff\n", netlist.display());
    std::fs::write(folder.path().join("ltp.ys"), script).unwrap();
    let log = bench.tools.yosys().unwrap().run(folder.path(), &["ltp.ys"]).unwrap();
    assert!(
        log.contains(&format!("Longest topological path in engine (length={})", figures.levels)),
        "{log}"
    );
    assert!(figures.levels >= 5, "two additions and a comparison of 16 bits: {figures:?}");
}

#[test]
fn ecp5_figures_hold_the_wrapper_and_three_seeds() {
    let figures = routed::measure(&bench(), &engine(unchanged), &ECP5).unwrap();
    assert_eq!(figures.wrapper_ff, 43);
    assert_eq!(figures.memory, 1);
    assert!(figures.ff >= 43 + 106 && figures.logic > 32, "{figures:?}");
    let fmax = figures.fmax_mhz;
    assert!(100.0 < fmax.min && fmax.min <= fmax.median && fmax.median <= fmax.max && fmax.max < 600.0);
    assert!((1000.0 / figures.critical.delay_ns - fmax.median).abs() < 1.0, "{figures:?}");
    assert!(figures.critical.from.starts_with("core."), "{figures:?}");
}

#[test]
fn ice40_figures_come_through_three_pins() {
    let figures = routed::measure(&bench(), &engine(unchanged), &ICE40).unwrap();
    assert_eq!(figures.memory, 1);
    assert!(figures.ff >= 43 + 106 && figures.logic >= figures.ff, "{figures:?}");
}

#[test]
fn a_memory_that_a_device_does_not_have_is_named() {
    // Two writes and a read in a cycle are more than a block RAM has ports.
    let write = "if (valid) words[conn] <= sum;";
    let three_ports = engine(|verilog| {
        verilog.replace(write, &format!("{write}\n        if (op_valid) words[op_ev[7:0]] <= late1;"))
    });
    let error = routed::measure(&bench(), &three_ports, &ECP5).unwrap_err().to_string();
    assert_eq!(error, "engine does not fit ECP5 85k, speed 8: it has no memory of the kind of words");
}

#[test]
fn what_does_not_fit_says_by_how_much() {
    let mut large = engine(|verilog| {
        verilog.replace("[0:255]", "[0:65535]").replace("[7:0]", "[15:0]").replace("{8'd0, conn}", "conn")
    });
    large.manifest.ports[3].width = 16;
    let error = routed::measure(&bench(), &large, &ICE40).unwrap_err();
    assert_eq!(error.to_string(), "engine does not fit iCE40 HX8K: 256 block RAMs of 32, 224 too many");
    let figures = xilinx::measure(&bench(), &engine(unchanged)).unwrap();
    figures.check_fit("engine", &CARDS[0]).unwrap();
    let huge = xilinx::Xilinx { bram36: 1344, ..figures };
    let error = huge.check_fit("engine", &CARDS[0]).unwrap_err().to_string();
    assert_eq!(error, "engine does not fit u50: 1345 block RAMs of 1344, 1 too many");
}

#[test]
fn broken_verilog_is_refused_with_what_yosys_says_of_it() {
    let broken = engine(|verilog| verilog.replace("res_valid <= valid & ~rst;", "res_valid <= valid & ;"));
    let error = xilinx::measure(&bench(), &broken).unwrap_err();
    assert!(matches!(error, SynthError::Tool(_)));
    let text = error.to_string();
    assert!(text.contains("yosys 0.") && text.contains("exit code 1"), "{text}");
    assert!(text.contains("design.v:") && text.contains("syntax error"), "{text}");
}
