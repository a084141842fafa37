//! The receiver of Ultra Ethernet in lockstep with its golden model.

use respray_cosim::cores::sack_rx::uet::{Knobs, UetRxCore};
use respray_cosim::lockstep::Stimulus;
use respray_cosim::lockstep::report::Verdict;
use respray_cosim::traffic::random::Knobs as _;
use respray_hdl::manifest::Generated;

use super::{generated, options, run};

/// The core with these keys.
pub fn uet(sets: &[&str]) -> Generated {
    generated("sack_rx", &[&["wire=uet", "sack.acks=uet"], sets].concat())
}

/// Random ops for so many clock edges, with resets among them.
pub fn random(core: &Generated, cycles: u64, knobs: &[&str]) -> Stimulus<UetRxCore> {
    let connections = core.manifest.config.connections;
    let mut chosen = Knobs { ops_per_reset: 10_000, ..Knobs::new(connections) };
    knobs.iter().for_each(|knob| chosen.set(knob, connections).unwrap());
    Stimulus::Random { cycles, knobs: chosen }
}

/// What every run of random ops reaches.
const REACHED: [&str; 23] = [
    "inits",
    "closes",
    "new",
    "duplicates",
    "outside",
    "syn_outside",
    "too_old",
    "ahead",
    "ahead_told",
    "probes",
    "asks",
    "asks_not_received",
    "answers",
    "answers_refused",
    "cleared",
    "trimmed",
    "uninitialised",
    "acks",
    "late_acks",
    "silent_advances",
    "nacks",
    "advanced_segments",
    "reset_edges",
];

#[test]
fn random_ops_pass_in_every_window() {
    let dir = tempfile::tempdir().unwrap();
    for sets in [
        ["connections=16", "sack.window=128"],
        ["connections=256", "sack.window=256"],
        ["connections=1024", "sack.window=512"],
    ] {
        let core = uet(&sets);
        let report = run(&core, &options(random(&core, 1_000_000, &[]), dir.path())).unwrap();
        if let Some(failure) = &report.failure {
            let trace = failure.reproducer.as_ref().map(|path| std::fs::read_to_string(path).unwrap());
            panic!("{sets:?}: {failure}\n{}", trace.unwrap_or_default());
        }
        assert_eq!((report.result, report.cycles, report.mismatches), (Verdict::Pass, 1_000_000, 0));
        for name in REACHED {
            assert!(report.counts.get(name) > 0, "{sets:?}: {name} {}", report.counts.get(name));
        }
    }
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0, "a run that passes leaves no file");
}

/// A host that clears next to nothing, until no packet can be named in an ACK.
#[test]
#[ignore = "so many cycles that connections come to 32767 packets"]
fn one_hot_connection_that_clears_nothing_passes() {
    let core = uet(&["connections=16", "sack.window=128"]);
    let knobs = [
        "hot_set=1",
        "hot_share=1",
        "idle_share=0",
        "ops_per_reset=0",
        "init_share=0.00001",
        "close_share=0",
        "ordered_share=0",
        "host_share=1",
        "other_share=0",
        "deep_share=1",
        "clear_share=0",
    ];
    let dir = tempfile::tempdir().unwrap();
    let report = run(&core, &options(random(&core, 8_000_000, &knobs), dir.path())).unwrap();
    assert_eq!(report.result, Verdict::Pass, "{}", report.failure.unwrap());
    for name in ["beyond_limit", "whole_windows"] {
        assert!(report.counts.get(name) >= 5, "{:?}", report.counts);
    }
}
