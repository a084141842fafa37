//! Windows that are wrong in one way each, as a broken RTL could be.

use respray_golden::strack_cc::{Action, Class, Connection, Op, OpKind, Outcome, Res, Status};

/// A way to be wrong: `before` changes the op that the engine executes, `after` what it did.
pub struct Fault {
    pub name: &'static str,
    pub before: fn(&mut Op),
    pub after: fn(&Op, &Connection, &mut Outcome, &mut Connection),
}

impl Fault {
    /// No fault: the engine itself.
    pub const NONE: Self = Fault { name: "none", before: |_| (), after: |_, _, _, _| () };
}

fn before(name: &'static str, before: fn(&mut Op)) -> Fault {
    Fault { name, before, ..Fault::NONE }
}

fn after(name: &'static str, after: fn(&Op, &Connection, &mut Outcome, &mut Connection)) -> Fault {
    Fault { name, after, ..Fault::NONE }
}

/// Sets the window, and the result with it.
fn set_window(outcome: &mut Outcome, c: &mut Connection, cwnd: u32) {
    c.cwnd = cwnd;
    if let Some(result) = &mut outcome.result {
        result.cwnd = cwnd;
        result.cwnd_packets = (cwnd >> 16) as u16;
    }
}

/// The result of an ACK that was taken.
fn taken(op: &Op, outcome: &Outcome) -> Option<Res> {
    outcome.result.filter(|result| op.kind == OpKind::Ack && result.status == Status::Ok)
}

fn took(op: &Op, outcome: &Outcome, action: Action) -> bool {
    taken(op, outcome).is_some_and(|result| result.action == action && !result.fair)
}

pub fn all() -> Vec<Fault> {
    let mut faults = of_ops();
    faults.extend(of_measures());
    faults.extend(of_windows());
    faults
}

fn of_ops() -> Vec<Fault> {
    vec![
        before("two connections taken for one", |op| op.conn &= !1),
        before("init lost", |op| {
            if op.kind == OpKind::Init {
                op.kind = OpKind::Reserved;
            }
        }),
        before("a NACK is taken for a marked ACK", |op| {
            if op.kind == OpKind::Nack {
                op.kind = OpKind::Ack;
            }
        }),
        before("a timeout starts the connection anew", |op| {
            if op.kind == OpKind::Timeout {
                op.kind = OpKind::Init;
            }
        }),
        before("a read has the cycles of a reserved kind", |op| {
            if op.kind == OpKind::Read {
                op.kind = OpKind::Reserved;
            }
        }),
        before("packets of 2^14 bytes are allowed", |op| op.settings.mtu_log2 = op.settings.mtu_log2.min(13)),
        after("an ACK before init is taken", |op, c, outcome, _| {
            if op.kind == OpKind::Ack && !c.initialised {
                outcome.result = outcome.result.map(|result| Res { status: Status::Ok, ..result });
            }
        }),
        after("a read tells the delay before", |op, c, outcome, _| {
            if let (OpKind::Read, Some(result)) = (op.kind, &mut outcome.result) {
                result.delay = (c.avg8 >> 3) as u16;
            }
        }),
        after("a read is held to the largest window", |op, _, outcome, _| {
            if let (OpKind::Read, Some(result)) = (op.kind, &mut outcome.result) {
                result.cwnd = result.cwnd.min(u32::from(op.settings.max_cwnd.max(1)) << 16);
            }
        }),
        after("whole packets are rounded to the nearest", |_, _, outcome, _| {
            if let Some(result) = &mut outcome.result {
                result.cwnd_packets = ((result.cwnd + 0x8000) >> 16) as u16;
            }
        }),
        after("an increase of a full window divides", |op, _, outcome, _| {
            let increases = [Action::Proportional, Action::Additive];
            if increases.iter().any(|action| took(op, outcome, *action)) {
                outcome.class = Class::AckIncrease;
            }
        }),
    ]
}

fn of_measures() -> Vec<Fault> {
    vec![
        before("marked for unmarked", |op| op.ecn = !op.ecn),
        before("bytes of a probe's ACK count", |op| op.probe = false),
        before("bytes of 16 bits", |op| op.bytes &= 0xffff),
        before("every RTT lowers the base RTT", |op| op.settings.min_base_rtt = 0),
        before("an RTT of just the least does not lower the base RTT", |op| {
            op.settings.min_base_rtt = op.settings.min_base_rtt.saturating_add(1);
        }),
        after("the base RTT rises", |op, _, outcome, c| {
            if taken(op, outcome).is_some() && op.settings.min_base_rtt < 200 {
                c.base_rtt = op.now.wrapping_sub(op.timestamp);
            }
        }),
        after("the average over sixteen", |op, before, outcome, c| {
            if let Some(result) = taken(op, outcome) {
                c.avg8 = before.avg8 - (before.avg8 >> 4) + u32::from(result.delay);
            }
        }),
        after("the average rounded down", |op, before, outcome, c| {
            if let Some(result) = taken(op, outcome) {
                c.avg8 = before.avg8 - before.avg8.div_ceil(8) + u32::from(result.delay);
            }
        }),
        after("the average of 18 bits", |_, _, _, c| c.avg8 &= (1 << 18) - 1),
        after("the count wraps", |op, before, outcome, c| {
            let bytes = if op.probe { 0 } else { op.bytes };
            if taken(op, outcome).is_some() && before.rx + bytes >= 1 << 20 && c.rx != 0 {
                c.rx = (before.rx + bytes) & ((1 << 20) - 1);
            }
        }),
        after("the ACK that ends a period counts for the next", |op, before, outcome, c| {
            if taken(op, outcome).is_some() && before.counting && c.since != before.since {
                c.achieved = before.rx;
                c.rx = if op.probe { 0 } else { op.bytes };
            }
        }),
        after("the first period begins at init", |op, before, outcome, c| {
            if taken(op, outcome).is_some() && !before.counting {
                c.since = before.cut_at;
            }
        }),
    ]
}

