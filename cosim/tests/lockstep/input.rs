use std::path::PathBuf;

use respray_cosim::cores::reps::RepsCore;
use respray_cosim::lockstep::report::Verdict;
use respray_cosim::lockstep::{CosimOptions, Stimulus};
use respray_cosim::traffic::optrace::{OpTrace, Settings};

use super::{file, options, random, reps, run};

/// The generated Verilog with one text replaced, as a file, run for a few edges.
fn refusal(name: &str, change: impl Fn(&str) -> String) -> String {
    let core = reps(&[]);
    let dir = tempfile::tempdir().unwrap();
    let path = file(dir.path(), name, &change(&core.verilog));
    let options = CosimOptions { verilog: Some(path), ..options(random(&core, 1000), dir.path()) };
    let error = run(&core, &options).unwrap_err().to_string();
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1, "nothing is left but the test's own file");
    error
}

#[test]
fn verilog_with_other_ports_is_refused_with_file_and_port() {
    let wrapped = |ports: &str, inner: &str| {
        format!(
            "module reps(input clk, input rst, input op_valid, output op_ready, input [2:0] op_kind, \
             input [7:0] op_conn, input [15:0] op_ev, input op_ecn, input [31:0] now, \
             input [31:0] freeze_timeout, input [7:0] bdp_packets, input [15:0] seed, output res_valid, \
             output [7:0] res_conn, output [1:0] res_kind{ports}, output ev_cached, output ev_dropped, \
             output freeze_entered, output freeze_left); {inner} endmodule"
        )
    };
    let missing = refusal("mine.v", |_| wrapped("", ""));
    assert!(missing.contains("mine.v: model `reps` has no output `res_ev`; it has: "), "{missing}");
    let narrow = refusal("mine.v", |_| wrapped(", output [14:0] res_ev", ""));
    assert!(
        narrow.contains("mine.v: port `res_ev` of model `reps` is 15 bits wide, expected are 16"),
        "{narrow}"
    );
    let turned = refusal("mine.v", |_| wrapped(", input [15:0] res_ev", ""));
    assert!(turned.contains("mine.v: model `reps` has no output `res_ev`; it has: "), "{turned}");
}

#[test]
fn verilog_that_is_none_is_refused_with_file_and_line() {
    let broken = refusal("mine.v", |_| "module reps(input clk);\nwire a = ;\nendmodule\n".into());
    assert!(broken.contains("mine.v:2:") && broken.lines().count() == 1, "{broken}");
    let other = refusal("mine.v", |_| "module spray(input clk); endmodule".into());
    assert!(other.contains("mine.v") && other.contains("reps"), "{other}");
}

#[test]
fn verilog_that_stops_the_simulation_is_an_error_not_a_difference() {
    let stops = refusal("mine.v", |verilog| {
        let end = verilog.rfind("endmodule").expect("a module");
        format!(
            "{}always @(posedge clk) if (op_valid & op_ready & op_kind == 3'd3) $stop;\nendmodule\n",
            &verilog[..end]
        )
    });
    assert!(stops.contains("mine.v:"), "{stops}");
    assert!(stops.contains(": the Verilog stopped its simulation after "), "{stops}");
}

#[test]
fn a_missing_file_is_refused_by_name() {
    let core = reps(&[]);
    let dir = tempfile::tempdir().unwrap();
    let gone = dir.path().join("gone");
    let verilog = CosimOptions { verilog: Some(gone.clone()), ..options(random(&core, 1000), dir.path()) };
    let ops = options(Stimulus::Ops(gone.clone()), dir.path());
    for options in [verilog, ops] {
        let error = run(&core, &options).unwrap_err().to_string();
        assert!(error.contains(&gone.display().to_string()), "{error}");
        assert!(error.contains("No such file"), "{error}");
    }
}

#[test]
fn an_op_trace_out_of_range_is_refused_with_its_line() {
    let core = reps(&["connections=16", "reps.time_bits=16"]);
    let dir = tempfile::tempdir().unwrap();
    let path = file(dir.path(), "ops.csv", "time_ns,op,conn\n1,send,15\n2,send,16\n");
    let error = run(&core, &options::<RepsCore>(Stimulus::Ops(path), dir.path())).unwrap_err().to_string();
    assert!(error.ends_with("ops.csv:3: `conn` is `16`; allowed: 0 to 15"), "{error}");
}

#[test]
fn settings_beyond_their_ports_are_refused() {
    let core = reps(&["reps.time_bits=16"]);
    let dir = tempfile::tempdir().unwrap();
    let trace = || Stimulus::<RepsCore>::Made {
        trace: OpTrace::default(),
        arguments: Vec::new(),
        warnings: Vec::new(),
        account: None,
    };
    let mut seed = options(trace(), dir.path());
    seed.own.seed = Some(65_536);
    let mut timeout = options(trace(), dir.path());
    timeout.own.settings = Settings::default().with("freeze_timeout", 65_536);
    for (options, said) in [
        (seed, "`seed` is 65536; allowed: 0 to 65535"),
        (timeout, "`freeze-timeout` is 65536; allowed: 0 to 65535"),
    ] {
        assert_eq!(run(&core, &options).unwrap_err().to_string(), said);
    }
    // but the standard timeout gives way to 16-bit times
    run(&core, &options(trace(), dir.path())).unwrap();
}

#[test]
fn a_place_that_cannot_be_written_is_named() {
    let core = reps(&[]);
    let dir = tempfile::tempdir().unwrap();
    let taken = file(dir.path(), "taken", "a file, not a directory");
    let inside: PathBuf = taken.join("coverage");
    let coverage =
        CosimOptions { coverage: Some(inside.clone()), ..options(random(&core, 1000), dir.path()) };
    let error = run(&core, &coverage).unwrap_err().to_string();
    assert!(error.contains(&inside.display().to_string()), "{error}");
    let wave = CosimOptions { wave: Some(inside.clone()), ..options(random(&core, 1000), dir.path()) };
    let report = run(&core, &wave).unwrap();
    assert_eq!((report.result, report.not_done.len()), (Verdict::Pass, 1), "the verdict stands");
    assert!(report.not_done[0].contains(&inside.display().to_string()), "{:?}", report.not_done);
}
