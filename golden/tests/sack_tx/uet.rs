//! The scoreboard of Ultra Ethernet: headers and exchanges that were worked out by hand, and rules that hold after any ops.

use proptest::prelude::*;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use respray_golden::psn::PsnSpace;
use respray_golden::sack_tx::Params;
use respray_golden::sack_tx::uet::{
    AckFields, Connection, ENDLESS, INFERRED, Inputs, OUT_OF_ORDER, Op, OpKind, Outcome, Rule, Status,
    TRIMMED, TRIMMED_LAST_HOP, UetTx,
};

const PSNS: PsnSpace = PsnSpace::new(32);
const CONN: u16 = 3;
/// Timers that a test does not look at.
const QUIET: Inputs = Inputs {
    now: 0,
    ooo_packets: 8,
    probe_timeout: 0xffff,
    probe_rtt: 0,
    rto: 0xffff,
    rto_backoff_max: 0,
    rules: 0,
    max_rto_retx: ENDLESS,
};

/// An engine, and the inputs of its next op.
struct Bench {
    engine: UetTx,
    inputs: Inputs,
}

impl Bench {
    /// A connection that sent these PSNs, each of so many bytes.
    fn sent(psns: std::ops::Range<u32>, is_ordered: bool, bytes: u16) -> Bench {
        let params = Params { connections: 16, window: 256, psns: PSNS };
        let mut bench = Bench { engine: UetTx::new(params), inputs: QUIET };
        bench.apply(OpKind::Init { psn: psns.start, is_ordered, mpr: 0 });
        bench.send(psns, bytes);
        bench
    }

    fn send(&mut self, psns: std::ops::Range<u32>, bytes: u16) {
        let mut psn = psns.start;
        while psn != psns.end {
            assert_eq!(self.apply(OpKind::Sent { psn, bytes }).status, Some(Status::Ok));
            psn = psn.wrapping_add(1);
        }
    }

    fn apply(&mut self, kind: OpKind) -> Outcome {
        self.engine.apply(&Op { kind, conn: CONN, inputs: self.inputs })
    }

    fn hear(&mut self, hex: &str) -> Outcome {
        self.apply(OpKind::Ack(ack(hex)))
    }

    fn next_rtx(&mut self) -> Option<u32> {
        self.apply(OpKind::NextRtx).psn
    }

    fn visit(&mut self, now: u16) -> Outcome {
        self.inputs.now = now;
        self.apply(OpKind::Visit)
    }

    /// Phases go by while time stands still: all that was sent by now left long enough ago.
    fn age(&mut self) {
        let rto = std::mem::replace(&mut self.inputs.rto, 1);
        (0..3).for_each(|_| assert_eq!(self.apply(OpKind::Visit).loss, None));
        self.inputs.rto = rto;
    }

    fn connection(&self) -> &Connection {
        self.engine.connection(CONN)
    }

    /// The PSNs above `snd_una` that are acknowledged, and `snd_una` itself, if it is.
    fn marks(&self) -> Vec<u32> {
        let c = self.connection();
        let outstanding = PSNS.distance(c.snd_una, c.snd_nxt);
        (0..outstanding).map(|n| PSNS.add(c.snd_una, n)).filter(|psn| c.is_acked(*psn, 256)).collect()
    }
}

