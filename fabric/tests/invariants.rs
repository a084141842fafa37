//! What holds after every event, and that each of it is seen to fail.

use respray_fabric::check::{Checker, Tamper};
use respray_fabric::request::Request;

use crate::{records, small, unit};

/// Runs with a look after every event, and says what was found.
fn looked(request: &Request, tamper: Tamper) -> (Option<String>, u64) {
    let unit = unit(request);
    let mut checker = Checker::new(tamper, 3000);
    unit.scenario
        .run_checked(&unit.maker, None, &mut |_, _| {}, Some(&mut checker))
        .expect("the run goes on whatever was broken");
    (checker.found.clone(), checker.looks())
}

/// Scenarios in which everything happens: marks, trims, drops, losses, timeouts, coalesced ACKs, both directions.
fn scenarios() -> Vec<Request> {
    let busy = Request { workload: "incast:16".into(), bytes: Some(1 << 18), ..small() };
    let set = |texts: &[&str]| texts.iter().map(|text| text.to_string()).collect::<Vec<_>>();
    let fails = set(&["tor0.up1=down@5us..30us:all", "5%=p=0.01", "link:tor0.down2=p=0.01"]);
    vec![
        busy.clone(),
        Request { set: set(&["fabric.full=drop"]), ..busy.clone() },
        Request { set: set(&["fabric.ack_bytes=16000"]), ..busy.clone() },
        Request { fail: fails, ..small() },
        Request { topology: "t128x3".into(), workload: "tornado:4".into(), ..small() },
        Request { selectors: vec!["adaptive".into()], ..small() },
    ]
}

#[test]
fn packets_and_bytes_are_neither_lost_nor_made() {
    for request in scenarios() {
        let (found, looks) = looked(&request, Tamper::Nothing);
        assert_eq!(found, None, "{request:?}");
        assert!(looks > 10_000, "it looked {looks} times");
    }
    let lossy = records(&scenarios()[3]);
    let counters = lossy[0].counters;
    assert!(counters.lost_to_failure > 10 && counters.expired > 5 && counters.retransmitted > 5);
    let dropping = records(&scenarios()[1]);
    assert!(dropping[0].counters.dropped > 100 && dropping[0].counters.trimmed == 0);
    assert!(records(&scenarios()[0])[0].counters.trimmed > 100);
}

#[test]
fn what_is_broken_on_purpose_is_found() {
    let busy = &scenarios()[0];
    for (tamper, said) in [
        (Tamper::Packet, "packets of data were sent"),
        (Tamper::Queue, "bytes, it holds"),
        (Tamper::InFlight, "bytes are on their way"),
        (Tamper::Sending, "packets at once"),
    ] {
        let (found, _) = looked(busy, tamper);
        let found = found.unwrap_or_else(|| panic!("{tamper:?} is not found"));
        assert!(found.contains(said), "{tamper:?}: {found}");
    }
}

#[test]
fn one_flow_alone_takes_exactly_as_long_as_its_packets_and_links_say() {
    for (topology, bytes, us) in [
        ("t128x2", 4086, 8.33712),
        ("t128x3", 4086, 12.50568),
        ("t128x2", 4_194_304, 93.4548),
        ("t128x3", 4_194_304, 97.6233),
        ("t128x2", 16_777_216, 349.055),
        ("t128x3", 16_777_216, 353.224),
    ] {
        let alone = Request {
            topology: topology.into(),
            workload: "tornado:1".into(),
            bytes: Some(bytes),
            ..small()
        };
        let took = records(&alone)[0].times.max_fct_us;
        assert!((took - us).abs() < 0.0006, "{topology}, {bytes} bytes: {took} us, not {us}");
    }
}

#[test]
fn a_pair_under_one_tor_is_reckoned_with_its_own_round_trip() {
    let folder = tempfile::tempdir().unwrap();
    let flows = folder.path().join("near.csv");
    std::fs::write(&flows, "id,src,dst,bytes,start_ns,after_id\n1,0,1,4086,0,\n").unwrap();
    let near = Request { workload: flows.display().to_string(), bytes: None, ..small() };
    assert_eq!(records(&near)[0].times.max_fct_us, 4.16856);
}

#[test]
fn a_run_that_is_repeated_gives_the_same_bytes_and_another_seed_others() {
    let request = Request { selectors: vec!["reps".into(), "ops".into()], seeds: 2, ..small() };
    let lines = |request: &Request| records(request).iter().map(|record| record.line()).collect::<Vec<_>>();
    let first = lines(&request);
    assert_eq!(first, lines(&request));
    assert_ne!(first[0], first[1].replace("\"seed\":2", "\"seed\":1"));
}
