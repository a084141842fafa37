//! Selectors that are wrong in one way each, as a broken RTL could be.

pub mod bitmap;
pub mod feedback;
pub mod strack;

use std::marker::PhantomData;

use respray_golden::ecmp::Ecmp;
use respray_golden::ops::{self, Connection, Ops};
use respray_golden::rng::Rng;
use respray_golden::selector::{Engine, Op, OpKind, Outcome, Params, Selector, SendKind};

type Apply<S> =
    fn(&Params<<S as Selector>::Keys>, &mut <S as Selector>::Connection, &Op, &mut Rng) -> Outcome;

/// A way to be wrong: `before` changes the op that the engine executes, `apply` stands for the algorithm.
pub struct Fault<S: Selector> {
    pub name: &'static str,
    pub before: fn(&mut Op),
    pub apply: Apply<S>,
}

/// The selector `S` with the algorithm that its keys name.
#[derive(Clone, Copy, Debug)]
pub struct Faulty<S>(PhantomData<S>);

#[derive(Debug)]
pub struct Keys<S: Selector> {
    params: Params<S::Keys>,
    apply: Apply<S>,
}

impl<S: Selector> Clone for Keys<S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: Selector> Copy for Keys<S> {}

impl<S: Selector> Selector for Faulty<S> {
    const NAME: &'static str = S::NAME;
    const SETTINGS: &'static [&'static str] = S::SETTINGS;
    const EVENTS: &'static [&'static str] = S::EVENTS;
    type Keys = Keys<S>;
    type Connection = S::Connection;

    fn ev_set_bits(params: &Params<Keys<S>>) -> u32 {
        S::ev_set_bits(&params.keys.params)
    }

    fn apply(params: &Params<Keys<S>>, c: &mut S::Connection, op: &Op, rng: &mut Rng) -> Outcome {
        (params.keys.apply)(&params.keys.params, c, op, rng)
    }
}

impl<S: Selector> Fault<S> {
    /// No fault: the selector itself.
    pub const NONE: Self = Fault { name: "none", before: |_| (), apply: S::apply };

    fn before(name: &'static str, before: fn(&mut Op)) -> Self {
        Fault { name, before, ..Fault::NONE }
    }

    fn apply(name: &'static str, apply: Apply<S>) -> Self {
        Fault { name, apply, ..Fault::NONE }
    }

    /// The engine with the fault in its algorithm; `before` is for the caller to heed.
    pub fn engine(&self, params: Params<S::Keys>) -> Engine<Faulty<S>> {
        let Params { connections, ev_base, ev_bits, time_bits, seed, .. } = params;
        let keys = Keys { params, apply: self.apply };
        Engine::new(Params { connections, ev_base, ev_bits, time_bits, seed, keys })
    }
}

/// Faults that any selector without feedback could have.
fn of_any<S: Selector>() -> Vec<Fault<S>> {
    let (before, apply) = (Fault::<S>::before, Fault::<S>::apply);
    vec![
        before("init lost", |op| {
            if op.kind == OpKind::Init {
                op.kind = OpKind::Reserved;
            }
        }),
        before("reserved kind taken for a send", |op| {
            if op.kind == OpKind::Reserved {
                op.kind = OpKind::Send;
            }
        }),
        apply("a draw on every op", |params, c, op, rng| {
            let outcome = S::apply(params, c, op, rng);
            rng.step();
            outcome
        }),
        apply("a draw on every NACK", |params, c, op, rng| {
            if op.kind == OpKind::Nack {
                rng.step();
            }
            S::apply(params, c, op, rng)
        }),
        apply("a timeout starts the connection anew and sends", |params, c, op, rng| {
            if op.kind != OpKind::Timeout {
                return S::apply(params, c, op, rng);
            }
            *c = S::Connection::default();
            S::apply(params, c, &Op { kind: OpKind::Send, ..*op }, rng)
        }),
        apply("an ACK has a result", |params, c, op, rng| match op.kind {
            OpKind::Ack => Outcome::sent(SendKind::Recycle, op.ev),
            _ => S::apply(params, c, op, rng),
        }),
        apply("an event pulses", |params, c, op, rng| Outcome {
            events: u8::from(op.kind == OpKind::Send),
            ..S::apply(params, c, op, rng)
        }),
        apply("the EV's top bit inverted", |params, c, op, rng| {
            let mut outcome = S::apply(params, c, op, rng);
            if let Some(sent) = &mut outcome.result {
                sent.ev ^= 0x8000;
            }
            outcome
        }),
        apply("explore called a replay, replay an explore", |params, c, op, rng| {
            let mut outcome = S::apply(params, c, op, rng);
            if let Some(sent) = &mut outcome.result {
                let explored = sent.kind == SendKind::Explore;
                sent.kind = if explored { SendKind::Replay } else { SendKind::Explore };
            }
            outcome
        }),
    ]
}

