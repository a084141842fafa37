//! Faults made by hand in a core's generated Verilog.
//!
//! A fault is one text of the Verilog and what stands in its place. Where the generator writes that text differently,
//! the test says so, and the fault is to be written anew.

use respray_cosim::lockstep::Compiled;
use respray_cosim::lockstep::compare::Against;
use respray_cosim::lockstep::report::Verdict;
use respray_cosim::lockstep::{CosimOptions, Stimulus};
use respray_hdl::manifest::Generated;

use super::{file, options, run};

/// The fault is found, and shrunk to at most `most` lines of an op trace that fail again and pass without the fault.
pub fn found<C: Compiled>(core: &Generated, stimulus: Stimulus<C>, text: &str, wrong: &str, most: usize) {
    found_of_seed(None, core, stimulus, text, wrong, most);
}

/// The same with random ops of another seed than the usual one.
pub fn found_of_seed<C: Compiled>(
    seed: Option<u64>,
    core: &Generated,
    stimulus: Stimulus<C>,
    text: &str,
    wrong: &str,
    most: usize,
) {
    assert_eq!(core.verilog.matches(text).count(), 1, "`{text}` stands in the Verilog once");
    let dir = tempfile::tempdir().unwrap();
    let verilog = file(dir.path(), "faulty.v", &core.verilog.replace(text, wrong));
    let faulty = |stimulus| CosimOptions {
        verilog: Some(verilog.clone()),
        waves: false,
        ..options(stimulus, dir.path())
    };
    let mut first = faulty(stimulus);
    first.own.seed = seed;
    let report = run(core, &first).unwrap();
    let failure = report.failure.unwrap_or_else(|| panic!("`{wrong}` is not found"));
    assert_eq!(failure.difference.against, Against::Golden);
    let lines = failure.reproducer_ops.expect("it is shrunk");
    let trace = failure.reproducer.expect("and written");
    let text = std::fs::read_to_string(&trace).unwrap();
    assert!(lines <= most, "{lines} lines:\n{text}");
    assert!(most <= 60);

    let again =
        CosimOptions { reproducer: dir.path().join("again.csv"), ..faulty(Stimulus::Ops(trace.clone())) };
    assert_eq!(run(core, &again).unwrap().result, Verdict::Fail, "the trace fails again:\n{text}");
    let right = run(core, &options::<C>(Stimulus::Ops(trace), dir.path())).unwrap();
    assert_eq!(right.result, Verdict::Pass, "without the fault, the trace passes:\n{text}");
}
