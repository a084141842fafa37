//! `caver` with an entry for each uplink in lockstep with its golden model.

use respray_cosim::cores::caver::CaverCore;

use super::generated;
use super::pass_caver::{
    ROUND_ROBIN, SMALL, in_sixteen_and_in_seven, random, random_ops_pass, transcription,
};
use super::passing::{covers, passes};

pub const PER_PORT: &str = "caver.table=per_port";

#[test]
fn random_ops_pass_with_an_entry_for_each_uplink() {
    random_ops_pass(&[SMALL, &[PER_PORT]].concat(), 200_000);
}

/// Traces of somebody who wrote the core's contract down by himself.
#[test]
fn a_trace_of_the_second_transcription_passes_with_every_result_equal() {
    transcription("caver_uplinks", [2681, 2916, 857, 619, 905, 1579, 303], [1666, 922, 148, 1470, 5113]);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_trace_of_a_switch_with_more_ports_than_uplinks_passes_with_every_result_equal() {
    transcription("caver_wide", [480, 592, 162, 84, 240, 357, 49], [285, 162, 755, 221, 422]);
}

#[test]
fn as_many_ops_pass_as_with_one_path_for_each_destination() {
    in_sixteen_and_in_seven(&[SMALL, &[PER_PORT]].concat());
}

/// Each size of each table with another size of the other one, the larger one of either kind.
#[test]
#[ignore = "more configurations and cycles"]
fn random_ops_pass_at_each_number_of_ports() {
    for keys in [
        &["caver.destinations=64", "caver.ports=64", "caver.flows=1024"][..],
        &["caver.destinations=256", "caver.ports=32", "caver.flows=1024", ROUND_ROBIN],
        &["caver.destinations=4096", "caver.ports=32", "caver.flows=1024"],
        &["caver.destinations=4096", "caver.ports=64", "caver.flows=16384", ROUND_ROBIN],
        &[],
    ] {
        let core = generated("caver", &[keys, &[PER_PORT]].concat());
        let report = passes(&core, random(&core, 3_000_000, &[]));
        // the more ports, the fewer of them are uplinks
        for name in ["same", "new", "took", "kept", "visits"] {
            assert!(report.counts.get(name) > 2000, "{keys:?}: {name} {:?}", report.counts);
        }
    }
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn random_ops_pass_with_a_list_of_hosts_and_an_entry_for_each_uplink() {
    let core = generated("caver", &[SMALL, &[PER_PORT, ROUND_ROBIN]].concat());
    for knobs in [&["ops_per_reset=300"][..], &["ops_per_reset=3000", "list_share=0.002"], &[]] {
        let report = passes(&core, random(&core, 1_000_000, knobs));
        assert!(report.counts.get("of_others") > 5000, "{knobs:?}: {:?}", report.counts);
    }
}

#[test]
#[ignore = "with the long tests"]
fn one_hot_destination_wild_settings_and_frequent_resets_pass() {
    let core = generated("caver", &[SMALL, &[PER_PORT]].concat());
    for knobs in [
        &["hot_set=1", "flow_set=1", "hot_share=1", "idle_share=0", "ops_per_reset=0"][..],
        &["wild_share=1"],
        &["ops_per_reset=100", "wild_share=1"],
        &["set_shift_share=0.4", "list_share=0.2", "hot_set=2"],
    ] {
        let report = passes(&core, random(&core, 2_000_000, knobs));
        for name in ["same", "ecmp", "took", "kept"] {
            assert!(report.counts.get(name) > 1000, "{knobs:?}: {:?}", report.counts);
        }
    }
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn line_coverage_of_random_ops_is_whole() {
    let core = generated("caver", &[SMALL, &[PER_PORT, ROUND_ROBIN]].concat());
    covers::<CaverCore>(&core, random(&core, 1_000_000, &[]));
}
