//! `strack_cc` in lockstep with its golden model.

use std::path::Path;

use respray_cosim::cores::strack_cc::StrackCcCore;
use respray_cosim::lockstep::report::Verdict;
use respray_cosim::lockstep::{Stimulus, given};
use respray_cosim::traffic::capture::Cut;
use respray_cosim::traffic::recording::Recording;
use respray_hdl::manifest::Generated;

use super::passing::{covers, passes, recording};
use super::{generated, options, run};

/// Random ops for so many clock edges, with resets among them unless `knobs` say otherwise.
pub fn random(core: &Generated, cycles: u64, knobs: &[&str]) -> Stimulus<StrackCcCore> {
    let knobs: Vec<String> =
        ["ops_per_reset=4000"].iter().chain(knobs).map(|knob| knob.to_string()).collect();
    given::random(cycles, &knobs, &core.manifest.config).unwrap()
}

/// What random ops reach, and how often at least in a million cycles.
pub const REACHED: [(&str, u64); 13] = [
    ("inits", 500),
    ("reads", 1000),
    ("acks", 30_000),
    ("refused", 300),
    ("hold", 5000),
    ("proportional", 2000),
    ("additive", 2000),
    ("multiplicative", 1000),
    ("achieved", 500),
    ("full", 1000),
    ("fair", 5000),
    ("one_packet", 500),
    ("reset_edges", 5),
];

fn random_ops_pass(connections: &[u32], cycles: u64) {
    for connections in connections {
        let core = generated("strack_cc", &[&format!("connections={connections}")]);
        let report = passes(&core, random(&core, cycles, &[]));
        assert_eq!((report.cycles, report.mismatches), (cycles, 0));
        for (name, least) in REACHED {
            // the more connections, the longer a reset and the fewer ACKs of each
            let least = if *connections > 256 { 1 } else { least * cycles / 1_000_000 };
            assert!(report.counts.get(name) >= least, "{connections}: {name} {}", report.counts.get(name));
        }
        let actions = ["hold", "proportional", "additive", "multiplicative", "achieved", "refused"];
        let sum = actions.iter().map(|name| report.counts.get(name)).sum::<u64>();
        assert!(sum >= report.counts.get("acks"), "each ACK is counted");
    }
}

#[test]
fn random_ops_pass_at_16_and_256_connections() {
    random_ops_pass(&[16, 256], 1_000_000);
}

#[test]
#[ignore = "more configurations and cycles"]
fn random_ops_pass_at_each_number_of_connections() {
    random_ops_pass(&[16, 64, 256, 1024, 4096], 10_000_000);
}

#[test]
fn one_hot_connection_with_an_op_at_every_edge_passes() {
    let core = generated("strack_cc", &[]);
    let knobs = ["hot_set=1", "hot_share=1", "idle_share=0", "init_share=0.004"];
    let report = passes(&core, random(&core, 1_000_000, &knobs));
    for name in ["achieved", "multiplicative", "proportional", "additive"] {
        assert!(report.counts.get(name) >= 500, "{name} {}", report.counts.get(name));
    }
}

#[test]
fn line_coverage_of_random_ops_is_whole() {
    let core = generated("strack_cc", &[]);
    covers(&core, random(&core, 500_000, &[]));
}

#[test]
fn the_acks_of_a_recording_pass() {
    let core = generated("strack_cc", &[]);
    let acks = Recording::load(&recording("steady.json")).unwrap().figures.acks;
    let path = recording("steady-sender.pcap.gz");
    let stimulus: Stimulus<StrackCcCore> =
        given::capture(&path, None, None, Cut::Refused, &core.manifest.config).unwrap();
    let mut options = options(stimulus, Path::new("."));
    // ticks of a capture are microseconds, and the kernel's paths are slow
    for (name, value) in [("net_base_rtt", 2000), ("target_qdelay", 500), ("target_qhigh", 2000)] {
        options.own.settings.set(name, value);
    }
    let report = run(&core, &options).unwrap();
    assert_eq!(report.result, Verdict::Pass, "{}", report.failure.unwrap());
    assert!(acks > 10_000);
    assert_eq!((report.counts.get("acks"), report.counts.get("refused")), (acks, 0));
    assert!(report.counts.get("fair") > 1000, "{:?}", report.counts);
}
