//! Faults of `bitmap` and `mixed`.

use respray_golden::bitmap::{self, Bitmap, Connection, Params, TimeoutRule};
use respray_golden::mixed::{self, Mixed};
use respray_golden::rng::Rng;
use respray_golden::selector::{Op, OpKind, Outcome, Selector, SendKind};

use super::{Fault, of_any};

/// Those of `bitmap` that break a rule which holds of every op, whatever was before.
pub const AGAINST_RULES: [&str; 6] = [
    "every counter that is met is lowered",
    "no counter is lowered",
    "a good ACK forgives",
    "a counter of five bits",
    "EVs are taken modulo P - 1",
    "no first word is counted",
];

/// Those of `mixed`.
pub const MIXED_AGAINST_RULES: [&str; 4] = [
    "the EV of a marked ACK is listed",
    "an EV is taken twice",
    "a recycle goes on with the round",
    "a send searches before it takes from the list",
];

/// A search that can be wrong.
#[derive(Clone, Copy)]
struct Search {
    /// How many places more it passes until it gives up.
    more_places: i32,
    lowers: fn(met: i32) -> bool,
    takes_freed: bool,
    is_xored: bool,
    redraws: bool,
    /// It goes on behind the path that it took.
    goes_on: bool,
    /// It goes on behind a path that it gave up at.
    goes_on_given_up: bool,
}

const SEARCH: Search = Search {
    more_places: 0,
    lowers: |met| met == 0,
    takes_freed: false,
    is_xored: true,
    redraws: true,
    goes_on: true,
    goes_on_given_up: true,
};

impl Search {
    fn path(&self, c: &Connection) -> u16 {
        u16::from(if self.is_xored { c.index ^ c.x } else { c.index })
    }

    fn step(&self, params: &Params, c: &mut Connection, rng: &mut Rng) {
        let last = params.keys.paths - 1;
        let is_end = u16::from(c.index) == last;
        c.index = if is_end { 0 } else { c.index + 1 };
        if is_end && self.redraws {
            c.x = (params.draw(rng) & last) as u8;
        }
    }

    /// The outcome of a send; that of any other op is the algorithm's.
    fn apply(&self, params: &Params, c: &mut Connection, op: &Op, rng: &mut Rng) -> Outcome {
        if op.kind != OpKind::Send {
            return Bitmap::apply(params, c, op, rng);
        }
        if !c.drawn {
            let last = params.keys.paths - 1;
            let ev = params.draw(rng);
            (c.drawn, c.index, c.x, c.upper) = (true, 0, (ev & last) as u8, ev & !last);
        }
        let (mut met, mut events, mut words) = (0, 0, 1);
        loop {
            let path = self.path(c);
            let counter = &mut c.counters[usize::from(path)];
            if *counter == 0 {
                break;
            }
            if (self.lowers)(met) {
                *counter -= 1;
                events |= bitmap::PATH_FORGIVEN;
                if self.takes_freed && *counter == 0 {
                    break;
                }
            }
            met += 1;
            if met > i32::from(params.keys.paths) + self.more_places {
                events |= bitmap::GAVE_UP;
                break;
            }
            self.step(params, c, rng);
            words += u8::from(self.path(c) / 16 != path / 16 || c.index == 0);
        }
        let mut outcome = Outcome::sent(SendKind::Explore, c.upper | self.path(c));
        outcome.events = events;
        (outcome.class.index, outcome.class.counts) = (2, [words, 0]);
        if self.goes_on && (self.goes_on_given_up || !outcome.has(bitmap::GAVE_UP)) {
            self.step(params, c, rng);
        }
        outcome
    }
}

/// The algorithm, and behind each op but a send `change`, which gets the counter of its EV before and behind it.
fn after_feedback(
    params: &Params,
    c: &mut Connection,
    op: &Op,
    rng: &mut Rng,
    change: fn(&Op, before: u8, &mut u8, &mut Outcome),
) -> Outcome {
    let path = usize::from(op.ev % params.keys.paths);
    let before = c.counters[path];
    let mut outcome = Bitmap::apply(params, c, op, rng);
    if op.kind != OpKind::Send {
        change(op, before, &mut c.counters[path], &mut outcome);
    }
    outcome
}

