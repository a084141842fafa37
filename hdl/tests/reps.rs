//! The REPS engine in rust-hdl's own simulation: 16 connections, 4 EVs each, 16-bit times.

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use respray_hdl::config::{Config, Variant};
use respray_hdl::cores::reps::Reps;
use respray_hdl::cores::selector::LATENCY_CYCLES;
use rust_hdl::prelude::*;

type Small = Reps<4, 2, 16, 8, 17>;

const CONNECTIONS: usize = 16;
const EXPLORE: u8 = 0;
const RECYCLE: u8 = 1;
const REPLAY: u8 = 2;

#[derive(Clone, Copy, Debug)]
struct Op {
    kind: u64,
    conn: u64,
    ev: u16,
    ecn: bool,
    now: u16,
    freeze_timeout: u16,
    bdp: u8,
}

/// What an op gave, with the connection where it gave anything.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Outcome {
    send: Option<(u8, u16)>,
    cached: bool,
    dropped: bool,
    entered: bool,
    left: bool,
    conn: Option<u64>,
}

fn op(kind: u64, conn: u64) -> Op {
    Op { kind, conn, ev: 0, ecn: false, now: 0, freeze_timeout: 100, bdp: 3 }
}
fn send(conn: u64) -> Op {
    op(0, conn)
}
fn ack(conn: u64, ev: u16) -> Op {
    Op { ev, ..op(1, conn) }
}
fn marked(conn: u64, ev: u16) -> Op {
    Op { ecn: true, ..ack(conn, ev) }
}
fn nack(conn: u64) -> Op {
    op(2, conn)
}
fn timeout(conn: u64) -> Op {
    op(3, conn)
}
fn init(conn: u64) -> Op {
    op(4, conn)
}
fn at(now: u16, op: Op) -> Op {
    Op { now, ..op }
}

struct Rig {
    uut: Small,
}

impl Rig {
    fn new(variant: Variant) -> Rig {
        let mut config = Config::default();
        config.reps.variant = variant;
        let mut rig = Rig { uut: Small::new(&config) };
        rig.reset(0xBEEF);
        rig
    }

    /// Two edges of reset, then waits for `op_ready`; returns the edges that it took.
    fn reset(&mut self, seed: u64) -> u32 {
        self.uut.seed.next = seed.into();
        self.uut.rst.next = true;
        self.edge(None);
        self.edge(None);
        self.uut.rst.next = false;
        for edges in 0.. {
            if self.edge(None).1 {
                return edges;
            }
        }
        unreachable!()
    }

    /// One clock cycle: what stands at the outputs before the edge, and `op_ready`.
    fn edge(&mut self, op: Option<Op>) -> (Outcome, bool) {
        let uut = &mut self.uut;
        uut.clk.next = Clock { clk: false };
        uut.op_valid.next = op.is_some();
        if let Some(op) = op {
            uut.op_kind.next = op.kind.into();
            uut.op_conn.next = op.conn.into();
            uut.op_ev.next = u64::from(op.ev).into();
            uut.op_ecn.next = op.ecn;
            uut.now.next = u64::from(op.now).into();
            uut.freeze_timeout.next = u64::from(op.freeze_timeout).into();
            uut.bdp_packets.next = u64::from(op.bdp).into();
        }
        assert!(simulate(uut, 50));
        let mut outcome = Outcome {
            send: None,
            cached: uut.ev_cached.val(),
            dropped: uut.ev_dropped.val(),
            entered: uut.freeze_entered.val(),
            left: uut.freeze_left.val(),
            conn: None,
        };
        if uut.res_valid.val() {
            outcome.send = Some((uut.res_kind.val().to_u8(), uut.res_ev.val().to_u16()));
        }
        if outcome != Outcome::default() {
            outcome.conn = Some(uut.res_conn.val().to_u64());
        }
        let ready = uut.op_ready.val();
        uut.clk.next = Clock { clk: true };
        assert!(simulate(uut, 50));
        (outcome, ready)
    }

    /// Runs the ops with `gap` idle cycles after each, and gives the outcome of each.
    fn run(&mut self, ops: &[Op], gap: usize) -> Vec<Outcome> {
        let inputs =
            ops.iter().flat_map(|op| std::iter::once(Some(*op)).chain(std::iter::repeat_n(None, gap)));
        let inputs = inputs.chain(std::iter::repeat_n(None, LATENCY_CYCLES as usize));
        let seen: Vec<Outcome> = inputs.map(|op| self.edge(op).0).collect();
        let outcomes: Vec<Outcome> =
            (0..ops.len()).map(|n| seen[n * (gap + 1) + LATENCY_CYCLES as usize]).collect();
        let busy = seen.iter().filter(|outcome| **outcome != Outcome::default()).count();
        let told = outcomes.iter().filter(|outcome| **outcome != Outcome::default()).count();
        assert_eq!(busy, told, "an outcome at another cycle than that of its op");
        for (op, outcome) in ops.iter().zip(&outcomes) {
            assert!(outcome.conn.is_none_or(|conn| conn == op.conn), "{op:?} {outcome:?}");
        }
        outcomes
    }

