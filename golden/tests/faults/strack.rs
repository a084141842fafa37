//! Faults of `strack`.

use respray_golden::rng::Rng;
use respray_golden::selector::{Op, OpKind, Outcome, Selector, SendKind};
use respray_golden::strack::{ALL_MARKED, Connection, MARK_FORGIVEN, Params, Strack};

use super::{Fault, of_any};

/// Those that break a rule which holds of every op, whatever was before.
pub const AGAINST_RULES: [&str; 9] = [
    "a NACK is taken for a good ACK's path of another word",
    "a path more in a round",
    "as many paths as twice the window and one more",
    "every mark that is passed is forgiven",
    "all marks are forgotten at path 0",
    "a marked path is taken",
    "the path before the free one is taken",
    "EVs outside of the set are taken for one of it",
    "no first word is counted",
];

fn mark(c: &mut Connection, path: u16, marked: bool) {
    let (word, bit) = (&mut c.marks[usize::from(path / 32)], 1 << (path % 32));
    *word = if marked { *word | bit } else { *word & !bit };
}

/// As many paths as an explore chooses among.
fn choice(params: &Params, op: &Op) -> u16 {
    (2 * op.more).clamp(8, params.keys.paths.into()) as u16
}

/// An op that will explore.
fn explores(c: &Connection, op: &Op) -> bool {
    op.kind == OpKind::Send && !c.has_next
}

/// A good ACK or a bad one, or a NACK.
fn is_good(op: &Op) -> Option<bool> {
    match op.kind {
        OpKind::Ack => Some(!op.ecn),
        OpKind::Nack => Some(false),
        _ => None,
    }
}

/// Sends another path in place of the one that was chosen.
fn take(params: &Params, c: &mut Connection, outcome: &mut Outcome, path: u16) {
    c.rr = path as u8;
    let shown = *outcome;
    *outcome = Outcome::sent(SendKind::Explore, params.ev_base + path);
    (outcome.events, outcome.class) = (shown.events, shown.class);
}

pub fn all() -> Vec<Fault<Strack>> {
    let mut faults = of_any();
    // nothing is drawn
    faults.retain(|fault: &Fault<Strack>| !fault.name.starts_with("a draw"));
    faults.extend(of_feedback());
    faults.extend(of_the_named_path());
    faults.extend(of_the_round());
    faults.extend(of_the_search());
    faults
}

/// The polarity of A3:5 and A3:8 as it is printed: an ACK that is marked leaves no mark, and one that is not leaves one.
pub fn as_printed() -> Fault<Strack> {
    Fault::<Strack>::apply("the polarity as it is printed", |params, c, op, rng| {
        let outcome = Strack::apply(params, c, op, rng);
        let path = op.ev.wrapping_sub(params.ev_base);
        if let Some(good) = is_good(op)
            && path < params.keys.paths
        {
            mark(c, path, good);
        }
        outcome
    })
}

fn of_feedback() -> Vec<Fault<Strack>> {
    let (before, apply) = (Fault::<Strack>::before, Fault::<Strack>::apply);
    vec![
        before("two connections taken for one", |op| op.conn &= !1),
        before("marked for unmarked", |op| op.ecn = !op.ecn),
        as_printed(),
        before("a NACK is not heard", |op| {
            if op.kind == OpKind::Nack {
                op.kind = OpKind::Reserved;
            }
        }),
        before("a NACK is taken for a good ACK", |op| {
            if op.kind == OpKind::Nack {
                (op.kind, op.ecn) = (OpKind::Ack, false);
            }
        }),
        before("a NACK is taken for a good ACK's path of another word", |op| {
            if op.kind == OpKind::Nack {
                op.ev ^= 32;
            }
        }),
        before("a timeout marks", |op| {
            if op.kind == OpKind::Timeout {
                op.kind = OpKind::Nack;
            }
        }),
        apply("EVs outside of the set are taken for one of it", |params, c, op, rng| {
            let ev = params.ev_base + op.ev % params.keys.paths;
            Strack::apply(params, c, &Op { ev, ..*op }, rng)
        }),
        apply("an EV just behind the set is taken for its first", |params, c, op, rng| {
            let behind = op.ev.wrapping_sub(params.ev_base) == params.keys.paths;
            let ev = if behind { params.ev_base } else { op.ev };
            Strack::apply(params, c, &Op { ev, ..*op }, rng)
        }),
        apply("an event is lost", |params, c, op, rng| Outcome {
            events: 0,
            ..Strack::apply(params, c, op, rng)
        }),
        apply("a mark that was there counts as new", |params, c, op, rng| {
            let outcome = Strack::apply(params, c, op, rng);
            let events = if is_good(op) == Some(false) { outcome.events | 1 } else { outcome.events };
            Outcome { events, ..outcome }
        }),
    ]
}

