//! What must hold of CAVER in any history: an observer that knows the ops and their outcomes alone, and a time that does not wrap.

mod directed;
mod traces;
mod uplinks;

use std::collections::HashSet;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use respray_golden::caver::{Engine, Flow, Kind, Op, OpKind, Outcome, Params, Path, Settings};

const PORTS: u8 = 16;
const DESTINATIONS: u16 = 64;
const FLOWS: u16 = 1024;
/// What the ops name, fewer than there are, so that they meet.
const HOT_DESTINATIONS: u16 = 6;
const HOT_FLOWS: u32 = 12;
const IS_HOST: u64 = 0x000f;
const FLOW_TIMEOUT: u8 = 90;
const PATH_AGE: u8 = 60;
const OPS: usize = 400_000;

pub fn engine() -> Engine {
    Engine::new(Params {
        destinations: DESTINATIONS.into(),
        ports: PORTS.into(),
        flows: FLOWS.into(),
        ..Params::default()
    })
}

/// What an observer knows of a flow entry.
#[derive(Clone, Copy)]
struct Held {
    tag: u16,
    dst: u16,
    route: Option<u32>,
    /// Last packet, in ticks that do not wrap.
    at: u64,
}

/// When a port reported a path, and what it was: route, congestion, length.
type Report = (u64, u32, u8, u8);

/// What an observer knows.
struct Seen {
    /// Ticks that do not wrap.
    now: u64,
    /// By index of the flow table; an entry that came to be seen dead is gone.
    flows: [Option<Held>; HOT_FLOWS as usize],
    /// Each report that came in and was not refused: destination and route.
    reports: HashSet<(u16, u32)>,
    /// What each port last reported of each destination.
    last: [[Option<Report>; PORTS as usize]; HOT_DESTINATIONS as usize],
    /// Bytes that left by each port, decays taken off.
    sums: [u64; PORTS as usize],
    shifts: [u8; PORTS as usize],
}

impl Seen {
    fn new() -> Self {
        Seen {
            now: 0,
            flows: [None; HOT_FLOWS as usize],
            reports: HashSet::new(),
            last: [[None; PORTS as usize]; HOT_DESTINATIONS as usize],
            sums: [0; PORTS as usize],
            shifts: [13; PORTS as usize],
        }
    }

    fn congestion(&self, port: u8) -> u8 {
        u8::try_from(self.sums[usize::from(port)] >> self.shifts[usize::from(port)]).unwrap_or(255)
    }

    fn is_live(&self, held: &Held, op: &Op) -> bool {
        self.now - held.at <= FLOW_TIMEOUT.into()
            && held.route.is_none_or(|route| op.settings.up >> (route & 0xff) & 1 == 1)
    }

    fn held(&self, op: &Op) -> Option<Held> {
        self.flows[index(op)]
    }

    /// Takes in an op and what came of it.
    fn learn(&mut self, op: &Op, outcome: &Outcome) {
        match (op.kind, *outcome) {
            (OpKind::Data, Outcome::Data { kind, port, shim }) => {
                let sum = &mut self.sums[usize::from(port)];
                *sum = (*sum + u64::from(op.bytes)).min((1 << 26) - 1);
                let is_first = kind == Kind::New || kind == Kind::Ecmp && is_from_host(op);
                if is_first {
                    let route = shim.map(|shim| shim.path);
                    self.flows[index(op)] =
                        Some(Held { tag: (op.hash >> 16) as u16, dst: op.dst, route, at: self.now });
                } else if kind == Kind::Same {
                    self.flows[index(op)].as_mut().unwrap().at = self.now;
                }
            }
            (OpKind::Ack, Outcome::Ack { kind: Kind::Took | Kind::Kept, .. }) => {
                let route = op.path << 8 | u32::from(op.in_port);
                self.reports.insert((op.dst, route));
                self.last[usize::from(op.dst)][usize::from(op.in_port)] =
                    Some((self.now, route, op.ce, op.len));
            }
            (OpKind::Visit, _) => {
                let place = usize::from(op.dst % FLOWS);
                if let Some(held) = self.flows.get(place).copied().flatten() {
                    self.flows[place] = self.is_live(&held, op).then_some(held);
                }
            }
            (OpKind::SetShift, _) => self.shifts[usize::from(op.port)] = op.shift,
            (OpKind::Decay, _) => {
                let sum = &mut self.sums[usize::from(op.port)];
                *sum -= *sum >> op.settings.dre_alpha;
            }
            _ => {}
        }
    }
}

fn index(op: &Op) -> usize {
    (op.hash % u32::from(FLOWS)) as usize
}

