//! The scoreboard of Ultra Ethernet: headers that were worked out by hand, one by one.

mod exchanges;
mod properties;

use rand::SeedableRng;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;
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
