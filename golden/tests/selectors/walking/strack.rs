//! `strack` beside an observer that keeps the marked paths as a set.

use std::collections::BTreeSet;

use super::{Observer, Step, Verdict, ensure, params, refused, run, sees};
use crate::faults::{Fault, strack as faults};
use respray_golden::selector::{Class, Engine, Op, OpKind, Outcome, SendKind};
use respray_golden::strack::{
    ALL_MARKED, Connection, Keys, MARK_FORGIVEN, PATH_MARKED, PATH_UNMARKED, Params, Strack,
};

#[derive(Debug, Default)]
struct Seen {
    marked: BTreeSet<u32>,
    named: Option<u32>,
    latest: u32,
}

fn outcome(events: u8, class: u8, counts: [u8; 2]) -> Outcome {
    Outcome { result: None, events, class: Class { index: class, counts } }
}

fn sent(params: &Params, kind: SendKind, path: u32, shown: Outcome) -> Outcome {
    let ev = u32::from(params.ev_base) + path;
    Outcome { result: Outcome::sent(kind, ev as u16).result, ..shown }
}

/// As many paths as a send chooses among.
fn choice(params: &Params, op: &Op) -> u32 {
    (2 * op.more).clamp(8, params.keys.paths.into())
}

impl Observer<Strack> for Seen {
    fn expect(&mut self, params: &Params, op: &Op, _: &mut dyn FnMut() -> u16) -> Outcome {
        let set = u32::from(params.ev_base)..u32::from(params.ev_base) + u32::from(params.keys.paths);
        match op.kind {
            OpKind::Ack | OpKind::Nack if !set.contains(&op.ev.into()) => outcome(0, 1, [0; 2]),
            OpKind::Ack | OpKind::Nack => {
                let path = u32::from(op.ev) - set.start;
                let is_bad = op.kind == OpKind::Nack || op.ecn;
                self.named = (!is_bad).then_some(path);
                let events = match is_bad {
                    true if self.marked.insert(path) => PATH_MARKED,
                    false if self.marked.remove(&path) => PATH_UNMARKED,
                    _ => 0,
                };
                outcome(events, 1, [0; 2])
            }
            OpKind::Send => {
                if let Some(path) = self.named.take() {
                    self.latest = path;
                    return sent(params, SendKind::Recycle, path, outcome(0, 2, [0; 2]));
                }
                self.search(params, op)
            }
            OpKind::Timeout | OpKind::Init | OpKind::Reserved => Outcome::default(),
        }
    }
}

impl Seen {
    fn search(&mut self, params: &Params, op: &Op) -> Outcome {
        let n = choice(params, op);
        let is_folded = self.latest + 1 > n;
        let first = (self.latest + 1) % n;
        let is_forgiven = self.marked.remove(&first);
        // places behind one another, a lap has n of them
        let from = first + u32::from(is_forgiven);
        let chosen = (from..=first + n).find(|place| !self.marked.contains(&(place % n)));
        let chosen = chosen.expect("the first path has no mark now");
        let words: BTreeSet<_> = (first..=chosen).map(|place| (place / n, place % n / 32)).collect();
        let mut events = if is_forgiven { MARK_FORGIVEN } else { 0 };
        events |= if chosen == first + n { ALL_MARKED } else { 0 };
        self.latest = chosen % n;
        let shown = outcome(events, 3, [words.len() as u8, is_folded.into()]);
        sent(params, SendKind::Explore, self.latest, shown)
    }
}

fn always(step: &Step<Strack>) -> Verdict {
    let Step { params, op, outcome, before, after } = step;
    let paths = params.keys.paths;
    if op.kind == OpKind::Init {
        return Ok(());
    }
    let words = (0..).zip(before.marks.iter().zip(after.marks));
    let changed: Vec<(u16, u32)> =
        words.map(|(word, (a, b))| (word, a ^ b)).filter(|(_, bits)| *bits > 0).collect();
    let changed = match changed[..] {
        [] => None,
        [(word, bit)] if bit.is_power_of_two() => Some(32 * word + bit.ilog2() as u16),
        _ => return Err("an op changes one mark at most".to_owned()),
    };
    let Some(sent) = outcome.result else {
        let of_op = changed.is_none_or(|path| path < paths && params.ev_base + path == op.ev);
        return ensure(of_op && after.rr == before.rr, "feedback changes the mark of its own path");
    };
    let path = sent.ev.wrapping_sub(params.ev_base);
    ensure(path < paths && u16::from(after.rr) == path, "a send takes a path of the set")?;
    ensure(changed.is_none_or(|path| before.is_marked(path as u8)), "a send marks nothing")?;
    if sent.kind == SendKind::Recycle {
        return ensure(changed.is_none() && before.has_next, "a recycle takes the named path as it is");
    }
    let n = choice(params, op) as u16;
    ensure(path < n, "an explore stays below n")?;
    let first = (u16::from(before.rr) + 1) % n;
    ensure(changed.is_none_or(|path| path == first), "an explore forgives its first path")?;
    ensure(!before.is_marked(path as u8) || path == first, "no marked path but the first")?;
    let [words, folded] = outcome.class.counts.map(u16::from);
    ensure((1..=paths.div_ceil(32) + 1).contains(&words), "words of one lap and one more")?;
    ensure(7 + words + 6 * folded <= 22, "no send takes longer than 22 cycles")
}

fn of(paths: u16, ev_base: u16) -> Params {
    params(paths.ilog2() as u8, ev_base, Keys { paths })
}

