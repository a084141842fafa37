//! The transport of the block in the loop.

use respray_fabric::check::{Checker, Tamper};
use respray_fabric::engine::{Kind, driver_ports};
use respray_fabric::record::Record;
use respray_fabric::request::{Engines, Request, Transport};

use respray_cosim::cores::sack_rx::SackRxCore;
use respray_cosim::lockstep::{Compiled as _, CosimOptions, Stimulus};
use respray_hdl::config;
use respray_hdl::manifest::Generated;

use crate::{records, small, unit};

fn nic() -> Request {
    Request { transport: Transport::Nic, ..small() }
}

fn set(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| text.to_string()).collect()
}

/// Scenarios with losses of all kinds: failures, full queues, lost SACKs, timers, and every window and feedback.
fn scenarios() -> Vec<Request> {
    let incast = Request { workload: "incast:16".into(), bytes: Some(1 << 18), ..nic() };
    let fails = set(&["tor0.up1=down@10us..60us:data", "tor0.up3=rate=0.5"]);
    let lossy = set(&["tor0.up1=down@5us..30us:all", "5%=p=0.01", "link:tor0.down2=p=0.01"]);
    vec![
        Request { fail: fails, ..nic() },
        Request { fail: lossy.clone(), set: set(&["fabric.loss_feedback=any"]), ..nic() },
        incast.clone(),
        Request {
            set: set(&["fabric.window=strack", "fabric.ack_bytes=8192"]),
            fail: lossy.clone(),
            ..nic()
        },
        Request {
            set: set(&["fabric.window=fixed", "fabric.loss_feedback=timeout", "sack.engine=fast"]),
            fail: lossy,
            ..nic()
        },
        Request { set: set(&["fabric.full=drop", "fabric.rto_backoff_max=3"]), ..incast.clone() },
        Request { set: set(&["fabric.hears_trims=true"]), ..incast },
    ]
}

fn looked(request: &Request, tamper: Tamper) -> (Option<String>, u64) {
    let unit = unit(request);
    let mut checker = Checker::new(tamper, 3000);
    unit.scenario
        .run_checked(&unit.maker, None, &mut |_, _| {}, Some(&mut checker))
        .expect("the run goes on whatever was broken");
    (checker.found.clone(), checker.looks())
}

#[test]
fn packets_are_neither_lost_nor_made_and_each_message_comes_once() {
    for request in scenarios() {
        let (found, looks) = looked(&request, Tamper::Nothing);
        assert_eq!(found, None, "{request:?}");
        assert!(looks > 10_000, "it looked {looks} times");
        let record = records(&request).remove(0);
        let counters = record.counters;
        assert_eq!(record.times.unfinished, 0, "{request:?}");
        // each packet of each message has come once for the first time
        let gone = counters.trimmed + counters.dropped + counters.lost_to_failure;
        assert!(gone > 0, "{request:?}: {counters:?}");
        let first = counters.delivered - counters.duplicates;
        assert!((counters.new_packets..=counters.new_packets + counters.probes).contains(&first));
        let payload = record.parameters.payload_bytes();
        let flows = if request.workload == "incast:16" { 16 } else { 8 };
        assert_eq!(counters.new_packets, flows * request.bytes.unwrap().div_ceil(payload));
    }
}

#[test]
fn what_is_broken_on_purpose_is_found() {
    let busy = &scenarios()[2];
    for (tamper, said) in [
        (Tamper::Packet, "packets of data were sent"),
        (Tamper::Queue, "bytes, it holds"),
        (Tamper::InFlight, "packets are on their way"),
        (Tamper::Sending, "packets at once"),
        (Tamper::Receiver, "what the network knows to be otherwise"),
    ] {
        let (found, _) = looked(busy, tamper);
        let found = found.unwrap_or_else(|| panic!("{tamper:?} is not found"));
        assert!(found.contains(said), "{tamper:?}: {found}");
    }
}

/// A full packet over two tiers and its SACK, in us: eight delays of 1 us, and four times the two on their wires.
const ROUND_TRIP_US: f64 = 8.0 + 4.0 * (0.083 + 0.00128);

