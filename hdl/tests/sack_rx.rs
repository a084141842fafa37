//! The SACK receiver in rust-hdl's own simulation: 16 connections, both engines.

use std::collections::{BTreeSet, VecDeque};

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use respray_hdl::cores::sack_rx::fast::{Fast, INIT_CYCLES, LATENCY_CYCLES, SAME_CONNECTION_CYCLES};
use respray_hdl::cores::sack_rx::small::Small;
use rust_hdl::prelude::*;

const PSNS: u32 = 1 << 24;

#[derive(Clone, Copy, Debug, Default)]
struct Op {
    init: bool,
    conn: u64,
    psn: u32,
    bytes: u32,
    ack_request: bool,
    probe: bool,
    threshold: u32,
    /// Echoed: ECN, EV and timestamp are made of it.
    mark: u32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Sack {
    psn: u32,
    epsn: u32,
    base: u32,
    bitmap: u64,
    ooo: u32,
    bytes_recvd: u32,
    mark: u32,
    probe: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Outcome {
    conn: u64,
    status: u8,
    sack: Option<Sack>,
}

fn init(psn: u32) -> Op {
    Op { init: true, psn, ..Op::default() }
}

/// A packet of 10 bytes that gets no SACK unless one is due for another reason.
fn packet(psn: u32) -> Op {
    Op { psn, bytes: 10, threshold: 0xFFFF, ..Op::default() }
}

/// An engine at the level of clock edges.
trait Engine {
    /// One clock cycle: the result before the edge, and whether an op can be taken at it.
    fn cycle(&mut self, op: Option<&Op>, rst: bool) -> (Option<Outcome>, bool);
}

macro_rules! engine {
    ($engine:ty) => {
        impl Engine for $engine {
            fn cycle(&mut self, op: Option<&Op>, rst: bool) -> (Option<Outcome>, bool) {
                self.clk.next = Clock { clk: false };
                self.rst.next = rst;
                self.op_valid.next = op.is_some();
                if let Some(op) = op {
                    self.op_kind.next = op.init;
                    self.op_conn.next = op.conn.into();
                    self.op_psn.next = u64::from(op.psn).into();
                    self.op_bytes.next = u64::from(op.bytes).into();
                    self.op_ack_request.next = op.ack_request;
                    self.op_probe.next = op.probe;
                    self.sack_threshold.next = u64::from(op.threshold).into();
                    self.op_ecn.next = op.mark & 1 == 1;
                    self.op_ev.next = u64::from(op.mark).into();
                    self.op_timestamp.next = u64::from(!op.mark & 0xFFFF).into();
                }
                assert!(simulate(self, 50));
                let sack = self.sack_valid.val().then(|| {
                    let mark = self.sack_ev.val().to_u32();
                    assert_eq!(self.sack_timestamp.val().to_u32(), !mark & 0xFFFF);
                    assert_eq!(self.sack_ecn.val(), mark & 1 == 1);
                    Sack {
                        psn: self.sack_psn.val().to_u32(),
                        epsn: self.sack_epsn.val().to_u32(),
                        base: self.sack_base.val().to_u32(),
                        bitmap: self.sack_bitmap.val().to_u64(),
                        ooo: self.sack_ooo.val().to_u32(),
                        bytes_recvd: self.sack_bytes_recvd.val().to_u32(),
                        mark,
                        probe: self.sack_probe.val(),
                    }
                });
                assert!(self.res_valid.val() || sack.is_none());
                let outcome = self.res_valid.val().then(|| Outcome {
                    conn: self.res_conn.val().to_u64(),
                    status: self.res_status.val().to_u8(),
                    sack,
                });
                let ready = self.op_ready.val();
                self.clk.next = Clock { clk: true };
                assert!(simulate(self, 50));
                (outcome, ready)
            }
        }
    };
}

engine!(Small<4, 4, 10, 6, 7, 1>);
engine!(Small<4, 5, 11, 7, 8, 2>);
engine!(Fast<4, 4, 10, 6, 7, 1, 1>);
engine!(Fast<4, 5, 11, 7, 8, 2, 1>);
engine!(Fast<4, 6, 12, 8, 9, 3, 3>);
engine!(Fast<4, 7, 13, 9, 10, 4, 7>);

fn small_64() -> Box<dyn Engine> {
    Box::new(Small::<4, 4, 10, 6, 7, 1>::default())
}

fn small_128() -> Box<dyn Engine> {
    Box::new(Small::<4, 5, 11, 7, 8, 2>::default())
}

fn fast_64() -> Box<dyn Engine> {
    Box::new(Fast::<4, 4, 10, 6, 7, 1, 1>::default())
}

fn fast_128() -> Box<dyn Engine> {
    Box::new(Fast::<4, 5, 11, 7, 8, 2, 1>::default())
}

fn fast_256() -> Box<dyn Engine> {
    Box::new(Fast::<4, 6, 12, 8, 9, 3, 3>::default())
}

fn fast_512() -> Box<dyn Engine> {
    Box::new(Fast::<4, 7, 13, 9, 10, 4, 7>::default())
}

/// Resets, runs the ops as fast as they are taken, and gives the results with their cycles after the op was taken.
fn run(engine: &mut dyn Engine, ops: &[Op]) -> Vec<(Outcome, u32)> {
    engine.cycle(None, true);
    engine.cycle(None, true);
    let mut waiting = VecDeque::new();
    let mut outcomes = vec![];
    let mut next = 0;
    let mut idle = 0;
    for cycle in 0u32.. {
        let (outcome, ready) = engine.cycle(ops.get(next), false);
        let taken = ready && next < ops.len();
        if let Some(outcome) = outcome {
            outcomes.push((outcome, cycle - waiting.pop_front().expect("a result of no packet")));
        }
        if taken {
            if !ops[next].init {
                waiting.push_back(cycle);
            }
            next += 1;
        }
        idle = if taken { 0 } else { idle + 1 };
        assert!(idle < 600, "op {next} is not taken");
        if next == ops.len() && waiting.is_empty() {
            break;
        }
    }
    outcomes
}

fn statuses(engine: Box<dyn Engine>, ops: &[Op]) -> Vec<u8> {
    let mut engine = engine;
    run(engine.as_mut(), ops).iter().map(|(outcome, _)| outcome.status).collect()
}

fn sacks(engine: Box<dyn Engine>, ops: &[Op]) -> Vec<Option<Sack>> {
    let mut engine = engine;
    run(engine.as_mut(), ops).iter().map(|(outcome, _)| outcome.sack).collect()
}

#[test]
fn new_duplicate_outside_probe_and_uninitialised_are_told_apart() {
    let probe = |psn| Op { probe: true, ..packet(psn) };
    let ops = [
        packet(100),
        init(100),
        packet(100),
        packet(100),
        packet(99),
        packet(103),
        packet(103),
        packet(164),
        packet(165),
        probe(103),
        Op { conn: 1, ..probe(103) },
        packet(101 + PSNS / 2),
        packet(100 + PSNS / 2),
    ];
    for engine in [small_64(), fast_64()] {
        assert_eq!(statuses(engine, &ops), [7, 0, 1, 1, 0, 1, 0, 2, 3, 7, 1, 2]);
    }
}

#[test]
fn epsn_moves_over_the_whole_run_at_once_and_small_takes_longer_by_segment() {
    let first = PSNS - 70;
    let mut ops = vec![init(first)];
    ops.extend((1..128).map(|n| packet((first + n) % PSNS)));
    ops.push(packet(first));
    // Of one connection every packet waits for the one before, whose result comes as it may start.
    let fast = LATENCY_CYCLES + SAME_CONNECTION_CYCLES - 1;
    for (mut engine, cycles, last_cycles) in [(small_128(), 6, 6 + 2 * 2), (fast_128(), fast, fast)] {
        let outcomes = run(engine.as_mut(), &ops);
        assert!(outcomes[..127].iter().all(|(outcome, _)| outcome.sack.is_none()));
        assert!(outcomes[1..127].iter().all(|(_, taken)| *taken == cycles));
        let (outcome, taken) = outcomes[127];
        let sack = outcome.sack.unwrap();
        assert_eq!((sack.epsn, sack.base, sack.bitmap), (58, 0, (1 << 58) - 1));
        assert_eq!((sack.ooo, sack.bytes_recvd, taken), (0, 1280, last_cycles));
    }
}

#[test]
fn a_sack_shows_the_lowest_segment_since_the_last_one_and_a_probe_changes_nothing() {
    let asked = Op { ack_request: true, ..packet(141) };
    let ops = [
        init(10),
        packet(70),
        packet(137),
        Op { probe: true, ..packet(135) },
        packet(20),
        packet(130),
        asked,
        Op { psn: 129, ..asked },
        Op { psn: 135, ..asked },
    ];
    for engine in [small_128(), fast_128()] {
        let sacks = sacks(engine, &ops);
        let bits = |sack: Option<Sack>| sack.map(|sack| (sack.base, sack.bitmap, sack.ooo));
        assert_eq!(bits(sacks[2]), Some((128, 1 << 9, 2)));
        assert_eq!(bits(sacks[5]), None);
        assert_eq!(bits(sacks[6]), Some((0, ((1 << 10) - 1) | (1 << 20), 5)));
        assert_eq!(bits(sacks[7]), Some((128, 1 << 1 | 1 << 2 | 1 << 7 | 1 << 9, 6)));
    }
}

/// Segments fill in any order, and EPSN then passes all that follow it without a gap.
#[test]
fn fast_knows_which_segments_are_full_at_every_distance() {
    let start = PSNS - 320;
    for (segments, gap) in [(4, 0), (4, 1), (4, 2), (4, 3), (8, 0), (8, 6)] {
        let segment = |n: u32| (64 * n..64 * n + 64).filter(|n| *n != 0);
        let mut order: Vec<u32> = (1..segments).rev().filter(|n| *n != gap).flat_map(segment).collect();
        order.extend(segment(0));
        order.push(0);
        let mut ops = vec![init(start)];
        ops.extend(order.iter().map(|n| packet((start + n) % PSNS)));
        let mut engine = if segments == 4 { fast_256() } else { fast_512() };
        let outcomes = run(engine.as_mut(), &ops);
        let sack = outcomes.last().unwrap().0.sack.unwrap();
        let passed = if gap == 0 { segments } else { gap };
        assert_eq!(sack.epsn, (start + 64 * passed) % PSNS, "without segment {gap} of {segments}");
        assert_eq!(sack.ooo, order.len() as u32 - 64 * passed);
    }
}

/// The first and the last segment lie in one word: what is not received of one looks received of the other.
#[test]
fn the_last_segment_is_never_taken_for_a_full_one() {
    for (window, engine) in [(64, fast_64()), (128, fast_128()), (256, fast_256()), (64, small_64())] {
        let mut ops = vec![init(1), packet(window)];
        ops.extend((1..window).map(packet));
        let sacks = sacks(engine, &ops);
        let sack = sacks.last().unwrap().unwrap();
        assert_eq!((sack.epsn, sack.base, sack.bitmap, sack.ooo), (window + 1, window, 1, 0));
    }
}

/// The receiver from the contract, with the bitmap as a set.
#[derive(Clone, Default)]
struct Model {
    initialised: bool,
    epsn: u32,
    held: BTreeSet<u32>,
    bytes_recvd: u32,
    since: u32,
    lowest: Option<u32>,
}

fn after(psn: u32, epsn: u32) -> u32 {
    psn.wrapping_sub(epsn) % PSNS
}

impl Model {
    fn packet(&mut self, op: &Op, window: u32) -> Outcome {
        let outcome = |status, sack| Outcome { conn: op.conn, status, sack };
        let ahead = after(op.psn, self.epsn);
        let segment = |psn: u32| after(psn & !63, self.epsn & !63) / 64;
        if !self.initialised {
            return outcome(7, None);
        }
        if op.probe {
            let segment = if ahead < window { segment(op.psn) } else { 0 };
            return outcome(3, Some(self.sack(op, segment, window)));
        }
        let below = ahead >= PSNS / 2;
        let duplicate = below || self.held.contains(&op.psn);
        if !duplicate && ahead >= window {
            return outcome(2, None);
        }
        let own = if below { 0 } else { segment(op.psn) };
        let lowest = self.lowest.map_or(own, |lowest| lowest.min(own));
        if !duplicate {
            self.held.insert(op.psn);
            self.bytes_recvd = self.bytes_recvd.wrapping_add(op.bytes);
            self.since += op.bytes;
            while self.held.remove(&self.epsn) {
                self.epsn = (self.epsn + 1) % PSNS;
            }
        }
        if duplicate || ahead == 0 || op.ack_request || self.since >= op.threshold {
            self.since = 0;
            self.lowest = None;
            let segment = if !duplicate && ahead == 0 { 0 } else { lowest };
            return outcome(u8::from(duplicate), Some(self.sack(op, segment, window)));
        }
        self.lowest = Some(lowest);
        outcome(0, None)
    }

    fn sack(&self, op: &Op, segment: u32, window: u32) -> Sack {
        let base = ((self.epsn & !63) + 64 * segment) % PSNS;
        let bit = |n: u32| {
            let psn = (base + n) % PSNS;
            let ahead = after(psn, self.epsn);
            ahead >= PSNS / 2 || (ahead < window && self.held.contains(&psn))
        };
        Sack {
            psn: op.psn,
            epsn: self.epsn,
            base,
            bitmap: (0..64).filter(|n| bit(*n)).fold(0, |bits, n| bits | 1 << n),
            ooo: self.held.len() as u32,
            bytes_recvd: self.bytes_recvd,
            mark: op.mark,
            probe: op.probe,
        }
    }
}

/// Random packets on 2 connections and sometimes another, most of them near `epsn`, with runs that grow over the whole
/// window; and what the model makes of those that are no `init`.
fn random_ops(window: u32, seed: u64) -> (Vec<Op>, Vec<Outcome>) {
    let mut random = StdRng::seed_from_u64(seed);
    let mut models: [Model; 16] = Default::default();
    let mut ops = vec![];
    let mut expected = vec![];
    let phase = 100 + 3 * window as usize;
    for n in 0..7 * phase {
        let conn =
            if random.random_bool(0.9) { random.random_range(0..2) } else { random.random_range(0..16) };
        let model = &mut models[conn];
        let fills = (n / phase + conn) % 2 == 0;
        let gap = (1..window).map(|ahead| (model.epsn + ahead) % PSNS).find(|psn| !model.held.contains(psn));
        let psn = match random.random_range(0..10) {
            0 => model.epsn.wrapping_add(random.random_range(0..2 * window)),
            1 => model.epsn.wrapping_sub(random.random_range(0..80)),
            2 if n % 7 == 0 => random.random_range(0..PSNS),
            3..6 if !fills => model.epsn,
            6 if random.random_bool(0.02) => model.epsn,
            _ if fills => gap.unwrap_or(model.epsn),
            _ => model.epsn.wrapping_add(random.random_range(1..window)),
        } % PSNS;
        let op = Op {
            init: random.random_bool(0.002) || (!model.initialised && random.random_bool(0.5)),
            conn: conn as u64,
            psn,
            bytes: random.random_range(0..4096),
            ack_request: random.random_bool(0.1),
            probe: random.random_bool(0.1),
            threshold: [0, 9000, 30_000, 0xFFFF][random.random_range(0..4)],
            mark: random.random_range(0..0x1_0000),
        };
        if op.init {
            *model = Model { initialised: true, epsn: psn, ..Model::default() };
        } else {
            expected.push(model.packet(&op, window));
        }
        ops.push(op);
    }
    let farthest = expected.iter().filter_map(|outcome| outcome.sack).map(|sack| sack.ooo).max();
    assert!(farthest > Some(window * 9 / 10), "the window was never full: {farthest:?}");
    (ops, expected)
}

fn agrees_with_the_model(mut engine: Box<dyn Engine>, window: u32, seed: u64) {
    let (ops, expected) = random_ops(window, seed);
    let outcomes = run(engine.as_mut(), &ops);
    let packets = ops.iter().filter(|op| !op.init);
    for ((op, expected), (outcome, _)) in packets.zip(&expected).zip(&outcomes) {
        assert_eq!(outcome, expected, "{op:?}");
    }
    assert_eq!(outcomes.len(), expected.len());
}

#[test]
fn small_agrees_with_the_model_at_a_window_of_64() {
    agrees_with_the_model(small_64(), 64, 1);
}

#[test]
fn small_agrees_with_the_model_at_a_window_of_128() {
    agrees_with_the_model(small_128(), 128, 2);
}

#[test]
fn fast_agrees_with_the_model_at_a_window_of_64() {
    agrees_with_the_model(fast_64(), 64, 3);
}

#[test]
fn fast_agrees_with_the_model_at_a_window_of_128() {
    agrees_with_the_model(fast_128(), 128, 4);
}

#[test]
fn fast_agrees_with_the_model_at_a_window_of_256() {
    agrees_with_the_model(fast_256(), 256, 5);
}

/// The rule of the manifest: an op starts where it is taken, or `SAME_CONNECTION_CYCLES` after the last start on its
/// connection if that is later; the next one is taken a cycle after that start, or when an `init` is through.
struct Timing {
    ready_from: u32,
    starts: [Option<u32>; 16],
    window: u32,
}

impl Timing {
    /// Edge of the result of an op that is taken at `edge`.
    fn take(&mut self, op: &Op, edge: u32) -> u32 {
        let last = &mut self.starts[op.conn as usize];
        let start = last.map_or(edge, |last| edge.max(last + SAME_CONNECTION_CYCLES));
        *last = Some(start);
        self.ready_from = start + if op.init { self.window + INIT_CYCLES } else { 1 };
        start + LATENCY_CYCLES
    }
}

/// Random ops with and without pauses: `op_ready` and `res_valid` at every edge are as the rule says.
fn keeps_time(mut engine: Box<dyn Engine>, window: u32, seed: u64) {
    let (ops, expected) = random_ops(window, seed);
    let mut random = StdRng::seed_from_u64(seed);
    engine.cycle(None, true);
    let mut timing = Timing { ready_from: 17, starts: [None; 16], window };
    let mut due = VecDeque::new();
    let mut expected = expected.iter();
    let mut ops = ops.iter().peekable();
    let mut waits = 0;
    for edge in 1.. {
        let pause = edge / 500 % 3 == 0 && random.random_bool(0.6);
        let op = ops.peek().copied().filter(|_| !pause);
        let (outcome, ready) = engine.cycle(op, false);
        assert_eq!(ready, edge >= timing.ready_from, "op_ready at edge {edge}");
        let is_due = due.front() == Some(&edge);
        assert_eq!(outcome.is_some(), is_due, "res_valid at edge {edge}");
        if let Some(outcome) = outcome {
            due.pop_front();
            assert_eq!(Some(&outcome), expected.next());
        }
        if let (Some(op), true) = (op, ready) {
            ops.next();
            let result = timing.take(op, edge);
            waits += u32::from(timing.ready_from > edge + 1);
            if !op.init {
                due.push_back(result);
            }
        }
        if ops.peek().is_none() && due.is_empty() {
            break;
        }
    }
    assert!(waits > 100);
}

#[test]
fn fast_takes_ops_and_gives_results_at_the_edges_that_the_manifest_says() {
    keeps_time(fast_64(), 64, 6);
    keeps_time(fast_128(), 128, 7);
}

#[test]
fn fast_takes_a_packet_a_cycle_on_distinct_connections() {
    let mut engine = fast_128();
    let mut ops: Vec<Op> = (0..16).map(|conn| Op { conn, ..init(PSNS - 20) }).collect();
    ops.extend((0..800u32).map(|n| Op { conn: u64::from(n % 16), ..packet((PSNS - 20 + n / 16) % PSNS) }));
    let outcomes = run(engine.as_mut(), &ops);
    assert!(outcomes.iter().all(|(outcome, cycles)| outcome.status == 0 && *cycles == LATENCY_CYCLES));
    assert_eq!(outcomes.last().unwrap().0.sack.unwrap().epsn, 30);
}

/// Resets in the middle of packets that wait for one another, and of an `init` that writes its bits.
#[test]
fn a_reset_at_any_time_forgets_what_is_in_flight() {
    let mut ops = vec![init(7), packet(7)];
    ops.extend((0..8).map(|n| Op { conn: n % 3, ack_request: true, ..packet(8 + n as u32) }));
    let mut afterwards: Vec<Op> = (0..3).map(|conn| Op { conn, probe: true, ..packet(7) }).collect();
    afterwards.extend([init(7), packet(8), packet(7)]);
    // Taken from edge 17 on. The init waits for the probe of its connection, and the last packet for the one before.
    let small_last = 17 + 3 * 6 + 65 + 6 + 6;
    let fast_last = 17 + SAME_CONNECTION_CYCLES + 64 + INIT_CYCLES + SAME_CONNECTION_CYCLES + LATENCY_CYCLES;
    for (mut engine, last) in [(small_64(), small_last), (fast_64(), fast_last)] {
        for length in [1, 2, 5, 40, 66, 67, 70, 73, 75, 80, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100] {
            engine.cycle(None, true);
            let mut ops = ops.iter().peekable();
            for _ in 0..16 + length {
                let (_, ready) = engine.cycle(ops.peek().copied(), false);
                if ready {
                    ops.next();
                }
            }
            engine.cycle(ops.peek().copied(), true);
            let mut next = afterwards.iter().peekable();
            let mut outcomes = vec![];
            let mut last_seen = 0;
            for edge in 1..160 {
                let (outcome, ready) = engine.cycle(next.peek().copied(), false);
                assert!(edge > 16 || (outcome.is_none() && !ready), "edge {edge} after {length}");
                assert!(edge != 17 || ready, "after {length}");
                next.next_if(|_| ready);
                last_seen = if outcome.is_some() { edge } else { last_seen };
                outcomes.extend(outcome);
            }
            let statuses: Vec<u8> = outcomes.iter().map(|outcome| outcome.status).collect();
            assert_eq!(statuses, [7, 7, 7, 0, 0], "after {length}");
            assert_eq!((outcomes[4].sack.unwrap().epsn, last_seen), (9, last), "after {length}");
        }
    }
}
