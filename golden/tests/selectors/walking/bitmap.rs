//! `bitmap` and `mixed` beside observers that keep all rounds since `Init`, penalties as a map, and a list without a ring.

use std::collections::{BTreeMap, VecDeque};

use super::{Observer, Step, Verdict, ensure, params, refused, run, sees};
use crate::faults::{Fault, bitmap as faults};
use respray_golden::bitmap::{self, Bitmap, GAVE_UP, PATH_FORGIVEN, PATH_PENALISED, TimeoutRule};
use respray_golden::mixed::{self, Mixed};
use respray_golden::rng::Rng;
use respray_golden::selector::{Class, Engine, Op, OpKind, Outcome, SendKind, SendResult};

#[derive(Debug, Default)]
struct Seen {
    /// Of paths whose counter is above 0.
    penalties: BTreeMap<u16, u32>,
    /// What each round since the first send is xored with.
    rounds: Vec<u16>,
    upper: u16,
    /// Places since the first send, through all rounds.
    place: usize,
}

/// What feedback adds to a counter.
fn penalty(op: &Op, timeout: TimeoutRule) -> Option<u32> {
    match op.kind {
        OpKind::Ack => Some(op.ecn.into()),
        OpKind::Nack => Some(4),
        OpKind::Timeout if timeout == TimeoutRule::Ev => Some(15),
        _ => None,
    }
}

impl Seen {
    fn path(&self, paths: u16, place: usize) -> u16 {
        let of_round = usize::from(paths);
        (place % of_round) as u16 ^ self.rounds[place / of_round]
    }

    fn is_penalised(&self, paths: u16, place: usize) -> bool {
        self.penalties.contains_key(&self.path(paths, place))
    }

    /// A place that begins a round has its word drawn.
    fn reach(&mut self, paths: u16, place: usize, draw: &mut dyn FnMut() -> u16) {
        if place == self.rounds.len() * usize::from(paths) {
            self.rounds.push(draw() % paths);
        }
    }

    fn hear(&mut self, paths: u16, timeout: TimeoutRule, op: &Op) -> Outcome {
        let Some(penalty) = penalty(op, timeout) else { return Outcome::default() };
        let sum = self.penalties.remove(&(op.ev % paths)).unwrap_or(0);
        let raised = (sum + penalty).min(15);
        if raised > 0 {
            self.penalties.insert(op.ev % paths, raised);
        }
        let events = if raised > sum { PATH_PENALISED } else { 0 };
        Outcome { events, class: Class { index: 1, counts: [0; 2] }, ..Outcome::default() }
    }

    fn send(&mut self, paths: u16, class: u8, draw: &mut dyn FnMut() -> u16) -> Outcome {
        if self.rounds.is_empty() {
            let ev = draw();
            self.upper = ev - ev % paths;
            self.rounds.push(ev % paths);
        }
        let first = self.place;
        let (mut events, mut words) = (0, 1);
        if self.is_penalised(paths, first) {
            events |= PATH_FORGIVEN;
            let path = self.path(paths, first);
            // the next place is looked at even if this path is free now
            if let Some(sum) = self.penalties.remove(&path).filter(|sum| *sum > 1) {
                self.penalties.insert(path, sum - 1);
            }
            loop {
                let before = self.path(paths, self.place) / 16;
                self.place += 1;
                self.reach(paths, self.place, draw);
                let begins_round = self.place.is_multiple_of(usize::from(paths));
                words += u8::from(begins_round || self.path(paths, self.place) / 16 != before);
                if !self.is_penalised(paths, self.place) {
                    break;
                }
                if self.place == first + usize::from(paths) {
                    events |= GAVE_UP;
                    break;
                }
            }
        }
        let ev = self.upper + self.path(paths, self.place);
        self.place += 1;
        self.reach(paths, self.place, draw);
        let class = Class { index: class, counts: [words, 0] };
        Outcome { events, class, ..Outcome::sent(SendKind::Explore, ev) }
    }
}

impl Observer<Bitmap> for Seen {
    fn expect(&mut self, params: &bitmap::Params, op: &Op, draw: &mut dyn FnMut() -> u16) -> Outcome {
        let bitmap::Keys { paths, timeout } = params.keys;
        if op.kind == OpKind::Send { self.send(paths, 2, draw) } else { self.hear(paths, timeout, op) }
    }
}