#[test]
fn one_flow_alone_takes_exactly_as_long_as_its_packets_and_links_say() {
    let alone = |bytes, texts: &[&str]| Request {
        workload: "tornado:1".into(),
        bytes: Some(bytes),
        set: set(texts),
        ..nic()
    };
    let took = |request: &Request| records(request)[0].times.max_fct_us;
    // 4 MiB are 1026 full packets and one of 2132 bytes, which follows the one before it on every link
    let short_us = 2132.0 * 8.0 / 400_000.0;
    let behind = |full: f64| full * 0.083 + 4.0 + 3.0 * 0.083 + short_us + 4.0 + 4.0 * 0.00128;
    // of windows of 64 packets there are 16 before the one of three, each begun by the SACK of the one before
    let by_windows = 16.0 * ROUND_TRIP_US + behind(2.0);
    let exactly = [
        (alone(4086, &[]), ROUND_TRIP_US),
        (alone(4_194_304, &[]), behind(1026.0)),
        (alone(4_194_304, &["fabric.window=fixed", "fabric.cwnd_packets=64"]), by_windows),
        // 64 packets are what the bitmap holds
        (alone(4_194_304, &["sack.window=64", "fabric.first_window_packets=64"]), by_windows),
    ];
    for (request, us) in exactly {
        let took = took(&request);
        assert!((took - us).abs() < 0.0006, "{request:?}: {took} us, not {us}");
    }
}

#[test]
fn the_last_packet_of_a_message_that_is_lost_comes_by_the_timers_that_are_set() {
    // the only packet is lost, and the walker finds the probe due after three round trips, and the loss by its answer
    let lost = |texts: &[&str]| Request {
        workload: "tornado:1".into(),
        bytes: Some(4086),
        fail: set(&["tor0=down@0us..2us:data"]),
        set: set(texts),
        ..nic()
    };
    let record = records(&lost(&[])).remove(0);
    let counters = record.counters;
    assert_eq!((counters.probes, counters.lost_by_probe, counters.expired), (1, 1, 0), "{counters:?}");
    // a round of the walker of 256 connections of 8 cycles at 322 MHz, and two ticks of 99 ns
    let probe_us = 8.0 + 4.0 * 2.0 * 0.00128;
    let earliest = 3.0 * ROUND_TRIP_US + probe_us + ROUND_TRIP_US;
    let latest = earliest + 256.0 * 8.0 / 322.265625 + 0.4;
    let took = record.times.max_fct_us;
    assert!((earliest..=latest).contains(&took), "{took} us, not from {earliest} to {latest}");
    // without probes the timeout does it
    let record = records(&lost(&["fabric.probe_timeout_ns=1000000"])).remove(0);
    let counters = record.counters;
    assert_eq!((counters.probes, counters.expired, counters.failures_told), (0, 1, 1), "{counters:?}");
    let earliest = record.rto_us + ROUND_TRIP_US;
    let took = record.times.max_fct_us;
    assert!((earliest - 0.2..=earliest + 6.8).contains(&took), "{took} us, not {earliest} and a round");
}

/// Records but for the engine and the hashes of its Verilog.
fn alike(request: &Request, engine: Kind) -> Record {
    let record = records(&Request { engine, ..request.clone() }).remove(0);
    Record {
        engine: Kind::Golden,
        verilog_hash: None,
        transport_verilog_hashes: Default::default(),
        ..record
    }
}

#[test]
fn the_verilog_gives_the_same_events_as_its_golden_models() {
    for request in scenarios() {
        assert_eq!(alike(&request, Kind::Golden), alike(&request, Kind::Rtl), "{request:?}");
    }
    // long enough for the ops of many rounds of the walker
    let long = Request { bytes: Some(1 << 23), fail: set(&["tor0.up0=rate=0.5"]), ..nic() };
    assert_eq!(alike(&long, Kind::Golden), alike(&long, Kind::Rtl), "{long:?}");
    let host = Request { engines: Engines::Host, ..scenarios().remove(0) };
    assert_eq!(alike(&host, Kind::Golden), alike(&host, Kind::Rtl), "{host:?}");
}

