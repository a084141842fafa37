//! Faults of the selectors that take turns or hear feedback.

use respray_golden::flowlet::Flowlet;
use respray_golden::mprdma::Mprdma;
use respray_golden::plb::Plb;
use respray_golden::selector::{Op, OpKind, Outcome, Selector, SendKind};
use respray_golden::subflows::Subflows;

use super::{Fault, of_any};

fn is_feedback(op: &Op) -> bool {
    matches!(op.kind, OpKind::Ack | OpKind::Nack)
}

pub fn of_subflows() -> Vec<Fault<Subflows>> {
    let (before, apply) = (Fault::<Subflows>::before, Fault::<Subflows>::apply);
    let mut faults = of_any();
    faults.extend([
        before("two connections taken for one", |op| op.conn &= !1),
        before("a subflow more", |op| op.settings[0] += 1),
        before("a subflow less", |op| op.settings[0] -= 1),
        apply("a draw on every send", |params, c, op, rng| {
            c.drawn = false;
            Subflows::apply(params, c, op, rng)
        }),
        apply("the turn goes on with every op", |params, c, op, rng| {
            let send = Op { kind: OpKind::Send, ..*op };
            let outcome = Subflows::apply(params, c, &send, rng);
            if op.kind == OpKind::Send { outcome } else { Outcome::default() }
        }),
        apply("the sum leaves the EV set", |params, c, op, rng| {
            let mut outcome = Subflows::apply(params, c, op, rng);
            if let Some(sent) = &mut outcome.result
                && sent.ev < c.base
            {
                sent.ev += 1 << (params.ev_bits % 16);
            }
            outcome
        }),
        apply("the turn begins anew a send late", |params, c, op, rng| {
            let mut more = *op;
            more.settings[0] += u32::from(c.next == 0);
            c.next += u8::from(c.next == 0 && c.drawn);
            Subflows::apply(params, c, &more, rng)
        }),
    ]);
    faults
}

pub fn of_mprdma() -> Vec<Fault<Mprdma>> {
    let (before, apply) = (Fault::<Mprdma>::before, Fault::<Mprdma>::apply);
    let mut faults = of_any();
    faults.extend([
        before("two connections taken for one", |op| op.conn &= !1),
        before("there is always room", |op| op.more = 1),
        before("there is never room", |op| op.more = 0),
        before("a NACK names no EV", |op| {
            if op.kind == OpKind::Nack {
                op.kind = OpKind::Reserved;
            }
        }),
        before("a NACK is taken for an ACK", |op| {
            if op.kind == OpKind::Nack {
                op.kind = OpKind::Ack;
            }
        }),
        before("a marked ACK leaves no room", |op| op.more &= u32::from(!op.ecn)),
        apply("an EV is used once", |params, c, op, rng| {
            let outcome = Mprdma::apply(params, c, op, rng);
            c.room &= op.kind != OpKind::Send;
            outcome
        }),
        apply("the EV of the ACK before", |params, c, op, rng| {
            let ev = c.ev;
            let outcome = Mprdma::apply(params, c, op, rng);
            if op.kind == OpKind::Ack && c.heard && ev != 0 {
                c.ev = ev;
            }
            outcome
        }),
        apply("a drawn EV is kept", |params, c, op, rng| {
            let outcome = Mprdma::apply(params, c, op, rng);
            if let Some(sent) = outcome.result {
                c.ev = sent.ev;
                c.heard = true;
                c.room = true;
            }
            outcome
        }),
    ]);
    faults
}

fn of_any_flowlet() -> Vec<Fault<Flowlet>> {
    let (before, apply) = (Fault::<Flowlet>::before, Fault::<Flowlet>::apply);
    let mut faults = of_any();
    faults.extend([
        before("two connections taken for one", |op| op.conn &= !1),
        before("the gap that is just over counts as past", |op| {
            op.settings[0] = op.settings[0].wrapping_sub(1)
        }),
        before("a gap is never past", |op| op.settings[0] = u32::MAX),
        apply("a draw on every send", |params, c, op, rng| {
            c.drawn = false;
            Flowlet::apply(params, c, op, rng)
        }),
        apply("the EV after a gap is not kept", |params, c, op, rng| {
            let before = *c;
            let outcome = Flowlet::apply(params, c, op, rng);
            c.ev = if before.drawn { before.ev } else { c.ev };
            outcome
        }),
        apply("an event is lost", |params, c, op, rng| Outcome {
            events: 0,
            ..Flowlet::apply(params, c, op, rng)
        }),
    ]);
    faults
}

pub fn of_flowlet_send() -> Vec<Fault<Flowlet>> {
    let mut faults = of_any_flowlet();
    faults.extend([
        Fault::<Flowlet>::apply("the gap begins with the draw", |params, c, op, rng| {
            let last = c.last;
            let outcome = Flowlet::apply(params, c, op, rng);
            if outcome.result.is_some_and(|sent| sent.kind == SendKind::Replay) {
                c.last = last;
            }
            outcome
        }),
        Fault::<Flowlet>::apply("the gap begins with feedback, too", |params, c, op, rng| {
            if is_feedback(op) {
                c.last = op.now;
            }
            Flowlet::apply(params, c, op, rng)
        }),
    ]);
    faults
}

