//! The selectors `ecmp` and `ops` in rust-hdl's own simulation, with 16 connections, beside a model in a few lines; and the
//! same cycles in their Verilog.

#[allow(dead_code)]
mod differential;

use differential::bench::Bench;
use differential::{Case, Tool, differences};
use num_bigint::BigUint;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use respray_hdl::config::Config;
use respray_hdl::cores::{ecmp, ops};
use respray_hdl::emit::{EmitOptions, verilog};
use respray_hdl::parts::{LATENCY_CYCLES, Pipeline, Stateless};
use rust_hdl::prelude::*;

type Ecmp = ecmp::Ecmp<4>;
type Random = ops::Random<4>;
type Permuted = ops::Permuted<4, 4>;

bench!([] Ecmp, clk; rst, op_valid, op_kind, op_conn, op_ev, op_ecn, seed -> op_ready, res_valid, res_conn, res_kind, res_ev);
bench!([] Random, clk; rst, op_valid, op_kind, op_conn, op_ev, op_ecn, seed -> op_ready, res_valid, res_conn, res_kind, res_ev);
bench!([] Permuted, clk; rst, op_valid, op_kind, op_conn, op_ev, op_ecn, seed -> op_ready, res_valid, res_conn, res_kind, res_ev);

const CONNECTIONS: usize = 16;
const SEND: u8 = 0;
const INIT: u8 = 4;

/// Kind and connection of an op.
type Op = (u8, usize);
/// Connection, kind and EV of a result.
type Sent = (u64, u64, u64);

/// A core, and all that went in and came out.
struct Rig<B: Bench> {
    uut: B,
    seed: u16,
    vectors: Vec<Vec<BigUint>>,
    seen: Vec<Vec<BigUint>>,
}

impl<B: Bench> Rig<B> {
    fn new(uut: B, seed: u16) -> Self {
        let mut rig = Rig { uut, seed, vectors: vec![], seen: vec![] };
        rig.reset();
        rig
    }

    /// Two edges of reset, then waits for `op_ready`; gives the edges that it took.
    fn reset(&mut self) -> usize {
        self.edge(true, None);
        self.edge(true, None);
        (1..).find(|_| self.edge(false, None).0).unwrap()
    }

    /// One clock edge; `op_ready` after it, and the result that stands there.
    fn edge(&mut self, rst: bool, op: Option<Op>) -> (bool, Option<Sent>) {
        // What an op does not use is different at each edge.
        let noise = (self.vectors.len() * 40_503 % 65_536) as u32;
        let (kind, conn) = op.unwrap_or((noise as u8 % 8, noise as usize % CONNECTIONS));
        let vector = [
            rst.into(),
            op.is_some().into(),
            kind.into(),
            conn as u32,
            noise,
            noise >> 3 & 1,
            self.seed.into(),
        ];
        let vector = vector.map(BigUint::from).to_vec();
        self.uut.clock(false);
        self.uut.drive(&vector);
        assert!(simulate(&mut self.uut, 50));
        self.uut.clock(true);
        assert!(simulate(&mut self.uut, 50));
        let seen = self.uut.sample();
        let number = |at: usize| seen[at].iter_u64_digits().next().unwrap_or(0);
        let found = (number(0) == 1, (number(1) == 1).then(|| (number(2), number(3), number(4))));
        self.vectors.push(vector);
        self.seen.push(seen);
        found
    }

    /// Runs the ops with `gap` idle cycles after each, and gives what each one sent.
    fn run(&mut self, ops: &[Op], gap: usize) -> Vec<Option<Sent>> {
        let latency = LATENCY_CYCLES as usize - 1;
        let inputs =
            ops.iter().flat_map(|op| std::iter::once(Some(*op)).chain(std::iter::repeat_n(None, gap)));
        let inputs = inputs.chain(std::iter::repeat_n(None, latency));
        let seen: Vec<Option<Sent>> = inputs.map(|op| self.edge(false, op).1).collect();
        let sent: Vec<Option<Sent>> = (0..ops.len()).map(|n| seen[n * (gap + 1) + latency]).collect();
        assert_eq!(seen.iter().flatten().count(), sent.iter().flatten().count(), "a result in a wrong cycle");
        sent
    }

