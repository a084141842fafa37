//! The selectors that search beside observers that keep sets, sums and lists in place of registers; what holds of every op whatever the
//! observer says; and proof that each check can fail.

mod bitmap;
mod shares;
mod strack;

use std::collections::VecDeque;

use crate::faults::Fault;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use respray_golden::rng::Rng;
use respray_golden::selector::{Engine, Op, OpKind, Outcome, Params, Selector, SendKind};

const CONNECTIONS: u16 = 3;

/// What an observer knows of one connection; its default is a connection without a past.
trait Observer<S: Selector>: Default {
    /// What any op but `Init` must show. `draw` gives the next EV of the generator.
    fn expect(&mut self, params: &Params<S::Keys>, op: &Op, draw: &mut dyn FnMut() -> u16) -> Outcome;
}

type Verdict = Result<(), String>;

fn ensure(condition: bool, rule: &str) -> Verdict {
    if condition { Ok(()) } else { Err(rule.to_owned()) }
}

/// An op that was executed.
struct Step<'a, S: Selector> {
    params: &'a Params<S::Keys>,
    op: &'a Op,
    outcome: &'a Outcome,
    before: &'a S::Connection,
    after: &'a S::Connection,
}

/// What holds of each op of a selector.
type Always<S> = fn(&Step<S>) -> Verdict;

/// Random ops in phases: of some, no feedback is bad, of others hardly any is good, and of some hardly anything is sent. Most feedback
/// returns an EV that was sent, some any EV of the set or the one behind it, some anything.
struct Ops {
    rng: SmallRng,
    /// How many EVs of the set are named.
    paths: u16,
    ev_base: u16,
    sent: [VecDeque<u16>; CONNECTIONS as usize],
    /// Of 64 ops: sends, ACKs and NACKs; the rest is rare.
    sends: u8,
    nacks: u8,
    /// Of 16 ACKs, those that are marked.
    marked: u8,
    window: u32,
    /// What EV a run of feedback is at that goes through all paths.
    next_path: u16,
}

impl Ops {
    fn new(seed: u64, paths: u16, ev_base: u16) -> Self {
        let rng = SmallRng::seed_from_u64(seed);
        let (sent, window) = (Default::default(), 128);
        Ops { rng, paths, ev_base, sent, sends: 30, nacks: 2, marked: 2, window, next_path: 0 }
    }

    fn next(&mut self) -> Op {
        let rng = &mut self.rng;
        if rng.random_ratio(1, 1000) {
            self.sends = [3, 10, 28, 28, 40][rng.random_range(0..5)];
            self.nacks = [0, 2, 2, 12][rng.random_range(0..4)];
            self.marked = [0, 1, 4, 12, 16][rng.random_range(0..5)];
        }
        if rng.random_ratio(1, 50) {
            self.window = rng.random_range(0..4096) >> rng.random_range(3..12_u8);
        }
        let conn = rng.random_range(0..2 * CONNECTIONS).saturating_sub(CONNECTIONS); // most on the first
        let sent = &mut self.sent[usize::from(conn)];
        let kind = match rng.random_range(0..64_u8) {
            0 if rng.random_ratio(1, 24) => OpKind::Init,
            0 => OpKind::Timeout,
            1 if rng.random_ratio(1, 4) => OpKind::Reserved,
            code if code < 2 + self.sends => OpKind::Send,
            code if code < 2 + self.sends + self.nacks => OpKind::Nack,
            _ => OpKind::Ack,
        };
        let ev = match rng.random_range(0..16_u8) {
            0 if rng.random_ratio(1, 4) => self.ev_base.wrapping_add(self.paths),
            0 => rng.random(),
            1..4 => self.ev_base + rng.random_range(0..self.paths),
            // all paths in a row, which marks them all where little is sent
            4..12 if self.sends < 20 => {
                self.next_path = (self.next_path + 1) % self.paths;
                self.ev_base + self.next_path
            }
            _ => sent.pop_front().unwrap_or(self.ev_base),
        };
        Op {
            kind,
            conn,
            ev,
            ecn: rng.random_range(0..16) < self.marked,
            now: rng.random(),
            settings: rng.random(),
            more: self.window,
        }
    }

    /// A packet was sent with this EV.
    fn sent(&mut self, conn: u16, ev: u16) {
        let sent = &mut self.sent[usize::from(conn)];
        sent.push_back(ev);
        if sent.len() > 40 {
            sent.pop_front();
        }
    }
}