pub fn of_flowlet_ack() -> Vec<Fault<Flowlet>> {
    let (before, apply) = (Fault::<Flowlet>::before, Fault::<Flowlet>::apply);
    let mut faults = of_any_flowlet();
    faults.extend([
        before("the hold that is just over counts as past", |op| op.settings[1] -= 1),
        before("a path is not held", |op| op.settings[1] = 0),
        before("a NACK is not heard", |op| {
            if op.kind == OpKind::Nack {
                op.kind = OpKind::Reserved;
            }
        }),
        before("an ACK is not heard", |op| {
            if op.kind == OpKind::Ack {
                op.kind = OpKind::Reserved;
            }
        }),
        apply("who hears nothing stays", |params, c, op, rng| {
            let outcome = Flowlet::apply(params, c, op, rng);
            if op.kind == OpKind::Send && !c.heard {
                c.moved_at = op.now;
            }
            outcome
        }),
        apply("the hold begins with every send", |params, c, op, rng| {
            let outcome = Flowlet::apply(params, c, op, rng);
            if op.kind == OpKind::Send {
                c.moved_at = op.now;
            }
            outcome
        }),
    ]);
    faults
}

pub fn of_plb() -> Vec<Fault<Plb>> {
    let (before, apply) = (Fault::<Plb>::before, Fault::<Plb>::apply);
    let mut faults = of_any();
    faults.extend([
        before("two connections taken for one", |op| op.conn &= !1),
        before("K is a quarter more", |op| op.settings[2] += 64),
        before("the round that is just over counts as past", |op| op.settings[0] -= 1),
        before("the RTO that is just over counts as past", |op| op.settings[1] -= 1),
        before("a congested round less is enough", |op| op.settings[3] -= 1),
        before("a congested round more is needed", |op| op.settings[3] += 1),
        before("a NACK is not marked", |op| {
            if op.kind == OpKind::Nack {
                op.kind = OpKind::Ack;
            }
        }),
        before("a NACK is not heard", |op| {
            if op.kind == OpKind::Nack {
                op.kind = OpKind::Reserved;
            }
        }),
        apply("the first feedback opens a round that it does not close", |params, c, op, rng| {
            if is_feedback(op) && !c.in_round {
                c.in_round = true;
                c.round_at = op.now;
            }
            Plb::apply(params, c, op, rng)
        }),
        apply("marks of the round before count on", |params, c, op, rng| {
            let before = *c;
            let outcome = Plb::apply(params, c, op, rng);
            if is_feedback(op) && c.sum == 0 {
                c.sum = before.sum;
            }
            outcome
        }),
        apply("a good round does not end a row", |params, c, op, rng| {
            let rounds = c.rounds;
            let outcome = Plb::apply(params, c, op, rng);
            c.rounds = if is_feedback(op) { c.rounds.max(rounds) } else { c.rounds };
            outcome
        }),
        apply("a draw does not end a row", |params, c, op, rng| {
            let rounds = c.rounds;
            let outcome = Plb::apply(params, c, op, rng);
            c.rounds = if op.kind == OpKind::Send { rounds } else { c.rounds };
            outcome
        }),
        apply("an event is lost", |params, c, op, rng| Outcome {
            events: 0,
            ..Plb::apply(params, c, op, rng)
        }),
    ]);
    faults
}

/// What only timeouts show.
pub fn of_plb_with_timeouts() -> Vec<Fault<Plb>> {
    let apply = Fault::<Plb>::apply;
    let mut faults = of_plb();
    faults.extend([
        apply("every timeout draws", |params, c, op, rng| {
            c.timed_out = false;
            Plb::apply(params, c, op, rng)
        }),
        apply("no timeout draws", |params, c, op, rng| match op.kind {
            OpKind::Timeout => Outcome::default(),
            _ => Plb::apply(params, c, op, rng),
        }),
        apply("the RTO begins with every timeout", |params, c, op, rng| {
            let outcome = Plb::apply(params, c, op, rng);
            if op.kind == OpKind::Timeout {
                c.timed_out_at = op.now;
            }
            outcome
        }),
        apply("the send after a timeout that drew explores", |params, c, op, rng| {
            let before = *c;
            let outcome = Plb::apply(params, c, op, rng);
            if op.kind == OpKind::Timeout && c.ev != before.ev {
                c.drawn = false;
            }
            outcome
        }),
        apply("a timeout does not end a row", |params, c, op, rng| {
            let rounds = c.rounds;
            let outcome = Plb::apply(params, c, op, rng);
            c.rounds = if op.kind == OpKind::Timeout { rounds } else { c.rounds };
            outcome
        }),
    ]);
    faults
}
