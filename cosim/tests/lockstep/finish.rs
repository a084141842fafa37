//! Verilog that ends its simulation in the middle of a run.

use respray_cosim::cores::reps::RepsCore;
use respray_cosim::cores::selector::Knobs;
use respray_cosim::lockstep::{CosimError, CosimOptions, Report, RunError, Stimulus, cosim};
use respray_cosim::traffic::random::Knobs as _;
use respray_hdl::config::Config;
use respray_hdl::cores::generate;

/// Cycles of the run.
const CYCLES: u64 = 50_000;
/// The clock edge that does something, from 0: in the middle of a block of rows.
const EDGE: u64 = 20_777;

/// Runs `reps` whose Verilog does something at clock edge `edge`, and whose results are missing from edge `silent_from` on.
fn run(what: &str, edge: u64, silent_from: u64) -> Result<Report, CosimError> {
    let config = Config::load(None, &["connections=16".to_string()]).unwrap();
    let generated = generate("reps", &config).unwrap();
    let (before, _) = generated.verilog.rsplit_once("endmodule").unwrap();
    let (inside, top) = before.rsplit_once(".res_valid(res_valid)").expect("the top module passes it on");
    let before = format!("{inside}.res_valid(result){top}");
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("mine.v");
    let text = format!(
        "{before}\n  reg [31:0] edges = 0;\n  always @(posedge clk) begin\n    edges <= edges + 1;\n    \
         if (edges == {edge}) begin {what} end\n  end\n  \
         assign res_valid = result & (edges < {silent_from});\nendmodule\n"
    );
    std::fs::write(&path, text).unwrap();
    let stimulus = Stimulus::<RepsCore>::Random { cycles: CYCLES, knobs: Knobs::new(16) };
    let options = CosimOptions {
        verilog: Some(path),
        waves: false,
        reproducer: dir.path().join("failure.csv"),
        ..CosimOptions::new(stimulus)
    };
    cosim(&generated, &options, &mut |_| {})
}

#[test]
fn a_run_ends_with_the_cycle_in_which_the_verilog_ends_its_simulation() {
    for (what, reason) in [
        ("$finish;", "$finish"),
        ("$stop;", "$stop or a failed assertion"),
        ("$fatal(1);", "$stop or a failed assertion"),
    ] {
        match run(what, EDGE, CYCLES) {
            Err(error @ CosimError::Run(RunError::Stopped { .. })) => {
                let said = error.to_string();
                let (place, said) = said.split_once(": ").unwrap();
                let (file, line) = place.rsplit_once(':').unwrap();
                assert!(file.ends_with("/mine.v") && line.parse::<u32>().is_ok(), "{place}");
                let cycles = EDGE + 1;
                assert_eq!(
                    said,
                    format!("the Verilog stopped its simulation after {cycles} cycles: {reason}")
                );
            }
            other => panic!("{what}: {:?} is not refused", other.map(|report| report.cycles)),
        }
    }
}

#[test]
fn a_difference_before_the_simulation_ends_is_told_and_not_the_end() {
    for what in ["$finish;", "$stop;"] {
        let failure = run(what, 300, 200).unwrap().failure.expect("results are missing");
        assert!(failure.difference.cycle < 300, "{what}: {}", failure.difference);
    }
}
