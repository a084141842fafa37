//! The golden block whole behind each host, against its engines one by one.

use std::sync::OnceLock;

use respray_fabric::FabricError;
use respray_fabric::check::{Checker, Tamper};
use respray_fabric::engine::Kind;
use respray_fabric::record::Record;
use respray_fabric::request::{Engines, Request, Transport, Unit};

use crate::{small, unit};

fn set(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| text.to_string()).collect()
}

/// A network of 32 hosts with the transport of the block.
fn base() -> Request {
    Request { topology: "t32x2".into(), workload: "tornado:4".into(), transport: Transport::Nic, ..small() }
}

/// Scenes: without a loss, with losses in queues, with random ones, with links that fail and with a last packet that is
/// lost, by every window and every feedback of losses that a block has.
fn scenes() -> Vec<(&'static str, Request)> {
    let fails = set(&["tor0.up1=down@10us..60us:data", "tor0.up3=rate=0.5"]);
    let lossy = set(&["tor0.up1=down@5us..30us:all", "5%=p=0.01", "link:tor0.down2=p=0.01"]);
    let incast = Request { workload: "incast:8".into(), bytes: Some(1 << 18), ..base() };
    let both_ways = Request { workload: "permutation".into(), bytes: Some(1 << 18), ..base() };
    vec![
        ("no loss", base()),
        ("a link that fails", Request { fail: fails.clone(), ..base() }),
        (
            "freezes that end",
            Request {
                fail: set(&["tor0.up1=down@10us..30us:data"]),
                bytes: Some(1 << 21),
                // a cycle is a nanosecond, so that times of the path selector are those of the network
                set: set(&["port.freeze_timeout=20000", "clock_mhz=1000"]),
                ..base()
            },
        ),
        ("full queues", incast.clone()),
        ("trims that are heard", Request { set: set(&["fabric.hears_trims=true"]), ..incast.clone() }),
        (
            "full queues that drop",
            Request { set: set(&["fabric.full=drop", "fabric.rto_backoff_max=3"]), ..incast },
        ),
        ("hosts that send and receive", Request { fail: lossy.clone(), ..both_ways.clone() }),
        (
            "windows of strack",
            Request {
                set: set(&["fabric.window=strack", "fabric.ack_bytes=8192"]),
                fail: lossy.clone(),
                ..both_ways.clone()
            },
        ),
        (
            "a window of a register",
            Request {
                set: set(&["fabric.window=fixed", "fabric.loss_feedback=stalled"]),
                fail: lossy.clone(),
                ..both_ways.clone()
            },
        ),
        (
            "losses that nobody hears",
            Request { set: set(&["fabric.loss_feedback=none"]), fail: lossy, ..both_ways },
        ),
        (
            "the only packet is lost",
            Request {
                workload: "tornado:1".into(),
                bytes: Some(4086),
                fail: set(&["tor0=down@0us..2us:data"]),
                ..base()
            },
        ),
    ]
}

/// The scenes, planned once.
fn planned() -> &'static [(&'static str, Unit)] {
    static PLANNED: OnceLock<Vec<(&str, Unit)>> = OnceLock::new();
    PLANNED.get_or_init(|| {
        let block = |request: Request| unit(&Request { engines: Engines::Block, ..request });
        scenes().into_iter().map(|(name, request)| (name, block(request))).collect()
    })
}

fn scene(name: &str) -> Unit {
    planned().iter().find(|(of, _)| *of == name).expect("a scene").1.clone()
}

/// The record of a run, but for ops of engines, which a block does not count.
fn ran(unit: &Unit) -> Result<Record, FabricError> {
    let folder = tempfile::tempdir().unwrap();
    let (record, ..) = unit.run(folder.path(), &mut |_, _| {})?;
    Ok(Record { transport_ops: [0; 3], ..record })
}

/// The same with the engines of each host one by one.
fn one_by_one(unit: &Unit) -> Record {
    let mut unit = unit.clone();
    unit.scenario.nic.as_mut().expect("the transport is the nic's").block = None;
    ran(&unit).expect("it runs")
}

#[test]
fn the_block_sends_each_packet_at_the_time_and_by_the_ev_of_its_engines_one_by_one() {
    for (name, unit) in planned() {
        let block = ran(unit).expect("it runs");
        assert_eq!(block, one_by_one(unit), "{name}");
        assert_eq!(block.times.unfinished, 0, "{name}");
        let lost = block.lost() + block.counters.retransmitted;
        assert_eq!(lost == 0, *name == "no loss", "{name}: {:?}", block.counters);
    }
}