/// What the header of an ACK in hexadecimal says to the scoreboard.
fn ack(hex: &str) -> AckFields {
    let bytes: Vec<u8> =
        (0..hex.len() / 2).map(|at| u8::from_str_radix(&hex[2 * at..][..2], 16).unwrap()).collect();
    let word = |at: usize, count: usize| {
        let of = |at: usize| bytes.get(at).copied().unwrap_or(0);
        (at..at + count).fold(0_u64, |word, at| word << 8 | u64::from(of(at)))
    };
    let (kind, cack) = (word(0, 1) >> 3, word(4, 4) as u32);
    let offset = |at| cack.wrapping_add_signed((word(at, 2) as i16).into());
    let has_sack = matches!(kind, 8 | 9);
    assert!(has_sack || kind == 7);
    let ooo = if word(30, 2) == 0xffff { 0 } else { word(30, 2).min(4095) as u16 };
    AckFields {
        cum_next: cack.wrapping_add(1),
        psn: offset(2),
        probe: word(1, 1) & 8 != 0,
        has_sack,
        mpr: word(13, 1) as u8,
        base: offset(14),
        bitmap: word(16, 8),
        has_state: kind == 8 && word(12, 1) >> 4 == 0,
        rcvd: word(27, 3) as u32,
        ooo,
        timestamp: 0,
    }
}

/// What an ACK leads to: status, `snd_una`, marks, packets in flight, limit and bytes.
type Expected = (u8, u32, Vec<u32>, u16, u32, u32);

/// ACKs to a connection that sent 1000 to 1007.
fn vectors() -> Vec<(&'static str, Expected)> {
    let none = Vec::new;
    vec![
        ("42000000000003e8000900070001000000000000000000010000000000050000", (0, 1001, none(), 7, 128, 1280)),
        (
            "42000002000003e9000900070001ffd700000bffffffffff00000000000effff",
            (0, 1002, vec![1003], 5, 128, 3584),
        ),
        (
            "42000002000003e9000900070001ffff000000000000000b00000000000e0001",
            (0, 1002, vec![1003], 5, 128, 3584),
        ),
        (
            "42000002000003e90009000700010002000000000000000100000000000e0001",
            (0, 1002, vec![1003], 5, 128, 3584),
        ),
        (
            "42000006000003e90009000700010002000000000000001f00000000001f0005",
            (0, 1002, vec![1003, 1004, 1005, 1006, 1007], 1, 128, 7936),
        ),
        (
            "42020001000003e7000900070002ffd9000003ffffffffff0000000000090002",
            (0, 1000, vec![1000, 1001], 6, 256, 2304),
        ),
        ("3a000002000003e700090007", (0, 1000, vec![1001], 7, 256, 0)),
        (
            "4200000e000003de000900070001000e00000000000000010000000000010001",
            (1, 1000, vec![1004], 7, 128, 256),
        ),
        ("42000000000003e80009000700018000ffffffffffffffff0000000000050000", (0, 1001, none(), 7, 128, 1280)),
        ("42200000000003e9000900070004ffff000000000000000301238500000a0000", (0, 1002, none(), 6, 256, 2560)),
        ("42000000000003e8000900070001000000000000000001010000000000050000", (4, 1000, none(), 8, 256, 0)),
        ("3a000000000003f000090007", (2, 1000, none(), 8, 256, 0)),
        ("38081234000003eb00090007", (0, 1004, none(), 4, 256, 0)),
        ("3a040000000003eb00090007", (0, 1004, none(), 4, 256, 0)),
        ("38400000000003ef0009000700020010", (0, 1008, none(), 0, 256, 0)),
        (
            "40000000000003e8000900070000ffd8000001ffffffffff00000000042c0000",
            (0, 1001, none(), 7, 256, 273_408),
        ),
        (
            "4a000000000003e800090007e0020000000000000000000100000000000000000000000000000000",
            (0, 1001, none(), 7, 256, 0),
        ),
    ]
}

#[test]
fn acks_that_were_worked_out_by_hand_mark_what_they_name() {
    for (hex, expected) in vectors() {
        let mut bench = Bench::sent(1000..1008, false, 1068);
        // the third form of the overtaken one: an ACK before it said another MPR
        let outcome = bench.hear(hex);
        let c = bench.connection();
        let seen: Expected = (
            outcome.status.unwrap().code(),
            c.snd_una,
            bench.marks(),
            outcome.in_flight,
            c.limit(256),
            outcome.acked_bytes.unwrap_or(0),
        );
        assert_eq!(seen, expected, "{hex}");
        assert_eq!(outcome.loss, None, "{hex}");
    }
}