pub fn is_from_host(op: &Op) -> bool {
    op.settings.is_host >> op.in_port & 1 == 1
}

/// A random op, mostly one that a network would give. The walker comes to an entry often enough by itself: see `histories`.
fn op(rng: &mut Xoshiro256PlusPlus, up: u64, now: u64) -> Op {
    let kind = match rng.random_range(0..100_u32) {
        0..50 => OpKind::Data,
        50..92 => OpKind::Ack,
        92..96 => OpKind::Decay,
        96..98 => OpKind::Visit,
        98 => OpKind::SetShift,
        _ => OpKind::Host,
    };
    let path_byte = |rng: &mut Xoshiro256PlusPlus| match rng.random_range(0..8_u32) {
        0 => 0xff,
        1 => rng.random(),
        _ => rng.random_range(0..u32::from(PORTS)) as u8,
    };
    let path = u32::from_le_bytes([path_byte(rng), path_byte(rng), path_byte(rng), path_byte(rng)]);
    let flow = rng.random_range(0..HOT_FLOWS);
    let dst = match (kind, rng.random_range(0..4_u32)) {
        (OpKind::Visit, _) => rng.random_range(0..HOT_FLOWS as u16),
        // a flow has one destination, unless two hash alike
        (OpKind::Data, 1..) => flow as u16 % HOT_DESTINATIONS,
        _ => rng.random_range(0..HOT_DESTINATIONS),
    };
    Op {
        kind,
        dst,
        in_port: rng.random_range(0..PORTS),
        hash: u32::from(rng.random_range(0..3_u32) == 0) << 16 | flow,
        bytes: rng.random_range(0..1 << 14),
        is_local: rng.random_range(0..8_u32) == 0,
        fib_port: rng.random_range(0..PORTS),
        enable: rng.random_range(0..4_u32) != 0,
        hop: rng.random_range(0..4),
        path: if kind == OpKind::Ack { path & 0xff_ffff } else { path },
        ce: rng.random_range(0..40),
        len: rng.random_range(0..4),
        to_local: rng.random_range(0..4_u32) == 0,
        port: rng.random_range(0..PORTS),
        shift: rng.random_range(8..20),
        now: now as u8,
        settings: Settings {
            path_age: PATH_AGE,
            flow_timeout: FLOW_TIMEOUT,
            is_host: IS_HOST,
            up,
            dre_alpha: rng.random_range(1..8),
        },
    }
}

/// What `check` gets: an op, its outcome, what was seen before it, and the engine before and after it.
struct Case<'a> {
    op: &'a Op,
    outcome: &'a Outcome,
    seen: &'a Seen,
    flow: Flow,
    paths: &'a [Path],
    flows: &'a [Flow],
    sums: &'a [u32],
    engine: &'a Engine,
}

/// Runs a random history. Between two rounds of the walker fewer ticks go by than an 8-bit time can tell; now and then nothing happens
/// for hundreds of them but for the walker.
fn histories(mut check: impl FnMut(&Case)) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    let (mut engine, mut seen) = (engine(), Seen::new());
    let mut up = u64::MAX;
    let (mut walked, mut paths, mut flows, mut sums) = (0, Vec::new(), Vec::new(), Vec::new());
    for _ in 0..OPS {
        let step = match rng.random_range(0..2000_u32) {
            0 => 500,
            1..20 => 30,
            20..400 => 1,
            _ => 0,
        };
        for _ in 0..step {
            seen.now += 1;
            if seen.now - walked > 100 {
                walked = seen.now;
                for dst in 0..HOT_FLOWS as u16 {
                    let visit = Op { kind: OpKind::Visit, dst, ..op(&mut rng, up, seen.now) };
                    let outcome = engine.apply(&visit);
                    seen.learn(&visit, &outcome);
                }
            }
        }
        up = match rng.random_range(0..400_u32) {
            0 => up ^ 1 << rng.random_range(0..PORTS),
            1..10 => u64::MAX,
            _ => up,
        };
        let op = op(&mut rng, up, seen.now);
        let flow = *engine.flow(index(&op) as u16);
        refill(&mut paths, (0..HOT_DESTINATIONS).map(|dst| *engine.path(dst)));
        refill(&mut flows, (0..HOT_FLOWS as u16).map(|place| *engine.flow(place)));
        refill(&mut sums, (0..PORTS).map(|port| engine.dre(port)));
        let outcome = engine.apply(&op);
        check(&Case {
            op: &op,
            outcome: &outcome,
            seen: &seen,
            flow,
            paths: &paths,
            flows: &flows,
            sums: &sums,
            engine: &engine,
        });
        seen.learn(&op, &outcome);
    }
}

