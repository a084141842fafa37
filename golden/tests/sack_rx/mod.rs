//! The receiver's model on random op streams, against an observer that keeps absolute PSNs in a set.

mod uet;

use std::collections::BTreeSet;

use proptest::prelude::*;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use respray_golden::psn::{PsnSpace, segment_base};
use respray_golden::sack_rx::{Class, Connection, Op, OpKind, Outcome, Params, Sack, SackRx, Status};

const WIDTHS: [PsnSpace; 2] = [PsnSpace::new(24), PsnSpace::new(32)];

/// What an observer knows of one connection. Absolute PSNs start at 2^32, so that none is negative.
#[derive(Clone, Debug)]
struct Observed {
    psns: PsnSpace,
    /// Lowest absolute PSN not received.
    epsn: u64,
    received: BTreeSet<u64>,
    bytes: u64,
    since_bytes: u64,
    since: Vec<u64>,
}

impl Observed {
    fn new(psns: PsnSpace, psn: u32) -> Self {
        let epsn = (1 << 32) + u64::from(psn);
        Observed { psns, epsn, received: BTreeSet::new(), bytes: 0, since_bytes: 0, since: Vec::new() }
    }

    fn receive(&mut self, psn: u64, bytes: u16) {
        self.received.insert(psn);
        self.bytes += u64::from(bytes);
        self.since_bytes += u64::from(bytes);
        while self.received.contains(&self.epsn) {
            self.epsn += 1;
        }
    }

    /// The absolute PSN nearest to EPSN.
    fn absolute(&self, psn: u32) -> u64 {
        let (epsn, psns) = (self.epsn, self.psns);
        let ahead = u64::from(psns.distance(psns.wrap(epsn as u32), psn));
        if ahead < psns.half().into() { epsn + ahead } else { epsn + ahead - 2 * u64::from(psns.half()) }
    }

    fn has(&self, absolute: u64) -> bool {
        absolute < self.epsn || self.received.contains(&absolute)
    }
}

type Verdict = Result<(), String>;

fn ensure(condition: bool, rule: &str) -> Verdict {
    if condition { Ok(()) } else { Err(rule.to_owned()) }
}

struct Checker {
    window: u64,
    psns: PsnSpace,
    observed: Vec<Option<Observed>>,
}

impl Checker {
    fn check(&mut self, op: &Op, outcome: &Outcome, before: &Connection, after: &Connection) -> Verdict {
        let window = self.window;
        let slot = &mut self.observed[usize::from(op.conn)];
        if op.kind == OpKind::Init {
            *slot = Some(Observed::new(self.psns, op.psn));
            return ensure(outcome.status.is_none() && outcome.sack.is_none(), "init has no result");
        }
        if op.kind == OpKind::Close {
            *slot = None;
            ensure(*after == Connection::default(), "a connection that is closed is as never initialised")?;
            return ensure(outcome.status.is_none() && outcome.sack.is_none(), "close has no result");
        }
        let status = outcome.status.ok_or("a packet has a result")?;
        let Some(seen) = slot else {
            ensure(status == Status::Uninitialised && outcome.sack.is_none(), "never initialised: refused")?;
            return ensure(before == after, "a refused packet changes nothing");
        };
        let psn = seen.absolute(op.psn);
        let epsn = seen.epsn;
        if op.probe {
            ensure(status == Status::Probe, "a probe is a probe")?;
            ensure(before == after, "a probe changes nothing")?;
            let sack = outcome.sack.ok_or("a probe is answered")?;
            let asked = if (epsn..epsn + window).contains(&psn) { psn } else { epsn };
            ensure(seen.absolute(sack.base) == asked - asked % 64, "a probe gets the segment it asks for")?;
            return check_sack(seen, window, op, &sack);
        }
        if psn >= epsn + window {
            ensure(status == Status::Outside && outcome.sack.is_none(), "beyond the window: refused")?;
            return ensure(before == after, "a refused packet changes nothing");
        }
        let duplicate = seen.has(psn);
        let expected = if duplicate { Status::Duplicate } else { Status::New };
        ensure(status == expected, "received before is a duplicate, and nothing else is")?;
        if !duplicate {
            seen.receive(psn, op.bytes);
        }
        seen.since.push(psn.max(epsn));
        let advanced = seen.epsn > epsn;
        if let Class::NewInOrder { advance_segments } = outcome.class {
            ensure(advanced, "in order advances")?;
            let segments = seen.epsn / 64 - epsn / 64;
            ensure(u64::from(advance_segments) == segments, "segments that EPSN moved by")?;
        } else {
            ensure(!advanced, "an advance is in order")?;
        }
        ensure(seen.absolute(after.epsn) == seen.epsn, "EPSN is the lowest PSN not received")?;
        let enough = seen.since_bytes >= u64::from(op.sack_threshold);
        let due = enough || advanced || op.ack_request || duplicate;
        ensure(outcome.sack.is_some() == due, "a SACK is sent when it is due")?;
        if let Some(sack) = outcome.sack {
            let lowest = *seen.since.iter().min().expect("this packet");
            let held = if advanced { seen.epsn } else { lowest };
            ensure(seen.absolute(sack.base) == held - held % 64, "the segment of the lowest PSN since")?;
            check_sack(seen, window, op, &sack)?;
            seen.since.clear();
            seen.since_bytes = 0;
        }
        Ok(())
    }
}

