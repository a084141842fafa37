//! `caver` in lockstep with its golden model.

use respray_cosim::cores::caver::CaverCore;
use respray_cosim::lockstep::report::Report;
use respray_cosim::lockstep::{Stimulus, given};
use respray_cosim::traffic::capture::Cut;
use respray_cosim::traffic::recording::Recording;
use respray_hdl::manifest::Generated;

use super::passing::{covers, passes, recording, transcribed};
use super::{file, generated};

/// Random ops for so many clock edges, with resets among them unless `knobs` say otherwise.
pub fn random(core: &Generated, cycles: u64, knobs: &[&str]) -> Stimulus<CaverCore> {
    let knobs: Vec<String> =
        ["ops_per_reset=20000"].iter().chain(knobs).map(|knob| knob.to_string()).collect();
    given::random(cycles, &knobs, &core.manifest.config).unwrap()
}

/// The smallest tables, which the walker comes round in often, and the fewest ports.
pub const SMALL: &[&str] = &["caver.destinations=64", "caver.ports=16", "caver.flows=1024"];

const DATA: [&str; 7] = ["deliver", "same", "collided", "new", "ecmp", "routed", "bad_route"];
const ACKS: [&str; 5] = ["pass", "advertised", "refused", "took", "kept"];

/// What random ops reach, and how often at least in a million cycles.
pub const REACHED: [(&str, u64); 19] = [
    ("waits", 20_000),
    ("deliver", 10_000),
    ("same", 20_000),
    ("collided", 20_000),
    ("new", 1000),
    ("ecmp", 10_000),
    ("routed", 20_000),
    ("bad_route", 10_000),
    ("pass", 3000),
    ("advertised", 10_000),
    ("refused", 5000),
    ("took", 10_000),
    ("kept", 10_000),
    ("saturated", 1000),
    ("set_shifts", 2000),
    ("hosts", 1000),
    ("decays", 1000),
    ("visits", 10_000),
    ("reset_edges", 5),
];

/// The sum of some counts.
fn sum(report: &Report, names: &[&str]) -> u64 {
    names.iter().map(|name| report.counts.get(name)).sum()
}

/// Random ops pass, and reach all that there is.
pub fn random_ops_pass(keys: &[&str], cycles: u64) {
    let core = generated("caver", keys);
    let report = passes(&core, random(&core, cycles, &[]));
    assert_eq!((report.cycles, report.mismatches), (cycles, 0));
    for (name, least) in REACHED {
        // the larger the tables, the longer a reset, and the more seldom two ops share an entry
        let least = if core.manifest.reset_cycles > 4096 { 1 } else { least * cycles / 1_000_000 };
        assert!(report.counts.get(name) >= least, "{keys:?}: {name} {}", report.counts.get(name));
    }
    assert!(sum(&report, &DATA) + sum(&report, &ACKS) <= report.counts.get("ops"));
}

#[test]
fn random_ops_pass_with_small_tables_and_with_those_of_the_default() {
    random_ops_pass(SMALL, 1_000_000);
    random_ops_pass(&[], 1_000_000);
}

/// Each size of each table with another size of the other one, the larger one of either kind.
#[test]
#[ignore = "more configurations and cycles"]
fn random_ops_pass_at_each_size() {
    for (destinations, ports, flows) in [
        (64, 64, 1024),
        (256, 16, 4096),
        (1024, 16, 1024),
        (1024, 64, 16_384),
        (4096, 32, 1024),
        (4096, 16, 4096),
        (4096, 64, 16_384),
    ] {
        let keys = [("destinations", destinations), ("ports", ports), ("flows", flows)]
            .map(|(key, value)| format!("caver.{key}={value}"));
        random_ops_pass(&keys.each_ref().map(String::as_str), 5_000_000);
    }
}

pub const ROUND_ROBIN: &str = "caver.advertise=round_robin";

#[test]
fn random_ops_pass_with_a_list_of_hosts() {
    let core = generated("caver", &[SMALL, &[ROUND_ROBIN]].concat());
    // lists of one host and of a few, and of all that there is room for
    for knobs in [&["ops_per_reset=300"][..], &["ops_per_reset=3000", "list_share=0.002"], &[]] {
        let report = passes(&core, random(&core, 200_000, knobs));
        assert!(report.counts.get("of_others") > 1000, "{knobs:?}: {:?}", report.counts);
    }
}

#[test]
fn one_hot_destination_and_flow_with_an_op_at_every_edge_pass() {
    let core = generated("caver", SMALL);
    let knobs = ["hot_set=1", "flow_set=1", "hot_share=1", "idle_share=0", "ops_per_reset=0"];
    let report = passes(&core, random(&core, 1_000_000, &knobs));
    for name in ["same", "new", "ecmp", "took", "kept"] {
        assert!(report.counts.get(name) >= 50, "{name} {}", report.counts.get(name));
    }
    // nearly every op waits for the one ahead, unless that shares nothing
    assert!(report.counts.get("waits") >= report.counts.get("ops") / 2, "{:?}", report.counts);
}

