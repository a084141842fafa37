//! The sender's scoreboard in rust-hdl's own simulation: 16 connections, windows of 64 and 128. Every test runs beside a
//! model, cycle by cycle.

#[path = "sack_tx/model.rs"]
mod model;

use std::collections::BTreeMap;

use model::{After, Event, INIT, Model, NEXT_RTX, Op, Outcome, PSNS, SACK, SENT};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use respray_hdl::config::Config;
use respray_hdl::cores::generate;
use respray_hdl::cores::sack_tx::engine::SackTx;
use respray_hdl::manifest::Manifest;
use rust_hdl::prelude::*;

/// What the outputs show before an edge.
#[derive(Clone, Copy, Debug)]
struct Seen {
    ready: bool,
    after: Option<After>,
    conn: u64,
    psn: u32,
    events: Event,
}

/// An engine at the level of clock edges.
trait Engine {
    /// One clock cycle with `op` at the inputs: the outputs before the edge.
    fn cycle(&mut self, op: &Op, valid: bool, rst: bool) -> Seen;
}

macro_rules! engine {
    ($engine:ty) => {
        impl Engine for $engine {
            fn cycle(&mut self, op: &Op, valid: bool, rst: bool) -> Seen {
                self.clk.next = Clock { clk: false };
                self.rst.next = rst;
                self.op_valid.next = valid;
                self.op_kind.next = u64::from(op.kind).into();
                self.op_conn.next = op.conn.into();
                self.op_psn.next = u64::from(op.psn).into();
                self.op_bytes.next = u64::from(op.bytes).into();
                self.op_epsn.next = u64::from(op.epsn).into();
                self.op_base.next = u64::from(op.base).into();
                self.op_bitmap.next = op.bitmap.into();
                self.op_ooo.next = u64::from(op.ooo).into();
                self.op_bytes_recvd.next = u64::from(op.bytes_recvd).into();
                self.op_timestamp.next = u64::from(op.timestamp).into();
                self.op_probe.next = op.probe;
                self.now.next = u64::from(op.now).into();
                self.cwnd_packets.next = u64::from(op.cwnd_packets).into();
                self.probe_timeout.next = u64::from(op.probe_timeout).into();
                self.probe_rtt.next = u64::from(op.probe_rtt).into();
                self.rto.next = u64::from(op.rto).into();
                assert!(simulate(self, 50));
                let seen = Seen {
                    ready: self.op_ready.val(),
                    after: self.res_valid.val().then(|| After {
                        status: self.res_status.val().to_u8(),
                        acked: self.res_acked.val().to_u32(),
                        in_flight: self.res_in_flight.val().to_u32(),
                        bytes_in_flight: self.res_bytes_in_flight.val().to_u32(),
                        in_recovery: self.res_in_recovery.val(),
                    }),
                    conn: self.res_conn.val().to_u64(),
                    psn: self.res_psn.val().to_u32(),
                    events: Event {
                        loss_ooo: self.loss_ooo.val(),
                        loss_probe: self.loss_probe.val(),
                        loss_timeout: self.loss_timeout.val(),
                        probe_due: self.probe_due.val(),
                        recovery_left: self.recovery_left.val(),
                    },
                };
                self.clk.next = Clock { clk: true };
                assert!(simulate(self, 50));
                seen
            }
        }
    };
}

engine!(SackTx<4, 6, 6, 5, 7, 8, 1, 3>);
engine!(SackTx<4, 7, 6, 5, 8, 9, 2, 4>);

/// What an op or a visit showed.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Shown {
    conn: u64,
    after: Option<After>,
    psn: Option<u32>,
    events: Event,
}

/// The engine beside the model: both the outputs and the edges at which ops are taken and visits begin must agree.
struct Bench {
    engine: Box<dyn Engine>,
    model: Model,
    manifest: Manifest,
    cycle: u64,
    /// The engine is free in this cycle.
    free: u64,
    ops_in_a_row: u32,
    walker: u64,
    due: BTreeMap<u64, Shown>,
    visits: u32,
}