#[derive(Debug, Default)]
struct Listed {
    seen: Seen,
    /// EVs of good ACKs that no send took, the oldest first; without those that were lost.
    evs: VecDeque<u16>,
}

impl Observer<Mixed> for Listed {
    fn expect(&mut self, params: &mixed::Params, op: &Op, draw: &mut dyn FnMut() -> u16) -> Outcome {
        let mixed::Keys { paths, depth, timeout } = params.keys;
        if op.kind == OpKind::Send {
            let Some(ev) = self.evs.pop_front() else { return self.seen.send(paths, 3, draw) };
            let class = Class { index: 2, counts: [0; 2] };
            return Outcome { class, ..Outcome::sent(SendKind::Recycle, ev) };
        }
        if op.kind == OpKind::Ack && !op.ecn {
            self.evs.push_back(op.ev);
            let lost = self.evs.len().saturating_sub(depth.into());
            self.evs.drain(..lost);
        }
        self.seen.hear(paths, timeout, op)
    }
}

/// What an op did to the counters, and to the round.
fn counters(
    paths: u16,
    op: &Op,
    outcome: &Outcome,
    before: &bitmap::Connection,
    after: &bitmap::Connection,
) -> Verdict {
    // path, and its counter before and behind the op
    let mut changed = None;
    if before.counters != after.counters {
        let differs = |path: &usize| before.counters[*path] != after.counters[*path];
        let path = (0..before.counters.len()).find(differs).expect("they differ");
        let mut only = before.counters;
        only[path] = after.counters[path];
        ensure(only == after.counters, "an op changes one counter at most")?;
        ensure(path < paths.into() && after.counters[path] <= 15, "counters have four bits and a path")?;
        changed = Some((path as u16, before.counters[path], after.counters[path]));
    }
    let Some(sent) = outcome.result else {
        let of_op = changed.is_none_or(|(path, from, to)| path == op.ev % paths && to > from);
        return ensure(of_op, "feedback raises the counter of its own path");
    };
    ensure(changed.is_none_or(|(_, from, to)| to + 1 == from), "a send lowers one counter, by one")?;
    ensure(changed.is_some() == outcome.has(PATH_FORGIVEN), "a send says so")?;
    let is_free = after.counters[usize::from(sent.ev % paths)] == 0;
    ensure(is_free || outcome.has(GAVE_UP), "a send takes a path without a penalty, or gives up")?;
    ensure(!before.drawn || sent.ev - sent.ev % paths == before.upper, "upper bits stay until init")?;
    let words = u16::from(outcome.class.counts[0]);
    ensure((1..=paths / 16 + 1).contains(&words) && 7 + words <= 24, "words of all paths and one more")
}

fn always_bitmap(step: &Step<Bitmap>) -> Verdict {
    let Step { params, op, outcome, before, after } = step;
    if op.kind == OpKind::Init {
        return Ok(());
    }
    counters(params.keys.paths, op, outcome, before, after)
}

fn always_mixed(step: &Step<Mixed>) -> Verdict {
    let Step { params, op, outcome, before, after } = step;
    if op.kind == OpKind::Init {
        return Ok(());
    }
    ensure(after.length <= params.keys.depth, "the list has its depth")?;
    let grows = after.length.saturating_sub(before.length);
    ensure(grows <= u8::from(op.kind == OpKind::Ack && !op.ecn), "good ACKs alone are listed")?;
    if outcome.result.is_some_and(|sent| sent.kind == SendKind::Recycle) {
        ensure(after.length + 1 == before.length, "a recycle takes one EV")?;
        return ensure(before.bitmap == after.bitmap, "and leaves counters and round");
    }
    ensure(op.kind != OpKind::Send || before.length == 0, "a listed EV is taken first")?;
    counters(params.keys.paths, op, outcome, &before.bitmap, &after.bitmap)
}

fn of_bitmap(ev_bits: u8, ev_base: u16, paths: u16, timeout: TimeoutRule) -> bitmap::Params {
    params(ev_bits, ev_base, bitmap::Keys { paths, timeout })
}

fn of_mixed(paths: u16, depth: u8, timeout: TimeoutRule) -> mixed::Params {
    params(12, 0x5000, mixed::Keys { paths, depth, timeout })
}