/// An ACK that another one overtook says no MPR; neither do a plain one and an answer to a probe that cannot be.
#[test]
fn an_overtaken_ack_leaves_the_mpr_as_it_is() {
    let mut bench = Bench::sent(1000..1008, false, 1068);
    bench.hear("42000000000003e8000900070004000000000000000000010000000000050000");
    assert_eq!((bench.connection().mpr, bench.connection().has_mpr), (4, true));
    let late = bench.hear("4200000e000003de000900070001000e00000000000000010000000000010001");
    assert_eq!(
        (late.status, late.acked_bytes),
        (Some(Status::Overtaken), Some(0)),
        "its count is older, too"
    );
    assert_eq!((bench.connection().mpr, bench.marks()), (4, vec![1004]));
}

#[test]
fn the_order_of_acks_does_not_matter() {
    let mut rng = SmallRng::seed_from_u64(7);
    let mut taken: Vec<&str> = vectors().into_iter().take(10).map(|(hex, _)| hex).collect();
    for _ in 0..500 {
        taken.shuffle(&mut rng);
        let mut bench = Bench::sent(1000..1008, false, 1068);
        for hex in &taken {
            assert!(matches!(bench.hear(hex).status, Some(Status::Ok | Status::Overtaken)), "{hex}");
        }
        assert_eq!(bench.connection().snd_una, 1002);
        assert_eq!(bench.marks(), [1003, 1004, 1005, 1006, 1007]);
    }
}

/// Offsets of a table of the specification, and an ACK across the wrap.
#[test]
fn offsets_are_signed_and_psns_wrap() {
    for (hex, psn) in
        [("3a0000246223112000090007", 0x6223_1144), ("3a00ffdc6223112000090007", 0x6223_10fc_u32)]
    {
        let mut bench = Bench::sent(0x6223_10f0..0x6223_1150, false, 100);
        let outcome = bench.hear(hex);
        let marked = bench.marks();
        assert_eq!(bench.connection().snd_una, 0x6223_1121, "{hex}");
        let is_ahead = psn > 0x6223_1120;
        assert_eq!(marked, if is_ahead { vec![psn] } else { vec![] }, "{hex}");
        assert_eq!(outcome.acked, 0x31 + u16::from(is_ahead), "{hex}");
    }
    let mut bench = Bench::sent(std::ops::Range { start: 0xffff_fff0, end: 5 }, false, 100);
    let outcome = bench.hear("3a000010fffffff300090007");
    assert_eq!((outcome.acked, outcome.in_flight), (5, 16));
    assert_eq!((bench.connection().snd_una, bench.marks()), (0xffff_fff4, vec![3]));
}

#[test]
fn a_nack_asks_for_its_psn_once_it_is_outstanding() {
    let nack = |bench: &mut Bench, psn, code| bench.apply(OpKind::Nack { psn, code });
    let mut bench = Bench::sent(1000..1008, false, 1068);
    for (psn, code) in [(1002, TRIMMED), (1003, TRIMMED_LAST_HOP), (1002, INFERRED), (1002, TRIMMED)] {
        let outcome = nack(&mut bench, psn, code);
        assert_eq!((outcome.status, outcome.retransmit, outcome.psn), (Some(Status::Ok), true, Some(psn)));
        assert_eq!((outcome.in_flight, outcome.loss, outcome.in_recovery), (8, None, false));
    }
    // those that are the host's, and one that only an ordered connection hears
    for code in [0, 3, 4, 0x0b, OUT_OF_ORDER, 0x0e, 0x17, 0x18, 0xff] {
        let before = *bench.connection();
        let outcome = nack(&mut bench, 1002, code);
        assert_eq!(
            (outcome.status, outcome.retransmit, outcome.loss),
            (Some(Status::Ok), false, None),
            "{code}"
        );
        assert_eq!(*bench.connection(), before, "{code}");
    }
    for psn in [999, 1008, 0xdead_beef, 1000_u32.wrapping_add(1 << 31)] {
        let outcome = nack(&mut bench, psn, TRIMMED);
        assert_eq!((outcome.status, outcome.retransmit), (Some(Status::NotOutstanding), false), "{psn}");
    }
    // 1001 is marked
    bench.hear("3a000002000003e700090007");
    let outcome = nack(&mut bench, 1001, TRIMMED);
    assert_eq!((outcome.status, outcome.retransmit), (Some(Status::Ok), false));
}