    /// All of it, to be run by the Verilog.
    fn case(self, module: &str) -> Case {
        let options = EmitOptions { module, ..EmitOptions::default() };
        Case {
            module: module.into(),
            verilog: verilog(&self.uut, &options).unwrap(),
            inputs: self.uut.inputs(),
            outputs: self.uut.outputs(),
            clocked: true,
            vectors: self.vectors,
            expected: self.seen,
            warmup: 1,
        }
    }
}

fn config() -> Config {
    let sets = ["connections=16", "selector.ev_bits=12", "selector.ev_base=8192"];
    Config::load(None, &sets.map(String::from)).unwrap()
}

fn ecmp(seed: u16) -> Rig<Ecmp> {
    Rig::new(Ecmp::new(Pipeline::new(&config()), Default::default()), seed)
}

fn random(seed: u16) -> Rig<Random> {
    Rig::new(Random::new(Stateless::new(&config())), seed)
}

fn permuted(seed: u16) -> Rig<Permuted> {
    Rig::new(Permuted::new(Pipeline::new(&config()), Default::default()), seed)
}

/// Random EVs, a bit at a time: `x[n] = x[n-61] ^ x[n-47] ^ x[n-35] ^ x[n-19]`, the seed added in the first 16 words.
fn evs(seed: u16, count: usize) -> Vec<u64> {
    let mut x: Vec<bool> = (0..61).map(|n| n == 0).collect();
    let words = (0..CONNECTIONS + count).map(|step| {
        (0..16).fold(0, |word, bit| {
            let n = x.len();
            let seed = step < CONNECTIONS && seed >> bit & 1 == 1;
            x.push(x[n - 61] ^ x[n - 47] ^ x[n - 35] ^ x[n - 19] ^ seed);
            word | u64::from(x[n]) << bit
        })
    });
    words.skip(CONNECTIONS).map(|word| word % 4096 + 8192).collect()
}

/// What the ops send, by `send`: the EVs of the connection's past and an EV to draw, to kind, EV and whether it drew.
fn model(seed: u16, ops: &[Op], send: impl Fn(&mut Vec<u64>, u64) -> (u64, u64, bool)) -> Vec<Option<Sent>> {
    let mut evs = evs(seed, ops.len() + 1).into_iter().peekable();
    let mut past = vec![vec![]; CONNECTIONS];
    let outcome = |&(kind, conn): &Op| {
        if kind == INIT {
            past[conn].clear();
        }
        (kind == SEND).then(|| {
            let (kind, ev, drew) = send(&mut past[conn], *evs.peek().unwrap());
            evs.next_if(|_| drew);
            (conn as u64, kind, ev)
        })
    };
    ops.iter().map(outcome).collect()
}

fn ecmp_model(past: &mut Vec<u64>, fresh: u64) -> (u64, u64, bool) {
    let drew = past.is_empty();
    if drew {
        past.push(fresh);
    }
    (if drew { 0 } else { 2 }, past[0], drew)
}

/// `past`: the first word, the x of the order at work, and as many more numbers as it has sent of that order.
fn permuted_model(past: &mut Vec<u64>, fresh: u64) -> (u64, u64, bool) {
    let first = past.is_empty();
    if first {
        past.extend([fresh, fresh % 16]);
    }
    let index = past.len() as u64 - 2;
    let ev = past[0] / 16 * 16 + (index ^ past[1]);
    past.push(0);
    if index == 15 {
        *past = vec![past[0], fresh % 16];
    }
    (0, ev, first || index == 15)
}

/// Ops of all kinds on a few connections, mostly sends, so that all four places ahead are busy.
fn dense(seed: u64, count: usize) -> Vec<Op> {
    let mut rng = StdRng::seed_from_u64(seed);
    let op = |n: usize| {
        let hot = [1, 2, 3, 5, CONNECTIONS][n / 100 % 5];
        let kind = if rng.random_range(0..3) > 0 {
            SEND
        } else {
            [1, 2, 3, 1, 2, 3, 5, 6, 7, 4][rng.random_range(0..10)]
        };
        (kind, rng.random_range(0..hot))
    };
    (0..count).map(op).collect()
}