pub fn of_bitmap() -> Vec<Fault<Bitmap>> {
    let mut faults = of_any();
    faults.extend(of_search());
    faults.extend(of_feedback());
    faults
}

/// No fault: the search as the faults change it, without a change.
pub fn whole_search() -> Fault<Bitmap> {
    Fault::<Bitmap>::apply("none", |params, c, op, rng| SEARCH.apply(params, c, op, rng))
}

/// Of [`TimeoutRule::Ignore`].
pub fn timeout_is_heard() -> Fault<Bitmap> {
    Fault::<Bitmap>::apply("a timeout is heard", |params, c, op, rng| {
        let keys = bitmap::Keys { timeout: TimeoutRule::Ev, ..params.keys };
        Bitmap::apply(&Params { keys, ..*params }, c, op, rng)
    })
}

fn of_search() -> Vec<Fault<Bitmap>> {
    let apply = Fault::<Bitmap>::apply;
    vec![
        apply("it gives up a path early", |params, c, op, rng| {
            Search { more_places: -1, ..SEARCH }.apply(params, c, op, rng)
        }),
        apply("it gives up a path late", |params, c, op, rng| {
            Search { more_places: 1, ..SEARCH }.apply(params, c, op, rng)
        }),
        apply("every counter that is met is lowered", |params, c, op, rng| {
            Search { lowers: |_| true, ..SEARCH }.apply(params, c, op, rng)
        }),
        apply("the second counter that is met is lowered", |params, c, op, rng| {
            Search { lowers: |met| met == 1, ..SEARCH }.apply(params, c, op, rng)
        }),
        apply("no counter is lowered", |params, c, op, rng| {
            let mut outcome = Search { lowers: |_| false, ..SEARCH }.apply(params, c, op, rng);
            let passes = outcome.class.counts[0] > 1 || outcome.has(bitmap::GAVE_UP);
            outcome.events |= if passes { bitmap::PATH_FORGIVEN } else { 0 };
            outcome
        }),
        apply("a path that is freed is taken", |params, c, op, rng| {
            Search { takes_freed: true, ..SEARCH }.apply(params, c, op, rng)
        }),
        apply("index not xored", |params, c, op, rng| {
            Search { is_xored: false, ..SEARCH }.apply(params, c, op, rng)
        }),
        apply("no redraw at P", |params, c, op, rng| {
            Search { redraws: false, ..SEARCH }.apply(params, c, op, rng)
        }),
        apply("the place of a send is the first of the next", |params, c, op, rng| {
            Search { goes_on: false, ..SEARCH }.apply(params, c, op, rng)
        }),
        apply("the place where it gave up is the first of the next", |params, c, op, rng| {
            Search { goes_on_given_up: false, ..SEARCH }.apply(params, c, op, rng)
        }),
        apply("no first word is counted", |params, c, op, rng| {
            let mut outcome = Bitmap::apply(params, c, op, rng);
            outcome.class.counts[0] = outcome.class.counts[0].saturating_sub(1);
            outcome
        }),
        apply("a word is counted for each round", |params, c, op, rng| {
            let x = c.x;
            let mut outcome = Bitmap::apply(params, c, op, rng);
            outcome.class.counts[0] += u8::from(op.kind == OpKind::Send && c.drawn && c.x != x);
            outcome
        }),
    ]
}