#[test]
fn bitmap_goes_round_the_paths_without_a_penalty() {
    for (ev_bits, ev_base, paths, timeout) in [
        (16, 0, 16, TimeoutRule::Ignore),
        (4, 0xfff0, 16, TimeoutRule::Ev),
        (12, 0x5000, 64, TimeoutRule::Ev),
        (16, 0, 256, TimeoutRule::Ignore),
    ] {
        let params = of_bitmap(ev_bits, ev_base, paths, timeout);
        let reached =
            run::<Bitmap, Seen>(params, paths, 60_000, (always_bitmap, true), &Fault::<Bitmap>::NONE);
        let reached = reached.unwrap_or_else(|said| panic!("{said}"));
        assert!(reached.kinds[0] > 10_000, "{paths} paths: {reached:?}");
        assert!(reached.events[..3].iter().all(|count| *count > 50), "{paths} paths: {reached:?}");
        assert!(u16::from(reached.words) >= paths / 16, "{paths} paths: {reached:?}");
    }
}

#[test]
fn every_fault_of_bitmap_is_seen() {
    let params = of_bitmap(12, 0x5000, 32, TimeoutRule::Ev);
    sees::<Bitmap, Seen>(params, 32, always_bitmap, &faults::of_bitmap(), &faults::AGAINST_RULES);
    let whole = run::<Bitmap, Seen>(params, 32, 20_000, (always_bitmap, true), &faults::whole_search());
    assert_eq!(whole.err(), None, "the search that faults change");
    let ignore = of_bitmap(12, 0x5000, 32, TimeoutRule::Ignore);
    sees::<Bitmap, Seen>(ignore, 32, always_bitmap, &[faults::timeout_is_heard()], &[]);
}

#[test]
fn mixed_takes_listed_evs_first() {
    for (paths, depth, timeout) in
        [(16, 8, TimeoutRule::Ev), (64, 32, TimeoutRule::Ignore), (256, 64, TimeoutRule::Ev)]
    {
        let params = of_mixed(paths, depth, timeout);
        let reached =
            run::<Mixed, Listed>(params, paths, 60_000, (always_mixed, true), &Fault::<Mixed>::NONE);
        let reached = reached.unwrap_or_else(|said| panic!("{said}"));
        assert!(reached.kinds.iter().all(|count| *count > 4_000), "{paths} paths: {reached:?}");
        assert!(reached.events[..3].iter().all(|count| *count > 20), "{paths} paths: {reached:?}");
    }
    let params = of_mixed(32, 16, TimeoutRule::Ev);
    let faults = faults::of_mixed();
    sees::<Mixed, Listed>(params, 32, always_mixed, &faults, &faults::MIXED_AGAINST_RULES);
}

#[test]
#[ignore = "20 s"]
fn long_runs_of_bitmap_and_mixed_hold() {
    for (paths, seed) in [(16, 1), (32, 2), (64, 3), (128, 4), (256, 5)] {
        for timeout in [TimeoutRule::Ignore, TimeoutRule::Ev] {
            let params = bitmap::Params { seed, ..of_bitmap(16, 0, paths, timeout) };
            let none = Fault::<Bitmap>::NONE;
            let reached = run::<Bitmap, Seen>(params, paths, 2_000_000, (always_bitmap, true), &none);
            let reached = reached.unwrap_or_else(|said| panic!("{said}"));
            assert!(reached.events[..3].iter().all(|count| *count > 500), "{paths} paths: {reached:?}");
            let depth = if seed % 2 == 0 { 8 } else { 64 };
            let params = mixed::Params { seed, ..of_mixed(paths, depth, timeout) };
            let none = Fault::<Mixed>::NONE;
            let reached = run::<Mixed, Listed>(params, paths, 2_000_000, (always_mixed, true), &none);
            let reached = reached.unwrap_or_else(|said| panic!("{said}"));
            assert!(reached.kinds.iter().all(|count| *count > 100_000), "{paths} paths: {reached:?}");
        }
    }
}

/// How often these sends draw, told by the first word that they leave.
fn draws(params: bitmap::Params, ops: impl IntoIterator<Item = Op>) -> Vec<usize> {
    let mut count = Vec::new();
    let mut done = Vec::new();
    for op in ops {
        done.push(op);
        let mut engine = Engine::<Bitmap>::new(params);
        for op in &done {
            engine.apply(op);
        }
        // the first send of a connection without a past shows the generator's next word
        let next = engine.apply(&Op { conn: 1, ..Op::default() }).result.expect("a send").ev;
        let mut words = Rng::seeded(params.seed, params.connections);
        count.push((0..).take_while(|_| words.step() != next).count());
    }
    let before = std::iter::once(0).chain(count.clone());
    count.iter().zip(before).map(|(to, from)| to - from).collect()
}