fn of_the_named_path() -> Vec<Fault<Strack>> {
    let apply = Fault::<Strack>::apply;
    vec![
        apply("no path is named", |params, c, op, rng| {
            c.has_next = false;
            Strack::apply(params, c, op, rng)
        }),
        apply("path 0 cannot be named, as it is printed", |params, c, op, rng| {
            c.has_next &= c.next != 0;
            Strack::apply(params, c, op, rng)
        }),
        apply("a bad ACK leaves the named path", |params, c, op, rng| {
            let before = *c;
            let outcome = Strack::apply(params, c, op, rng);
            c.has_next |= is_good(op) == Some(false) && before.has_next;
            outcome
        }),
        apply("the first of two named paths stays", |params, c, op, rng| {
            let before = *c;
            let outcome = Strack::apply(params, c, op, rng);
            if is_good(op) == Some(true) && before.has_next {
                c.next = before.next;
            }
            outcome
        }),
        apply("a named path is taken twice", |params, c, op, rng| {
            let before = *c;
            let outcome = Strack::apply(params, c, op, rng);
            c.has_next |= op.kind == OpKind::Send && before.has_next && before.rr != before.next;
            outcome
        }),
        apply("the round goes on where it was before the named path", |params, c, op, rng| {
            let before = *c;
            let outcome = Strack::apply(params, c, op, rng);
            if op.kind == OpKind::Send && before.has_next {
                c.rr = before.rr;
            }
            outcome
        }),
        apply("a recycle has the class of a search", |params, c, op, rng| {
            let mut outcome = Strack::apply(params, c, op, rng);
            outcome.class.index |= u8::from(outcome.result.is_some());
            outcome
        }),
    ]
}

fn of_the_round() -> Vec<Fault<Strack>> {
    let (before, apply) = (Fault::<Strack>::before, Fault::<Strack>::apply);
    vec![
        before("as many paths as the window", |op| op.more /= 2),
        before("as many paths as twice the window and one more", |op| op.more += 1),
        before("the window of 6 bits", |op| op.more &= 63),
        before("no fewer than sixteen paths", |op| op.more = op.more.max(8)),
        apply("a path more in a round", |params, c, op, rng| {
            let n = choice(params, op);
            if !explores(c, op) || u16::from(c.rr) + 1 != n || n == params.keys.paths || c.is_marked(n as u8)
            {
                return Strack::apply(params, c, op, rng);
            }
            let mut outcome = Strack::apply(params, &mut c.clone(), op, rng);
            take(params, c, &mut outcome, n);
            outcome
        }),
        apply("a path less in a round", |params, c, op, rng| {
            let n = choice(params, op);
            if explores(c, op) && u16::from(c.rr) + 2 == n {
                c.rr += 1;
            }
            Strack::apply(params, c, op, rng)
        }),
        apply("a round begins at 0 where the window fell below rr", |params, c, op, rng| {
            let n = choice(params, op);
            if !explores(c, op) || u16::from(c.rr) < n {
                return Strack::apply(params, c, op, rng);
            }
            c.rr = (n - 1) as u8;
            let mut outcome = Strack::apply(params, c, op, rng);
            outcome.class.counts[1] = 1;
            outcome
        }),
        apply("n itself is folded", |params, c, op, rng| {
            let folds = explores(c, op) && u16::from(c.rr) + 1 == choice(params, op);
            let mut outcome = Strack::apply(params, c, op, rng);
            outcome.class.counts[1] |= u8::from(folds);
            outcome
        }),
        apply("all marks are forgotten at path 0", |params, c, op, rng| {
            let outcome = Strack::apply(params, c, op, rng);
            if op.kind == OpKind::Send && c.rr == 0 {
                c.marks = [0; 8];
            }
            outcome
        }),
        apply("marks beyond the paths of a send are forgotten", |params, c, op, rng| {
            if explores(c, op) {
                (choice(params, op)..params.keys.paths).for_each(|path| mark(c, path, false));
            }
            Strack::apply(params, c, op, rng)
        }),
    ]
}