fn refill<T>(list: &mut Vec<T>, items: impl Iterator<Item = T>) {
    list.clear();
    list.extend(items);
}

#[test]
fn c1_the_route_of_a_flow_entry_is_one_while_it_lives() {
    let mut counts = [0_u32; 3];
    histories(|case| {
        let Outcome::Data { kind, port, shim } = *case.outcome else { return };
        if case.op.is_local || !is_from_host(case.op) {
            return assert!(!matches!(kind, Kind::Same | Kind::Collided | Kind::New));
        }
        let tag = (case.op.hash >> 16) as u16;
        match case.seen.held(case.op).filter(|held| case.seen.is_live(held, case.op)) {
            Some(held) if (held.tag, held.dst) == (tag, case.op.dst) => {
                counts[0] += 1;
                assert_eq!(kind, Kind::Same);
                assert_eq!(shim.map(|shim| (shim.hop, shim.path)), held.route.map(|route| (0, route)));
                assert_eq!(port, held.route.map_or(case.op.fib_port, |route| route as u8));
            }
            Some(_) => {
                counts[1] += 1;
                assert_eq!((kind, port, shim), (Kind::Collided, case.op.fib_port, None));
            }
            None => {
                counts[2] += 1;
                assert!(matches!(kind, Kind::New | Kind::Ecmp));
            }
        }
    });
    assert!(counts.iter().all(|count| *count > 2000), "{counts:?}");
}

#[test]
fn c2_a_route_was_reported_for_its_destination() {
    let (mut routes, mut passed_on) = (0, 0);
    histories(|case| match *case.outcome {
        Outcome::Data { kind: Kind::New | Kind::Same, shim: Some(shim), .. } => {
            routes += 1;
            assert!(case.seen.reports.contains(&(case.op.dst, shim.path)));
        }
        Outcome::Ack { kind: Kind::Kept, shim: Some(shim) } => {
            passed_on += 1;
            assert!(case.seen.reports.contains(&(case.op.dst, shim.path)));
        }
        Outcome::Ack { kind: Kind::Took, shim: Some(shim) } => {
            assert_eq!(shim.path, case.op.path << 8 | u32::from(case.op.in_port));
        }
        _ => {}
    });
    assert!(routes > 2000 && passed_on > 2000, "{routes} routes, {passed_on} passed on");
}

#[test]
fn c3_hops_and_lengths_end_and_no_route_leads_to_a_host() {
    let (mut routed, mut bad, mut long) = (0, 0, 0);
    histories(|case| match *case.outcome {
        Outcome::Data { kind: Kind::Routed, port, shim } => {
            routed += 1;
            let shim = shim.unwrap();
            assert!(shim.hop < 4 && shim.hop == case.op.hop + 1 && shim.path == case.op.path);
            assert_eq!(u32::from(port), shim.path >> (8 * shim.hop) & 0xff);
            assert!(port < PORTS && IS_HOST >> port & 1 == 0);
        }
        Outcome::Data { kind: Kind::BadRoute, port, shim } => {
            bad += 1;
            assert_eq!((port, shim), (case.op.fib_port, None));
            let next = case.op.path.checked_shr(8 * (u32::from(case.op.hop) + 1));
            assert!(next.is_none_or(|next| next & 0xff >= 16 || next & 0xff < 4));
        }
        Outcome::Ack { shim: Some(shim), .. } => {
            long += u32::from(shim.len == 3);
            assert!(shim.len <= 3);
        }
        _ => {}
    });
    assert!(routed > 2000 && bad > 2000 && long > 2000, "{routed} routed, {bad} bad, {long} long");
}

#[test]
fn c4_the_congestion_passed_on_is_the_most_of_the_path_and_the_least_of_the_two() {
    let (mut took, mut kept, mut advertised) = (0, 0, 0);
    histories(|case| {
        let Outcome::Ack { kind, shim } = *case.outcome else { return };
        let own = case.seen.congestion(case.op.in_port);
        let total = own.max(case.op.ce);
        match (kind, shim) {
            (Kind::Took, Some(shim)) => {
                took += 1;
                assert_eq!((shim.ce, shim.len), (total, case.op.len + 1));
            }
            (Kind::Kept, Some(shim)) => {
                kept += 1;
                let port = (shim.path & 0xff) as usize;
                let (at, route, ce, len) = case.seen.last[usize::from(case.op.dst)][port].unwrap();
                assert_eq!((route, len + 1), (shim.path, shim.len), "the last report of its port");
                assert!(case.seen.now - at <= PATH_AGE.into());
                assert_eq!(shim.ce, case.seen.congestion(port as u8).max(ce));
                assert!(shim.ce < total && port != usize::from(case.op.in_port));
            }
            (Kind::Advertised, Some(shim)) => {
                advertised += 1;
                assert_eq!((shim.ce, shim.len, shim.path), (own, 0, u32::MAX));
            }
            _ => {}
        }
    });
    assert!(took > 2000 && kept > 2000 && advertised > 2000, "{took}, {kept}, {advertised}");
}

