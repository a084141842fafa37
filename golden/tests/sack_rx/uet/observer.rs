//! The model on random ops, against an observer that keeps absolute PSNs in a set.

use std::collections::BTreeSet;

use proptest::prelude::*;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use respray_golden::sack_rx::Params;
use respray_golden::sack_rx::uet::{Connection, Op, OpKind, Outcome, Sack, Settings, Status, UetRx};

use super::PSNS;

/// What an observer knows of a connection. Absolute PSNs begin at 2^33, so that none is negative.
#[derive(Clone, Debug)]
struct Observed {
    ordered: bool,
    host: bool,
    /// Lowest absolute PSN not received.
    epsn: u64,
    /// Absolute PSN behind the cumulative one of the host.
    cleared: u64,
    received: BTreeSet<u64>,
    bytes: u64,
    since_bytes: u64,
    /// PSNs that came since the last ACK, each as far as EPSN was then.
    since: Vec<u64>,
    told: bool,
    /// A packet that asked while a lower one was missing, and one was missing ever since.
    asked: bool,
    /// End of what the last ACKs allowed.
    allowed: u64,
}

type Verdict = Result<(), String>;

fn ensure(condition: bool, rule: &str) -> Verdict {
    if condition { Ok(()) } else { Err(rule.to_owned()) }
}

impl Observed {
    fn new(op: &Op) -> Observed {
        let epsn = (1 << 33) + u64::from(op.psn);
        Observed {
            ordered: op.ordered,
            host: op.host,
            epsn,
            cleared: epsn,
            received: BTreeSet::new(),
            bytes: 0,
            since_bytes: 0,
            since: vec![],
            told: false,
            asked: false,
            allowed: epsn,
        }
    }

    /// The absolute PSN nearest to EPSN.
    fn absolute(&self, psn: u32) -> u64 {
        self.epsn.wrapping_add_signed(i64::from(psn.wrapping_sub(self.epsn as u32) as i32))
    }

    fn has(&self, psn: u64) -> bool {
        psn < self.epsn || self.received.contains(&psn)
    }

    fn ahead(&self) -> usize {
        self.received.range(self.epsn..).count()
    }

    /// Whether an op that is no `init` and no `close` does what the notes say.
    fn check(&mut self, op: &Op, outcome: &Outcome, window: u64, changed: bool) -> Verdict {
        let status = outcome.status.ok_or("it has a result")?;
        let psn = self.absolute(op.psn);
        let before = self.epsn;
        if op.kind == OpKind::Trimmed {
            let code = if op.last_hop { 2 } else { 1 };
            ensure((status, outcome.nack) == (Status::Missing, Some(code)), "a trimmed packet has its NACK")?;
            return ensure(outcome.sack.is_none() && !changed, "and changes nothing");
        }
        if op.kind == OpKind::Probe {
            ensure(status == Status::Probe && outcome.nack.is_none() && !changed, "a probe only reads")?;
            let sack = outcome.sack.ok_or("a probe is answered")?;
            let asked = if (before..before + window).contains(&psn) { psn } else { before };
            ensure(self.absolute(sack.base) == asked - asked % 64, "it gets the segment that it asks for")?;
            return self.check_sack(&sack, window);
        }
        let nack = |code: u8| if self.host && op.kind != OpKind::Packet { None } else { Some(code) };
        let refusal = if psn + 32768 < before {
            Some((Status::Outside, nack(0x0b)))
        } else if op.kind != OpKind::Packet {
            (!self.has(psn)).then_some((Status::Missing, nack(0x12)))
        } else if psn >= before + window {
            Some((Status::Outside, Some(if op.syn { 0x15 } else { 0x0b })))
        } else if self.host && psn > self.cleared - 1 + 32767 {
            Some((Status::Outside, Some(0x0b)))
        } else {
            None
        };
        if let Some((expected, code)) = refusal {
            let code = code.filter(|_| op.kind != OpKind::Answer);
            ensure((status, outcome.nack) == (expected, code), "what cannot be taken is refused")?;
            let is_allowed = op.kind == OpKind::Packet && (before..self.allowed).contains(&psn);
            ensure(!is_allowed, "but nothing that an ACK allows")?;
            return ensure(outcome.sack.is_none() && !changed, "and changes nothing");
        }
        if self.ordered && psn > before {
            let code = (!self.told || op.retransmit).then_some(0x0d);
            self.told = true;
            return ensure((status, outcome.nack) == (Status::Ahead, code), "a gap is told of once");
        }
        ensure(outcome.nack.is_none(), "what is taken has no NACK")?;
        let is_new = !self.has(psn);
        ensure((status == Status::New) == is_new, "what was not received is new")?;
        let answers = match op.kind {
            OpKind::Packet => !self.host && !op.host,
            OpKind::Ask => !self.host,
            _ => true,
        };
        if op.kind == OpKind::Ask && !answers {
            return ensure(outcome.sack.is_none() && !changed, "the host is asked");
        }
        let clears = self.absolute(op.cum_next).min(self.epsn);
        if op.kind == OpKind::Answer && clears > self.cleared {
            self.cleared = clears;
        }
        self.since.push(psn.max(before));
        let mut is_due = answers && !is_new;
        if is_new {
            self.received.insert(psn);
            while self.received.contains(&self.epsn) {
                self.epsn += 1;
            }
            if !op.control {
                self.bytes += u64::from(op.bytes) + u64::from(op.settings.nominal_extra);
                self.since_bytes += if answers { op.bytes.max(op.settings.ack_gen_min).into() } else { 0 };
            }
            let is_late = self.asked && self.ahead() == 0;
            self.asked = (self.asked || op.ack_request) && self.ahead() > 0;
            let is_enough = self.since_bytes >= op.settings.ack_gen_trigger.into();
            is_due |= answers && (is_late || is_enough);
        }
        self.told &= self.epsn == before;
        if op.kind == OpKind::Packet {
            let asks = [op.ack_request, op.syn, op.retransmit, op.ecn && op.settings.ack_on_ecn];
            is_due |= answers && asks.contains(&true);
        }
        ensure(outcome.sack.is_some() == is_due, "an ACK comes when it is due")?;
        let Some(sack) = outcome.sack else { return Ok(()) };
        // once EPSN has moved, what came before is below it
        let lowest = self.since.iter().map(|psn| *psn.max(&self.epsn)).min().expect("this one");
        let lowest = if self.since.iter().any(|psn| *psn < self.epsn) { self.epsn } else { lowest };
        ensure(self.absolute(sack.base) == lowest - lowest % 64, "the lowest segment since the last ACK")?;
        self.check_sack(&sack, window)?;
        self.since.clear();
        self.since_bytes = 0;
        Ok(())
    }