    fn sends(&mut self, ops: &[Op]) -> Vec<(u8, u16)> {
        self.run(ops, 0).iter().filter_map(|outcome| outcome.send).collect()
    }
}

/// The kinds, and the EVs of those that are not random.
fn known(sends: Vec<(u8, u16)>) -> Vec<(u8, u16)> {
    sends.into_iter().map(|(kind, ev)| if kind == EXPLORE { (kind, 0) } else { (kind, ev) }).collect()
}

#[test]
fn reset_takes_one_cycle_a_connection() {
    let mut rig = Rig::new(Variant::Paper);
    assert_eq!(rig.reset(1), CONNECTIONS as u32);
}

#[test]
fn random_evs_follow_the_recurrence_and_depend_on_the_seed() {
    let seed = 0x5A0F;
    let mut rig = Rig::new(Variant::Paper);
    rig.reset(seed);
    let sends = rig.sends(&[send(1), ack(2, 9), send(2), send(3), send(4), send(15)]);
    let mut bits: Vec<bool> = (0..61).map(|n| n == 0).collect();
    let mut step = |seed: u64| {
        for k in 0..16 {
            let n = bits.len();
            bits.push(bits[n - 61] ^ bits[n - 47] ^ bits[n - 35] ^ bits[n - 19] ^ ((seed >> k) & 1 == 1));
        }
        bits[bits.len() - 16..].iter().rev().fold(0u16, |word, bit| word << 1 | u16::from(*bit))
    };
    (0..CONNECTIONS).for_each(|_| {
        step(seed);
    });
    let mut expected = |sent: &(u8, u16)| sent.0 != EXPLORE || sent.1 == step(0);
    assert_eq!(sends[1], (RECYCLE, 9));
    assert!(sends.iter().all(&mut expected), "{sends:x?}");
}

#[test]
fn cached_evs_are_recycled_once_oldest_first() {
    let ops =
        [ack(3, 10), ack(3, 11), marked(3, 12), nack(3), send(3), ack(3, 13), send(3), send(3), send(3)];
    let mut rig = Rig::new(Variant::Paper);
    let outcomes = rig.run(&ops, 0);
    assert!(outcomes[0].cached && outcomes[2].dropped && !outcomes[2].cached);
    let sends = known(outcomes.iter().filter_map(|outcome| outcome.send).collect());
    assert_eq!(sends, [(RECYCLE, 10), (RECYCLE, 11), (RECYCLE, 13), (EXPLORE, 0)]);
}

#[test]
fn a_full_ring_drops_the_oldest_ev() {
    let mut ops: Vec<Op> = (0..6).map(|n| ack(0, 20 + n)).collect();
    ops.extend([send(0); 5]);
    let sends = known(Rig::new(Variant::Paper).sends(&ops));
    assert_eq!(sends, [(RECYCLE, 22), (RECYCLE, 23), (RECYCLE, 24), (RECYCLE, 25), (EXPLORE, 0)]);
}

#[test]
fn connections_do_not_see_each_other() {
    let ops =
        [ack(1, 7), ack(2, 8), send(3), send(2), send(1), init(1), ack(1, 9), init(2), send(1), send(2)];
    let sends = known(Rig::new(Variant::Paper).sends(&ops));
    assert_eq!(sends, [(EXPLORE, 0), (RECYCLE, 8), (RECYCLE, 7), (RECYCLE, 9), (EXPLORE, 0)]);
}

#[test]
fn paper_replays_a_ring_that_is_not_full_from_slot_0_by_a_pointer_of_its_own() {
    let ops = [
        [ack(5, 1), ack(5, 2), ack(5, 3), send(5), send(5), send(5), timeout(5), send(5), send(5)].as_slice(),
        &[marked(5, 9), ack(5, 4), send(5), send(5), send(5), send(5)],
    ]
    .concat();
    let sends = known(Rig::new(Variant::Paper).sends(&ops));
    let replayed = [(REPLAY, 1), (REPLAY, 2), (RECYCLE, 4), (REPLAY, 1), (REPLAY, 2), (REPLAY, 3)];
    // The ACK fills the ring, so that the paper's rule holds: from head, which stands at the oldest.
    assert_eq!(sends[3..], replayed);
    assert_eq!(sends[..3], [(RECYCLE, 1), (RECYCLE, 2), (RECYCLE, 3)]);
}

#[test]
fn paper_replay_of_a_full_ring_moves_head() {
    let mut ops: Vec<Op> = (0..6).map(|n| ack(6, 30 + n)).collect();
    ops.extend([send(6); 4]);
    ops.extend([timeout(6), send(6), ack(6, 40), send(6), send(6), send(6), send(6), send(6)]);
    let sends = known(Rig::new(Variant::Paper).sends(&ops));
    let replayed = [32, 40, 34, 35, 40, 34].map(|ev| (if ev == 40 { RECYCLE } else { REPLAY }, ev));
    assert_eq!(sends[4..8], replayed[..4]);
    assert_eq!(sends[8..], [(REPLAY, 32), (REPLAY, 40)]);
}