impl Bench {
    fn new(window: u32) -> Bench {
        let engine: Box<dyn Engine> = match window {
            64 => Box::new(SackTx::<4, 6, 6, 5, 7, 8, 1, 3>::new()),
            _ => Box::new(SackTx::<4, 7, 6, 5, 8, 9, 2, 4>::new()),
        };
        let sets = ["connections=16".to_string(), format!("sack.window={window}")];
        let config = Config::load(None, &sets).unwrap();
        let manifest = generate("sack_tx", &config).unwrap().manifest;
        let mut bench = Bench {
            engine,
            model: Model::new(window),
            manifest,
            cycle: 0,
            free: 0,
            ops_in_a_row: 0,
            walker: 0,
            due: BTreeMap::new(),
            visits: 0,
        };
        bench.reset();
        bench
    }

    fn reset(&mut self) {
        for _ in 0..2 {
            self.engine.cycle(&Op::default(), false, true);
            self.cycle += 1;
        }
        self.model = Model::new(self.model.window);
        self.free = self.cycle + u64::from(self.manifest.reset_cycles);
        self.ops_in_a_row = 0;
        self.walker = 0;
        self.due.clear();
    }

    /// One cycle: what was shown, and whether `op` was taken.
    fn cycle(&mut self, op: &Op, valid: bool) -> (Option<Shown>, bool) {
        let seen = self.engine.cycle(op, valid, false);
        let is_free = self.cycle == self.free;
        let ready = is_free && self.ops_in_a_row < 16;
        assert_eq!(seen.ready, ready, "op_ready in cycle {}", self.cycle);
        let expected = self.due.remove(&self.cycle);
        let shown = (seen.after.is_some() || seen.events != Event::default()).then(|| Shown {
            conn: seen.conn,
            after: seen.after,
            psn: expected.and_then(|expected| expected.psn).map(|_| seen.psn),
            events: seen.events,
        });
        assert_eq!(shown, expected, "in cycle {}", self.cycle);
        let taken = ready && valid;
        if taken {
            self.ops_in_a_row += 1;
            self.start(op);
        } else if is_free {
            let visit = Op { kind: model::VISIT, conn: self.walker, ..*op };
            self.walker = (self.walker + 1) % 16;
            self.ops_in_a_row = 0;
            self.visits += 1;
            self.start(&visit);
        }
        self.cycle += 1;
        (shown, taken)
    }

    fn start(&mut self, op: &Op) {
        let outcome = self.model.apply(op);
        let cum_segments = outcome.cum_segments;
        let at = |cycles: &respray_hdl::cycles::Cycles| {
            u64::from(cycles.at(|count| {
                assert_eq!(count, "cum_segments");
                cum_segments
            }))
        };
        self.free = self.cycle + at(&self.manifest.initiation_interval_cycles[outcome.class]);
        if outcome.after.is_some() || outcome.events != Event::default() {
            let latency = at(&self.manifest.latency_cycles[outcome.class]);
            let Outcome { after, psn, events, .. } = outcome;
            self.due.insert(self.cycle + latency, Shown { conn: op.conn, after, psn, events });
        }
    }

    /// Runs one op until its result, and gives that; what visits show meanwhile is checked only.
    fn run(&mut self, op: Op) -> Shown {
        let mut taken = false;
        loop {
            let (shown, now_taken) = self.cycle(&op, !taken);
            taken |= now_taken;
            if let Some(shown) = shown.filter(|shown| taken && shown.after.is_some()) {
                return shown;
            }
            if taken && op.kind == INIT && self.cycle == self.free {
                return Shown { conn: op.conn, after: None, psn: None, events: Event::default() };
            }
        }
    }

    fn status(&mut self, op: Op) -> u8 {
        self.run(op).after.unwrap().status
    }

