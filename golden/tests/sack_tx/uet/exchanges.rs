//! Exchanges that were worked out by hand, and what limits and timers do.

use respray_golden::sack_tx::uet::{
    INFERRED, Inputs, OUT_OF_ORDER, OpKind, Rule, Status, TRIMMED, TRIMMED_LAST_HOP,
};

use super::{Bench, QUIET};

/// Coalesced ACKs with one loss that a timeout finds.
#[test]
fn coalesced_acks_and_a_loss() {
    let mut bench = Bench::sent(1000..1020, false, 1128);
    bench.inputs.rto = 1000;
    bench.age();
    let outcome = bench.hear("4200000e000003ea000900070002ffd601fff7ffffffffff000000000047000d");
    assert_eq!((bench.connection().snd_una, outcome.in_flight, outcome.loss), (1003, 4, None));
    let outcome = bench.hear("42000011000003ea000900070002ffd60ffff7ffffffffff0000000000540010");
    assert_eq!((outcome.in_flight, outcome.loss), (1, None));
    let outcome = bench.visit(1000);
    assert_eq!((outcome.loss, outcome.in_flight), (Some(Rule::Timeout), 0));
    assert_eq!([bench.next_rtx(), bench.next_rtx()], [Some(1003), None]);
    let outcome = bench.hear("4210fff0000003fb000900070002ffc50fffffffffffffff0000000000590000");
    assert_eq!((bench.connection().snd_una, outcome.in_flight), (1020, 0));
    assert!(outcome.recovery_left && outcome.rtt.is_some());
}

#[test]
fn trimmed_packets_are_sent_again_at_once() {
    let mut bench = Bench::sent(2000..2006, false, 1128);
    bench.hear("42000000000007d0000900070002fff0000000000001ffff0000000000050000");
    bench.hear("42000000000007d1000900070002ffef000000000003ffff0000000000090000");
    assert!(bench.apply(OpKind::Nack { psn: 2002, code: TRIMMED }).retransmit);
    bench.hear("42000002000007d1000900070002ffef00000000000bffff00000000000e0001");
    assert!(bench.apply(OpKind::Nack { psn: 2004, code: TRIMMED_LAST_HOP }).retransmit);
    bench.hear("42000004000007d1000900070002ffef00000000002bffff0000000000120002");
    assert_eq!((bench.connection().snd_una, bench.marks()), (2002, vec![2003, 2005]));
    bench.hear("4210ffff000007d3000900070002ffed00000000002fffff0000000000170001");
    let outcome = bench.hear("4210ffff000007d5000900070002ffeb00000000003fffff00000000001b0000");
    assert_eq!((bench.connection().snd_una, outcome.in_flight), (2006, 0));
    let late = bench.apply(OpKind::Nack { psn: 2002, code: TRIMMED });
    assert_eq!((late.status, late.retransmit), (Some(Status::NotOutstanding), false));
}

#[test]
fn packets_that_come_in_another_order() {
    let mut bench = Bench::sent(0x12345..0x12348, false, 1128);
    bench.hear("4200000200012344000900070002fffc000000000000005f0000000000050001");
    assert_eq!((bench.connection().snd_una, bench.marks()), (0x12345, vec![0x12346]));
    bench.hear("4200ffff00012346000900070002fffa000000000000007f0000000000090000");
    bench.hear("4200000000012347000900070002fff900000000000000ff00000000000e0000");
    assert_eq!(bench.connection().snd_una, 0x12348);
    bench.send(0x12348..0x12349, 1128);
    let late = bench.hear("4210fffe00012347000900070002fff900000000000000ff00000000000e0000");
    assert_eq!((late.acked, late.acked_bytes, late.status), (0, Some(0), Some(Status::Ok)));
}

#[test]
fn an_answer_to_a_probe_proves_nothing_without_rule_2() {
    for (rules, loss) in [(0, None), (1, None), (2, Some(Rule::Probe)), (3, Some(Rule::Probe))] {
        let mut bench = Bench::sent(1000..1010, false, 1128);
        bench.inputs = Inputs { probe_timeout: 100, probe_rtt: 0xffff, rules, ..QUIET };
        assert!(bench.visit(100).probe_due);
        let outcome = bench.hear("4008beef000003ec000900070002ffd40003dfffffffffff0000000000280004");
        assert_eq!((bench.connection().snd_una, outcome.in_flight), (1005, u16::from(loss.is_none())));
        assert_eq!((bench.marks(), outcome.loss), (vec![1006, 1007, 1008, 1009], loss));
        assert_eq!(outcome.rtt, Some(100));
        assert_eq!(bench.next_rtx(), loss.map(|_| 1005));
    }
}