#[test]
fn both_together_agree_and_a_difference_of_the_transport_stops_with_its_ops() {
    let request = &scenarios()[1];
    assert_eq!(alike(request, Kind::Golden), alike(request, Kind::Both));
    for (core, right, wrong) in SPOILT {
        let mut unit = unit(&Request { engine: Kind::Both, ..request.clone() });
        let verilog = unit.scenario.nic.as_mut().unwrap().makers.verilog(core);
        assert!(verilog.contains(right), "{core}");
        *verilog = verilog.replace(right, wrong);
        let folder = tempfile::tempdir().unwrap();
        let (_, ran, _) = unit.run(folder.path(), &mut |_, _| {}).unwrap();
        let said = ran.difference.unwrap_or_else(|| panic!("{core} is not found"));
        assert!(said.contains(core) && said.contains(&format!("{core}_failure.csv")), "{said}");
        let ops = std::fs::read_to_string(folder.path().join(format!("{core}_failure.csv"))).unwrap();
        assert!(ops.lines().count() > 2, "all ops up to there: {ops}");
    }
}

#[test]
fn the_ops_of_an_engine_replay_in_lockstep() {
    // a fault that shows late, so that the trace has many ops of a network with losses
    let unit = &mut unit(&Request { engine: Kind::Both, ..scenarios().remove(1) });
    let verilog = unit.scenario.nic.as_mut().unwrap().makers.verilog("sack_rx");
    let (right, wrong) =
        (SPOILT[1].1, "assign sack_ooo = {4'd0, advance_ooo ^ {7'd0, advance_ooo == 8'd60}};");
    let generated = verilog.replace(right, wrong);
    let spoilt = std::mem::replace(verilog, generated);
    let folder = tempfile::tempdir().unwrap();
    let (_, ran, _) = unit.run(folder.path(), &mut |_, _| {}).unwrap();
    assert!(ran.difference.is_some_and(|said| said.contains("sack_ooo")), "the fault is found");
    let trace = folder.path().join("sack_rx_failure.csv");
    assert!(std::fs::read_to_string(&trace).unwrap().lines().count() > 300);
    let run = |verilog: &str| {
        let sack = config::Sack { acks: config::Acks::Strack, ..unit.config.sack.clone() };
        let config = config::Config { sack, ..unit.config.clone() };
        let generated = respray_hdl::cores::generate("sack_rx", &config).unwrap();
        let generated = Generated { verilog: verilog.to_string(), ..generated };
        let mut options = CosimOptions::<SackRxCore>::new(Stimulus::Ops(trace.clone()));
        options.reproducer = folder.path().join("again.csv");
        SackRxCore::cosim(&generated, &options, &mut |_| {}).unwrap().failure.is_none()
    };
    assert!(run(&spoilt), "the Verilog itself agrees");
    assert!(!run(unit.scenario.nic.as_mut().unwrap().makers.verilog("sack_rx")), "the spoilt one does not");
}

#[test]
fn a_thousand_hosts_with_engines_of_their_own_run() {
    let request = Request {
        topology: "t1024x2".into(),
        workload: "permutation".into(),
        bytes: Some(1 << 16),
        fail: set(&["5%=p=0.01"]),
        engines: Engines::Host,
        ..nic()
    };
    let record = records(&request).remove(0);
    assert_eq!(record.times.unfinished, 0);
    assert!(record.counters.lost_to_failure > 0 && record.counters.new_packets >= 1024 * 17);
}

/// Verilog of the engines that is made wrong.
const SPOILT: [(&str, &str, &str); 2] = [
    ("sack_tx", "20'd0 : {fallen_high, fallen_low};", "20'd0 : ~{fallen_high, fallen_low};"),
    ("sack_rx", "assign sack_ooo = {4'd0, advance_ooo};", "assign sack_ooo = {4'd0, advance_ooo ^ 8'd1};"),
];