#[test]
fn settings_anywhere_in_their_range_and_frequent_resets_pass() {
    let core = generated("caver", SMALL);
    for knobs in [
        &["wild_share=1"][..],
        // as often in the middle of the clearing
        &["ops_per_reset=100", "wild_share=1"],
        &["bad_path_share=1", "host_share=0.1"],
        &["host_share=1", "flow_set=64", "idle_share=0"],
        &["set_shift_share=0.4", "list_share=0.2", "hot_set=2"],
    ] {
        let report = passes(&core, random(&core, 400_000, knobs));
        assert!(sum(&report, &DATA) > 10_000 && sum(&report, &ACKS) > 10_000, "{:?}", report.counts);
    }
}

/// Clock edges beyond those of the reset that an op trace of these lines takes with these keys.
fn edges(keys: &[&str], lines: impl Iterator<Item = String>) -> u64 {
    let core = generated("caver", keys);
    let dir = tempfile::tempdir().unwrap();
    let lines: Vec<String> = lines.collect();
    let text = format!("now,op,conn,in_port,hash,bytes,fib_port,path,ce,len\n{}\n", lines.join("\n"));
    let report = passes(&core, Stimulus::<CaverCore>::Ops(file(dir.path(), "ops.csv", &text)));
    assert_eq!(report.counts.get("ops"), lines.len() as u64);
    report.cycles - u64::from(core.manifest.reset_cycles)
}

#[test]
fn fifteen_ops_in_sixteen_cycles_or_one_in_seven_of_a_destination() {
    in_sixteen_and_in_seven(SMALL);
}

/// Fifteen ops pass in sixteen cycles, or one in seven where each changes an entry of the one before.
pub fn in_sixteen_and_in_seven(keys: &[&str]) {
    let (ops, spare) = (1500, 32);
    // no two of them share an entry within six ops, and one in sixteen meets the walker's at most
    let apart = edges(keys, (0..ops).map(|op| format!("0,data,{},0,{},1000,9,,,", op % 64, op % 1024)));
    assert!((ops * 16 / 15..ops * 16 / 15 + ops / 8).contains(&apart), "{apart}");
    // ACKs of hosts at this switch are given a path, and wait as all others do
    for port in [0, 8] {
        let together = edges(keys, (0..ops).map(|_| format!("0,ack,5,{port},,,,7,0,1")));
        assert!((ops * 7..ops * 7 + ops / 2 + spare).contains(&together), "{together}");
    }
    // data reads the path of its destination, and changes its flow's entry alone
    let read = edges(keys, (0..ops).map(|op| format!("0,data,5,0,{},1000,9,,,", op % 1024)));
    assert!((ops * 16 / 15..ops * 16 / 15 + ops / 8).contains(&read), "{read}");
}

#[test]
fn line_coverage_of_random_ops_is_whole() {
    let core = generated("caver", SMALL);
    covers(&core, random(&core, 500_000, &[]));
}

/// Traces of somebody who wrote the core's contract down by himself.
#[test]
fn traces_of_the_second_transcription_pass_with_every_result_equal() {
    for (name, data, acks) in [
        ("caver_small", [872, 1060, 408, 214, 285, 489, 105], [505, 323, 49, 790, 1615]),
        ("caver_default", [1070, 1334, 333, 226, 489, 807, 138], [623, 433, 59, 1037, 2094]),
        ("caver_full", [5974, 663, 212, 131, 185, 342, 61], [273, 427, 27, 606, 883]),
        ("caver_ages", [847, 978, 154, 152, 320, 419, 80], [613, 189, 47, 937, 1034]),
        ("caver_hosts", [2548, 2448, 1440, 497, 878, 1611, 276], [1634, 875, 142, 2640, 4057]),
    ] {
        transcription(name, data, acks);
    }
}

/// A trace of the second transcription passes, with so many results of each kind of data and of ACKs.
pub fn transcription(name: &str, data: [u64; 7], acks: [u64; 5]) {
    let report = transcribed::<CaverCore>("caver_traces", name);
    assert_eq!(DATA.map(|kind| report.counts.get(kind)), data, "{name}: {:?}", report.counts);
    assert_eq!(ACKS.map(|kind| report.counts.get(kind)), acks, "{name}: {:?}", report.counts);
}

/// The packets and ACKs of a recording, as another selector sent them, as the switch of the sender sees them.
#[test]
fn a_recording_passes() {
    let core = generated("caver", &[]);
    let acks = Recording::load(&recording("steady.json")).unwrap().figures.acks;
    let path = recording("steady-sender.pcap.gz");
    let stimulus: Stimulus<CaverCore> =
        given::capture(&path, None, None, Cut::Refused, &core.manifest.config).unwrap();
    let report = passes(&core, stimulus);
    assert!(acks > 10_000);
    assert_eq!(sum(&report, &["took", "kept"]), acks);
    assert_eq!(sum(&report, &DATA), sum(&report, &["same", "new", "ecmp"]), "{:?}", report.counts);
    assert!(report.counts.get("same") > 10_000 && report.counts.get("kept") > 0, "{:?}", report.counts);
}