/// The opaque value of an answer to a probe is no PSN, whatever it is.
#[test]
fn bytes_2_and_3_of_an_answer_to_a_probe_mark_nothing() {
    let fresh = Bench::sent(1000..1008, false, 100).engine;
    for opaque in 0..=0xffff_u32 {
        let mut bench = Bench { engine: fresh.clone(), inputs: QUIET };
        let outcome = bench.hear(&format!("3808{opaque:04x}000003e900090007"));
        assert_eq!((outcome.status, outcome.acked, bench.marks()), (Some(Status::Ok), 2, vec![]));
    }
    // what cannot be is left out, and the probe is over all the same
    let mut bench = Bench::sent(1000..1008, false, 100);
    bench.inputs.probe_timeout = 5;
    assert!(bench.visit(5).probe_due);
    let outcome = bench.hear("40080000000003f0000900070004ffff00000000000000070000000000090000");
    assert_eq!((outcome.status, outcome.acked, outcome.acked_bytes), (Some(Status::Ok), 0, Some(2304)));
    let c = bench.connection();
    assert_eq!((c.snd_una, c.has_mpr, c.probe_out, outcome.rtt), (1000, false, false, Some(5)));
}

/// Responses that must arrive hold the cumulative PSN back.
#[test]
fn a_cumulative_psn_that_is_held_back_takes_marks_of_all_psns() {
    let mut bench = Bench::sent(333..337, false, 1128);
    bench.inputs = Inputs { rto: 100, rules: 1, ooo_packets: 1, ..QUIET };
    for (hex, marked, in_flight) in [
        ("420200020000014c000900070002fff40000000000005fff0000000000050001", vec![334], 3),
        ("420200010000014c000900070002fff40000000000007fff0000000000090000", vec![333, 334], 2),
        ("420200040000014c000900070002fff40000000000017fff00000000000e0001", vec![333, 334, 336], 1),
        ("420200030000014c000900070002fff4000000000001ffff0000000000120000", vec![333, 334, 335, 336], 0),
    ] {
        let outcome = bench.hear(hex);
        assert_eq!((bench.connection().snd_una, bench.marks()), (333, marked), "{hex}");
        assert_eq!((outcome.in_flight, outcome.loss), (in_flight, None), "{hex}");
    }
    let outcome = bench.visit(100);
    assert!(outcome.ack_request && outcome.psn == Some(333) && outcome.loss.is_none());
    assert_eq!(bench.next_rtx(), None);
    bench.send(337..338, 1128);
    let outcome = bench.hear("420200030000014e000900070002fff2000000000003ffff0000000000170000");
    assert_eq!((bench.connection().snd_una, bench.marks()), (335, vec![335, 336, 337]));
    assert_eq!(outcome.in_flight, 0);
    bench.hear("4200ffff00000151000900070002ffef000000000003ffff0000000000170000");
    assert_eq!(bench.connection().snd_una, 338);
}

#[test]
fn an_ordered_connection_goes_back_once_for_a_gap() {
    let mut bench = Bench::sent(0x500..0x508, true, 1128);
    bench.inputs.rto = 100;
    bench.hear("4200000000000502000a00080002fffe000000000000000700000000000e0000");
    let outcome = bench.apply(OpKind::Nack { psn: 0x504, code: OUT_OF_ORDER });
    assert_eq!((outcome.status, outcome.loss), (Some(Status::Ok), Some(Rule::Nack)));
    assert_eq!((outcome.in_flight, outcome.retransmit), (0, false));
    for code in [OUT_OF_ORDER, TRIMMED] {
        let again = bench.apply(OpKind::Nack { psn: 0x505, code });
        assert_eq!((again.status, again.loss), (Some(Status::Ok), None));
    }
    let handed: Vec<Option<u32>> = (0..6).map(|_| bench.next_rtx()).collect();
    assert_eq!(handed, [Some(0x503), Some(0x504), Some(0x505), Some(0x506), Some(0x507), None]);
    // lost again: the timeout makes the next NACK count
    assert_eq!(bench.apply(OpKind::Nack { psn: 0x504, code: OUT_OF_ORDER }).loss, None);
    bench.age();
    assert_eq!(bench.visit(100).loss, Some(Rule::Timeout));
    let outcome = bench.apply(OpKind::Nack { psn: 0x506, code: TRIMMED });
    assert_eq!((outcome.loss, bench.connection().rtx), (Some(Rule::Nack), 0x503), "nothing is forgotten");
    let outcome = bench.hear("4210000000000503000a00080002fffd000000000000000f0000000000120000");
    assert!(!outcome.recovery_left && !bench.connection().told);
    let outcome = bench.hear("4210000000000507000a00080002fff900000000000000ff0000000000240000");
    assert!(outcome.recovery_left && bench.connection().snd_una == 0x508);
}

