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

/// Runs `reps` whose Verilog does something at one clock edge.
fn run(what: &str) -> Result<Report, CosimError> {
    let config = Config::load(None, &["connections=16".to_string()]).unwrap();
    let generated = generate("reps", &config).unwrap();
    let (before, _) = generated.verilog.rsplit_once("endmodule").unwrap();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("mine.v");
    let text = format!(
        "{before}\n  reg [31:0] edges = 0;\n  always @(posedge clk) begin\n    edges <= edges + 1;\n    \
         if (edges == {EDGE}) begin {what} end\n  end\nendmodule\n"
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
fn a_run_goes_on_behind_a_finish_up_to_its_own_end() {
    let report = run("$finish;").unwrap();
    assert_eq!((report.cycles, report.mismatches), (CYCLES, 0));
}

#[test]
fn a_run_ends_with_the_cycle_in_which_the_verilog_fails() {
    match run("$stop;") {
        Err(CosimError::Run(RunError::Stopped { cycles, .. })) => assert_eq!(cycles, EDGE + 1),
        other => panic!("{:?} is not refused", other.map(|report| report.cycles)),
    }
}
