//! `flowcut` in lockstep with its golden model.

use respray_cosim::cores::flowcut::FlowcutCore;
use respray_cosim::lockstep::{Stimulus, given};
use respray_cosim::traffic::capture::Cut;
use respray_cosim::traffic::recording::Recording;
use respray_hdl::manifest::Generated;

use super::generated;
use super::passing::{covers, passes, recording, transcribed};

/// Random ops for so many clock edges, with resets among them unless `knobs` say otherwise.
pub fn random(core: &Generated, cycles: u64, knobs: &[&str]) -> Stimulus<FlowcutCore> {
    let knobs: Vec<String> =
        ["ops_per_reset=8000"].iter().chain(knobs).map(|knob| knob.to_string()).collect();
    given::random(cycles, &knobs, &core.manifest.config).unwrap()
}

/// What random ops reach, and how often at least in a million cycles.
pub const REACHED: [(&str, u64); 16] = [
    ("new", 20_000),
    ("same", 20_000),
    ("wait", 10_000),
    ("full", 1000),
    ("retransmissions", 5000),
    ("acks", 50_000),
    ("emptied", 5000),
    ("refused", 5000),
    ("timeouts", 2000),
    ("inits", 500),
    ("minimums_set", 500),
    ("drains_started", 2000),
    ("drains_done", 500),
    ("drains_given_up", 200),
    ("order_risks", 200),
    ("reset_edges", 5),
];

fn random_ops_pass(keys: &[&str], cycles: u64) {
    let core = generated("flowcut", keys);
    let report = passes(&core, random(&core, cycles, &[]));
    assert_eq!((report.cycles, report.mismatches), (cycles, 0));
    for (name, least) in REACHED {
        // the more connections, the longer a reset
        let least = if core.manifest.config.connections > 256 { 1 } else { least * cycles / 1_000_000 };
        assert!(report.counts.get(name) >= least, "{keys:?}: {name} {}", report.counts.get(name));
    }
    let sends = ["new", "same", "wait"].iter().map(|name| report.counts.get(name)).sum::<u64>();
    assert!(sends + report.counts.get("acks") <= report.counts.get("ops"));
}

#[test]
fn random_ops_pass_in_both_variants() {
    random_ops_pass(&[], 1_000_000);
    random_ops_pass(&["connections=16", "flowcut.variant=sticky", "flowcut.time_bits=24"], 1_000_000);
}

#[test]
#[ignore = "more configurations and cycles"]
fn random_ops_pass_at_each_number_of_connections() {
    for connections in [16, 64, 1024, 4096, 16384] {
        let connections = format!("connections={connections}");
        for variant in ["flowcut.variant=paper", "flowcut.variant=sticky"] {
            for bits in ["flowcut.time_bits=16", "flowcut.time_bits=24"] {
                random_ops_pass(&[&connections, variant, bits], 5_000_000);
            }
        }
    }
}

#[test]
fn one_hot_connection_with_an_op_at_every_edge_passes() {
    let core = generated("flowcut", &[]);
    let knobs = ["hot_set=1", "hot_share=1", "idle_share=0"];
    let report = passes(&core, random(&core, 1_000_000, &knobs));
    for name in ["drains_started", "drains_done", "full", "emptied"] {
        assert!(report.counts.get(name) >= 500, "{name} {}", report.counts.get(name));
    }
}

#[test]
fn line_coverage_of_random_ops_is_whole() {
    let core = generated("flowcut", &[]);
    covers(&core, random(&core, 500_000, &[]));
}

/// Traces of somebody who wrote the core's contract down by himself.
#[test]
fn traces_of_the_second_transcription_pass_with_every_result_equal() {
    for (name, sends) in [
        ("flowcut_paper_16", 12_211),
        ("flowcut_sticky_16", 12_498),
        ("flowcut_paper_24", 12_471),
        ("flowcut_sticky_24", 12_720),
        ("flowcut_empty_paper_16", 1480),
        ("flowcut_empty_sticky_16", 1398),
    ] {
        let report = transcribed::<FlowcutCore>("flowcut_traces", name);
        let of_kind = ["new", "same", "wait"].map(|kind| report.counts.get(kind));
        assert_eq!(of_kind.iter().sum::<u64>(), sends, "{name}: {:?}", report.counts);
    }
}

/// The packets and ACKs of a recording, of which no packet waits, as another selector sent them.
#[test]
fn the_acks_of_a_recording_pass() {
    let core = generated("flowcut", &[]);
    let acks = Recording::load(&recording("steady.json")).unwrap().figures.acks;
    let path = recording("steady-sender.pcap.gz");
    let stimulus: Stimulus<FlowcutCore> =
        given::capture(&path, None, None, Cut::Refused, &core.manifest.config).unwrap();
    let report = passes(&core, stimulus);
    assert!(acks > 10_000);
    assert_eq!((report.counts.get("acks"), report.counts.get("wait")), (acks, 0));
    assert!(report.counts.get("refused") < acks / 4, "{:?}", report.counts);
    assert!(report.counts.get("drains_started") > 0, "{:?}", report.counts);
}