fn check_sack(seen: &Observed, window: u64, op: &Op, sack: &Sack) -> Verdict {
    let epsn = seen.epsn;
    ensure(seen.absolute(sack.epsn) == epsn, "a SACK shows EPSN")?;
    ensure(sack.base.is_multiple_of(64), "segments are aligned")?;
    let base = seen.absolute(sack.base);
    for i in 0..64 {
        let bit = sack.bitmap >> i & 1 == 1;
        let psn = base + i;
        ensure(bit == (psn < epsn + window && seen.has(psn)), "a bit says whether its PSN was received")?;
    }
    let ahead = seen.received.range(epsn..).count();
    ensure(usize::from(sack.ooo) == ahead, "ooo counts the packets beyond EPSN")?;
    ensure(u64::from(sack.ooo) < window, "EPSN itself is missing")?;
    ensure(sack.bytes_recvd == seen.bytes as u32, "bytes without duplicates, modulo 2^32")?;
    let echoes = (sack.psn, sack.ecn, sack.ev, sack.timestamp, sack.probe);
    ensure(
        echoes == (op.psn, op.ecn, op.ev, op.timestamp, op.probe),
        "echoes of the packet that triggered it",
    )
}

/// A random op near where connection `conn` is.
fn random_op(rng: &mut SmallRng, window: u32, psns: PsnSpace, state: &[Connection]) -> Op {
    let conn = rng.random_range(0..3u16);
    let c = &state[usize::from(conn)];
    let kind = match rng.random_range(0..400) {
        0 => OpKind::Init,
        1..50 if !c.initialised => OpKind::Init,
        399 => OpKind::Close,
        _ => OpKind::Packet,
    };
    let back = |rng: &mut SmallRng| psns.sub(0, rng.random_range(1..window));
    let psn = match rng.random_range(0..20u8) {
        0 => rng.random_range(0..=psns.last()),
        1..11 if kind == OpKind::Init => back(rng),
        1..9 => c.epsn,
        9..11 => psns.add(c.epsn, back(rng)),
        11 => psns.add(c.epsn, rng.random_range(window - 2..window + 66)),
        12..16 => psns.add(c.epsn, rng.random_range(0..12)),
        _ => psns.add(c.epsn, rng.random_range(0..window)),
    };
    Op {
        kind,
        conn,
        psn,
        bytes: rng.random(),
        ecn: rng.random(),
        ev: rng.random(),
        timestamp: rng.random(),
        ack_request: rng.random_ratio(1, 16),
        probe: rng.random_ratio(1, 16),
        sack_threshold: if rng.random() { 0xffff } else { rng.random() },
    }
}

type Fault = fn(&Op, &mut Outcome, &mut Connection);

fn run(window: u32, psns: PsnSpace, seed: u64, ops: usize, fault: Fault) -> Result<[u32; 8], String> {
    let mut rng = SmallRng::seed_from_u64(seed);
    let mut model = SackRx::new(Params { connections: 3, window, psns });
    let mut checker = Checker { window: window.into(), psns, observed: vec![None; 3] };
    let mut kinds = [0; 8];
    for i in 0..ops {
        let state = [0, 1, 2].map(|conn| *model.connection(conn));
        let op = random_op(&mut rng, window, psns, &state);
        let before = state[usize::from(op.conn)];
        let mut outcome = model.apply(&op);
        let mut after = *model.connection(op.conn);
        fault(&op, &mut outcome, &mut after);
        let verdict = checker.check(&op, &outcome, &before, &after);
        verdict.map_err(|rule| format!("op {i} {op:?} gives {outcome:?}: {rule}"))?;
        kinds[outcome.status.map_or(6, |s| s as usize)] += 1;
    }
    Ok(kinds)
}