#[test]
fn what_the_block_cannot_be_set_to_is_refused_with_one_sentence() {
    for (texts, said) in [
        (vec!["sack.window=64"], "`fabric.first_window_packets` is 151; allowed: 1 to 64"),
        (vec!["fabric.cwnd_packets=300"], "`fabric.cwnd_packets` is 300; allowed: 1 to 256"),
        (vec!["fabric.rto_ns=5000"], "`fabric.rto_ns` is 5000; allowed: from 8338 on, the longest base RTT"),
        (vec!["fabric.rto_ns=7000000"], "`fabric.rto_ns` is 7000000; allowed: a time that"),
        (vec!["fabric.rto_ns=1000000", "fabric.rto_backoff_max=3"], "with 3 doublings"),
        (vec!["fabric.walker_round_ns=9000000"], "round of the walker of 9000267 ns"),
        (vec!["fabric.wire_prescale=6"], "`fabric.sack_prescale` is 5; allowed: 6 to 16"),
        (vec!["fabric.ack_bytes=70000"], "`fabric.ack_bytes` is 70000; allowed: 0 to 65535"),
        (vec!["port.gap=5"], "`port.gap` is 5; allowed: with a path selector that has it: flowlet"),
        (vec!["port.gab=5"], "gap of flowlet"),
        (vec!["port.bdp_packets=many"], "`port.bdp_packets` is many; allowed: a whole number"),
        (vec!["port.bdp_packets=256"], "takes no `bdp_packets` of 256; allowed: 0 to 255"),
        (vec!["fabric.loss_feedback=some"], "allowed: stalled or timeout or any or none"),
    ] {
        let error = Request { set: set(&texts), ..nic() }.plan().expect_err("it is refused").to_string();
        assert!(error.contains(said), "{texts:?}: {error}");
        assert!(!error.contains('\n'), "{error}");
    }
    let ideal = Request { set: set(&["fabric.window=fixed"]), ..small() };
    let error = ideal.plan().expect_err("the ideal transport has no such window").to_string();
    assert_eq!(error, "`fabric.window` is fixed; allowed: with the transport nic");
}

#[test]
fn ports_of_selectors_follow_from_the_network_and_may_be_set() {
    let ports = |texts: &[&str], topology: &str, selector: &str| {
        let request = Request {
            topology: topology.into(),
            set: set(texts),
            selectors: vec![selector.into()],
            bytes: Some(4086),
            ..small()
        };
        records(&request)[0].ports.clone()
    };
    // half a round trip without queues, and a whole one, in ns: 8,337 over two tiers, 12,505 over three
    assert_eq!(ports(&[], "t128x2", "flowlet")["gap"], 4168);
    assert_eq!(ports(&[], "t128x3", "flowlet")["gap"], 6252);
    assert_eq!(ports(&[], "t128x2", "plb")["round_ticks"], 8337);
    assert_eq!(ports(&[], "t128x2", "plb")["rto"], 41_537);
    assert_eq!(ports(&["port.gap=77"], "t128x2", "flowlet")["gap"], 77);
    // every port of every selector
    for (port, selectors) in driver_ports() {
        for selector in selectors {
            let set = format!("port.{port}=1");
            assert_eq!(ports(&[&set], "t128x2", selector)[port], 1, "{selector}");
        }
    }
    // the port changes what is chosen: without gaps each packet has a new path
    let hash = |texts: &[&str]| {
        let request = Request { set: set(texts), selectors: vec!["flowlet".into()], ..small() };
        records(&request).remove(0)
    };
    assert!(hash(&["port.gap=0"]).explore > 100 * hash(&[]).explore / 2);
}