#[test]
fn c5_sums_never_wrap_and_count_what_left() {
    histories(|case| {
        for port in 0..PORTS {
            assert_eq!(u64::from(case.sums[usize::from(port)]), case.seen.sums[usize::from(port)]);
            assert!(case.engine.dre(port) < 1 << 26);
            if case.op.kind == OpKind::Data {
                assert!(case.engine.dre(port) >= case.sums[usize::from(port)]);
            }
        }
    });
}

#[test]
fn c6_nothing_is_used_that_is_not_live() {
    let mut counts = [0_u32; 3];
    histories(|case| {
        let is_up = |port: u32| case.op.settings.up >> port & 1 == 1;
        // of several equal reports the observer cannot tell which is used, but the youngest must be young enough
        let is_young = |route: u32| {
            let last = case.seen.last[usize::from(case.op.dst)][(route & 0xff) as usize].unwrap();
            last.1 == route && case.seen.now - last.0 <= PATH_AGE.into()
        };
        match *case.outcome {
            Outcome::Data { kind: Kind::Same, shim, .. } => {
                counts[0] += 1;
                let held = case.seen.held(case.op).unwrap();
                assert!(case.seen.now - held.at <= FLOW_TIMEOUT.into());
                assert!(shim.is_none_or(|shim| is_up(shim.path & 0xff)));
            }
            Outcome::Data { kind: Kind::New, shim, .. } => {
                counts[1] += 1;
                let route = shim.unwrap().path;
                assert!(is_up(route & 0xff) && is_young(route));
            }
            Outcome::Ack { kind: Kind::Kept, shim: Some(shim) } => {
                counts[2] += 1;
                assert!(is_up(shim.path & 0xff) && is_young(shim.path));
            }
            _ => {}
        }
    });
    assert!(counts.iter().all(|count| *count > 2000), "{counts:?}");
}

#[test]
fn c7_what_is_bad_refused_or_collided_stores_nothing() {
    let mut counts = [0_u32; 3];
    histories(|case| {
        let (is_flow_kept, is_path_kept) = (
            case.flow == *case.engine.flow(index(case.op) as u16),
            case.paths[usize::from(case.op.dst).min(5)] == *case.engine.path(case.op.dst.min(5)),
        );
        match *case.outcome {
            Outcome::Data { kind: Kind::BadRoute, .. } => counts[0] += 1,
            Outcome::Data { kind: Kind::Collided, .. } => counts[1] += 1,
            Outcome::Ack { kind: Kind::Refused, shim } => {
                counts[2] += 1;
                assert_eq!(shim, None);
                // the table keeps its entry, be it the report or the stored path that is too long
                assert!(!case.op.to_local);
                assert!(case.op.len == 3 || case.paths[usize::from(case.op.dst)].len == 3);
            }
            Outcome::Ack { kind: Kind::Pass | Kind::Advertised | Kind::Kept, .. } => {}
            _ => return,
        }
        assert!(is_flow_kept && is_path_kept);
    });
    assert!(counts.iter().all(|count| *count > 1000), "{counts:?}");
}

#[test]
fn c8_an_op_changes_one_entry_of_its_own_at_most() {
    histories(|case| {
        let op = case.op;
        let (is_data, is_ack) = (op.kind == OpKind::Data, op.kind == OpKind::Ack);
        let is_visit = op.kind == OpKind::Visit;
        for (place, was) in case.flows.iter().enumerate() {
            let is_own = is_data && place == index(op) || is_visit && place == usize::from(op.dst);
            assert!(is_own || was == case.engine.flow(place as u16));
        }
        for (dst, was) in case.paths.iter().enumerate() {
            let is_own = (is_ack || is_visit) && dst == usize::from(op.dst);
            assert!(is_own || was == case.engine.path(dst as u16));
        }
        let left_by = match *case.outcome {
            Outcome::Data { port, .. } => Some(port),
            _ => (op.kind == OpKind::Decay).then_some(op.port),
        };
        for (port, was) in case.sums.iter().enumerate() {
            assert!(left_by == Some(port as u8) || *was == case.engine.dre(port as u8));
        }
    });
}
