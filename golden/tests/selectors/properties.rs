//! Selectors without feedback on random op streams, and proof that each check can fail.
//!
//! The observer knows the ops, what they showed, and the generator's words; it shares no code with the models.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::faults::{Fault, of_ecmp, of_permuted, of_random};
use proptest::prelude::*;
use respray_golden::ecmp::Ecmp;
use respray_golden::ops::{self, Ops, Order};
use respray_golden::rng::Rng;
use respray_golden::selector::{Class, Engine, Op, OpKind, Outcome, Params, Selector, SendKind, SendResult};

const CONNECTIONS: u16 = 4;

/// What an observer knows of one connection since its last `Init`.
#[derive(Clone, Debug, Default)]
struct Observed {
    sends: u32,
    /// EV of the first send.
    first: u16,
    /// Of order `permuted`: path of the first send of the round.
    start: u16,
    /// Of order `permuted`: paths taken in this round.
    taken: BTreeSet<u16>,
}

type Verdict = Result<(), String>;

fn ensure(condition: bool, rule: &str) -> Verdict {
    if condition { Ok(()) } else { Err(rule.to_owned()) }
}

/// The rule of a selector's sends; `draw` gives the next EV of the generator.
type Rule<Keys> = fn(&Keys, &mut Observed, SendResult, draw: &mut dyn FnMut() -> u16) -> Verdict;

fn ecmp_rule(_: &(), seen: &mut Observed, sent: SendResult, draw: &mut dyn FnMut() -> u16) -> Verdict {
    if seen.sends == 0 {
        ensure(sent.kind == SendKind::Explore, "the first send explores")?;
        return ensure(sent.ev == draw(), "the first send draws its EV");
    }
    ensure(sent.kind == SendKind::Replay, "all sends but the first replay")?;
    ensure(sent.ev == seen.first, "the EV stays until init")
}

fn random_rule(_: &ops::Keys, _: &mut Observed, sent: SendResult, draw: &mut dyn FnMut() -> u16) -> Verdict {
    ensure(sent.kind == SendKind::Explore, "every send explores")?;
    ensure(sent.ev == draw(), "every send draws its EV, and draws once")
}

fn permuted_rule(
    keys: &ops::Keys,
    seen: &mut Observed,
    sent: SendResult,
    draw: &mut dyn FnMut() -> u16,
) -> Verdict {
    ensure(sent.kind == SendKind::Explore, "every send explores")?;
    let path_bits = (keys.paths - 1) as u16;
    if seen.sends == 0 {
        seen.start = draw();
        ensure(sent.ev == seen.start, "the first send has the drawn EV")?;
    } else {
        ensure((sent.ev ^ seen.first) & !path_bits == 0, "the upper bits are the connection's own")?;
    }
    let place = (seen.sends % keys.paths) as u16;
    ensure(
        (sent.ev ^ seen.start) & path_bits == place,
        "the path is the place in the round, xor the first's",
    )?;
    ensure(seen.taken.insert(sent.ev & path_bits), "no path is taken twice in a round")?;
    if place == path_bits {
        ensure(seen.taken.len() == keys.paths as usize, "a round takes every path")?;
        seen.taken.clear();
        seen.start = draw(); // with the last send of the round
    }
    Ok(())
}

/// Turns raw numbers into ops: every kind, any EV, times and settings that no selector here may read.
fn op(raw: [u16; 3]) -> Op {
    Op {
        kind: match raw[0] % 64 {
            0..44 => OpKind::Send,
            44..52 => OpKind::Ack,
            52..56 => OpKind::Nack,
            56..60 => OpKind::Timeout,
            60 if raw[1].is_multiple_of(32) => OpKind::Init,
            60 => OpKind::Send,
            code => OpKind::from_code((code - 56) as u8), // 5 to 7
        },
        conn: raw[0] >> 14,
        ev: raw[1],
        ecn: raw[2] % 2 == 1,
        now: u32::from(raw[2]) << 16,
        settings: [raw[1].into(), raw[2].into(), 0, u32::MAX],
        more: raw[2].into(),
    }
}

