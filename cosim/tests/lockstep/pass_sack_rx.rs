use respray_cosim::cores::sack_rx::SackRxCore;
use respray_cosim::lockstep::{CosimOptions, Stimulus, given};
use respray_cosim::traffic::capture::Cut;
use respray_cosim::traffic::recording::Recording;
use respray_hdl::manifest::Generated;

use super::passing::{covers, passes, recording};
use super::{file, generated, options, run};

pub fn sack_rx(sets: &[&str]) -> Generated {
    generated("sack_rx", sets)
}

/// Random ops for so many clock edges, with resets among them unless `knobs` say otherwise.
pub fn random(core: &Generated, cycles: u64, knobs: &[&str]) -> Stimulus<SackRxCore> {
    let knobs: Vec<String> =
        ["ops_per_reset=10000"].iter().chain(knobs).map(|knob| knob.to_string()).collect();
    given::random(cycles, &knobs, &core.manifest.config).unwrap()
}

/// Each engine at its default, and with each window and number of connections once.
const KINDS: [[&str; 4]; 8] = [
    ["sack.engine=small", "connections=256", "sack.window=256", "wire=strack"],
    ["sack.engine=small", "connections=64", "sack.window=128", "wire=uet"],
    ["sack.engine=fast", "connections=16", "sack.window=64", "wire=uet"],
    ["sack.engine=fast", "connections=1024", "sack.window=512", "wire=strack"],
    ["sack.engine=small", "connections=16", "sack.window=64", "wire=strack"],
    ["sack.engine=small", "connections=1024", "sack.window=512", "wire=uet"],
    ["sack.engine=fast", "connections=256", "sack.window=256", "wire=strack"],
    ["sack.engine=fast", "connections=64", "sack.window=128", "wire=uet"],
];

#[test]
fn random_ops_pass_at_each_window() {
    random_ops_pass(&KINDS[..4], 1_000_000);
}

#[test]
#[ignore = "twice the configurations and twice the cycles"]
fn random_ops_pass_in_every_kind_of_configuration() {
    random_ops_pass(&KINDS, 2_000_000);
}

fn random_ops_pass(kinds: &[[&str; 4]], cycles: u64) {
    for sets in kinds {
        let core = sack_rx(sets);
        let report = passes(&core, random(&core, cycles, &[]));
        assert_eq!((report.cycles, report.mismatches), (cycles, 0));
        for (name, least_of_two_million) in [
            ("new", 20_000),
            ("duplicates", 1000),
            ("outside", 200),
            ("probes", 1000),
            ("uninitialised", 20),
            ("inits", 200),
            ("sacks", 10_000),
            ("advanced_segments", 300),
            ("reset_edges", 5),
        ] {
            let least = least_of_two_million * cycles / 2_000_000;
            assert!(report.counts.get(name) >= least, "{sets:?}: {name} {}", report.counts.get(name));
        }
        let packets = ["new", "duplicates", "outside", "probes", "uninitialised"];
        let sum = packets.iter().map(|name| report.counts.get(name)).sum::<u64>();
        assert_eq!(report.counts.get("packets"), sum);
    }
}

#[test]
fn one_hot_connection_with_an_op_at_every_edge_passes_over_whole_windows() {
    for window in ["sack.window=64", "sack.window=512"] {
        let core = sack_rx(&[window]);
        let knobs = [
            "hot_set=1",
            "hot_share=1",
            "idle_share=0",
            "init_share=0.0005",
            "close_share=0.0001",
            "outside_share=0.002",
        ];
        let report = passes(&core, random(&core, 1_000_000, &knobs));
        assert!(report.counts.get("whole_windows") >= 10, "{window}: {:?}", report.counts);
    }
}

#[test]
fn line_coverage_of_random_ops_is_whole() {
    let core = sack_rx(&[]);
    covers(&core, random(&core, 500_000, &[]));
}

#[test]
fn the_sacks_of_our_recordings_are_sent_again_exactly() {
    let core = sack_rx(&[]);
    for name in ["steady", "slow-path", "path-failure"] {
        // the receiver answers each packet that reaches it, and no ACK is lost
        let data = Recording::load(&recording(&format!("{name}.json"))).unwrap().figures.acks;
        let path = recording(&format!("{name}-receiver.pcap.gz"));
        let stimulus: Stimulus<SackRxCore> =
            given::capture(&path, None, None, Cut::Refused, &core.manifest.config).unwrap();
        let report = passes(&core, stimulus);
        let count = |name| report.counts.get(name);
        assert!(data > 10_000, "{name}");
        assert_eq!((count("packets"), count("inits")), (data, 64), "{name}");
        assert_eq!((count("sacks_given"), count("sacks_as_given")), (data, data), "{name}");
    }
}

#[test]
fn what_a_trace_expects_and_does_not_get_is_a_failure() {
    let core = sack_rx(&["connections=64"]);
    let dir = tempfile::tempdir().unwrap();
    let columns = "op,conn,psn,bytes,expect,expect_epsn,expect_base,expect_bitmap,expect_ooo,expect_bytes\n";
    let rows = |bitmap: &str| {
        format!(
            "{columns}init,7,62,,,,,,,\ninit,9,0,,,,,,,\npacket,7,64,10,none,,,,,\n\
             packet,7,62,20,sack,63,0,{bitmap},1,30\npacket,7,65,10,wire,1,0,0x0,0,0\n"
        )
    };
    let right = file(dir.path(), "right.csv", &rows("0x7fffffffffffffff"));
    let report = passes(&core, Stimulus::<SackRxCore>::Ops(right));
    assert_eq!((report.counts.get("sacks_given"), report.counts.get("sacks_as_given")), (1, 0));
    let wrong = file(dir.path(), "wrong.csv", &rows("0x1"));
    let failure =
        run(&core, &options::<SackRxCore>(Stimulus::Ops(wrong), dir.path())).unwrap().failure.unwrap();
    let said = failure.difference.to_string();
    assert!(
        said.contains(
            "a packet returned a SACK of EPSN 63, base 0, bitmap 0x7fffffffffffffff, 1 out of order, 30 bytes, the op \
             trace expects a SACK of EPSN 63, base 0, bitmap 0x1, 1 out of order, 30 bytes; connection 7; op 3"
        ),
        "{said}"
    );
    assert_eq!(failure.reproducer_ops, Some(3), "the ops of the connection up to the packet");
    let again = options::<SackRxCore>(Stimulus::Ops(failure.reproducer.unwrap()), dir.path());
    let again = CosimOptions { reproducer: dir.path().join("again.csv"), ..again };
    assert_eq!(run(&core, &again).unwrap().failure.unwrap().difference.entry, Some(2));
}
