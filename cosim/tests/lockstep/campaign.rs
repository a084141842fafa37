//! Long random runs, of half a minute each for `reps`:
//! `cargo test --release -p respray-cosim-tests --test all lockstep::campaign -- --ignored --test-threads 1`.

use std::path::Path;

use respray_cosim::cores::bitmap::BitmapCore;
use respray_cosim::cores::caver::CaverCore;
use respray_cosim::cores::ecmp::EcmpCore;
use respray_cosim::cores::flowcut::FlowcutCore;
use respray_cosim::cores::flowcut_switch::FlowcutSwitchCore;
use respray_cosim::cores::flowlet::FlowletCore;
use respray_cosim::cores::mixed::MixedCore;
use respray_cosim::cores::mprdma::MprdmaCore;
use respray_cosim::cores::ops::OpsCore;
use respray_cosim::cores::plb::PlbCore;
use respray_cosim::cores::reps::RepsCore;
use respray_cosim::cores::sack_rx::SackRxCore;
use respray_cosim::cores::sack_tx::SackTxCore;
use respray_cosim::cores::strack::StrackCore;
use respray_cosim::cores::strack_cc::StrackCcCore;
use respray_cosim::cores::subflows::SubflowsCore;
use respray_cosim::lockstep::Compiled;
use respray_cosim::lockstep::report::Verdict;
use respray_cosim::lockstep::{Progress, cosim, given};
use respray_hdl::manifest::Generated;

use super::pass_sack_tx::REACHED;
use super::{generated, options, reps};

const CYCLES: u64 = 100_000_000;
/// Memory that a run may grow by after its first tenth, in bytes.
const GROWTH: u64 = 4 << 20;

/// Resident memory in bytes, where the system tells.
fn resident() -> Option<u64> {
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    statm.split_whitespace().nth(1)?.parse::<u64>().ok().map(|pages| pages * 4096)
}

fn passes(sets: &[&str], knobs: &[&str]) {
    let reached = ["explore", "recycle", "replay", "freezes_entered", "freezes_left"];
    core_passes::<RepsCore>(&reps(sets), knobs, &reached.map(|name| (name, CYCLES / 1000)));
}