#[test]
fn every_rule_holds_at_every_window() {
    for (window, psns) in [64, 128, 256, 512].into_iter().flat_map(|window| WIDTHS.map(|psns| (window, psns)))
    {
        let kinds = run(window, psns, window.into(), 6000, |_, _, _| ());
        let kinds = kinds.unwrap_or_else(|e| panic!("{window}, {psns:?}: {e}"));
        let [new, duplicate, outside, probe, .., init, uninitialised] = kinds;
        let all = [new, duplicate, outside, probe, init, uninitialised];
        assert!(all.iter().all(|&n| n > 5), "{window}, {psns:?}: {all:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_rule_holds(seed: u64, window in 0usize..4, width in 0usize..2) {
        prop_assert_eq!(run([64, 128, 256, 512][window], WIDTHS[width], seed, 800, |_, _, _| ()).err(), None);
    }

    /// From one SACK for every packet the sender has the receiver's bitmap exactly; and probes of every segment
    /// rebuild it at any threshold.
    #[test]
    fn enough_sacks_rebuild_the_bitmap(
        (psns, first) in (0usize..2, prop_oneof![any::<u32>(), (0u32..300).prop_map(|back| !back)])
            .prop_map(|(width, psn)| (WIDTHS[width], WIDTHS[width].wrap(psn))),
        order in Just(()).prop_perturb(|(), mut rng| {
            let mut order: Vec<u32> = (0..200).filter(|_| rng.random_ratio(3, 4)).collect();
            (0..order.len()).rev().for_each(|i| order.swap(i, rng.random_range(0..=i)));
            order
        }),
    ) {
        let window = 256;
        for sack_threshold in [0, u16::MAX] {
            let mut rx = SackRx::new(Params { connections: 1, window, psns });
            rx.apply(&Op { kind: OpKind::Init, psn: first, ..Op::default() });
            let mut known = BTreeSet::new();
            let mut learn = |sack: Sack| {
                known.extend((0..psns.distance(first, sack.epsn)).map(|i| psns.add(first, i)));
                let bits = (0..64).filter(|i| sack.bitmap >> i & 1 == 1).map(|i| psns.add(sack.base, i));
                known.extend(bits.filter(|&p| psns.distance(first, p) < psns.half()));
            };
            for &i in &order {
                let op = Op { psn: psns.add(first, i), bytes: 1, sack_threshold, ..Op::default() };
                rx.apply(&op).sack.into_iter().for_each(&mut learn);
            }
            if sack_threshold > 0 {
                for segment in 0..=window / 64 {
                    let psn = psns.add(segment_base(rx.connection(0).epsn), segment * 64);
                    rx.apply(&Op { psn, probe: true, ..Op::default() }).sack.into_iter().for_each(&mut learn);
                }
            }
            prop_assert_eq!(known, order.iter().map(|&i| psns.add(first, i)).collect::<BTreeSet<_>>());
        }
    }
}

#[test]
fn every_fault_breaks_a_rule() {
    fn change(outcome: &mut Outcome, fault: fn(&mut Sack)) {
        outcome.sack.iter_mut().for_each(fault);
    }
    let faults: [(&str, Fault); 13] = [
        ("no SACK on a duplicate", |_, o, _| {
            if o.status == Some(Status::Duplicate) {
                o.sack = None;
            }
        }),
        ("a SACK for every packet", |op, o, c| {
            if o.status == Some(Status::New) && o.sack.is_none() {
                let mut again = SackRx::new(Params { connections: 1, window: 64, psns: WIDTHS[0] });
                again.apply(&Op { kind: OpKind::Init, psn: c.epsn, ..Op::default() });
                o.sack = again.apply(&Op { conn: 0, probe: true, ..*op }).sack;
            }
        }),
        ("outside taken for new", |_, o, _| {
            if o.status == Some(Status::Outside) {
                o.status = Some(Status::New);
            }
        }),
        ("next segment", |_, o, _| change(o, |s| s.base = WIDTHS[0].add(s.base, 64))),
        ("unaligned base", |_, o, _| change(o, |s| s.base += s.base % 2 + 1)),
        ("ooo not counted down", |_, o, _| change(o, |s| s.ooo += 1)),
        ("bitmap relative to EPSN", |_, o, _| change(o, |s| s.bitmap >>= s.epsn % 64)),
        ("EPSN moves by one only", |_, o, c| {
            if matches!(o.class, Class::NewInOrder { .. }) {
                c.epsn = WIDTHS[0].sub(c.epsn, 1);
            }
        }),
        ("bits below EPSN read 0", |_, o, _| change(o, |s| s.bitmap &= !((1 << (s.epsn % 64)) - 1))),
        ("duplicates counted", |_, o, _| {
            let duplicate = o.status == Some(Status::Duplicate);
            o.sack.iter_mut().for_each(|s| s.bytes_recvd += u32::from(duplicate));
        }),
        ("a probe resets the bytes since", |op, _, c| c.since_bytes *= u32::from(!op.probe)),
        ("close leaves the connection open", |op, _, c| c.initialised |= op.kind == OpKind::Close),
        ("ECN not echoed", |_, o, _| change(o, |s| s.ecn = false)),
    ];
    for (name, fault) in faults {
        assert!(run(64, WIDTHS[0], 1, 6000, fault).is_err(), "{name} was not seen");
    }
}