#[test]
fn a_send_draws_twice_at_most() {
    let params = of_bitmap(16, 0, 16, TimeoutRule::Ignore);
    let send = Op::default();
    // without penalties: the first send, and the last of each round
    let draws_of_sends = draws(params, [send; 33]);
    let ends: Vec<usize> = (0..33).filter(|i| draws_of_sends[*i] > 0).collect();
    assert_eq!((ends, draws_of_sends[0], draws_of_sends[15]), (vec![0, 15, 31], 1, 1));
    // all paths penalised: a first send that gives up draws its word and passes one end of a round
    let nacks = (0..16).map(|ev| Op { kind: OpKind::Nack, ev, ..send });
    let ops: Vec<Op> = nacks.clone().chain([send]).collect();
    assert_eq!(draws(params, ops).last(), Some(&2));
    // and one that begins at the last place of a round passes two
    let ops: Vec<Op> = [send; 15].into_iter().chain(nacks).chain([send]).collect();
    assert_eq!(draws(params, ops).last(), Some(&2));
}

#[test]
fn counters_stay_at_their_highest_and_a_send_lowers_one_by_one() {
    let params = of_bitmap(16, 0, 16, TimeoutRule::Ev);
    let mut engine = Engine::<Bitmap>::new(params);
    let feedback = |kind, ecn| Op { kind, ecn, ev: 3, ..Op::default() };
    let mut give = |op| (engine.apply(&op).has(PATH_PENALISED), engine.connection(0).counters[3]);
    assert_eq!(give(feedback(OpKind::Ack, false)), (false, 0));
    assert_eq!(give(feedback(OpKind::Ack, true)), (true, 1));
    assert_eq!([(); 4].map(|()| give(feedback(OpKind::Nack, false)).1), [5, 9, 13, 15]);
    assert_eq!(give(feedback(OpKind::Timeout, false)), (false, 15), "it is not raised");
    assert_eq!(give(feedback(OpKind::Ack, false)), (false, 15), "a good ACK forgives nothing");
    assert_eq!(
        give(Op { ev: 0xfff3, ..feedback(OpKind::Ack, true) }),
        (false, 15),
        "the low bits are the path"
    );
    // each round meets it once
    let mut at = 15;
    for _ in 0..16 * 15 {
        let is_lowered = engine.apply(&Op::default()).has(PATH_FORGIVEN);
        at -= u8::from(is_lowered);
        assert_eq!(engine.connection(0).counters[3], at);
    }
    assert_eq!(at, 0);
}

#[test]
fn a_full_list_loses_its_oldest_ev() {
    for depth in [8, 16, 32, 64] {
        let mut engine = Engine::<Mixed>::new(of_mixed(16, depth, TimeoutRule::Ignore));
        for ev in 0..u16::from(depth) + 5 {
            engine.apply(&Op { kind: OpKind::Ack, ev: 1000 + ev, ..Op::default() });
        }
        let mut sent = || engine.apply(&Op::default()).result.expect("a send");
        for ev in 5..u16::from(depth) + 5 {
            assert_eq!(sent(), SendResult { kind: SendKind::Recycle, ev: 1000 + ev });
        }
        assert_eq!(sent().kind, SendKind::Explore, "the list is empty");
    }
}

#[test]
fn keys_outside_their_range_are_refused() {
    let bitmap = |ev_bits, paths| refused::<Bitmap>(of_bitmap(ev_bits, 0, paths, TimeoutRule::Ev));
    assert_eq!([bitmap(4, 16), bitmap(16, 256)], ["", ""]);
    for (ev_bits, paths) in [(16, 0), (16, 1), (16, 24), (16, 512), (4, 32)] {
        assert_eq!(bitmap(ev_bits, paths), "paths must be a power of two", "{paths}");
    }
    let mixed = |paths, depth| refused::<Mixed>(of_mixed(paths, depth, TimeoutRule::Ev));
    assert_eq!(mixed(256, 64), "");
    assert_eq!(mixed(512, 64), "paths must be a power of two");
    for depth in [0, 4, 12, 128] {
        assert_eq!(mixed(64, depth), "depth must be 8", "{depth}");
    }
}
