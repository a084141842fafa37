//! What every core has to pass.

use std::path::{Path, PathBuf};

use respray_cosim::lockstep::report::{Report, Verdict};
use respray_cosim::lockstep::{Compiled, CosimOptions, Stimulus};
use respray_cosim::verilator::Coverage;
use respray_hdl::manifest::Generated;

use super::{generated, options, run};

/// A run without a difference.
pub fn passes<C: Compiled>(core: &Generated, stimulus: Stimulus<C>) -> Report {
    let report = run(core, &options(stimulus, Path::new("."))).unwrap();
    assert_eq!(report.result, Verdict::Pass, "{}", report.failure.unwrap());
    report
}

/// A run without a difference: what it counted, and its lines.
pub fn covered<C: Compiled>(core: &Generated, stimulus: Stimulus<C>) -> (Report, Coverage) {
    let dir = tempfile::tempdir().unwrap();
    let coverage = dir.path().join("coverage");
    let options = CosimOptions { coverage: Some(coverage.clone()), ..options(stimulus, dir.path()) };
    let report = run(core, &options).unwrap();
    assert_eq!(report.result, Verdict::Pass, "{}", report.failure.unwrap());
    let counts = std::fs::read_to_string(coverage.join(format!("{}.dat", C::CONTRACT.core))).unwrap();
    (report, Coverage::parse(&counts).unwrap())
}

/// Every line of the Verilog ran.
pub fn is_whole(core: &Generated, coverage: &Coverage) {
    let (covered, total) = coverage.covered_and_total();
    assert!(total > 50, "{covered} of {total} lines");
    let text: Vec<&str> = core.verilog.lines().map(str::trim).collect();
    let idle: Vec<&str> = coverage.uncovered().into_iter().map(|line| text[line as usize - 1]).collect();
    assert!(idle.is_empty(), "{}: nothing executes {idle:?}", core.manifest.module);
}

/// A run without a difference, in which every line of the Verilog runs.
pub fn covers<C: Compiled>(core: &Generated, stimulus: Stimulus<C>) -> Report {
    let (report, coverage) = covered(core, stimulus);
    is_whole(core, &coverage);
    report
}

/// A trace of a second transcription passes: one of somebody who wrote the core's contract down by himself, in a folder of
/// `tb/reference`, with its settings beside it.
pub fn transcribed<C: Compiled>(folder: &str, name: &str) -> Report {
    let traces = tb().join("reference").join(folder);
    let settings = traces.join(format!("{name}.settings.csv"));
    let settings = std::fs::read_to_string(settings).expect("the settings stand beside the trace");
    let sets: Vec<String> = settings.lines().skip(1).map(|line| line.replace(',', "=")).collect();
    let sets: Vec<&str> = sets.iter().map(String::as_str).filter(|set| !set.starts_with("seed=")).collect();
    let core = generated(C::CONTRACT.core, &sets);
    let stimulus = Stimulus::<C>::Ops(traces.join(format!("{name}.csv.gz")));
    let report = run(&core, &options(stimulus, Path::new("."))).unwrap();
    assert_eq!(report.result, Verdict::Pass, "{name}: {}", report.failure.unwrap());
    report
}

/// A recording.
pub fn recording(name: &str) -> PathBuf {
    tb().join("recordings").join(name)
}

fn tb() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tb")
}
