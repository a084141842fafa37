//! `flowcut_switch` in lockstep with its golden model.

use respray_cosim::cores::flowcut_switch::FlowcutSwitchCore;
use respray_cosim::lockstep::{Stimulus, given};
use respray_cosim::traffic::capture::Cut;
use respray_cosim::traffic::recording::Recording;
use respray_hdl::manifest::Generated;

use super::generated;
use super::passing::{covers, passes, recording, transcribed};

/// Random ops for so many clock edges, with resets among them unless `knobs` say otherwise.
pub fn random(core: &Generated, cycles: u64, knobs: &[&str]) -> Stimulus<FlowcutSwitchCore> {
    let knobs: Vec<String> =
        ["ops_per_reset=30000"].iter().chain(knobs).map(|knob| knob.to_string()).collect();
    given::random(cycles, &knobs, &core.manifest.config).unwrap()
}

/// Few buckets, which the walker comes to often.
pub const FEW: &[&str] = &["flowcut_switch.buckets=512", "flowcut_switch.uplinks=8"];

/// What random ops reach with few buckets, and how often at least in a million cycles.
pub const REACHED: [(&str, u64); 16] = [
    ("new", 10_000),
    ("same", 50_000),
    ("forced", 2000),
    ("no_route", 100),
    ("saturated", 200),
    ("acks", 50_000),
    ("emptied", 5000),
    ("refused", 5000),
    ("loads", 20_000),
    ("minimums_set", 500),
    ("xoffs", 2000),
    ("xons", 1000),
    ("visits", 40_000),
    ("aged", 5),
    ("entries_cleared", 500),
    ("reset_edges", 5),
];

fn random_ops_pass(keys: &[&str], cycles: u64) {
    let core = generated("flowcut_switch", keys);
    let report = passes(&core, random(&core, cycles, &[]));
    assert_eq!((report.cycles, report.mismatches), (cycles, 0));
    for (name, least) in REACHED {
        // the more buckets, the longer a reset and a round of the walker
        let least =
            if core.manifest.config.flowcut_switch.buckets > 512 { 1 } else { least * cycles / 1_000_000 };
        assert!(report.counts.get(name) >= least, "{keys:?}: {name} {}", report.counts.get(name));
    }
    let packets = ["new", "same", "forced", "no_route"].map(|name| report.counts.get(name));
    assert!(packets.iter().sum::<u64>() + report.counts.get("acks") <= report.counts.get("ops"));
}

#[test]
fn random_ops_pass_with_either_pick() {
    random_ops_pass(FEW, 1_000_000);
    random_ops_pass(&[FEW[0], FEW[1], "flowcut_switch.pick=two"], 1_000_000);
}

#[test]
#[ignore = "more configurations and cycles"]
fn random_ops_pass_at_each_number_of_buckets_and_uplinks() {
    for buckets in ["512", "1024", "4096", "16384"] {
        for uplinks in ["8", "16", "32", "64"] {
            for pick in ["all", "two"] {
                let keys = [("buckets", buckets), ("uplinks", uplinks), ("pick", pick)]
                    .map(|(key, value)| format!("flowcut_switch.{key}={value}"));
                random_ops_pass(&keys.each_ref().map(String::as_str), 5_000_000);
            }
        }
    }
}

#[test]
fn one_hot_bucket_with_an_op_at_every_edge_passes() {
    let core = generated("flowcut_switch", FEW);
    let knobs = ["hot_set=1", "hot_share=1", "idle_share=0", "ops_per_reset=0"];
    let report = passes(&core, random(&core, 1_000_000, &knobs));
    for name in ["xoffs", "xons", "emptied", "forced", "saturated"] {
        assert!(report.counts.get(name) >= 500, "{name} {}", report.counts.get(name));
    }
    // of 16 edges, one is the walker's
    assert!(report.counts.get("ops") >= 930_000, "{:?}", report.counts);
}

#[test]
fn line_coverage_of_random_ops_is_whole() {
    let core = generated("flowcut_switch", FEW);
    covers(&core, random(&core, 500_000, &[]));
}

fn trace_passes(name: &str, packets: u64) {
    let report = transcribed::<FlowcutSwitchCore>("flowcut_switch_traces", name);
    let of_kind = ["new", "same", "forced", "no_route"].map(|kind| report.counts.get(kind));
    assert_eq!(of_kind.iter().sum::<u64>(), packets, "{name}: {:?}", report.counts);
}

/// Traces of somebody who wrote the core's contract down by himself.
#[test]
fn the_trace_of_the_second_transcription_passes_with_every_result_equal() {
    trace_passes("flowcut_switch_two_512", 11_929);
}

#[test]
#[ignore = "a model of its own for each, with the long tests"]
fn traces_of_the_second_transcription_pass_with_every_result_equal() {
    for (name, packets) in [
        ("flowcut_switch_all_512", 11_703),
        ("flowcut_switch_all_4096", 3610),
        ("flowcut_switch_two_4096", 3802),
    ] {
        trace_passes(name, packets);
    }
}

/// The packets and ACKs of a recording, as another selector sent them, as the switch of the sender sees them.
#[test]
fn a_recording_passes() {
    let core = generated("flowcut_switch", FEW);
    let acks = Recording::load(&recording("steady.json")).unwrap().figures.acks;
    let path = recording("steady-sender.pcap.gz");
    let stimulus: Stimulus<FlowcutSwitchCore> =
        given::capture(&path, None, None, Cut::Refused, &core.manifest.config).unwrap();
    let report = passes(&core, stimulus);
    assert!(acks > 10_000);
    assert_eq!((report.counts.get("acks"), report.counts.get("no_route")), (acks, 0));
    assert!(report.counts.get("refused") < acks / 4, "{:?}", report.counts);
    assert!(report.counts.get("xoffs") > 0, "{:?}", report.counts);
}