/// Runs the selector beside the observer; the number of sends, or the first broken rule.
fn run<S: Selector>(
    params: Params<S::Keys>,
    rule: Rule<S::Keys>,
    raw: impl IntoIterator<Item = [u16; 3]>,
    fault: &Fault<S>,
) -> Result<u32, String> {
    let mut engine = fault.engine(params);
    let mut words = Rng::seeded(params.seed, params.connections);
    let mut draw = || params.ev_base + (u32::from(words.step()) % (1 << params.ev_bits)) as u16;
    let mut observed = vec![Observed::default(); CONNECTIONS.into()];
    let mut sends = 0;
    for (i, raw) in raw.into_iter().enumerate() {
        let op = op(raw);
        let states = |engine: &Engine<_>| (0..CONNECTIONS).map(|conn| *engine.connection(conn)).collect();
        let before: Vec<S::Connection> = states(&engine);
        let mut executed = op;
        (fault.before)(&mut executed);
        let outcome = engine.apply(&executed);
        let after: Vec<S::Connection> = states(&engine);
        let seen = &mut observed[usize::from(op.conn)];
        check::<S>(&op, &outcome, &before, &after)
            .and_then(|()| {
                let Some(sent) = outcome.result else { return Ok(()) };
                let set = u32::from(params.ev_base)..u32::from(params.ev_base) + (1 << params.ev_bits);
                ensure(set.contains(&sent.ev.into()), "EVs are of the EV set")?;
                rule(&params.keys, seen, sent, &mut draw)?;
                seen.first = if seen.sends == 0 { sent.ev } else { seen.first };
                seen.sends += 1;
                sends += 1;
                Ok(())
            })
            .map_err(|rule| format!("op {i} {op:?}: {rule}"))?;
        if op.kind == OpKind::Init {
            *seen = Observed::default();
        }
    }
    Ok(sends)
}

/// What holds for each op of every selector without feedback.
fn check<S: Selector>(
    op: &Op,
    outcome: &Outcome,
    before: &[S::Connection],
    after: &[S::Connection],
) -> Verdict {
    ensure(outcome.result.is_some() == (op.kind == OpKind::Send), "sends alone have a result")?;
    ensure(outcome.events == 0 && outcome.class == Class::default(), "no events, one class")?;
    for conn in 0..CONNECTIONS {
        let (before, after) = (before[usize::from(conn)], after[usize::from(conn)]);
        match op.kind {
            _ if conn != op.conn => ensure(before == after, "connections do not see each other")?,
            OpKind::Send => (),
            OpKind::Init => ensure(after == S::Connection::default(), "init leaves no past")?,
            _ => ensure(before == after, "feedback and reserved kinds change nothing")?,
        }
    }
    Ok(())
}

fn params<Keys>(ev_bits: u8, keys: Keys) -> Params<Keys> {
    let ev_base = if ev_bits < 16 { 0xc000 >> ev_bits << ev_bits } else { 0 };
    Params { connections: CONNECTIONS.into(), ev_base, ev_bits, time_bits: 32, seed: 7, keys }
}

const RANDOM: ops::Keys = ops::Keys { order: Order::Random, paths: 0 };

fn permuted(paths: u32) -> ops::Keys {
    ops::Keys { order: Order::Permuted, paths }
}

fn raw_ops(seed: u16, count: usize) -> impl Iterator<Item = [u16; 3]> {
    let mut rng = Rng::seeded(seed, 64);
    (0..count).map(move |_| [rng.step(), rng.step(), rng.step()])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn rules_hold(
        raw in proptest::collection::vec(any::<[u16; 3]>(), 0..1000), ev_bits in 4u8..=16, path_bits in 4u8..=10,
    ) {
        let paths = 1 << path_bits.min(ev_bits);
        let ecmp = run(params(ev_bits, ()), ecmp_rule, raw.clone(), &Fault::<Ecmp>::NONE);
        prop_assert_eq!(ecmp.err(), None);
        let random = run(params(ev_bits, RANDOM), random_rule, raw.clone(), &Fault::<Ops>::NONE);
        prop_assert_eq!(random.err(), None);
        let permuted = run(params(ev_bits, permuted(paths)), permuted_rule, raw, &Fault::<Ops>::NONE);
        prop_assert_eq!(permuted.err(), None);
    }
}