#[test]
fn ops_in_every_cycle_do_what_the_same_ops_do_far_apart() {
    let ops = dense(1, 1500);
    for gap in [0, 1, 2, 3, 7] {
        let (first, second) = (ecmp(77).run(&ops, gap), permuted(78).run(&ops, gap));
        assert_eq!(first, model(77, &ops, ecmp_model), "ecmp, gap {gap}");
        assert_eq!(second, model(78, &ops, permuted_model), "permuted, gap {gap}");
    }
    let every_send = model(79, &ops, |_, fresh| (0, fresh, true));
    assert_eq!(random(79).run(&ops, 0), every_send);
    assert_eq!(random(79).run(&ops, 7), every_send);
}

#[test]
fn the_model_sees_another_seed_and_one_draw_too_many() {
    let ops = dense(1, 100);
    let seen = ecmp(77).run(&ops, 0);
    assert_ne!(seen, model(76, &ops, ecmp_model));
    let draws_always = |past: &mut Vec<u64>, fresh| {
        let (kind, ev, _) = ecmp_model(past, fresh);
        (kind, ev, true)
    };
    assert_ne!(seen, model(77, &ops, draws_always));
}

#[test]
fn ecmp_draws_at_the_first_send_since_init_and_at_no_other_op() {
    let ops = [
        (1, 3),
        (2, 3),
        (3, 3),
        (SEND, 3),
        (5, 3),
        (SEND, 3),
        (SEND, 4),
        (INIT, 3),
        (7, 3),
        (SEND, 3),
        (SEND, 4),
    ];
    let sent: Vec<Sent> = ecmp(5).run(&ops, 0).into_iter().flatten().collect();
    let evs = evs(5, 3);
    assert_eq!(sent, [(3, 0, evs[0]), (3, 2, evs[0]), (4, 0, evs[1]), (3, 0, evs[2]), (4, 2, evs[1])]);
}

#[test]
fn permuted_sends_each_path_once_in_an_order_and_keeps_the_upper_bits() {
    let sent: Vec<Sent> = permuted(9).run(&[(SEND, 2); 64], 0).into_iter().flatten().collect();
    let evs = evs(9, 5);
    for (order, paths) in sent.chunks(16).enumerate() {
        let mut seen: Vec<u64> = paths.iter().map(|(_, _, ev)| ev % 16).collect();
        assert_eq!(seen[0], evs[order] % 16, "an order starts with its x");
        seen.sort_unstable();
        assert!(seen.into_iter().eq(0..16));
    }
    assert!(sent.iter().all(|(_, _, ev)| ev / 16 == evs[0] / 16));
}

#[test]
fn reset_takes_an_edge_a_connection_and_leaves_no_past() {
    let mut rig = ecmp(6);
    let sends: Vec<Op> = (0..CONNECTIONS).map(|conn| (SEND, conn)).collect();
    let before = rig.run(&sends, 0);
    rig.edge(false, Some((SEND, 3)));
    assert_eq!(rig.reset(), CONNECTIONS);
    assert_eq!(rig.run(&sends, 0), before, "the same EVs, all drawn");
    assert_eq!((permuted(1).reset(), random(1).reset()), (CONNECTIONS, CONNECTIONS));
}

fn cases() -> Vec<Case> {
    fn driven<B: Bench>(mut rig: Rig<B>, module: &str) -> Case {
        rig.run(&dense(2, 700), 0);
        rig.edge(false, Some((SEND, 1)));
        rig.reset();
        rig.run(&dense(3, 300), 1);
        rig.case(module)
    }
    vec![driven(ecmp(1), "ecmp"), driven(random(2), "ops_random"), driven(permuted(3), "ops_permuted")]
}

#[test]
fn rust_and_verilog_agree_in_both_simulators() {
    let found = differences(&cases(), &[Tool::Icarus, Tool::Verilator]);
    let report: String = found.iter().map(|difference| format!("{difference}\n")).collect();
    assert!(found.is_empty(), "{report}");
}

#[test]
fn the_replay_sees_an_op_ahead_that_is_overlooked() {
    for place in ["one", "two", "three", "four"] {
        let mut case = cases().remove(0);
        let text =
            case.verilog.replace(&format!("wire same_{place} = "), &format!("wire same_{place} = 1'b0 & "));
        assert_ne!(text, case.verilog);
        case.verilog = text;
        assert!(!differences(&[case], &[Tool::Icarus]).is_empty(), "{place}");
    }
}