/// A packet trimmed on an ordered connection: those before it are on their way still.
#[test]
fn a_trimmed_packet_of_an_ordered_connection_is_the_first_to_go_again() {
    let mut bench = Bench::sent(100..110, true, 100);
    let outcome = bench.apply(OpKind::Nack { psn: 104, code: TRIMMED });
    assert_eq!((outcome.loss, outcome.in_flight), (Some(Rule::Nack), 4));
    let handed: Vec<Option<u32>> = (0..7).map(|_| bench.next_rtx()).collect();
    assert_eq!(handed, [Some(104), Some(105), Some(106), Some(107), Some(108), Some(109), None]);
    assert_eq!(bench.apply(OpKind::Nack { psn: 104, code: INFERRED }).loss, None, "that is for the others");
}

#[test]
fn the_mpr_limits_what_is_sent_and_sent_again() {
    let mut bench = Bench::sent(0..200, false, 100);
    bench.inputs.rto = 100;
    bench.age();
    assert_eq!(bench.visit(100).loss, Some(Rule::Timeout));
    // MPR of 128, and PSN 0 is missing
    let outcome = bench.hear("4200000200000000000900070001000000000000000000050000000000000000");
    assert_eq!((outcome.status, bench.connection().limit(256)), (Some(Status::Ok), 128));
    assert_eq!(bench.apply(OpKind::Sent { psn: 200, bytes: 1 }).status, Some(Status::WindowFull));
    let handed: Vec<u32> = std::iter::from_fn(|| bench.next_rtx()).collect();
    assert_eq!(handed, [1].into_iter().chain(3..129).collect::<Vec<_>>());
    // one more PSN
    bench.hear("3a0000000000000100090007");
    assert_eq!(bench.next_rtx(), Some(129));
}

/// Timeouts double the RTO and come to an end; those of a connection that goes on count anew.
#[test]
fn too_many_timeouts_in_a_row_are_the_end() {
    let mut bench = Bench::sent(0..2, false, 100);
    bench.inputs = Inputs { rto: 10, rto_backoff_max: 1, max_rto_retx: 2, ..QUIET };
    let mut found = Vec::new();
    for now in 0..200 {
        let outcome = bench.visit(now);
        if outcome.loss.is_some() || outcome.dead {
            found.push((now, outcome.dead));
        }
    }
    assert_eq!(found, [(10, false), (30, false), (50, true)]);
    bench.hear("3a0000000000000000090007");
    let revived: Vec<u16> = (200..220).filter(|now| bench.visit(*now).loss.is_some()).collect();
    assert_eq!(revived, [209]);
}

/// What left less than half an RTO ago is not lost; where nothing else lacks, the peer is asked.
#[test]
fn a_timeout_spares_what_left_lately() {
    let mut bench = Bench::sent(0..4, false, 100);
    bench.inputs.rto = 100;
    bench.age();
    for now in (0..100).step_by(5) {
        bench.visit(now);
        if now == 90 {
            bench.send(4..6, 100);
        }
    }
    let outcome = bench.visit(100);
    assert_eq!((outcome.loss, outcome.in_flight), (Some(Rule::Timeout), 2));
    let handed: Vec<u32> = std::iter::from_fn(|| bench.next_rtx()).collect();
    assert_eq!(handed, [0, 1, 2, 3]);
}

/// Rule 1 holds for lost what lacks below the highest PSN received, from a number of packets on.
#[test]
fn packets_out_of_order_are_a_loss_by_rule_1_alone() {
    let hex =
        |ooo: u16| format!("4200000a0000000000090007000400000000000000000{:03x}000000000000{ooo:04x}", 0x7fc);
    for (rules, ooo_packets, ooo, is_loss) in [
        (0, 1, 99, false),
        (1, 9, 9, true),
        (1, 9, 8, false),
        (1, 0, 4, false),
        (1, 0, 5, true),
        (2, 0, 9, false),
    ] {
        let mut bench = Bench::sent(0..20, false, 100);
        bench.inputs = Inputs { rules, ooo_packets, ..QUIET };
        let outcome = bench.hear(&hex(ooo));
        assert_eq!(outcome.status, Some(Status::Ok));
        assert_eq!(outcome.loss, is_loss.then_some(Rule::Ooo), "{rules} {ooo_packets} {ooo}");
        assert_eq!(bench.next_rtx(), is_loss.then_some(1));
        assert_eq!(bench.next_rtx(), None);
    }
}