#[test]
fn freezing_ends_with_an_ack_after_its_time_and_explores_one_bdp() {
    let ops = [
        at(0xFFF0, ack(7, 1)),
        at(0xFFF0, send(7)),
        at(0xFFF0, timeout(7)),
        at(0xFFF1, timeout(7)),
        at(0x0054, ack(7, 2)), // exit_freezing itself is not past
        at(0x0060, marked(7, 3)),
        at(0x0060, nack(7)),
        at(0x0055, ack(7, 4)),
        at(0x0060, timeout(7)), // exploring: no freeze
        send(7),
        send(7),
        send(7),
        send(7),
        send(7),
        send(7),
        at(0x0070, timeout(7)),
    ];
    let outcomes = Rig::new(Variant::Paper).run(&ops, 0);
    let entered: Vec<usize> = (0..ops.len()).filter(|n| outcomes[*n].entered).collect();
    let left: Vec<usize> = (0..ops.len()).filter(|n| outcomes[*n].left).collect();
    assert_eq!((entered, left), (vec![2, 15], vec![7]));
    let sends = known(outcomes.iter().filter_map(|outcome| outcome.send).collect());
    let explored = [(EXPLORE, 0); 3];
    assert_eq!(sends[1..4], explored);
    assert_eq!(sends[4..], [(RECYCLE, 2), (RECYCLE, 4), (EXPLORE, 0)]);
}

#[test]
fn a_frozen_connection_without_evs_explores() {
    for variant in [Variant::Paper, Variant::Uet] {
        let outcomes = Rig::new(variant).run(&[timeout(9), send(9), ack(9, 5), send(9), send(9)], 0);
        assert!(outcomes[0].entered);
        assert_eq!(outcomes[1].send.unwrap().0, EXPLORE);
        assert_eq!(outcomes[3].send.unwrap().1, 5);
        assert_eq!(outcomes[4].send, Some((REPLAY, 5)));
    }
}

#[test]
fn uet_replays_whether_valid_or_not_and_empties_the_ring_at_the_exit() {
    let ops = [
        at(10, ack(4, 1)),
        at(10, ack(4, 2)),
        at(10, timeout(4)),
        send(4),
        send(4),
        send(4),
        at(200, Op { bdp: 1, ..nack(4) }),
        send(4),
        send(4),
        at(200, ack(4, 3)),
        send(4),
    ];
    let outcomes = Rig::new(Variant::Uet).run(&ops, 0);
    assert!(outcomes[2].entered && outcomes[6].left);
    let sends = known(outcomes.iter().filter_map(|outcome| outcome.send).collect());
    let replayed = [(REPLAY, 1), (REPLAY, 2), (REPLAY, 1)];
    assert_eq!(sends[..3], replayed);
    assert_eq!(sends[3..], [(EXPLORE, 0), (EXPLORE, 0), (RECYCLE, 3)]);
}

#[test]
fn reset_in_flight_loses_ops_and_clears_every_connection() {
    let mut rig = Rig::new(Variant::Paper);
    let acks: Vec<Op> = (0..CONNECTIONS as u64).map(|conn| ack(conn, 77)).collect();
    rig.run(&acks, 0);
    rig.edge(Some(ack(3, 78)));
    rig.reset(5);
    let sends: Vec<Op> = (0..CONNECTIONS as u64).map(send).collect();
    assert!(rig.sends(&sends).iter().all(|(kind, _)| *kind == EXPLORE));
}

/// Ops that keep all four places ahead on a few connections busy, times and settings at their edges.
fn dense(rng: &mut StdRng, count: usize) -> Vec<Op> {
    let mut now = rng.random::<u16>();
    (0..count)
        .map(|n| {
            now = now.wrapping_add(rng.random_range(0..4));
            let hot = [1, 2, 3, CONNECTIONS as u64][n / 100 % 4];
            Op {
                kind: [0, 0, 0, 1, 1, 1, 1, 2, 3, 3, 4, 6][rng.random_range(0..12)],
                conn: rng.random_range(0..hot),
                ev: rng.random(),
                ecn: rng.random_range(0..4) == 0,
                now: if rng.random_range(0..20) == 0 { rng.random() } else { now },
                freeze_timeout: [0, 1, 5, 0x7FFF, 0x8000, 0xFFFF][rng.random_range(0..6)],
                bdp: [0, 1, 2, 255][rng.random_range(0..4)],
            }
        })
        .collect()
}

#[test]
fn ops_in_every_cycle_do_what_the_same_ops_do_one_after_the_other() {
    for variant in [Variant::Paper, Variant::Uet] {
        let mut rng = StdRng::seed_from_u64(3);
        for round in 0..5 {
            let ops = dense(&mut rng, 800);
            let alone = Rig::new(variant).run(&ops, LATENCY_CYCLES as usize + 2);
            for gap in [0, 1, 2] {
                let together = Rig::new(variant).run(&ops, gap);
                let first = (0..ops.len()).find(|n| together[*n] != alone[*n]);
                assert_eq!(first, None, "{variant:?}, round {round}, gap {gap}");
            }
        }
    }
}