/// A core passes, and counts at least so many of these.
fn core_passes<C: Compiled>(core: &Generated, knobs: &[&str], reached: &[(&str, u64)]) {
    let knobs: Vec<String> = knobs.iter().map(|knob| knob.to_string()).collect();
    let stimulus = given::random::<C>(CYCLES, &knobs, &core.manifest.config).unwrap();
    let mut early = None;
    let mut progress = |step| {
        if let Progress::Running { done: cycles, .. } = step
            && cycles >= CYCLES / 10
            && early.is_none()
        {
            early = resident();
        }
    };
    let report = cosim(core, &options(stimulus, Path::new(".")), &mut progress).unwrap();
    let late = resident();
    println!("{}", serde_json::to_string(&report).unwrap());
    assert_eq!(report.result, Verdict::Pass, "{}", report.failure.unwrap());
    assert_eq!(report.cycles, CYCLES);
    for (name, least) in reached {
        assert!(report.counts.get(name) > *least, "{name}: {}", report.counts.get(name));
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

#[test]
#[ignore = "half a minute"]
fn campaign_ecmp() {
    core_passes::<EcmpCore>(
        &generated("ecmp", &[]),
        &[],
        &[("explore", CYCLES / 1000), ("replay", CYCLES / 10)],
    );
}

#[test]
#[ignore = "a minute"]
fn campaign_ops() {
    for sets in [&[][..], &["ops.order=permuted"], &["ops.order=permuted", "ops.paths=16", "connections=16"]]
    {
        core_passes::<OpsCore>(&generated("ops", sets), &[], &[("explore", CYCLES / 4)]);
    }
}

/// A path selector in its default, with few and many connections, and in configurations of its own.
fn selector_passes<C: Compiled>(own: &[&[&str]], reached: &[(&str, u64)]) {
    for sets in [&[][..], &["connections=16"], &["connections=4096"]].iter().chain(own) {
        core_passes::<C>(&generated(C::CONTRACT.core, sets), &[], reached);
    }
}

#[test]
#[ignore = "two minutes"]
fn campaign_subflows() {
    let set = &["selector.ev_bits=5", "selector.ev_base=64"];
    selector_passes::<SubflowsCore>(&[set], &[("explore", CYCLES / 4)]);
}

#[test]
#[ignore = "two minutes"]
fn campaign_mprdma() {
    selector_passes::<MprdmaCore>(&[], &[("explore", CYCLES / 10), ("recycle", CYCLES / 20)]);
}

#[test]
#[ignore = "four minutes"]
fn campaign_flowlet() {
    let own: [&[&str]; 3] =
        [&["selector.time_bits=16"], &["flowlet.since=ack"], &["flowlet.since=ack", "selector.time_bits=16"]];
    let reached = ["explore", "replay", "paths_moved"].map(|name| (name, CYCLES / 20));
    selector_passes::<FlowletCore>(&own, &reached);
}

#[test]
#[ignore = "two minutes"]
fn campaign_plb() {
    let reached = [("replay", CYCLES / 10), ("paths_moved", CYCLES / 100), ("rounds_congested", CYCLES / 50)];
    selector_passes::<PlbCore>(&[&["selector.time_bits=16"]], &reached);
}

#[test]
#[ignore = "two minutes"]
fn campaign_strack() {
    let own = ["strack.paths=16", "strack.paths=32", "strack.paths=64", "strack.paths=128"];
    let reached = ["recycle", "paths_marked", "paths_unmarked", "marks_forgiven"];
    let reached = reached.map(|name| (name, CYCLES / 1000));
    selector_passes::<StrackCore>(&own.each_ref().map(std::slice::from_ref), &reached);
}

#[test]
#[ignore = "two minutes"]
fn campaign_bitmap() {
    let own =
        ["bitmap.paths=16", "bitmap.paths=32", "bitmap.paths=64", "bitmap.paths=128", "bitmap.timeout=ev"];
    let reached = ["explore", "paths_penalised", "paths_forgiven"].map(|name| (name, CYCLES / 1000));
    selector_passes::<BitmapCore>(&own.each_ref().map(std::slice::from_ref), &reached);
}

#[test]
#[ignore = "three minutes"]
fn campaign_mixed() {
    let own = [
        "bitmap.paths=16",
        "bitmap.paths=32",
        "bitmap.paths=64",
        "bitmap.paths=128",
        "bitmap.timeout=ev",
        "mixed.depth=8",
        "mixed.depth=16",
        "mixed.depth=64",
    ];
    let reached = ["explore", "recycle", "paths_penalised", "paths_forgiven"];
    let reached = reached.map(|name| (name, CYCLES / 1000));
    selector_passes::<MixedCore>(&own.each_ref().map(std::slice::from_ref), &reached);
}

#[test]
#[ignore = "two minutes"]
fn campaign_strack_cc() {
    let reached = super::pass_strack_cc::REACHED.map(|(name, least)| (name, least * (CYCLES / 2_000_000)));
    // the more connections, the longer a reset and the fewer ACKs of each
    let of_many = [("acks", CYCLES / 1000)];
    for (sets, reached) in
        [(&[][..], &reached[..]), (&["connections=16"], &reached), (&["connections=4096"], &of_many)]
    {
        core_passes::<StrackCcCore>(&generated("strack_cc", sets), &["ops_per_reset=4000"], reached);
    }
    let hot = ["hot_set=1", "hot_share=1", "idle_share=0", "init_share=0.004", "ops_per_reset=0"];
    core_passes::<StrackCcCore>(&generated("strack_cc", &["connections=16"]), &hot, &reached[4..9]);
}

#[test]
#[ignore = "two minutes"]
fn campaign_flowcut() {
    let reached = super::pass_flowcut::REACHED.map(|(name, least)| (name, least * (CYCLES / 2_000_000)));
    let (sticky, wide) = ("flowcut.variant=sticky", "flowcut.time_bits=24");
    for sets in [&[][..], &["connections=16", sticky], &["connections=16", wide], &[sticky, wide]] {
        core_passes::<FlowcutCore>(&generated("flowcut", sets), &["ops_per_reset=8000"], &reached);
    }
    // the more connections, the longer a reset and the fewer ops of each
    let of_many = generated("flowcut", &["connections=4096"]);
    core_passes::<FlowcutCore>(&of_many, &[], &[("acks", CYCLES / 100), ("drains_done", CYCLES / 10_000)]);
    let hot = ["hot_set=1", "hot_share=1", "idle_share=0", "ops_per_reset=0"];
    core_passes::<FlowcutCore>(&generated("flowcut", &["connections=16"]), &hot, &reached[..15]);
}

#[test]
#[ignore = "two minutes"]
fn campaign_flowcut_switch() {
    use super::pass_flowcut_switch::{FEW, REACHED};
    let reached = REACHED.map(|(name, least)| (name, least * (CYCLES / 2_000_000)));
    let two = ["flowcut_switch.pick=two", FEW[0], FEW[1]];
    for sets in [FEW, &two, &[FEW[0], "flowcut_switch.uplinks=64"]] {
        core_passes::<FlowcutSwitchCore>(
            &generated("flowcut_switch", sets),
            &["ops_per_reset=30000"],
            &reached,
        );
    }
    // the more buckets, the longer a reset, and the longer a round of the walker
    let of_many = [("acks", CYCLES / 100), ("xons", CYCLES / 10_000)];
    core_passes::<FlowcutSwitchCore>(&generated("flowcut_switch", &[]), &[], &of_many);
    let hot = ["hot_set=1", "hot_share=1", "idle_share=0", "ops_per_reset=0"];
    core_passes::<FlowcutSwitchCore>(&generated("flowcut_switch", FEW), &hot, &[("xons", CYCLES / 10_000)]);
}

#[test]
#[ignore = "three minutes"]
fn campaign_caver() {
    use super::pass_caver::{REACHED, SMALL};
    let reached = REACHED.map(|(name, least)| (name, least * (CYCLES / 2_000_000)));
    core_passes::<CaverCore>(&generated("caver", SMALL), &["ops_per_reset=20000"], &reached);
    // the larger the tables, the longer a reset, and the more seldom two ops share an entry
    let of_many = ["same", "new", "took", "kept"].map(|name| (name, CYCLES / 1000));
    core_passes::<CaverCore>(&generated("caver", &[]), &[], &of_many);
    let list = generated("caver", &[SMALL, &["caver.advertise=round_robin"]].concat());
    core_passes::<CaverCore>(&list, &["ops_per_reset=20000"], &[("of_others", CYCLES / 1000)]);
    let hot = ["hot_set=1", "flow_set=1", "hot_share=1", "idle_share=0", "ops_per_reset=0"];
    let of_one = ["same", "new", "took", "kept"].map(|name| (name, CYCLES / 50_000));
    core_passes::<CaverCore>(&generated("caver", SMALL), &hot, &of_one);
}

#[test]
#[ignore = "five minutes"]
fn campaign_caver_per_port() {
    use super::pass_caver::{REACHED, ROUND_ROBIN, SMALL};
    use super::pass_caver_per_port::PER_PORT;
    let reached = REACHED.map(|(name, least)| (name, least * (CYCLES / 2_000_000)));
    let small = generated("caver", &[SMALL, &[PER_PORT]].concat());
    core_passes::<CaverCore>(&small, &["ops_per_reset=20000"], &reached);
    // the larger the tables, the longer a reset, and the more seldom two ops share an entry
    let of_many = ["same", "new", "took", "kept"].map(|name| (name, CYCLES / 1000));
    core_passes::<CaverCore>(&generated("caver", &[PER_PORT]), &[], &of_many);
    let list = generated("caver", &[SMALL, &[PER_PORT, ROUND_ROBIN]].concat());
    core_passes::<CaverCore>(&list, &["ops_per_reset=20000"], &[("of_others", CYCLES / 1000)]);
    let hot = ["hot_set=1", "flow_set=1", "hot_share=1", "idle_share=0", "ops_per_reset=0"];
    let of_one = ["same", "new", "took", "kept"].map(|name| (name, CYCLES / 50_000));
    core_passes::<CaverCore>(&small, &hot, &of_one);
}

/// Every op on two connections, one at every edge, so that each op meets those ahead of it.
#[test]
#[ignore = "a minute"]
fn campaign_of_times_on_two_hot_connections_with_an_op_at_every_edge() {
    let knobs = ["hot_set=2", "hot_share=1", "idle_share=0", "ops_per_reset=0"];
    let moved = [("paths_moved", CYCLES / 100)];
    core_passes::<FlowletCore>(&generated("flowlet", &["flowlet.since=ack"]), &knobs, &moved);
    core_passes::<PlbCore>(&generated("plb", &[]), &knobs, &moved);
}

/// An engine and window of `sack_rx`, with few and many connections, and with one that is hot; PSNs of both widths.
fn sack_rx_passes(engine: &str, window: u32) {
    let (engine, window) = (format!("sack.engine={engine}"), format!("sack.window={window}"));
    let reached = ["new", "duplicates", "outside", "probes", "inits", "sacks", "advanced_segments"];
    let reached = reached.map(|name| (name, CYCLES / 100_000));
    for (connections, wire) in
        [("connections=16", "wire=uet"), ("connections=256", "wire=strack"), ("connections=1024", "wire=uet")]
    {
        let core = generated("sack_rx", &[&engine, &window, connections, wire]);
        core_passes::<SackRxCore>(&core, &[], &reached);
    }
    let core = generated("sack_rx", &[&engine, &window]);
    let hot = ["hot_set=1", "hot_share=1", "idle_share=0", "init_share=0.0005", "ops_per_reset=0"];
    core_passes::<SackRxCore>(&core, &hot, &[("whole_windows", 100)]);
}

#[test]
#[ignore = "minutes"]
fn campaign_sack_rx_small_64() {
    sack_rx_passes("small", 64);
}

#[test]
#[ignore = "minutes"]
fn campaign_sack_rx_small_256() {
    sack_rx_passes("small", 256);
}

#[test]
#[ignore = "minutes"]
fn campaign_sack_rx_small_512() {
    sack_rx_passes("small", 512);
}

#[test]
#[ignore = "minutes"]
fn campaign_sack_rx_fast_64() {
    sack_rx_passes("fast", 64);
}

#[test]
#[ignore = "minutes"]
fn campaign_sack_rx_fast_256() {
    sack_rx_passes("fast", 256);
}

#[test]
#[ignore = "minutes"]
fn campaign_sack_rx_fast_512() {
    sack_rx_passes("fast", 512);
}

fn sack_tx_passes(sets: &[&str], knobs: &[&str]) {
    let core = generated("sack_tx", sets);
    core_passes::<SackTxCore>(&core, knobs, &REACHED.map(|name| (name, 100)));
}

#[test]
#[ignore = "five minutes"]
fn campaign_sack_tx_small_windows_and_connections() {
    sack_tx_windows_and_connections("sack.engine=small");
}

#[test]
#[ignore = "five minutes"]
fn campaign_sack_tx_fast_windows_and_connections() {
    sack_tx_windows_and_connections("sack.engine=fast");
}

fn sack_tx_windows_and_connections(engine: &str) {
    for window in ["sack.window=64", "sack.window=256", "sack.window=512"] {
        for (connections, wire) in [
            ("connections=16", "wire=uet"),
            ("connections=256", "wire=strack"),
            ("connections=1024", "wire=uet"),
        ] {
            sack_tx_passes(&[engine, window, connections, wire], &[]);
        }
    }
}

#[test]
#[ignore = "a minute"]
fn campaign_sack_tx_one_hot_connection_with_an_op_at_every_edge() {
    for engine in ["sack.engine=small", "sack.engine=fast"] {
        sack_tx_passes(
            &[engine, "connections=16"],
            &["hot_set=1", "hot_share=0.95", "idle_share=0", "ops_per_reset=50000"],
        );
    }
}

#[test]
#[ignore = "a minute"]
fn campaign_sack_tx_psns_across_the_wrap() {
    for (engine, wire) in [
        ("sack.engine=small", "wire=strack"),
        ("sack.engine=small", "wire=uet"),
        ("sack.engine=fast", "wire=strack"),
        ("sack.engine=fast", "wire=uet"),
    ] {
        let knobs = ["wrap_share=1", "init_share=0.02", "garbage_share=0.2"];
        sack_tx_passes(&[engine, "connections=64", wire], &knobs);
    }
}