    /// Lets the walker go once round, with the settings of `op`: what it showed of connection `conn`.
    fn visited(&mut self, op: Op) -> Option<Shown> {
        let begun = self.visits;
        let mut found = None;
        while self.visits < begun + 17 {
            let (shown, _) = self.cycle(&op, false);
            found = found.or(shown.filter(|shown| shown.conn == op.conn));
        }
        found
    }
}

fn init(psn: u32) -> Op {
    Op { kind: INIT, psn, ..Op::default() }
}

fn sent(psn: u32) -> Op {
    Op { kind: SENT, psn: psn % PSNS, bytes: 100, ..Op::default() }
}

fn sack(epsn: u32, base: u32, bitmap: u64) -> Op {
    Op { kind: SACK, epsn: epsn % PSNS, base: base % PSNS, bitmap, ..Op::default() }
}

fn next_rtx() -> Op {
    Op { kind: NEXT_RTX, ..Op::default() }
}

#[test]
fn statuses_are_told_apart() {
    let mut bench = Bench::new(64);
    assert_eq!([sent(5), sack(5, 0, 0), next_rtx()].map(|op| bench.status(op)), [7, 7, 7]);
    bench.run(init(5));
    let ops = [sent(5), sent(6), sent(6), sent(4), sent(8), sent(5 + PSNS / 2), sent(4 + PSNS / 2)];
    assert_eq!(ops.map(|op| bench.status(op)), [0, 0, 1, 1, 2, 1, 2]);
    (7..69).for_each(|psn| assert_eq!(bench.status(sent(psn)), 0));
    assert_eq!(bench.status(sent(69)), 3);
    let sacks = [
        sack(4, 0, 0),
        sack(70, 0, 0),
        sack(4 + PSNS / 2, 0, 0),
        sack(5 + PSNS / 2, 0, 0),
        sack(5, 1, 0),
        sack(5, 128, 0),
        sack(5, PSNS - 64, 0),
        sack(5, 64, 1 << 5),
        sack(5, 64, 1 << 4),
    ];
    assert_eq!(sacks.map(|op| bench.status(op)), [1, 2, 2, 1, 3, 3, 3, 4, 0]);
    assert_eq!(bench.status(next_rtx()), 1);
}

#[test]
fn the_highest_place_of_the_smallest_window_is_beyond_what_was_sent() {
    let mut bench = Bench::new(64);
    bench.run(init(62));
    assert_eq!(bench.status(sent(62)), 0);
    assert_eq!(bench.status(sack(62, 64, 1 << 63)), 4);
    (63..126).for_each(|psn| assert_eq!(bench.status(sent(psn)), 0));
    assert_eq!(bench.status(sack(62, 64, 1 << 62)), 4);
    assert_eq!(bench.status(sack(62, 64, 1 << 61)), 0);
}

#[test]
fn too_many_out_of_order_are_retransmitted_once_each_over_the_wrap_of_psns() {
    let mut bench = Bench::new(128);
    let first = PSNS - 30;
    bench.run(init(first));
    for n in 0..100 {
        assert_eq!(bench.status(sent(first + n)), 0);
    }
    // Received: 2 to 9 and 40 to 49; the wrap lies at 30.
    let base = PSNS - 64;
    let near = sack(first, base, 0xFF << 36);
    assert_eq!(bench.run(near).after.unwrap().acked, 8);
    for (ooo, cwnd_packets) in [(5, 4), (17, 17)] {
        assert!(!bench.run(Op { ooo, cwnd_packets, ..near }).events.loss_ooo);
    }
    let far = Op { ooo: 18, cwnd_packets: 17, ..sack(first, 0, 0x3FF << 10) };
    let entered = bench.run(far);
    assert!(entered.events.loss_ooo);
    let after = entered.after.unwrap();
    assert_eq!((after.acked, after.in_flight, after.in_recovery), (10, 50, true));
    let holes: Vec<u32> = (0..2).chain(10..40).map(|n| (first + n) % PSNS).collect();
    for (n, hole) in holes.iter().enumerate() {
        let shown = bench.run(next_rtx());
        assert_eq!((shown.psn, shown.after.unwrap().in_flight), (Some(*hole), 51 + n as u32));
    }
    assert_eq!(bench.status(next_rtx()), 1);
    assert!(!bench.run(sack(first + 49, 0, 0)).events.recovery_left);
    let left = bench.run(sack(first + 50, 0, 0));
    assert!(left.events.recovery_left);
    assert_eq!(left.after.unwrap().in_flight, 50);
}