#[test]
fn long_runs_hold() {
    let raw = || raw_ops(3, 300_000);
    for ev_bits in [1, 10, 16] {
        let ecmp = run(params(ev_bits, ()), ecmp_rule, raw(), &Fault::<Ecmp>::NONE);
        let random = run(params(ev_bits, RANDOM), random_rule, raw(), &Fault::<Ops>::NONE);
        assert!(ecmp.clone().unwrap() > 200_000 && ecmp == random);
    }
    for (ev_bits, paths) in [(4, 16), (10, 64), (10, 1024), (16, 256)] {
        let sends = run(params(ev_bits, permuted(paths)), permuted_rule, raw(), &Fault::<Ops>::NONE);
        assert!(sends.unwrap() > 200_000, "{paths} paths");
    }
    // one connection sends: three rounds of all EVs
    let raw = std::iter::repeat_n([0, 0, 0], 200_000);
    assert_eq!(run(params(16, permuted(65536)), permuted_rule, raw, &Fault::<Ops>::NONE), Ok(200_000));
}

#[test]
fn every_fault_breaks_a_rule() {
    fn seen<S: Selector>(params: Params<S::Keys>, rule: Rule<S::Keys>, faults: Vec<Fault<S>>) {
        for fault in faults {
            let verdict = run(params, rule, raw_ops(1, 20_000), &fault);
            assert!(verdict.is_err(), "{}: {} was not seen", S::NAME, fault.name);
        }
    }
    seen(params(12, ()), ecmp_rule, of_ecmp());
    seen(params(12, RANDOM), random_rule, of_random());
    seen(params(12, permuted(16)), permuted_rule, of_permuted());
}

/// The results of an engine's sends.
fn results<S: Selector>(engine: &mut Engine<S>, ops: impl IntoIterator<Item = Op>) -> Vec<SendResult> {
    ops.into_iter().filter_map(|op| engine.apply(&op).result).collect()
}

fn reset_is_a_new_beginning<S: Selector>(params: Params<S::Keys>) {
    let ops = || raw_ops(2, 1000).map(op);
    let mut engine = Engine::<S>::new(params);
    let first = results(&mut engine, ops());
    assert_ne!(results(&mut engine, ops()), first, "{}", S::NAME);
    engine.reset();
    assert_eq!(results(&mut engine, ops()), first, "{}", S::NAME);
    engine.reset_with_seed(params.seed + 1);
    let other = results(&mut engine, ops());
    assert_ne!(other, first, "{}", S::NAME);
    let mut fresh = Engine::<S>::new(Params { seed: params.seed + 1, ..params });
    assert_eq!(results(&mut fresh, ops()), other, "{}", S::NAME);
}

#[test]
fn reset_leaves_no_past() {
    reset_is_a_new_beginning::<Ecmp>(params(16, ()));
    reset_is_a_new_beginning::<Ops>(params(16, RANDOM));
    reset_is_a_new_beginning::<Ops>(params(16, permuted(64)));
}

#[test]
fn parameters_outside_their_range_are_refused() {
    fn refused<S: Selector>(params: Params<S::Keys>) -> String {
        let Err(panic) = catch_unwind(AssertUnwindSafe(|| Engine::<S>::new(params).reset())) else {
            return String::new();
        };
        *panic.downcast().expect("a sentence")
    }
    let good = params(10, ());
    assert_eq!(refused::<Ecmp>(good), "");
    assert!(refused::<Ecmp>(Params { connections: 0, ..good }).starts_with("connections must be"));
    assert!(refused::<Ecmp>(Params { connections: 16385, ..good }).starts_with("connections must be"));
    assert!(refused::<Ecmp>(Params { ev_base: 512, ..good }).starts_with("ev_base 512 is not"));
    assert!(refused::<Ecmp>(Params { ev_bits: 0, ..good }).starts_with("ev_bits must be"));
    assert!(refused::<Ecmp>(Params { ev_bits: 17, ..good }).starts_with("ev_bits must be"));
    assert!(refused::<Ecmp>(Params { time_bits: 33, ..good }).starts_with("time_bits must be"));
    assert_eq!(refused::<Ops>(params(10, permuted(1024))), "");
    for paths in [0, 8, 24, 2048] {
        assert!(refused::<Ops>(params(10, permuted(paths))).starts_with("paths must be"), "{paths} paths");
    }
}

#[test]
fn op_kinds_have_the_codes_of_the_port() {
    let kinds = [OpKind::Send, OpKind::Ack, OpKind::Nack, OpKind::Timeout, OpKind::Init, OpKind::Reserved];
    for (code, kind) in kinds.into_iter().enumerate() {
        assert_eq!((OpKind::from_code(code as u8), kind.code()), (kind, code as u8));
    }
    assert_eq!([6, 7].map(OpKind::from_code), [OpKind::Reserved; 2]);
}