fn of_feedback() -> Vec<Fault<Bitmap>> {
    let (before, apply) = (Fault::<Bitmap>::before, Fault::<Bitmap>::apply);
    vec![
        before("two connections taken for one", |op| op.conn &= !1),
        before("marked for unmarked", |op| op.ecn = !op.ecn),
        before("a NACK is taken for a marked ACK", |op| {
            if op.kind == OpKind::Nack {
                (op.kind, op.ecn) = (OpKind::Ack, true);
            }
        }),
        before("a timeout is not heard", |op| {
            if op.kind == OpKind::Timeout {
                op.kind = OpKind::Reserved;
            }
        }),
        before("a timeout is taken for a NACK", |op| {
            if op.kind == OpKind::Timeout {
                op.kind = OpKind::Nack;
            }
        }),
        before("the EV of a timeout is 0", |op| {
            if op.kind == OpKind::Timeout {
                op.ev = 0;
            }
        }),
        apply("EVs are taken modulo P - 1", |params, c, op, rng| {
            let ev = op.ev % (params.keys.paths - 1);
            Bitmap::apply(params, c, &Op { ev, ..*op }, rng)
        }),
        apply("half the paths have a counter", |params, c, op, rng| {
            let ev = op.ev & !(params.keys.paths / 2);
            Bitmap::apply(params, c, &Op { ev, ..*op }, rng)
        }),
        apply("a good ACK forgives", |params, c, op, rng| {
            after_feedback(params, c, op, rng, |op, before, counter, _| {
                if op.kind == OpKind::Ack && !op.ecn {
                    *counter = before.saturating_sub(1);
                }
            })
        }),
        apply("a counter wraps", |params, c, op, rng| {
            after_feedback(params, c, op, rng, |op, before, counter, _| {
                if op.kind == OpKind::Nack {
                    *counter = (before + 4) % 16;
                }
            })
        }),
        apply("a counter of five bits", |params, c, op, rng| {
            after_feedback(params, c, op, rng, |op, before, counter, _| {
                if op.kind == OpKind::Nack {
                    *counter = 31.min(before + 4);
                }
            })
        }),
        apply("a counter stays at 14", |params, c, op, rng| {
            after_feedback(params, c, op, rng, |_, _, counter, _| *counter = 14.min(*counter))
        }),
        apply("a NACK counts 3", |params, c, op, rng| {
            after_feedback(params, c, op, rng, |op, before, counter, _| {
                if op.kind == OpKind::Nack {
                    *counter = 15.min(before + 3);
                }
            })
        }),
        apply("an event is lost", |params, c, op, rng| Outcome {
            events: 0,
            ..Bitmap::apply(params, c, op, rng)
        }),
        apply("a counter at its highest pulses, too", |params, c, op, rng| {
            after_feedback(params, c, op, rng, |op, before, _, outcome| {
                if op.kind == OpKind::Nack && before == 15 {
                    outcome.events = bitmap::PATH_PENALISED;
                }
            })
        }),
    ]
}

/// The algorithm of `mixed`, and behind each op `change`, which gets the state before it.
fn after(
    params: &mixed::Params,
    c: &mut mixed::Connection,
    op: &Op,
    rng: &mut Rng,
    change: fn(&mixed::Params, &Op, &mixed::Connection, &mut mixed::Connection, &mut Outcome),
) -> Outcome {
    let before = *c;
    let mut outcome = Mixed::apply(params, c, op, rng);
    change(params, op, &before, c, &mut outcome);
    outcome
}

fn is_recycle(outcome: &Outcome) -> bool {
    outcome.result.is_some_and(|sent| sent.kind == SendKind::Recycle)
}

