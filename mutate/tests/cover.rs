//! Points that the runs of the cores hit, and one that they do not.

use std::path::Path;

use respray_files::made_from::MadeFrom;
use respray_hdl::catalogue::{NAMES, generate};
use respray_hdl::config::Config;
use respray_mutate::cover::report::Report;
use respray_mutate::cover::{Covered, Request, covered};
use respray_mutate::runs::Plan;

/// What the rounds up to a stage hit in a core.
fn hits(core: &str, cycles: u64, stage: usize, toggles: bool) -> Covered {
    let generated = generate(core, &Config::default()).unwrap();
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let plan = Plan { cycles, seed: 1, recordings: project.join("tb/recordings") };
    covered(&generated, &Request { plan, stage, toggles }, &|_, _| {})
        .unwrap_or_else(|error| panic!("{error}"))
}

fn report(cores: Vec<Covered>) -> Report {
    let (commit, date) = ("0".to_string(), "2026-01-01".to_string());
    Report::new(cores, MadeFrom::default(), Config::default(), 1, commit, date).unwrap()
}

/// Each point of these cores is hit in the short runs and on the recordings.
#[test]
fn short_runs_hit_each_point_of_an_engine() {
    for core in ["reps", "flowcut"] {
        let covered = hits(core, 20_000, 1, false);
        let never: Vec<_> = covered.never_hit().collect();
        assert!(never.is_empty() && covered.points.len() > 15, "{core}: {never:?}");
    }
}

#[test]
#[ignore = "minutes: every core, all rounds"]
fn runs_hit_each_point_of_every_core() {
    let cores = NAMES.iter().map(|core| hits(core, 1_000_000, 3, false)).collect();
    let report = report(cores);
    assert!(report.is_whole(), "{}", report.text());
}

/// Of a run that is too short some points are never hit: the report says which, and that it failed. Bits that toggle are counted.
#[test]
fn a_point_that_is_never_hit_is_told() {
    let covered = hits("sack_rx", 1, 0, true);
    let (toggled, bits) = covered.bits.expect("they were counted");
    assert!(0 < toggled && toggled <= bits, "{toggled} of {bits}");
    let never = covered.never_hit().next().expect("a window is not filled in so short a run").point.clone();
    let report = report(vec![covered]);
    assert!(!report.is_whole());
    assert!(report.text().contains(&format!("never hit: {never}: ")), "{}", report.text());
    assert!(report.text().ends_with("FAILED: a point was never hit\n"));
    assert!(report.markdown().contains(&format!("| `{never}` |")), "{}", report.markdown());
}