pub fn of_ecmp() -> Vec<Fault<Ecmp>> {
    let (before, apply) = (Fault::<Ecmp>::before, Fault::<Ecmp>::apply);
    let mut faults = of_any();
    faults.extend([
        before("two connections taken for one", |op| op.conn &= !1),
        apply("a draw on every send", |params, c, op, rng| {
            c.drawn = false;
            Ecmp::apply(params, c, op, rng)
        }),
        apply("an ACK names the EV", |params, c, op, rng| {
            if op.kind == OpKind::Ack && c.drawn {
                c.ev = op.ev;
            }
            Ecmp::apply(params, c, op, rng)
        }),
        apply("an EV that ends in zeros taken for none", |params, c, op, rng| {
            c.drawn &= c.ev % 8 != 0;
            Ecmp::apply(params, c, op, rng)
        }),
    ]);
    faults
}

pub fn of_random() -> Vec<Fault<Ops>> {
    let apply = Fault::<Ops>::apply;
    let mut faults = of_any();
    // there is no state to be lost
    faults.retain(|fault| fault.name != "init lost");
    faults.extend([
        apply("a word used twice", |params, c, op, rng| {
            let mut copy = *rng;
            let outcome = Ops::apply(params, c, op, &mut copy);
            if rng.state() % 16 != 0 {
                *rng = copy;
            }
            outcome
        }),
        apply("the EV of the upper bits", |params, _, op, rng| match op.kind {
            OpKind::Send => {
                let ev = params.ev_base | rng.step() >> (16 - params.ev_bits);
                Outcome::sent(SendKind::Explore, ev)
            }
            _ => Outcome::default(),
        }),
    ]);
    faults
}

/// A send of order `permuted` that was executed, open to change.
struct Sent<'a> {
    c: &'a mut Connection,
    before: Connection,
    rng: &'a mut Rng,
    rng_before: Rng,
    outcome: &'a mut Outcome,
    /// The last place of a round, and the mask of a path's bits.
    last: u16,
}

impl Sent<'_> {
    fn ends_round(&self) -> bool {
        self.before.index == self.last
    }

    fn set_path(&mut self, path: u16) {
        *self.outcome = Outcome::sent(SendKind::Explore, self.c.upper | path & self.last);
    }
}

/// The algorithm, and after each send `change`.
fn after_send(
    params: &Params<ops::Keys>,
    c: &mut Connection,
    op: &Op,
    rng: &mut Rng,
    change: fn(&mut Sent),
) -> Outcome {
    let (before, rng_before) = (*c, *rng);
    let mut outcome = Ops::apply(params, c, op, rng);
    if op.kind == OpKind::Send {
        let last = (params.keys.paths - 1) as u16;
        change(&mut Sent { c, before, rng, rng_before, outcome: &mut outcome, last });
    }
    outcome
}

pub fn of_permuted() -> Vec<Fault<Ops>> {
    let (before, apply) = (Fault::<Ops>::before, Fault::<Ops>::apply);
    let mut faults = of_any();
    faults.extend([
        before("two connections taken for one", |op| op.conn &= !1),
        apply("index not xored", |params, c, op, rng| {
            after_send(params, c, op, rng, |sent| sent.set_path(sent.before.index))
        }),
        apply("index added to x", |params, c, op, rng| {
            after_send(params, c, op, rng, |sent| {
                let x = if sent.before.drawn { sent.before.x } else { sent.c.x };
                sent.set_path(x.wrapping_add(sent.before.index));
            })
        }),
        apply("no redraw at P", |params, c, op, rng| {
            after_send(params, c, op, rng, |sent| {
                if sent.ends_round() {
                    sent.c.x = sent.before.x;
                    *sent.rng = sent.rng_before;
                }
            })
        }),
        apply("a round has one place less", |params, c, op, rng| {
            after_send(params, c, op, rng, |sent| {
                if sent.c.index == sent.last {
                    sent.c.index = 0;
                    sent.c.x = sent.rng.step() & sent.last;
                }
            })
        }),
        apply("a round has one place more", |params, c, op, rng| {
            after_send(params, c, op, rng, |sent| {
                if sent.ends_round() {
                    *sent.c = Connection { index: sent.last + 1, ..sent.before };
                    *sent.rng = sent.rng_before;
                }
            })
        }),
        apply("the upper bits drawn anew with x", |params, c, op, rng| {
            after_send(params, c, op, rng, |sent| {
                if sent.ends_round() {
                    sent.c.upper ^= (sent.rng_before.step() & !sent.last) % 1024;
                }
            })
        }),
        apply("x of the word's upper bits", |params, c, op, rng| {
            after_send(params, c, op, rng, |sent| {
                if sent.ends_round() {
                    sent.c.x = sent.rng_before.step() >> 6 & sent.last;
                }
            })
        }),
        apply("a draw on every send", |params, c, op, rng| {
            after_send(params, c, op, rng, |sent| {
                *sent.rng = sent.rng_before;
                sent.rng.step();
            })
        }),
        apply(
            "x drawn with a round's first send, not with the last of the round before",
            |params, c, op, rng| {
                // the lowest upper bit, else always 0, says that a draw is due
                if op.kind == OpKind::Send && c.upper & 1 == 1 {
                    c.upper ^= 1;
                    c.x = rng.step() & (params.keys.paths - 1) as u16;
                }
                after_send(params, c, op, rng, |sent| {
                    if sent.ends_round() {
                        sent.c.upper |= 1;
                        *sent.rng = sent.rng_before;
                    }
                })
            },
        ),
    ]);
    faults
}
