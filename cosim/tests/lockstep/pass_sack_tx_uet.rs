//! The sender's scoreboard of Ultra Ethernet in lockstep with its golden model.

use std::path::Path;

use respray_cosim::cores::sack_tx::uet::{Knobs, UetTxCore};
use respray_cosim::lockstep::Stimulus;
use respray_cosim::lockstep::report::Verdict;
use respray_cosim::traffic::random::Knobs as _;
use respray_hdl::manifest::Generated;

use super::{generated, options, run};

/// The core with these keys.
pub fn uet(sets: &[&str]) -> Generated {
    generated("sack_tx", &[&["wire=uet", "sack.acks=uet"], sets].concat())
}

/// Random ops for so many clock edges, with resets among them.
pub fn random(core: &Generated, cycles: u64, knobs: &[&str]) -> Stimulus<UetTxCore> {
    let connections = core.manifest.config.connections;
    let mut chosen = Knobs { ops_per_reset: 10_000, ..Knobs::new(connections) };
    knobs.iter().for_each(|knob| chosen.set(knob, connections).unwrap());
    Stimulus::Random { cycles, knobs: chosen }
}

/// What every run of random ops reaches, often.
const REACHED: [&str; 31] = [
    "sent",
    "sent_again",
    "sent_gap",
    "sent_window_full",
    "acks_taken",
    "acks_overtaken",
    "acks_never_sent",
    "acks_beyond",
    "acks_void",
    "nacks",
    "nacks_outside",
    "next_rtx",
    "retransmissions",
    "reads",
    "closes",
    "inits",
    "uninitialised",
    "acked",
    "losses_ooo",
    "losses_probe",
    "losses_timeout",
    "losses_timeout_in_a_row",
    "losses_nack",
    "refused",
    "ack_requests",
    "deaths",
    "probes_due",
    "recoveries_left",
    "visits",
    "visits_forced",
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
            assert!(report.counts.get(name) >= 10, "{sets:?}: {name} {}", report.counts.get(name));
        }
    }
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0, "a run that passes leaves no file");
}

#[test]
fn one_hot_connection_whose_psns_wrap_passes() {
    let core = uet(&["connections=16", "sack.window=128"]);
    let knobs =
        ["hot_set=1", "hot_share=1", "idle_share=0", "ops_per_reset=0", "wrap_share=1", "garbage_share=0.2"];
    let report = run(&core, &options(random(&core, 500_000, &knobs), Path::new("."))).unwrap();
    assert_eq!(report.result, Verdict::Pass, "{}", report.failure.unwrap());
    let (visits, ops) = (report.counts.get("visits_forced"), report.counts.get("ops"));
    assert_eq!(report.counts.get("visits"), visits, "no edge without an op");
    assert!(visits.abs_diff(ops / 16) <= 1, "{visits} visits, {ops} ops");
}