#[test]
fn a_send_takes_the_named_path_or_the_next_without_a_mark() {
    for (paths, ev_base) in [(16, 0), (32, 0x40), (64, 0xffc0), (128, 0), (256, 0xff00)] {
        let none = Fault::<Strack>::NONE;
        let reached = run::<Strack, Seen>(of(paths, ev_base), paths, 60_000, (always, true), &none);
        let reached = reached.unwrap_or_else(|said| panic!("{said}"));
        assert!(reached.kinds.iter().all(|count| *count > 4_000), "{paths} paths: {reached:?}");
        assert!(reached.events.iter().all(|count| *count > 10), "{paths} paths: {reached:?}");
        assert!(reached.words > (paths / 32).min(2) as u8, "{paths} paths: {reached:?}");
    }
    sees::<Strack, Seen>(of(64, 0x40), 64, always, &faults::all(), &faults::AGAINST_RULES);
}

#[test]
#[ignore = "5 s"]
fn long_runs_of_strack_hold() {
    for (paths, seed) in [(16, 1), (32, 2), (64, 3), (128, 4), (256, 5)] {
        let params = Params { seed, ..of(paths, 0x300) };
        let reached = run::<Strack, Seen>(params, paths, 4_000_000, (always, true), &Fault::<Strack>::NONE);
        let reached = reached.unwrap_or_else(|said| panic!("{said}"));
        assert!(reached.events.iter().all(|count| *count > 500), "{paths} paths: {reached:?}");
    }
}

/// An engine with one connection whose paths of `marked` are marked.
fn engine(params: Params, marked: impl IntoIterator<Item = u16>) -> Engine<Strack> {
    let mut engine = Engine::new(params);
    for path in marked {
        let op = Op { kind: OpKind::Nack, ev: params.ev_base + path, ..Op::default() };
        assert!(engine.apply(&op).has(PATH_MARKED));
    }
    engine
}

/// A send with this window: its path, and what it counts.
fn send(engine: &mut Engine<Strack>, window: u32) -> (u16, [u8; 2]) {
    let outcome = engine.apply(&Op { more: window, ..Op::default() });
    (outcome.result.expect("a send").ev - engine.params().ev_base, outcome.class.counts)
}

#[test]
fn words_of_a_search_are_those_up_to_its_end_and_each_lap_counts_anew() {
    let params = of(256, 0x100);
    // from the first path on with all marked: eight words, and the first path again
    let mut all = engine(params, 0..256);
    assert_eq!(send(&mut all, 128), (1, [9, 0]));
    // and again, where path 1 is free: one word and the other seven, then 0 and 1
    assert_eq!(send(&mut all, 4095), (1, [9, 0]));
    // path 2 was forgiven
    assert_eq!(send(&mut all, 0), (2, [1, 0]));
    // a smaller window: from path 3 over 7 and 0 to 1, within one word, but in two laps
    assert_eq!(send(&mut all, 4), (1, [2, 0]));
    for (marked, rr, window, expected) in [
        (0..0, 30, 128, (31, [1, 0])),
        (0..0, 31, 128, (32, [1, 0])),
        (31..32, 30, 128, (32, [2, 0])),
        (31..64, 30, 128, (64, [3, 0])),
        (63..64, 62, 32, (0, [2, 0])),
        (7..8, 6, 4, (0, [2, 0])),
        // 200 is path 200 modulo 40
        (0..0, 199, 20, (0, [1, 1])),
        (0..0, 200, 20, (1, [1, 1])),
        (0..3, 199, 20, (3, [1, 1])),
        // one past the last path of a lap is the first one, without a remainder
        (0..0, 39, 20, (0, [1, 0])),
        (0..0, 40, 20, (1, [1, 1])),
        (0..40, 38, 20, (39, [3, 0])),
    ] {
        let mut engine = engine(params, marked.clone());
        engine.apply(&Op { kind: OpKind::Ack, ev: 0x100 + rr, ..Op::default() });
        assert_eq!(send(&mut engine, 1).0, rr, "a recycle moves rr");
        if marked.contains(&rr) {
            engine.apply(&Op { kind: OpKind::Nack, ev: 0x100 + rr, ..Op::default() });
        }
        assert_eq!(send(&mut engine, window), expected, "{marked:?} behind {rr} with {window}");
    }
}

#[test]
fn init_and_reset_leave_no_mark() {
    let mut engine = engine(of(256, 0), 0..256);
    engine.apply(&Op { kind: OpKind::Ack, ev: 200, ..Op::default() });
    engine.apply(&Op { kind: OpKind::Init, ..Op::default() });
    assert_eq!(*engine.connection(0), Connection::default());
    assert_eq!([0; 300].map(|_| send(&mut engine, 128).0).last(), Some(&(300 % 256)));
    engine.reset();
    assert_eq!(send(&mut engine, 128), (1, [1, 0]), "A3:19 from path 0 on");
}

#[test]
fn the_set_is_as_wide_as_the_paths() {
    for ev_bits in [1, 16] {
        assert_eq!(refused::<Strack>(Params { ev_bits, ..of(64, 0x40) }), "", "ev_bits plays no role");
    }
    assert_eq!(refused::<Strack>(of(64, 0x20)), "ev_base 32 is not a multiple of 2^6");
    for paths in [0, 1, 48, 512] {
        let params = Params { keys: Keys { paths }, ..of(64, 0) };
        assert_eq!(refused::<Strack>(params), "paths must be a power of two", "{paths} paths");
    }
}