fn of_list() -> Vec<Fault<Mixed>> {
    let apply = Fault::<Mixed>::apply;
    vec![
        apply("the EV of a marked ACK is listed", |params, c, op, rng| {
            if op.kind == OpKind::Ack && op.ecn {
                Mixed::apply(params, c, &Op { ecn: false, ..*op }, rng);
            }
            Mixed::apply(params, c, op, rng)
        }),
        apply("the EV of a good ACK is not listed", |params, c, op, rng| {
            after(params, c, op, rng, |_, op, before, c, _| {
                if op.kind == OpKind::Ack && !op.ecn {
                    *c = *before;
                }
            })
        }),
        apply("the newest EV is taken", |params, c, op, rng| {
            after(params, c, op, rng, |params, _, before, c, outcome| {
                let newest = (before.oldest + before.length).wrapping_sub(1) % params.keys.depth;
                if let Some(sent) = outcome.result.as_mut().filter(|sent| sent.kind == SendKind::Recycle) {
                    sent.ev = before.evs[usize::from(newest)];
                    c.oldest = before.oldest;
                }
            })
        }),
        apply("an EV is taken twice", |params, c, op, rng| {
            after(params, c, op, rng, |_, _, before, c, outcome| {
                if is_recycle(outcome) && before.oldest % 2 == 0 {
                    *c = *before;
                    // so that it is not taken for ever
                    c.length -= u8::from(before.length > 1);
                }
            })
        }),
        apply("the list has a place less", |params, c, op, rng| {
            after(params, c, op, rng, |params, op, before, c, _| {
                if op.kind == OpKind::Ack && before.length < c.length && c.length == params.keys.depth {
                    c.oldest = (c.oldest + 1) % params.keys.depth;
                    c.length -= 1;
                }
            })
        }),
        apply("a full list takes no EV", |params, c, op, rng| {
            after(params, c, op, rng, |params, op, before, c, _| {
                if op.kind == OpKind::Ack && before.length == params.keys.depth {
                    (c.evs, c.oldest) = (before.evs, before.oldest);
                }
            })
        }),
        apply("the path of an EV is listed alone", |params, c, op, rng| {
            let ev = op.ev % params.keys.paths;
            Mixed::apply(params, c, &Op { ev, ..*op }, rng)
        }),
        apply("a recycle goes on with the round", |params, c, op, rng| {
            after(params, c, op, rng, |params, _, _, c, outcome| {
                if is_recycle(outcome) && u16::from(c.bitmap.index) + 1 < params.keys.paths {
                    c.bitmap.index += 1;
                }
            })
        }),
        apply("a first send draws, though it recycles", |params, c, op, rng| {
            if op.kind == OpKind::Send && !c.bitmap.drawn && c.length > 0 {
                c.bitmap.drawn = true;
                let ev = params.draw(rng);
                (c.bitmap.x, c.bitmap.upper) = ((ev % params.keys.paths) as u8, ev - ev % params.keys.paths);
            }
            Mixed::apply(params, c, op, rng)
        }),
        apply("a send searches before it takes from the list", |params, c, op, rng| {
            let path = usize::from((c.bitmap.index ^ c.bitmap.x) & (params.keys.paths - 1) as u8);
            if op.kind != OpKind::Send || !c.bitmap.drawn || c.bitmap.counters[path] > 0 {
                return Mixed::apply(params, c, op, rng);
            }
            let (length, oldest) = (c.length, c.oldest);
            c.length = 0;
            let outcome = Mixed::apply(params, c, op, rng);
            (c.length, c.oldest) = (length, oldest);
            outcome
        }),
        apply("a listed EV whose path has a penalty is not taken", |params, c, op, rng| {
            let path = c.evs[usize::from(c.oldest)] % params.keys.paths;
            if op.kind == OpKind::Send && c.length > 0 && c.bitmap.counters[usize::from(path)] > 0 {
                c.oldest = (c.oldest + 1) % params.keys.depth;
                c.length -= 1;
            }
            Mixed::apply(params, c, op, rng)
        }),
    ]
}

/// Faults of the search and of feedback, in the search of `mixed`.
fn of_counters() -> Vec<Fault<Mixed>> {
    let (before, apply) = (Fault::<Mixed>::before, Fault::<Mixed>::apply);
    vec![
        before("two connections taken for one", |op| op.conn &= !1),
        before("a NACK is not heard", |op| {
            if op.kind == OpKind::Nack {
                op.kind = OpKind::Reserved;
            }
        }),
        apply("feedback leaves the counters", |params, c, op, rng| {
            after(params, c, op, rng, |_, op, before, c, _| {
                if op.kind != OpKind::Send {
                    c.bitmap = before.bitmap;
                }
            })
        }),
        apply("it gives up a path early", |params, c, op, rng| {
            if op.kind != OpKind::Send || c.length > 0 {
                return Mixed::apply(params, c, op, rng);
            }
            let keys = bitmap::Keys { paths: params.keys.paths, timeout: params.keys.timeout };
            let mixed::Params { connections, ev_base, ev_bits, time_bits, seed, .. } = *params;
            let of_bitmap = Params { connections, ev_base, ev_bits, time_bits, seed, keys };
            let search = Search { more_places: -1, ..SEARCH };
            let mut outcome = search.apply(&of_bitmap, &mut c.bitmap, op, rng);
            outcome.class.index = 3;
            outcome
        }),
        apply("a recycle has the class of a search", |params, c, op, rng| {
            let mut outcome = Mixed::apply(params, c, op, rng);
            outcome.class.index |= u8::from(op.kind == OpKind::Send);
            outcome
        }),
        apply("an event is lost", |params, c, op, rng| Outcome {
            events: 0,
            ..Mixed::apply(params, c, op, rng)
        }),
    ]
}

pub fn of_mixed() -> Vec<Fault<Mixed>> {
    let mut faults = of_any();
    faults.extend(of_list());
    faults.extend(of_counters());
    faults
}