    fn check_sack(&mut self, sack: &Sack, window: u64) -> Verdict {
        let cum_next = if self.host { self.cleared } else { self.epsn };
        ensure(self.absolute(sack.cum_next) == cum_next, "the cumulative PSN")?;
        ensure(cum_next <= self.epsn, "it never passes what was received")?;
        ensure(u64::from(sack.mpr) * 128 == window, "the MPR is the window")?;
        ensure(self.allowed <= cum_next + window, "what was allowed stays so")?;
        self.allowed = (cum_next + window).min(self.cleared - 1 + 32768);
        ensure(sack.base.is_multiple_of(64), "segments are aligned")?;
        let base = self.absolute(sack.base);
        for bit in 0..64 {
            let psn = base + bit;
            let expected = psn < self.epsn + window && self.has(psn);
            ensure((sack.bitmap >> bit & 1 == 1) == expected, "a bit says whether its PSN was received")?;
        }
        ensure(usize::from(sack.ooo) == self.ahead(), "the count of packets beyond EPSN")?;
        ensure(u64::from(sack.rcvd) == self.bytes.div_ceil(256) % (1 << 24), "bytes in units of 256")
    }
}

/// A random op near where its connection is.
fn random_op(rng: &mut SmallRng, window: u32, state: &[Connection]) -> Op {
    let conn = rng.random_range(0..4_u16);
    let c = &state[usize::from(conn)];
    let epsn = c.arrivals.epsn;
    let kind = match rng.random_range(0..800) {
        0 => OpKind::Init,
        1..100 if !c.arrivals.initialised => OpKind::Init,
        799 => OpKind::Close,
        1..40 => OpKind::Probe,
        40..80 => OpKind::Ask,
        80..120 => OpKind::Answer,
        120..200 if c.host => OpKind::Answer,
        200..220 => OpKind::Trimmed,
        _ => OpKind::Packet,
    };
    let near = rng.random_range(0..window);
    let psn = match rng.random_range(0..20_u8) {
        0 => rng.random(),
        1..11 if kind == OpKind::Init => 0_u32.wrapping_sub(near),
        1..9 => epsn,
        9..11 => epsn.wrapping_sub(near),
        11 => epsn.wrapping_add(window - 2 + near % 68),
        12 => epsn.wrapping_sub(32766 + near % 4),
        13..17 => epsn.wrapping_add(near % 12),
        _ => epsn.wrapping_add(near),
    };
    let cum_next = match rng.random_range(0..8_u8) {
        0 => rng.random(),
        1 => epsn.wrapping_add(near % 5),
        2 => epsn.wrapping_add((1 << 31) - 1 + near % 3),
        3..5 => c.cleared.wrapping_add(near % 3).wrapping_sub(1),
        _ => epsn.wrapping_sub(near % 40),
    };
    let settings = Settings {
        ack_gen_trigger: if rng.random() { 0xffff } else { rng.random() },
        ack_gen_min: rng.random_range(0..4096),
        ack_on_ecn: rng.random(),
        nominal_extra: rng.random(),
    };
    let seldom = |rng: &mut SmallRng| rng.random_ratio(1, 16);
    Op {
        kind,
        conn,
        psn,
        cum_next,
        bytes: if rng.random() { rng.random() } else { rng.random_range(0..3000) },
        control: seldom(rng),
        ack_request: seldom(rng),
        syn: seldom(rng),
        retransmit: seldom(rng),
        ecn: seldom(rng),
        ordered: if kind == OpKind::Init { conn & 1 == 1 } else { rng.random() },
        host: if kind == OpKind::Init { conn & 2 == 2 } else { seldom(rng) },
        last_hop: rng.random(),
        settings,
    }
}