/// The algorithm, and behind each search that began at a marked path, `first`, among `n`, `change`.
fn after_search(
    params: &Params,
    c: &mut Connection,
    op: &Op,
    rng: &mut Rng,
    change: fn(&Params, &mut Connection, &mut Outcome, first: u16, n: u16),
) -> Outcome {
    let n = choice(params, op);
    let first = (u16::from(c.rr) + 1) % n;
    let mut outcome = Strack::apply(params, c, op, rng);
    if outcome.has(MARK_FORGIVEN) && op.kind == OpKind::Send {
        change(params, c, &mut outcome, first, n);
    }
    outcome
}

fn of_the_search() -> Vec<Fault<Strack>> {
    let apply = Fault::<Strack>::apply;
    vec![
        apply("a mark is not forgiven", |params, c, op, rng| {
            after_search(params, c, op, rng, |_, c, _, first, _| mark(c, first, true))
        }),
        apply("every mark that is passed is forgiven", |params, c, op, rng| {
            after_search(params, c, op, rng, |_, c, _, first, n| {
                let last = u16::from(c.rr);
                (1..n)
                    .map(|i| (first + i) % n)
                    .take_while(|path| *path != last)
                    .for_each(|path| mark(c, path, false));
            })
        }),
        apply("the forgiven path is taken", |params, c, op, rng| {
            after_search(params, c, op, rng, |params, c, outcome, first, _| take(params, c, outcome, first))
        }),
        apply("a marked path is taken", |params, c, op, rng| {
            after_search(params, c, op, rng, |params, c, outcome, first, n| {
                take(params, c, outcome, (first + 1) % n)
            })
        }),
        apply("the path before the free one is taken", |params, c, op, rng| {
            after_search(params, c, op, rng, |params, c, outcome, _, n| {
                let path = (u16::from(c.rr) + n - 1) % n;
                take(params, c, outcome, path);
            })
        }),
        apply("the first path does not come last", |params, c, op, rng| {
            after_search(params, c, op, rng, |params, c, outcome, first, n| {
                if outcome.has(ALL_MARKED) {
                    take(params, c, outcome, (first + 1) % n);
                }
            })
        }),
        apply("a search that finds its first path gives no word of it", |params, c, op, rng| {
            after_search(params, c, op, rng, |_, _, outcome, _, _| outcome.events &= !ALL_MARKED)
        }),
        apply("a lap is not counted", |params, c, op, rng| {
            after_search(params, c, op, rng, |_, c, outcome, first, _| {
                let is_wrapped = u16::from(c.rr) <= first;
                outcome.class.counts[0] -= u8::from(is_wrapped);
            })
        }),
        apply("no first word is counted", |params, c, op, rng| {
            let mut outcome = Strack::apply(params, c, op, rng);
            outcome.class.counts[0] = outcome.class.counts[0].saturating_sub(1);
            outcome
        }),
    ]
}
