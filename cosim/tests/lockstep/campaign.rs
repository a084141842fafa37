//! Long random runs, half a minute each: `cargo test --release -p respray-cosim --test lockstep campaign -- --ignored
//! --test-threads 1`.

use std::path::Path;

use respray_cosim::lockstep::report::Verdict;
use respray_cosim::lockstep::reps::RepsCore;
use respray_cosim::lockstep::{Progress, Stimulus, cosim};
use respray_cosim::traffic::random::Knobs as _;
use respray_cosim::traffic::random::reps::Knobs;

use super::{options, reps};

const CYCLES: u64 = 100_000_000;
/// Memory that a run may grow by after its first tenth, in bytes.
const GROWTH: u64 = 4 << 20;

/// Resident memory in bytes, where the system tells.
fn resident() -> Option<u64> {
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    statm.split_whitespace().nth(1)?.parse::<u64>().ok().map(|pages| pages * 4096)
}

fn passes(sets: &[&str], knobs: &[&str]) {
    let core = reps(sets);
    let connections = core.manifest.config.connections;
    let mut chosen = Knobs::new(connections);
    knobs.iter().for_each(|knob| chosen.set(knob, connections).unwrap());
    let stimulus = Stimulus::<RepsCore>::Random { cycles: CYCLES, knobs: chosen };
    let mut early = None;
    let mut progress = |step| {
        if let Progress::Running { cycles, .. } = step
            && cycles >= CYCLES / 10
            && early.is_none()
        {
            early = resident();
        }
    };
    let report = cosim(&core, &options(stimulus, Path::new(".")), &mut progress).unwrap();
    let late = resident();
    println!("{}", serde_json::to_string(&report).unwrap());
    assert_eq!(report.result, Verdict::Pass, "{}", report.failure.unwrap());
    assert_eq!(report.cycles, CYCLES);
    for name in ["explore", "recycle", "replay", "freezes_entered", "freezes_left"] {
        assert!(report.counts.get(name) > CYCLES / 1000, "{name}: {}", report.counts.get(name));
    }
    if let (Some(early), Some(late)) = (early, late) {
        println!("resident memory: {early} bytes after a tenth, {late} at the end");
        assert!(late <= early + GROWTH, "memory grew from {early} to {late} bytes");
    }
}

#[test]
#[ignore = "half a minute"]
fn campaign_default() {
    passes(&[], &[]);
}

#[test]
#[ignore = "half a minute"]
fn campaign_16_connections_of_4_evs() {
    passes(&["connections=16", "reps.depth=4"], &[]);
}

#[test]
#[ignore = "half a minute"]
fn campaign_1024_connections_of_16_evs() {
    passes(&["connections=1024", "reps.depth=16"], &[]);
}

#[test]
#[ignore = "half a minute"]
fn campaign_uet() {
    passes(&["reps.variant=uet"], &[]);
}

#[test]
#[ignore = "half a minute"]
fn campaign_two_hot_connections_with_an_op_at_every_edge() {
    passes(&[], &["hot_set=2", "hot_share=1", "idle_share=0", "ops_per_reset=0"]);
}