/// A NACK does not ask for what is held for lost already, until it was handed out.
#[test]
fn a_nack_leaves_to_a_recovery_what_it_has_not_handed_out() {
    let mut bench = Bench::sent(1000..1008, false, 1068);
    bench.inputs.rto = 100;
    bench.age();
    let outcome = bench.visit(100);
    assert_eq!((outcome.loss, outcome.in_flight), (Some(Rule::Timeout), 0));
    assert_eq!(bench.next_rtx(), Some(1000));
    let asked = [1000, 1001, 1007].map(|psn| bench.apply(OpKind::Nack { psn, code: TRIMMED }).retransmit);
    assert_eq!(asked, [true, false, false]);
}

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

/// An ACK whose bitmap has this base shows what its bits say one by one.
fn ack_one_by_one(bench: &mut Bench, fields: AckFields) {
    for bit in (0..64).filter(|bit| fields.bitmap >> bit & 1 == 1) {
        bench.apply(OpKind::Ack(AckFields { bitmap: 1 << bit, ..fields }));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Any base, from far below `snd_una` to far above, across words and the wrap of PSNs.
    #[test]
    fn a_bitmap_of_any_base_marks_its_psns_one_by_one(
        first in prop_oneof![any::<u32>(), (0..300_u32).prop_map(|below| 0_u32.wrapping_sub(below))],
        count in 1..=256_u32,
        moves in 0..40_u32,
        offset in prop_oneof![-32768..32768_i32, -80..330_i32],
        bitmap in any::<u64>(),
        sparse in any::<u64>(),
    ) {
        let mut bench = Bench::sent(first..first.wrapping_add(count), false, 100);
        let cack = first.wrapping_add(moves.min(count)).wrapping_sub(1);
        let base = first.wrapping_add_signed(offset);
        let limit = i64::from(count) - i64::from(offset);
        let sent = if limit >= 64 { u64::MAX } else if limit <= 0 { 0 } else { (1 << limit) - 1 };
        let fields = AckFields { cum_next: cack.wrapping_add(1), psn: cack, has_sack: true, base, bitmap: bitmap & sparse & sent, ..AckFields::default() };
        let mut other = Bench { engine: bench.engine.clone(), inputs: QUIET };
        let outcome = bench.apply(OpKind::Ack(fields));
        prop_assert_eq!(outcome.status, Some(Status::Ok));
        other.apply(OpKind::Ack(AckFields { bitmap: 0, ..fields }));
        ack_one_by_one(&mut other, fields);
        prop_assert_eq!(bench.connection(), other.connection());
        let shown = |psn: u32| {
            let bit = i64::from(psn.wrapping_sub(first)) - i64::from(offset);
            (0..64).contains(&bit) && fields.bitmap >> bit & 1 == 1
        };
        let c = bench.connection();
        let expected: Vec<u32> = (0..PSNS.distance(c.snd_una, c.snd_nxt)).map(|n| PSNS.add(c.snd_una, n)).filter(|psn| shown(*psn)).collect();
        prop_assert_eq!(bench.marks(), expected);
        // a bit of what was never sent
        if (-63..64).contains(&(limit - 1)) && limit < 64 {
            let bad = AckFields { bitmap: fields.bitmap | 1 << limit.max(0), ..fields };
            let before = *bench.connection();
            prop_assert_eq!(bench.apply(OpKind::Ack(bad)).status, Some(Status::Beyond));
            prop_assert_eq!(*bench.connection(), before);
        }
    }

    /// What `next_rtx` and NACKs hand out was never named; what was named stays so; counts are never below what they count.
    #[test]
    fn nothing_that_was_named_is_sent_again(seed in any::<u64>(), is_ordered in any::<bool>()) {
        let mut rng = SmallRng::seed_from_u64(seed);
        let first = 0_u32.wrapping_sub(rng.random_range(0..400));
        let mut bench = Bench::sent(first..first, is_ordered, 100);
        bench.inputs = Inputs { rto: 40, probe_timeout: 25, probe_rtt: 20, rules: rng.random_range(0..4), ..QUIET };
        let mut named = std::collections::HashSet::new();
        for _ in 0..600 {
            let c = *bench.connection();
            let outstanding = PSNS.distance(c.snd_una, c.snd_nxt);
            let any = |rng: &mut SmallRng| PSNS.add(c.snd_una, rng.random_range(0..outstanding.max(1)));
            bench.inputs.now = bench.inputs.now.wrapping_add(rng.random_range(0..4));
            let kind = match rng.random_range(0..16) {
                0..8 => OpKind::Sent { psn: c.snd_nxt, bytes: 100 },
                8..10 if outstanding > 0 => {
                    let mut fields = AckFields {
                        cum_next: PSNS.add(c.snd_una, rng.random_range(0..outstanding.min(6))),
                        psn: any(&mut rng),
                        has_sack: rng.random(),
                        mpr: rng.random_range(0..4),
                        base: any(&mut rng),
                        bitmap: rng.random::<u64>() & rng.random::<u64>() & rng.random::<u64>(),
                        has_state: rng.random(),
                        rcvd: rng.random_range(0..1 << 24),
                        ooo: rng.random_range(0..20),
                        timestamp: bench.inputs.now.wrapping_sub(10),
                        probe: rng.random_ratio(1, 4),
                    };
                    let room = PSNS.distance(fields.base, c.snd_nxt);
                    fields.bitmap &= if room >= 64 { u64::MAX } else { (1 << room) - 1 };
                    for bit in (0..64).filter(|bit| fields.has_sack && fields.bitmap >> bit & 1 == 1) {
                        named.insert(PSNS.add(fields.base, bit));
                    }
                    if !fields.probe {
                        named.insert(fields.psn);
                    }
                    let mut psn = c.snd_una;
                    while psn != fields.cum_next {
                        named.insert(psn);
                        psn = PSNS.add(psn, 1);
                    }
                    OpKind::Ack(fields)
                }
                10..12 if outstanding > 0 => OpKind::Nack {
                    psn: any(&mut rng),
                    code: [TRIMMED, TRIMMED_LAST_HOP, OUT_OF_ORDER, INFERRED, 4][rng.random_range(0..5)],
                },
                12 => OpKind::NextRtx,
                _ => OpKind::Visit,
            };
            let outcome = bench.apply(kind);
            if matches!(kind, OpKind::Ack(_)) {
                prop_assert_eq!(outcome.status, Some(Status::Ok));
            }
            let is_handed_out = outcome.retransmit || kind == OpKind::NextRtx;
            if let Some(psn) = outcome.psn.filter(|_| is_handed_out) {
                prop_assert!(!named.contains(&psn), "{} {:?}", psn, kind);
                prop_assert!(kind != OpKind::NextRtx || PSNS.distance(c.snd_una, psn) < c.limit(256));
            }
            let c = bench.connection();
            let lacks = (0..PSNS.distance(c.snd_una, c.snd_nxt)).filter(|n| !named.contains(&PSNS.add(c.snd_una, *n)));
            prop_assert_eq!(usize::from(outcome.in_flight + c.claimed(*bench.engine.params())), lacks.count());
            prop_assert!(outcome.dead <= (bench.inputs.max_rto_retx < ENDLESS));
        }
    }
}
