//! When the fast engine takes ops and gives results.

use std::collections::VecDeque;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use respray_hdl::cores::sack_rx::fast::{INIT_CYCLES, LATENCY_CYCLES, SAME_CONNECTION_CYCLES};

use super::bench::{Engine, Op, PSNS, fast_64, fast_128, fast_256, init, packet, run, small_64};
use super::model::random_ops;

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

/// Random ops with and without pauses: results are the model's, and `op_ready` and `res_valid` at every edge as the rule says.
fn agrees_and_keeps_time(mut engine: Box<dyn Engine>, window: u32, seed: u64) {
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
fn fast_agrees_with_the_model_and_keeps_time_at_a_window_of_64() {
    agrees_and_keeps_time(fast_64(), 64, 6);
}

#[test]
fn fast_agrees_with_the_model_and_keeps_time_at_a_window_of_128() {
    agrees_and_keeps_time(fast_128(), 128, 7);
}

#[test]
fn fast_agrees_with_the_model_and_keeps_time_at_a_window_of_256() {
    agrees_and_keeps_time(fast_256(), 256, 8);
}

#[test]
fn fast_takes_a_packet_a_cycle_on_distinct_connections() {
    let mut engine = fast_128();
    let inits: Vec<Op> = (0..16).map(|conn| Op { conn, ..init(PSNS - 20) }).collect();
    run(engine.as_mut(), &inits);
    while !engine.cycle(None, false).1 {}
    let packet_of = |n: u32| Op { conn: u64::from(n % 16), ..packet((PSNS - 20 + n / 16) % PSNS) };
    for n in 0..800 + LATENCY_CYCLES {
        let op = packet_of(n);
        let (outcome, ready) = engine.cycle(Some(&op).filter(|_| n < 800), false);
        assert!(ready, "packet {n}");
        let Some(number) = n.checked_sub(LATENCY_CYCLES) else { continue };
        let (given, outcome) = (packet_of(number), outcome.expect("a result a cycle"));
        let sack = outcome.sack.expect("a packet in order");
        assert_eq!((outcome.conn, outcome.status, sack.psn), (given.conn, 0, given.psn));
        assert_eq!((sack.epsn, sack.ooo), ((given.psn + 1) % PSNS, 0));
    }
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