fn looked(unit: &Unit, tamper: Tamper) -> Option<String> {
    let mut checker = Checker::new(tamper, 3000);
    let ran = unit.scenario.run_checked(&unit.maker, None, &mut |_, _| {}, Some(&mut checker));
    ran.err().map(|error| error.to_string()).or(checker.found)
}

#[test]
fn every_frame_comes_once_with_its_bytes_and_the_block_says_what_the_network_knows() {
    for (name, unit) in planned() {
        assert_eq!(looked(unit, Tamper::Nothing), None, "{name}");
    }
}

#[test]
fn a_block_whose_host_sets_it_wrong_is_told_apart() {
    // a scene, a register, and the value with which the block of each host differs from its engines
    for (name, register, value) in [
        ("no loss", "sack_threshold", 20_000),
        ("full queues", "probe_timeout", 400),
        ("full queues", "rto", 200),
        ("freezes that end", "cwnd_packets", 100),
        ("a link that fails", "probe_timeout", 2_000),
        ("freezes that end", "freeze_timeout", 5_000),
        ("windows of strack", "sack_threshold", 100),
    ] {
        let mut wrong = scene(name);
        let block = wrong.scenario.nic.as_mut().and_then(|nic| nic.block.as_mut());
        block.expect("hosts have blocks").spoil(register, value);
        // a block that sends what its host did not plan stops the run
        let differs = ran(&wrong).map_or(true, |record| record.event_hash != one_by_one(&wrong).event_hash);
        assert!(differs, "{name}: {register} is {value}");
    }
}

#[test]
fn a_receiver_that_forgets_and_a_frame_that_is_gone_are_found() {
    let busy = scene("full queues");
    for (tamper, said) in [
        (Tamper::Packet, "frames on their way"),
        (Tamper::InFlight, "packets are on their way"),
        (Tamper::Receiver, "what the network knows to be otherwise"),
    ] {
        let found = looked(&busy, tamper).unwrap_or_else(|| panic!("{tamper:?} is not found"));
        assert!(found.contains(said), "{tamper:?}: {found}");
    }
}

#[test]
fn what_a_block_does_not_do_is_refused_with_one_sentence() {
    let of = |change: fn(&mut Request)| {
        let mut request = Request { engines: Engines::Block, ..base() };
        change(&mut request);
        let sentence = request.plan().expect_err("it is refused").to_string();
        assert!(!sentence.contains('\n'), "{sentence}");
        sentence
    };
    let keys = |text: &str| {
        let request = Request { engines: Engines::Block, set: set(&[text]), ..base() };
        request.plan().expect_err("it is refused").to_string()
    };
    for (sentence, said) in [
        (
            of(|request| request.topology = "t1024x2".into()),
            "hosts with the engines block is 1024; allowed: up to 128",
        ),
        (
            of(|request| request.transport = Transport::Ideal),
            "transport of the engines block is ideal; allowed: nic",
        ),
        (of(|request| request.engine = Kind::Rtl), "the engine of the engines block is rtl; allowed: golden"),
        (
            of(|request| request.selectors = vec!["flowcut".into()]),
            "path selector flowcut; allowed: one that lets no",
        ),
        (
            of(|request| {
                request.workload = "alltoall:4".into();
                request.set = set(&["connections=16"]);
            }),
            "that all flows of a host share is 16; allowed: ",
        ),
        (keys("wire=uet"), "`wire` of a block in the fabric is uet; allowed: strack"),
        (keys("nic.events=frames"), "`nic.events` of a block in the fabric is frames; allowed: port"),
        (keys("nic.rx_credit=frames"), "`nic.rx_credit` of a block in the fabric is frames; allowed: off"),
        (keys("nic.peer_table=on"), "`nic.peer_table` of a block in the fabric is on; allowed: off"),
        (
            keys("fabric.loss_feedback=timeout"),
            "`fabric.loss_feedback` is timeout; allowed: stalled or any or none",
        ),
        (keys("fabric.idle_ns=5000"), "`fabric.idle_ns` is 5000; allowed: 0, with the engines block"),
        (keys("fabric.slow_is_congestion=true"), "`fabric.slow_is_congestion` is true; allowed: false"),
        (keys("fabric.engine_cycles=true"), "`fabric.engine_cycles` is true; allowed: false"),
        (keys("fabric.cwnd_packets=300"), "`fabric.cwnd_packets` is 300; allowed: 1 to 256"),
    ] {
        assert!(sentence.contains(said), "{sentence}");
    }
}