#[test]
fn silence_asks_for_a_probe_whose_quick_answer_means_loss() {
    let mut bench = Bench::new(64);
    bench.run(init(1000));
    (1000..1010).for_each(|psn| assert_eq!(bench.status(sent(psn)), 0));
    let quiet = Op { now: 299, probe_timeout: 300, ..Op::default() };
    assert_eq!(bench.visited(quiet), None);
    let asked = bench.visited(Op { now: 300, ..quiet }).unwrap();
    assert!(asked.events.probe_due && asked.psn == Some(1000));
    (1010..1015).for_each(|psn| assert_eq!(bench.status(sent(psn)), 0));
    let answer = Op { probe: true, now: 340, timestamp: 310, probe_rtt: 29, ..sack(1000, 960, 0) };
    assert!(!bench.run(answer).events.loss_probe, "it was too slow");
    let asked = bench.visited(Op { now: 640, ..quiet }).unwrap();
    assert!(asked.events.probe_due);
    let answer = Op { now: 670, timestamp: 640, probe_rtt: 30, ..answer };
    let lost = bench.run(answer);
    assert!(lost.events.loss_probe);
    assert_eq!(lost.after.unwrap().in_flight, 0);
    assert_eq!(bench.run(next_rtx()).psn, Some(1000));
}

#[test]
fn no_progress_for_the_timeout_loses_everything() {
    let mut bench = Bench::new(64);
    bench.run(Op { now: 65_000, ..init(7) });
    (7..12).for_each(|psn| assert_eq!(bench.status(Op { now: 65_000, ..sent(psn) }), 0));
    let stuck = Op { now: 463, rto: 1000, ..Op::default() };
    assert_eq!(bench.visited(stuck), None);
    assert!(bench.visited(Op { now: 464, ..stuck }).unwrap().events.loss_timeout);
    for psn in 7..12 {
        let shown = bench.run(next_rtx());
        assert_eq!((shown.psn, shown.after.unwrap().in_flight), (Some(psn), psn - 6));
    }
    assert!(bench.run(sack(12, 0, 0)).events.recovery_left);
    assert_eq!(bench.visited(Op { now: 5000, ..stuck }), None, "nothing is outstanding");
}

#[test]
fn bytes_in_flight_are_what_was_sent_less_what_was_received_and_never_grow_by_a_sack() {
    let mut bench = Bench::new(64);
    bench.run(init(0));
    let bytes = |shown: Shown| shown.after.unwrap().bytes_in_flight;
    for psn in 0..60 {
        assert_eq!(bytes(bench.run(Op { bytes: 60_000, ..sent(psn) })), 60_000 * (psn + 1));
    }
    let received = |bytes_recvd| Op { bytes_recvd, ..sack(0, 0, 0) };
    assert_eq!(bytes(bench.run(received(70_000))), 3_530_000);
    assert_eq!(bytes(bench.run(received(69_999))), 3_530_000);
    assert_eq!(bytes(bench.run(sent(0))), 3_530_000);
    assert_eq!(bytes(bench.run(received(3_600_000))), 0);
    assert_eq!(bytes(bench.run(Op { bytes: 0xFFFF, ..sent(60) })), 0xFFFF);
}

