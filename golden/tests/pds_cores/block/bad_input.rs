//! Bad input: it is told and counted, and changes no state.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use respray_golden::hosts::pds::frame::trim;
use respray_golden::nic::{Command, Counter, Kind};

use super::super::{A, B};
use super::bench::{Bench, HOST_ANSWERS, RUD};
use crate::pds::{TRIMMED, from_a, from_b, s2};

/// A block with connection 7 that sends to peer 9 and connection 9 that receives of peer 7.
fn both() -> Bench {
    let mut bench = Bench::initiator(1000, RUD, 4);
    bench.command(Command::OpenRx, B, 1000, RUD, A);
    bench.told();
    bench
}

#[test]
fn bad_input_changes_nothing() {
    let with = |text: &str| format!("{text}{}", s2());
    let malformed = |error| (Kind::Malformed, 0, error);
    let (stray, bad) = (|psn, why| (Kind::Stray, psn, why), |psn, why| (Kind::BadAck, psn, why));
    // what comes, its `rx_status`, what is told, and what is counted
    let cases = [
        (with("1180ffff000003e8000700ff"), 7, Some(stray(1000, 7)), Counter::RxNotOpen),
        (with("1180ffff000003e80007000b"), 7, Some(stray(1000, 7)), Counter::RxNotOpen),
        (with("1180ffff000003e800080009"), 6, Some(stray(1000, 6)), Counter::RxOtherPeer),
        (with("1980ffff000003e800070009"), 6, Some(stray(1000, 6)), Counter::RxOtherPeer),
        (with("1984ffff000003e800070000"), 8, None, Counter::RxUnbound),
        ("5a080000000003e8000700ff00000000".to_owned(), 7, Some(stray(1000, 7)), Counter::RxNotOpen),
        ("58200000000003e80007000900000000".to_owned(), 99, Some(stray(1000, 6)), Counter::RxOtherPeer),
        // reserved control packets and types, RUDI and UUD are the host's
        ("5d000000000003e80007000900000000".to_owned(), 4, None, Counter::RxOther),
        ("000000000000000000000000".to_owned(), 4, None, Counter::RxOther),
        ("f80000000000000000000000".to_owned(), 4, None, Counter::RxOther),
        ("318000000000000000000000".to_owned(), 4, None, Counter::RxOther),
        ("52080100000003e80009000700000000".to_owned(), 4, None, Counter::RxOther),
        // contradictions, and headers that are cut
        ("59840000000003e80007000900000000".to_owned(), 4, Some(malformed(5)), Counter::RxMalformed),
        ("5a080000000003e8000700".to_owned(), 4, Some(malformed(1)), Counter::RxMalformed),
        ("5080010000000000000900".to_owned(), 4, Some(malformed(1)), Counter::RxMalformed),
        ("6980ffff000003e800070009778877".to_owned(), 4, Some(malformed(3)), Counter::RxMalformed),
        (
            format!("42000000000003e80009000700010000{}", "00".repeat(15)),
            4,
            Some(malformed(3)),
            Counter::RxMalformed,
        ),
        // ACKs and NACKs of what was never sent, and of nobody
        ("3a000000000003ec00090007".to_owned(), 99, Some(bad(1005, 2)), Counter::RxAcksBad),
        ("3a001000000003e700090007".to_owned(), 99, Some(bad(1000, 4)), Counter::RxAcksBad),
        ("3a000000000003e8000900ff".to_owned(), 99, Some(bad(1001, 7)), Counter::RxAcksBad),
        ("3a000000000003e800090006".to_owned(), 99, Some(bad(1001, 7)), Counter::RxAcksBad),
        ("3a000000000003e800080007".to_owned(), 99, Some(bad(1001, 6)), Counter::RxOtherPeer),
        ("50000100000003ec0009000700000000".to_owned(), 99, Some(bad(1004, 1)), Counter::RxNacksBad),
        ("50000100000003e7000900070000000".to_owned() + "0", 99, Some(bad(999, 1)), Counter::RxNacksBad),
        ("50000100000003e8000900ff00000000".to_owned(), 99, Some(bad(1000, 7)), Counter::RxNacksBad),
        ("50000100000003e80008000700000000".to_owned(), 99, Some(bad(1000, 6)), Counter::RxOtherPeer),
    ];
    for (bytes, status, told, counter) in cases {
        let mut bench = both();
        let before = bench.state();
        assert_eq!(bench.hear(from_a(&bytes)), [""; 0], "{bytes:.40}");
        let wanted: Vec<u8> = Some(status).filter(|status| *status != 99).into_iter().collect();
        assert_eq!(bench.statuses(), wanted, "{bytes:.40}");
        assert_eq!(bench.told(), told.into_iter().collect::<Vec<_>>(), "{bytes:.40}");
        assert_eq!((bench.nic.counter(counter), bench.state()), (1, before), "{bytes:.40}");
    }
}

/// Packets outside of the window are refused with their NACK; an ACK Request of what was not received, too.
#[test]
fn what_is_refused_has_its_nack_and_changes_nothing() {
    for (bytes, nack) in [
        (format!("1188ffff{:08x}00070009{}", 1256, s2()), format!("50000b00{:08x}0009000700000000", 1256)),
        (
            format!("1198ffff{:08x}00070009{}", 1000_u32.wrapping_sub(32_769), s2()),
            format!("50100b00{:08x}0009000700000000", 1000_u32.wrapping_sub(32_769)),
        ),
        ("58800000000003e80007000900000000".to_owned(), "50001200000003e80009000700000000".to_owned()),
    ] {
        let mut bench = both();
        let before = bench.state();
        assert_eq!(bench.hear(from_a(&bytes)), [nack]);
        assert_eq!(bench.state(), before);
    }
}