#[test]
fn engines_that_are_asked_for_too_much_are_told_and_ops_wait_for_them() {
    // 256 packets of 1064 bytes in a round trip are 31 M/s, and sack_tx can do 11 M/s of a packet and its SACK
    let busy = |texts: &[&str]| {
        let more = ["fabric.packet_bytes=1064", "fabric.first_window_packets=200", "fabric.bdp_packets=100"];
        let texts: Vec<&str> = more.iter().chain(texts).copied().collect();
        let bytes = Some(1 << 21);
        let request = Request { workload: "tornado:1".into(), bytes, set: set(&texts), ..nic() };
        records(&request).remove(0)
    };
    let (free, late) = (busy(&[]), busy(&["fabric.engine_cycles=true"]));
    let asked = &free.asked["sack_tx"];
    assert!(asked.peak_share > 2.0 && asked.waiting > 10, "{asked:?}");
    assert!(free.bottleneck().unwrap().contains("sack_tx is asked for"), "{:?}", free.bottleneck());
    // every packet takes its SACK of 17 cycles and its own 7 of sack_tx, and a share of a visit
    let packets = late.counters.new_packets as f64;
    let least_us = packets * (17.0 + 7.0) / 322.265625;
    let (free_us, late_us) = (free.times.max_fct_us, late.times.max_fct_us);
    assert!(free_us < 0.7 * least_us, "{free_us} us, and {least_us} us by the engines");
    // between windows of 256 packets the engine is free until the first SACK is back
    assert!((least_us..1.6 * least_us).contains(&late_us), "{late_us} us, not {least_us} us by the engines");
    // full packets at 400 Gb/s are no more than the engines can take
    let usual = records(&Request { workload: "tornado:1".into(), ..nic() }).remove(0);
    assert_eq!(usual.bottleneck(), None);
    let share = usual.asked["sack_tx"].peak_share;
    assert!((0.4..1.0).contains(&share), "{:?}", usual.asked);
}

#[test]
fn round_trips_and_the_drain_are_those_of_the_links() {
    for transport in [Transport::Ideal, Transport::Nic] {
        let request = Request { workload: "tornado:1".into(), transport, ..small() };
        let record = records(&request).remove(0);
        let rtt = record.round_trips;
        // a tick of the wire is 25 ns, and the last packet is shorter
        assert!((ROUND_TRIP_US - 0.2..=ROUND_TRIP_US + 0.1).contains(&rtt.rtt_mean_us), "{rtt:?}");
        assert!(rtt.rtt_max_us <= ROUND_TRIP_US + 0.1, "{rtt:?}");
        assert!((record.drain_us - ROUND_TRIP_US).abs() < 0.4, "{}", record.drain_us);
    }
}

#[test]
fn a_dead_path_is_left_when_its_losses_are_told() {
    // the longest of three seeds until the last packet goes into a link that dies for good; nothing explores again
    let left_by = |engine, engines, texts: &[&str]| {
        let more = ["port.freeze_timeout=10000000", "fabric.end_ns=20000000"];
        let request = Request {
            bytes: Some(1 << 22),
            fail: set(&["tor0.up1=down@30us..3600s:all"]),
            set: set(&more.iter().chain(texts).copied().collect::<Vec<_>>()),
            selectors: vec!["reps:paper".into()],
            seeds: 3,
            engine,
            engines,
            ..nic()
        };
        let last = records(&request).into_iter().map(|record| record.last_data_into_down_us.unwrap());
        last.fold(0.0, f64::max)
    };
    let left = |engine, texts: &[&str]| left_by(engine, Engines::Shared, texts);
    // two round trips, and as many packets on their wire as rule 1 lets be out of order
    let bound = |packets: f64| 2.0 * ROUND_TRIP_US + packets * 0.083;
    for engine in [Kind::Golden, Kind::Rtl] {
        let any = left(engine, &[]);
        assert!(any < bound(151.0), "{any} us");
        let sooner = left(engine, &["fabric.cwnd_packets=64"]);
        assert!(sooner < bound(64.0) && sooner < any, "{sooner} us, not {any} us");
        // the rounds of the walker do not count
        let slow = left(engine, &["fabric.walker_round_ns=159000"]);
        assert!(slow < bound(151.0), "{slow} us");
    }
    // the block whole
    let whole = left_by(Kind::Golden, Engines::Block, &[]);
    assert!(whole < bound(151.0), "{whole} us");
    // of losses that are not told nobody leaves: the bound is one
    let stalled = left(Kind::Golden, &["fabric.loss_feedback=stalled"]);
    assert!(stalled > bound(151.0), "{stalled} us");
}
