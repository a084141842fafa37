//! What an op must do, judged by what the algorithms do in real numbers to the state before it; and what holds whatever they say.

use respray_golden::strack_cc::{Action, Class, Connection, Op, OpKind, Outcome, Status};

use super::reals::{Real, UNIT, ack_of, most_cwnd};

type Verdict = Result<(), String>;

pub fn ensure(condition: bool, rule: &str) -> Verdict {
    if condition { Ok(()) } else { Err(rule.to_owned()) }
}

pub fn check(op: &Op, outcome: &Outcome, before: &Connection, after: &Connection) -> Verdict {
    let has_result = matches!(op.kind, OpKind::Read | OpKind::Ack);
    ensure(outcome.result.is_some() == has_result, "reads and ACKs alone have a result")?;
    let is_refused = !before.initialised || !(8..=13).contains(&op.settings.mtu_log2);
    match op.kind {
        OpKind::Init => return check_init(op, outcome, after),
        OpKind::Ack if !is_refused => return check_ack(op, outcome, before, after),
        _ => ensure(before == after, "only ACKs and init change anything")?,
    }
    let Some(result) = outcome.result else {
        return ensure(outcome.class == Class::Idle, "what does nothing is idle");
    };
    ensure(outcome.class == Class::Read, "the class of a read, and of a refused ACK")?;
    ensure((result.status == Status::Uninitialised) == is_refused, "only what can be done is done")?;
    let cwnd = if is_refused { 0 } else { before.cwnd };
    let fields = (result.cwnd, u32::from(result.cwnd_packets), result.delay, result.action, result.fair);
    ensure(fields == (cwnd, cwnd >> 16, 0, Action::Hold, false), "a read tells the stored window alone")
}

fn check_init(op: &Op, outcome: &Outcome, after: &Connection) -> Verdict {
    let expected = Connection {
        cwnd: u32::from(op.settings.max_cwnd.max(1)) << 16,
        base_rtt: op.settings.net_base_rtt,
        avg8: 0,
        cut_at: op.now,
        fair_at: op.now,
        since: 0,
        rx: 0,
        achieved: 0,
        initialised: true,
        counting: false,
        measured: false,
    };
    ensure(outcome.class == Class::Init && *after == expected, "init leaves no past")
}

/// Real times modulo 2^16.
fn wrapped(time: f64) -> u16 {
    (time as i64).rem_euclid(1 << 16) as u16
}

fn check_ack(op: &Op, outcome: &Outcome, before: &Connection, after: &Connection) -> Verdict {
    let settings = &op.settings;
    let result = outcome.result.expect("it was looked at");
    ensure(result.status == Status::Ok, "an ACK is taken")?;

    // step by step in real numbers, each on what the engine had before
    let mut real = Real::of(before, op.now);
    let ack = ack_of(op);
    let delay = real.measure(&ack, settings);
    ensure(f64::from(after.base_rtt) == real.base_rtt, "the base RTT is the smallest")?;
    ensure(result.delay == wrapped(delay), "the delay is what the RTT exceeds it by")?;
    // where the RTT is of another lap, its delay is of that lap, too
    let delay = f64::from(result.delay);
    let (bytes, achieved) = real.bytes();
    let most = f64::from((1 << 20) - 1);
    ensure(f64::from(after.rx) == bytes.min(most), "bytes of the period")?;
    ensure(after.measured == achieved.is_some(), "whether a whole period was counted")?;
    ensure(
        f64::from(after.achieved) == achieved.unwrap_or(0.0).min(most),
        "bytes of the latest whole period",
    )?;

    real.average(delay);
    let above = f64::from(after.avg8) - 8.0 * real.avg_delay;
    ensure((0.0..1.0).contains(&above), "the average is too high by less than 1/8 tick a step")?;
    real.avg_delay = f64::from(after.avg8) / 8.0;

    let (action, fair) = real.adjust(&ack, delay, settings);
    ensure((result.action, result.fair) == (action, fair), "the branch of Algorithm 4")?;
    let (last_decrease, last_fair, cleared) = real.times();
    let times = (wrapped(last_decrease), wrapped(last_fair), cleared.map(wrapped));
    ensure((after.cut_at, after.fair_at) == (times.0, times.1), "when the window was changed")?;
    ensure(after.counting.then_some(after.since) == times.2, "when the period began")?;

    // how far the integers may lie below the real window after an increase, and above it after a decrease
    let gamma = f64::from(settings.gamma) * UNIT;
    let bound = match action {
        Action::Hold | Action::Achieved => 0.0,
        Action::Proportional => 2.0 * UNIT,
        Action::Additive => UNIT,
        Action::Multiplicative => (1.0 + gamma) * f64::from(before.cwnd) * UNIT * UNIT + UNIT,
    };
    let cwnd = f64::from(after.cwnd) * UNIT;
    let off = if action == Action::Multiplicative { cwnd - real.cwnd } else { real.cwnd - cwnd };
    let rounding = 1e-9; // of the real numbers themselves
    ensure(off >= -rounding && (off < bound || off.abs() < rounding), "the window within its bound")?;

    let is_full = before.cwnd >> 16 >= u32::from(settings.max_cwnd.max(1));
    let class = match action {
        Action::Proportional | Action::Additive if !is_full => Class::AckIncrease,
        Action::Hold | Action::Proportional | Action::Additive => Class::AckHold,
        Action::Multiplicative => Class::AckMultiplicative,
        Action::Achieved => Class::AckAchieved,
    };
    ensure(outcome.class == class, "the class of the branch")?;
    let packets = u32::from(result.cwnd_packets);
    ensure((result.cwnd, packets) == (after.cwnd, after.cwnd >> 16), "an ACK tells the window behind it")?;
    check_always(op, action, fair, before, after)
}

/// What holds of the window without a word on how it is computed.
fn check_always(op: &Op, action: Action, fair: bool, before: &Connection, after: &Connection) -> Verdict {
    let settings = &op.settings;
    let most = most_cwnd(settings) as u32;
    ensure((1 << 16..=most << 16).contains(&after.cwnd), "1 packet to max_cwnd")?;
    ensure(after.initialised && after.counting, "a connection does not forget")?;
    ensure(
        after.avg8 < 1 << 19 && after.rx < 1 << 20 && after.achieved < 1 << 20,
        "fields have their width",
    )?;
    ensure(after.base_rtt <= before.base_rtt, "the base RTT never rises")?;
    let since = op.now.wrapping_sub(before.cut_at);
    let cuts = matches!(action, Action::Achieved | Action::Multiplicative);
    ensure(!cuts || since > after.base_rtt, "one cut a base RTT")?;
    if before.cwnd > most << 16 {
        return Ok(()); // the largest window was lowered since
    }
    let by_fairness = if fair { u32::from(settings.eta) << 4 } else { 0 };
    if cuts {
        ensure(after.cwnd <= (before.cwnd + by_fairness).min(most << 16), "a cut never raises the window")?;
    } else {
        ensure(after.cwnd >= before.cwnd, "nothing else lowers it")?;
    }
    let least = if action == Action::Multiplicative { before.cwnd / 2 } else { 0 };
    ensure(after.cwnd >= least, "a multiplicative decrease leaves half")
}