type Fault = fn(&Op, &mut Outcome, &Connection);

/// Results by status; 5 stands for ops without one.
fn run(window: u32, seed: u64, ops: usize, fault: Fault) -> Result<[u32; 8], String> {
    let mut rng = SmallRng::seed_from_u64(seed);
    let mut model = UetRx::new(Params { connections: 4, window, psns: PSNS });
    let mut observed: [Option<Observed>; 4] = [const { None }; 4];
    let mut kinds = [0; 8];
    for at in 0..ops {
        let state = [0, 1, 2, 3].map(|conn| *model.connection(conn));
        let op = random_op(&mut rng, window, &state);
        let mut outcome = model.apply(&op);
        let after = *model.connection(op.conn);
        let before = state[usize::from(op.conn)];
        fault(&op, &mut outcome, &before);
        let slot = &mut observed[usize::from(op.conn)];
        let silent = (outcome.status, outcome.sack, outcome.nack) == (None, None, None);
        let verdict = match (op.kind, &mut *slot) {
            (OpKind::Init, _) => {
                *slot = Some(Observed::new(&op));
                ensure(silent, "init has no result")
            }
            (OpKind::Close, _) => {
                *slot = None;
                let closed = after == Connection::default();
                ensure(silent && closed, "a connection that is closed is as never initialised")
            }
            (_, None) => {
                let nack = outcome.nack.is_some() == (op.kind == OpKind::Trimmed);
                let refused = outcome.status == Some(Status::Uninitialised) && outcome.sack.is_none();
                ensure(refused && nack && before == after, "never initialised: refused")
            }
            (_, Some(seen)) => {
                let epsn = outcome.epsn;
                let verdict = seen.check(&op, &outcome, window.into(), before != after);
                verdict.and_then(|()| ensure(epsn == Some(seen.epsn as u32), "EPSN after the op"))
            }
        };
        verdict.map_err(|rule| format!("op {at} {op:?} gives {outcome:?}: {rule}"))?;
        kinds[outcome.status.map_or(5, |status| status as usize)] += 1;
    }
    Ok(kinds)
}

#[test]
fn every_rule_holds_at_every_window() {
    for window in [128, 256, 512] {
        let kinds = run(window, window.into(), 8000, |_, _, _| ());
        let kinds = kinds.unwrap_or_else(|error| panic!("{window}: {error}"));
        assert!(kinds.iter().all(|&n| n > 5), "{window}: {kinds:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_rule_holds(seed: u64, window in 0_usize..3) {
        prop_assert_eq!(run([128, 256, 512][window], seed, 1000, |_, _, _| ()).err(), None);
    }
}

#[test]
fn every_fault_breaks_a_rule() {
    let faults: [(&str, Fault); 9] = [
        ("an ACK of each packet in order", |op, o, c| {
            if o.status == Some(Status::New) && op.psn == c.arrivals.epsn && o.sack.is_none() {
                o.nack = Some(0);
            }
        }),
        ("no ACK of a duplicate", |_, o, _| {
            if o.status == Some(Status::Duplicate) {
                o.sack = None;
            }
        }),
        ("no ACK of the last gap", |op, o, c| {
            if c.asked && !op.ack_request && o.status == Some(Status::New) {
                o.sack = None;
            }
        }),
        ("CACK at EPSN", |_, o, _| o.sack.iter_mut().for_each(|sack| sack.cum_next = o.epsn.unwrap())),
        ("rounded down", |_, o, _| {
            o.sack.iter_mut().for_each(|sack| sack.rcvd = sack.rcvd.saturating_sub(1))
        }),
        ("the next segment", |_, o, _| o.sack.iter_mut().for_each(|s| s.base = s.base.wrapping_add(64))),
        ("a NACK for each packet ahead", |_, o, _| {
            if o.status == Some(Status::Ahead) {
                o.nack = Some(13);
            }
        }),
        ("SYN is not looked at", |_, o, _| {
            o.nack = o.nack.map(|code| if code == 0x15 { 0x0b } else { code })
        }),
        ("outside taken for new", |_, o, _| {
            if o.status == Some(Status::Outside) {
                o.status = Some(Status::New);
            }
        }),
    ];
    for (name, fault) in faults {
        assert!(run(256, 1, 8000, fault).is_err(), "{name} was not seen");
    }
}