fn of_windows() -> Vec<Fault> {
    vec![
        before("the higher target itself counts as above it", |op| {
            op.settings.target_qhigh = op.settings.target_qhigh.saturating_sub(1);
        }),
        before("the target itself counts as below it", |op| {
            op.settings.target_qdelay = op.settings.target_qdelay.saturating_add(1);
        }),
        before("gamma without its lower byte", |op| op.settings.gamma &= 0xff00),
        before("beta a bit too far left", |op| op.settings.beta = op.settings.beta.saturating_mul(2)),
        before("the largest window of 9 bits", |op| op.settings.max_cwnd &= 0x1ff),
        after("a step before the division by 4", |op, before, outcome, c| {
            if took(op, outcome, Action::Proportional) {
                let most = u32::from(op.settings.max_cwnd.max(1)) << 16;
                set_window(outcome, c, (before.cwnd + 4 * c.cwnd.saturating_sub(before.cwnd)).min(most));
            }
        }),
        after("a step rounded up", |op, before, outcome, c| {
            if took(op, outcome, Action::Additive) && before.cwnd < c.cwnd {
                let most = u32::from(op.settings.max_cwnd.max(1)) << 16;
                set_window(outcome, c, (c.cwnd + 1).min(most));
            }
        }),
        after("a quotient without its last two bits", |op, before, outcome, c| {
            if took(op, outcome, Action::Additive) && before.cwnd < c.cwnd {
                set_window(outcome, c, before.cwnd + ((c.cwnd - before.cwnd) & !3));
            }
        }),
        after("a cut rounded up by two", |op, _, outcome, c| {
            if took(op, outcome, Action::Multiplicative) && c.cwnd > 1 << 17 {
                set_window(outcome, c, c.cwnd - 2);
            }
        }),
        after("a part of 15 bits", |op, before, outcome, c| {
            if took(op, outcome, Action::Multiplicative) {
                let above = u64::from(c.avg8) - 8 * u64::from(op.settings.target_qdelay);
                let part = ((above << 15) / u64::from(c.avg8)) << 1;
                let cut = ((u64::from(op.settings.gamma) * part) >> 16).min(1 << 15);
                let cwnd = before.cwnd - ((u64::from(before.cwnd) * cut) >> 16) as u32;
                let most = u32::from(op.settings.max_cwnd.max(1)) << 16;
                set_window(outcome, c, cwnd.min(most).max(1 << 16));
            }
        }),
        after("a cut by three quarters", |op, before, outcome, c| {
            if took(op, outcome, Action::Multiplicative) && c.cwnd <= before.cwnd / 2 + 1 {
                set_window(outcome, c, (before.cwnd / 4).max(1 << 16));
            }
        }),
        after("what was achieved raises the window", |op, _, outcome, c| {
            let achieved = u64::from(c.achieved) << 16 >> op.settings.mtu_log2;
            if took(op, outcome, Action::Achieved) && achieved > u64::from(c.cwnd) {
                set_window(outcome, c, achieved as u32);
            }
        }),
        after("what was achieved without a fraction", |op, _, outcome, c| {
            if took(op, outcome, Action::Achieved) {
                set_window(outcome, c, c.cwnd & !0xffff);
            }
        }),
        after("a cut does not say when", |_, before, _, c| c.cut_at = before.cut_at),
        after("a cut says half a base RTT later", |op, _, outcome, c| {
            if took(op, outcome, Action::Multiplicative) {
                c.cut_at = c.cut_at.wrapping_add(c.base_rtt / 2);
            }
        }),
        after("no increase for fairness with a cut", |op, _, outcome, c| {
            if let Some(result) = taken(op, outcome)
                && result.action == Action::Multiplicative
                && result.fair
            {
                let by = u32::from(op.settings.eta) << 4;
                set_window(outcome, c, c.cwnd.saturating_sub(by).max(1 << 16));
            }
        }),
        after("the increase for fairness a bit too small", |op, before, outcome, c| {
            if taken(op, outcome).is_some_and(|result| result.fair && result.action == Action::Hold) {
                let by = u32::from(op.settings.eta) << 3;
                set_window(outcome, c, c.cwnd.min(before.cwnd + by));
            }
        }),
        after("a window below one packet", |op, _, outcome, c| {
            if taken(op, outcome).is_some() && c.cwnd == 1 << 16 {
                set_window(outcome, c, (1 << 16) - 1);
            }
        }),
        after("a window above the largest", |op, _, outcome, c| {
            if taken(op, outcome).is_some() && c.cwnd >> 16 == u32::from(op.settings.max_cwnd) {
                set_window(outcome, c, c.cwnd + 1);
            }
        }),
        after("actions 1 and 2 exchanged", |_, _, outcome, _| {
            if let Some(result) = &mut outcome.result {
                result.action = match result.action {
                    Action::Proportional => Action::Additive,
                    Action::Additive => Action::Proportional,
                    other => other,
                };
            }
        }),
    ]
}