/// Of trimmed packets a request is refused, whoever it is for, and everything else is dropped.
#[test]
fn trimmed_packets_change_nothing() {
    for (header, nack) in [
        ("1180ffff000003e800070009", "50000100000003e80009000700000000"),
        ("1980ffff000003e800070009", "50000100000003e80009000700000000"),
        ("1184ffff000003e800070009", "50000100000003e80000000700000000"),
        ("1180ffff000003e8000700ff", "50000100000003e80000000700000000"),
        ("119cffff000003e800070000", "50100100000003e80000000700000000"),
        ("1180ffff000003e800080009", ""),
        ("42000000000003e800090007", ""),
        ("50000100000003e800090007", ""),
        ("588800000000000000070009", ""),
        ("5b08beef000003e800070009", ""),
    ] {
        let mut bench = both();
        let before = bench.state();
        let wanted: Vec<&str> = Some(nack).filter(|nack| !nack.is_empty()).into_iter().collect();
        assert_eq!(bench.trimmed(header, false), wanted, "{header}");
        assert_eq!((bench.statuses(), bench.state()), (vec![], before), "{header}");
        let counts = [Counter::RxTrimmed, Counter::RxTrimmedOther, Counter::RxOtherPeer];
        let count: u64 = counts.map(|counter| bench.nic.counter(counter)).into_iter().sum();
        assert_eq!(count, 1, "{header}");
    }
}

/// ACKs of the host that name what was not received are refused; of a connection that is not open they pass.
#[test]
fn an_ack_of_the_host_for_what_was_not_received_does_not_leave() {
    let mut bench = both();
    bench.command(Command::OpenRx, 10, 1000, HOST_ANSWERS, A);
    let before = bench.state();
    let rest = "00".repeat(20);
    let ack = |conn: u16, psn: u32| format!("42000000{psn:08x}{conn:04x}0007{rest}");
    for (conn, psn, status) in [(B, 1000, 4), (10, 1001, 4), (10, 1000_u32.wrapping_sub(32_769), 2)] {
        assert_eq!(bench.send_from_b(&ack(conn, psn)), None);
        assert_eq!(bench.told(), [(Kind::Refused, psn, status)]);
    }
    assert_eq!(bench.state(), before);
    let late = ack(11, 1000);
    assert_eq!(bench.send_from_b(&late), Some(late));
}

/// Control packets of the host with a PSN of their own take it in the scoreboard; others do not.
#[test]
fn control_packets_of_the_host_take_their_psn() {
    for (ctl, takes) in (0..16).zip([true, false, false, false, true, true, false, false, false, true]) {
        let mut bench = both();
        let prologue = 11_u16 << 11 | ctl << 7;
        let frame = |psn: u32| from_a(&format!("{prologue:04x}0000{psn:08x}0007000900000000"));
        assert!(bench.send(&frame(1004)).is_some());
        assert_eq!(bench.stands().1, if takes { 1005 } else { 1004 }, "{ctl}");
        assert_eq!(bench.send(&frame(1009)).is_none(), takes, "{ctl}: a PSN is left out");
    }
}

/// Whatever comes, broken at random: nothing panics, and all of it is counted.
#[test]
fn anything_is_counted() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(58);
    let mut bench = both();
    let good = [
        from_a(&format!("1188ffff000003e800070009{}", s2())),
        from_a("5b08beef000003e800070009000003e8"),
        from_a("58800000000003e80007000900000011"),
        from_a("5a080000000003e90007000900000000"),
        from_b("42000000000003e8000900070001000000000000000000010000000000050000"),
        from_b("4a000000000003e80009000700010000000000000000000100000000000000000000000000000000"),
        from_b("50000100000003e90009000700000000"),
    ];
    let frames: u64 = 20_000;
    for at in 0..frames {
        let mut frame = good[rng.random_range(0..good.len())].clone();
        for _ in 0..rng.random_range(0..4) {
            // behind UDP, whose checksum the block does not look at
            let byte = rng.random_range(42..frame.len().min(78));
            frame[byte] ^= 1 << rng.random_range(0..8);
        }
        if rng.random_range(0..8) == 0 && frame.len() > 14 + 20 + 24 {
            frame = trim(&frame, 24, TRIMMED);
        }
        bench.hear(frame);
        bench.statuses();
        bench.nic.advance(at * 100);
        bench.events();
    }
    let read = |counter: &Counter| bench.nic.counter(*counter);
    let of_packets = [
        Counter::RxNew,
        Counter::RxDuplicate,
        Counter::RxOutside,
        Counter::RxNotOpen,
        Counter::RxProbes,
        Counter::RxAcks,
        Counter::RxAcksOld,
        Counter::RxAcksBad,
        Counter::RxOther,
        Counter::RxMalformed,
        Counter::RxUnbound,
        Counter::RxOtherPeer,
        Counter::RxTrimmed,
        Counter::RxTrimmedOther,
        Counter::RxControl,
        Counter::RxNacks,
        Counter::RxNacksBad,
    ];
    assert!(of_packets.iter().all(|counter| read(counter) > 0), "{:?}", of_packets.each_ref().map(read));
    assert_eq!(of_packets.iter().map(read).sum::<u64>(), frames);
}