/// What came up in a run.
#[derive(Debug, Default)]
struct Reached {
    /// Sends that explored and that recycled.
    kinds: [u32; 2],
    /// How often each event pulsed.
    events: [u32; 4],
    /// Most words of a send.
    words: u8,
}

/// Runs the selector, made wrong by `fault`, beside the rules that hold of each op, and beside its observer if it `is_observed`.
fn run<S: Selector, O: Observer<S>>(
    params: Params<S::Keys>,
    paths: u16,
    count: usize,
    (always, is_observed): (Always<S>, bool),
    fault: &Fault<S>,
) -> Result<Reached, String> {
    let mut engine: Engine<_> = fault.engine(params);
    let mut words = Rng::seeded(params.seed, params.connections);
    let mut ops = Ops::new(params.seed.into(), paths, params.ev_base);
    let mut observers: [O; CONNECTIONS as usize] = Default::default();
    let mut reached = Reached::default();
    for i in 0..count {
        let op = ops.next();
        let states = [0, 1, 2].map(|conn| *engine.connection(conn));
        let mut executed = op;
        (fault.before)(&mut executed);
        let outcome = engine.apply(&executed);
        let observer = &mut observers[usize::from(op.conn)];
        let mut draw = || params.ev_base + (u32::from(words.step()) % (1 << params.ev_bits)) as u16;
        let expected = match op.kind {
            OpKind::Init => {
                *observer = O::default();
                Outcome::default()
            }
            _ => observer.expect(&params, &op, &mut draw),
        };
        let (before, after) = (&states[usize::from(op.conn)], engine.connection(op.conn));
        let others = (0..CONNECTIONS).filter(|conn| *conn != op.conn);
        let is_alone = others.into_iter().all(|conn| *engine.connection(conn) == states[usize::from(conn)]);
        let is_expected = outcome == expected || !is_observed;
        ensure(is_alone, "connections do not see each other")
            .and_then(|()| if is_expected { Ok(()) } else { Err(format!("not {expected:?}")) })
            .and_then(|()| {
                ensure(op.kind != OpKind::Init || *after == S::Connection::default(), "init leaves no past")
            })
            .and_then(|()| always(&Step { params: &params, op: &op, outcome: &outcome, before, after }))
            .map_err(|rule| format!("{} op {i} {op:?}: {outcome:?}: {rule}", S::NAME))?;
        if let Some(sent) = outcome.result {
            reached.kinds[usize::from(sent.kind == SendKind::Recycle)] += 1;
            reached.words = reached.words.max(outcome.class.counts[0]);
            ops.sent(op.conn, sent.ev);
        }
        for (event, count) in reached.events.iter_mut().enumerate() {
            *count += u32::from(outcome.has(1 << event));
        }
    }
    Ok(reached)
}

/// The observer agrees with the selector and sees every fault; the rules that hold of each op see those of `against_rules` without it.
fn sees<S: Selector, O: Observer<S>>(
    params: Params<S::Keys>,
    paths: u16,
    always: Always<S>,
    faults: &[Fault<S>],
    against_rules: &[&str],
) {
    for fault in faults {
        let verdict = run::<S, O>(params, paths, 20_000, (always, true), fault);
        assert!(verdict.is_err(), "{}: {} was not seen", S::NAME, fault.name);
    }
    for name in against_rules {
        let fault = faults.iter().find(|fault| fault.name == *name).expect("a fault has this name");
        let verdict = run::<S, O>(params, paths, 20_000, (always, false), fault);
        assert!(verdict.is_err(), "{}: {name} breaks no rule", S::NAME);
    }
}

fn params<Keys>(ev_bits: u8, ev_base: u16, keys: Keys) -> Params<Keys> {
    Params { connections: CONNECTIONS.into(), ev_base, ev_bits, time_bits: 32, seed: 7, keys }
}

/// What an engine refuses to be made of: the first words of the sentence.
fn refused<S: Selector>(params: Params<S::Keys>) -> String {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    let Err(panic) = catch_unwind(AssertUnwindSafe(|| Engine::<S>::new(params).reset())) else {
        return String::new();
    };
    let said: String = *panic.downcast().expect("a sentence");
    said.split(',').next().expect("a sentence begins").to_owned()
}