#[test]
fn init_forgets_everything_of_its_connection_and_nothing_of_others() {
    let mut bench = Bench::new(64);
    let other = |op| Op { conn: 9, ..op };
    for op in [init(10), other(init(20))] {
        bench.run(op);
    }
    for n in 0..40 {
        bench.run(sent(10 + n));
        bench.run(other(sent(20 + n)));
    }
    let holes = Op { ooo: 20, ..sack(10, 0, 0xAAAA_AAAA_0000) };
    assert!(bench.run(holes).events.loss_ooo);
    assert!(bench.run(other(holes)).after.unwrap().status == 1);
    assert!(bench.run(other(Op { epsn: 20, ..holes })).events.loss_ooo);
    bench.run(init(40));
    for n in 0..64 {
        let after = bench.run(sent(40 + n)).after.unwrap();
        assert_eq!(
            (after.in_flight, after.bytes_in_flight, after.in_recovery),
            (n + 1, 100 * (n + 1), false)
        );
    }
    assert_eq!(bench.run(sack(104, 64, 0)).after.unwrap().acked, 64);
    assert_eq!(bench.run(other(next_rtx())).psn, Some(20));
}

#[test]
fn a_visit_begins_when_no_op_comes_and_after_sixteen_in_a_row() {
    let mut bench = Bench::new(64);
    while bench.visits < 20 {
        bench.cycle(&Op::default(), false);
    }
    let begun = bench.visits;
    let mut ops = 0;
    while ops < 16 * 5 {
        ops += u32::from(bench.cycle(&sent(3), true).1);
    }
    assert_eq!(bench.visits, begun + 4);
}

#[test]
fn reset_in_the_middle_of_an_op_leaves_no_connection_initialised() {
    let mut bench = Bench::new(64);
    bench.run(init(0));
    (0..20).for_each(|psn| assert_eq!(bench.status(sent(psn)), 0));
    for cycles in 1..24 {
        while !bench.cycle(&sack(0, 0, 0xFF0), true).1 {}
        for _ in 1..cycles {
            bench.cycle(&Op::default(), false);
        }
        bench.reset();
        assert_eq!(bench.status(sent(20)), 7);
        bench.run(init(0));
        assert_eq!(bench.status(sent(0)), 0);
    }
}

/// Random ops on few connections, from what a network would bring to garbage, with visits in between.
fn agrees_with_the_model(window: u32, seed: u64) {
    let mut random = StdRng::seed_from_u64(seed);
    let mut bench = Bench::new(window);
    let mut now = 65_000;
    let mut seen = [0u32; 7];
    let mut farthest = 0;
    let mut before = Op::default();
    for n in 0..2100 {
        let conn =
            if random.random_bool(0.95) { random.random_range(0..2) } else { random.random_range(0..16) };
        let mood = n / 350 % 3;
        now += random.random_range(0..40);
        let op = bench.model.random_op(conn, mood, &mut random);
        let op = Op { now: now % 0x1_0000, timestamp: (now - random.random_range(0..300)) % 0x1_0000, ..op };
        if mood == 2 && random.random_bool(0.1) {
            bench.visited(op);
        }
        // The result comes in the cycle in which the next op can be taken.
        let mut taken = false;
        while !taken {
            let (shown, now_taken) = bench.cycle(&op, true);
            taken = now_taken;
            let Some((shown, after)) = shown.and_then(|shown| Some((shown, shown.after?))) else { continue };
            let is_new = [
                shown.events.loss_ooo,
                shown.events.loss_probe,
                shown.events.recovery_left,
                before.kind == SENT && after.status == 3,
                before.kind == NEXT_RTX && after.status == 0,
                before.kind == SACK && after.acked > 16,
            ];
            seen.iter_mut().zip(is_new).for_each(|(count, is_new)| *count += u32::from(is_new));
            farthest = farthest.max(after.acked);
        }
        before = op;
    }
    seen[6] = bench.model.timeouts;
    assert!(farthest > window / 3, "the window emptied slowly: {farthest}");
    assert!(seen.iter().all(|count| *count > 3), "something hardly ever happened: {seen:?}");
}

#[test]
fn it_agrees_with_the_model_at_a_window_of_64() {
    agrees_with_the_model(64, 1);
}

#[test]
fn it_agrees_with_the_model_at_a_window_of_128() {
    agrees_with_the_model(128, 2);
}
