//! The window's model beside 004's algorithms in real numbers: op by op with the bounds of its roundings, and over whole runs.

mod faults;
mod figures;
mod network;
mod observer;
mod reals;

use std::collections::BTreeSet;
use std::panic::catch_unwind;

use faults::Fault;
use observer::check;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use respray_golden::strack_cc::{
    Action, CLASSES, Class, Connection, Engine, ONE_PACKET, Op, OpKind, Outcome, Params, Res, Settings,
    Status,
};

const CONNECTIONS: u16 = 3;

/// What the settings of a run are like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The defaults, which never change.
    Default,
    /// Small windows and targets, which never change. Increases and cuts are as large as they can be.
    Small,
    /// Anything, anew with every hundredth op.
    Any,
}

fn settings(rng: &mut SmallRng, kind: Kind) -> Settings {
    match kind {
        Kind::Default => Settings::default(),
        Kind::Small => Settings {
            net_base_rtt: 100,
            min_base_rtt: 60,
            target_qdelay: 40,
            target_qhigh: 120,
            alpha: u16::MAX,
            gamma: 40_000,
            max_cwnd: 20,
            mtu_log2: 8,
            ..Settings::default()
        },
        Kind::Any => {
            // small ones and large ones
            let mut any = || rng.random::<u16>() >> rng.random_range(0..16_u8);
            Settings {
                net_base_rtt: any(),
                min_base_rtt: any(),
                target_qdelay: any(),
                target_qhigh: any(),
                alpha: any(),
                beta: any(),
                eta: any(),
                gamma: any(),
                max_cwnd: any() % 1024,
                mtu_log2: (any() % 16) as u8,
            }
        }
    }
}

/// A random op. Delays wander about the targets, some are anything; times wrap soon.
fn random_op(rng: &mut SmallRng, settings: Settings, now: &mut u16, c: &[Connection]) -> Op {
    let conn = rng.random_range(0..CONNECTIONS);
    let c = &c[usize::from(conn)];
    *now = now.wrapping_add(match rng.random_range(0..64_u8) {
        0 => rng.random(),
        1..8 => rng.random_range(0..2000),
        _ => rng.random_range(0..30),
    });
    let delay = match rng.random_range(0..8_u8) {
        0 => rng.random_range(0..=u16::MAX - c.base_rtt),
        1 => settings.target_qdelay,
        2 => settings.target_qhigh,
        3 | 4 => (c.avg8 / 8) as u16,
        _ => rng.random_range(0..=settings.target_qhigh.max(settings.target_qdelay)),
    };
    // around the base RTT now and then, so that it falls, and around its least
    let rtt = match rng.random_range(0..256_u16) {
        0..4 => c.base_rtt.saturating_sub(rng.random_range(0..3)),
        4 | 5 if settings.min_base_rtt > 0 => settings.min_base_rtt - rng.random_range(0..2),
        6 => rng.random(),
        _ => c.base_rtt.wrapping_add(delay),
    };
    Op {
        kind: match rng.random_range(0..128_u8) {
            0..4 => OpKind::Read,
            4 if !c.initialised || rng.random_ratio(1, 8) => OpKind::Init,
            code @ 5..8 => OpKind::from_code(code),
            8 => OpKind::Nack,
            9 => OpKind::Timeout,
            _ => OpKind::Ack,
        },
        conn,
        ecn: rng.random_ratio(1, 2),
        probe: rng.random_ratio(1, 16),
        bytes: rng.random_range(0..1 << 20) >> rng.random_range(0..20_u8),
        timestamp: now.wrapping_sub(rtt),
        now: *now,
        settings,
    }
}

/// What came up in a run.
#[derive(Debug, Default)]
struct Reached {
    classes: BTreeSet<usize>,
    actions: [u32; 5],
    fair: u32,
    refused: u32,
    base_rtt_fell: u32,
    full: u32,
    achieved_raised_not: u32,
}

fn run(kind: Kind, seed: u64, ops: usize, fault: &Fault) -> Result<Reached, String> {
    let mut rng = SmallRng::seed_from_u64(seed);
    let mut engine = Engine::new(Params { connections: CONNECTIONS.into() });
    let mut reached = Reached::default();
    let mut now = u16::MAX - 1000;
    let mut of_run = settings(&mut rng, kind);
    for i in 0..ops {
        if kind == Kind::Any && i % 100 == 0 {
            of_run = settings(&mut rng, kind);
        }
        let states = [0, 1, 2].map(|conn| *engine.connection(conn));
        let op = random_op(&mut rng, of_run, &mut now, &states);
        let mut executed = op;
        (fault.before)(&mut executed);
        let mut outcome = engine.apply(&executed);
        let others = (0..CONNECTIONS).filter(|conn| *conn != op.conn);
        let is_alone = others.into_iter().all(|conn| *engine.connection(conn) == states[usize::from(conn)]);
        let before = states[usize::from(op.conn)];
        let mut after = *engine.connection(op.conn);
        (fault.after)(&op, &before, &mut outcome, &mut after);
        observer::ensure(is_alone, "connections do not see each other")
            .and_then(|()| check(&op, &outcome, &before, &after))
            .map_err(|rule| format!("op {i} {op:?} on {before:?} gives {outcome:?} and {after:?}: {rule}"))?;
        reached.classes.insert(outcome.class as usize);
        let Some(result) = outcome.result else { continue };
        reached.refused += u32::from(result.status != Status::Ok);
        if op.kind == OpKind::Ack && result.status == Status::Ok {
            reached.actions[usize::from(result.action.code())] += 1;
            reached.fair += u32::from(result.fair);
            reached.base_rtt_fell += u32::from(after.base_rtt < before.base_rtt);
            let is_increase = matches!(result.action, Action::Additive | Action::Proportional);
            reached.full += u32::from(is_increase && outcome.class == Class::AckHold);
            let is_achieved = result.action == Action::Achieved && !result.fair;
            reached.achieved_raised_not += u32::from(is_achieved && after.cwnd == before.cwnd);
        }
    }
    Ok(reached)
}

#[test]
fn every_op_does_what_the_algorithms_do_in_real_numbers() {
    for (kind, seed) in [(Kind::Default, 1), (Kind::Small, 2), (Kind::Any, 3)] {
        let reached =
            run(kind, seed, 150_000, &Fault::NONE).unwrap_or_else(|said| panic!("{kind:?}: {said}"));
        assert_eq!(reached.classes.len(), CLASSES.len(), "{kind:?}: {reached:?}");
        assert!(reached.actions.iter().all(|count| *count > 300), "{kind:?}: {reached:?}");
        let Reached { fair, refused, base_rtt_fell, full, achieved_raised_not, .. } = reached;
        assert!(fair > 2000 && refused > 0 && base_rtt_fell > 20 && full > 200, "{kind:?}: {reached:?}");
        assert!(achieved_raised_not > 0, "{kind:?}: {reached:?}");
    }
}

#[test]
#[ignore = "10 s"]
fn long_runs_hold() {
    for seed in 10..14 {
        for kind in [Kind::Default, Kind::Small, Kind::Any] {
            run(kind, seed, 4_000_000, &Fault::NONE).unwrap_or_else(|said| panic!("{kind:?}: {said}"));
        }
    }
}

#[test]
fn every_fault_breaks_a_rule() {
    for fault in faults::all() {
        let kinds = [Kind::Default, Kind::Small, Kind::Any];
        let seen = kinds.into_iter().any(|kind| run(kind, 4, 30_000, &fault).is_err());
        assert!(seen, "{} was not seen", fault.name);
    }
}

/// An engine with one connection that was initialised at time 0, and what ACKs of one packet do to it.
struct One(Engine);

impl One {
    fn new(settings: Settings) -> Self {
        let mut engine = Engine::new(Params { connections: 1 });
        engine.apply(&Op { kind: OpKind::Init, settings, ..Op::default() });
        One(engine)
    }

    fn ack(&mut self, now: u16, rtt: u16, ecn: bool, settings: Settings) -> Res {
        let timestamp = now.wrapping_sub(rtt);
        let op = Op { kind: OpKind::Ack, ecn, bytes: 4096, timestamp, now, settings, ..Op::default() };
        self.0.apply(&op).result.expect("an ACK has a result")
    }

    fn state(&self) -> &Connection {
        self.0.connection(0)
    }
}

/// Numbers that were worked out with pencil and paper from the settings' defaults.
#[test]
fn an_ack_changes_the_window_by_what_the_paper_says() {
    let settings = Settings::default();
    let mut one = One::new(settings);
    // a marked ACK within the base RTT of init: nothing but a first eighth of its delay, 4 * 967
    let held = one.ack(100, 5 * 967, true, settings);
    assert_eq!((held.cwnd, held.cwnd_packets, held.delay), (146 << 16, 146, 3868));
    assert_eq!((held.action, held.fair, one.state().avg8), (Action::Hold, false, 3868));
    // behind it: the average is 907 ticks, below the target, so the window grows by 2458 / 4096 packets, and is full again
    let fair = one.ack(968, 5 * 967, true, settings);
    assert_eq!((fair.cwnd, fair.action, fair.fair), (146 << 16, Action::Hold, true));
    assert_eq!(one.state().avg8, 3868 - 483 + 3868);
    // the average rises to 10215 / 8 ticks: (10215 - 7736) / 10215 is 15904 / 2^16, and 0.8 of it 12723 / 2^16
    let cut = one.ack(969, 5 * 967, true, settings);
    let expected = (146 << 16) - (((146_u64 << 16) * 12_723) >> 16) as u32;
    assert_eq!((cut.cwnd, cut.cwnd_packets, cut.action), (expected, 117, Action::Multiplicative));
    assert_eq!((one.state().cut_at, one.state().avg8), (969, 10_215));
    // no second one within the base RTT
    assert_eq!(one.ack(969 + 967, 5 * 967, true, settings).action, Action::Hold);
    // 967 ticks below the target: 4338 / 2^18 * 967 = 16.002 packets^2, divided by the window
    let before = one.state().cwnd;
    let grown = one.ack(969 + 967, 967, false, settings);
    assert_eq!(grown.action, Action::Proportional);
    assert_eq!(u64::from(grown.cwnd - before), (((4338 * 967) >> 2) << 16) / u64::from(before));
    // an unmarked one above the higher target: 20 packets^2, divided by the window
    let before = one.state().cwnd;
    let grown = one.ack(969 + 967, 5 * 967, false, settings);
    assert_eq!(grown.action, Action::Additive);
    assert_eq!(u64::from(grown.cwnd - before), ((5120_u64 << 8) << 16) / u64::from(before));
}

/// The part of the average that lies above a target of 0 is all of it, which 16 bits hold as 65535 / 2^16.
#[test]
fn a_cut_for_a_target_of_0_is_rounded_down() {
    let settings = Settings { target_qdelay: 0, gamma: 26_214, ..Settings::default() };
    let mut one = One::new(settings);
    let cut = one.ack(968, 967 + 100, true, settings);
    // 26214 * 65535 / 2^16 is 26213.6
    let expected = (146 << 16) - 146 * 26_213 + (2458 << 4);
    assert_eq!((cut.action, cut.fair, cut.cwnd), (Action::Multiplicative, true, expected));
}

#[test]
fn the_window_falls_to_what_was_achieved_in_a_whole_period() {
    let settings = Settings::default();
    let mut one = One::new(settings);
    // the first period begins at the first ACK, counts its bytes, and ends more than 2 * 967 ticks behind it
    for i in 0..=1935 {
        let ack = one.ack(50_000 + i, 5 * 967, true, settings);
        assert_ne!(ack.action, Action::Achieved, "nothing was measured");
        assert_eq!(one.state().measured, i == 1935, "{i}");
    }
    assert_eq!(one.state().achieved, (1 << 20) - 1, "the count stays at its highest");
    // 8 times as many bytes are more than the largest window; the next period has three packets
    for i in 1936..=3874 {
        let op = Op { probe: i % 650 != 0, ..ack_at(50_000 + i, 5 * 967, settings) };
        let action = one.0.apply(&op).result.expect("an ACK has a result").action;
        // the period ends with ACK 3870, and a base RTT behind the cut before, at 2906, the window is cut to it
        assert_eq!(action == Action::Achieved, i == 3874, "{i}");
        assert_eq!(one.state().achieved == 3 * 4096, i >= 3870, "{i}");
    }
    assert_eq!(one.state().cwnd, 3 << 16);
}

fn ack_at(now: u16, rtt: u16, settings: Settings) -> Op {
    let timestamp = now.wrapping_sub(rtt);
    Op { kind: OpKind::Ack, ecn: true, bytes: 4096, timestamp, now, settings, ..Op::default() }
}

#[test]
fn a_window_never_leaves_its_bounds_and_may_stand_above_a_lowered_one() {
    let settings = Settings { max_cwnd: 1023, eta: u16::MAX, ..Settings::default() };
    let mut one = One::new(settings);
    let full = one.ack(2000, 967, false, settings);
    assert_eq!((full.cwnd, full.action, full.fair), (1023 << 16, Action::Proportional, true));
    let lower = Settings { max_cwnd: 0, ..settings };
    let read = one.0.apply(&Op { settings: lower, ..Op::default() });
    assert_eq!(read.result.map(|result| result.cwnd_packets), Some(1023), "a read changes nothing");
    assert_eq!(one.ack(2001, 967, true, lower).cwnd, ONE_PACKET, "0 reads as 1");
    let mut least = One::new(lower);
    assert_eq!(least.state().cwnd, ONE_PACKET);
    for i in 0..65 {
        assert_eq!(least.ack(1000 * i, 60_000, true, lower).cwnd, ONE_PACKET);
    }
}

#[test]
fn an_ack_of_another_lap_does_not_lower_the_base_rtt() {
    let settings = Settings { min_base_rtt: 900, ..Settings::default() };
    let mut one = One::new(settings);
    let late = one.ack(500, 40, true, settings);
    assert_eq!((late.delay, one.state().base_rtt), (40_u16.wrapping_sub(967), 967), "2^16 + 40 - 967 ticks");
    one.ack(501, 900, true, settings);
    assert_eq!(one.state().base_rtt, 900);
}

#[test]
fn what_cannot_be_done_is_refused() {
    let refused = Outcome {
        result: Some(Res {
            status: Status::Uninitialised,
            cwnd: 0,
            cwnd_packets: 0,
            delay: 0,
            action: Action::Hold,
            fair: false,
        }),
        class: Class::Read,
    };
    let mut engine = Engine::new(Params { connections: 2 });
    let default = Settings::default();
    for kind in [OpKind::Read, OpKind::Ack] {
        assert_eq!(engine.apply(&Op { kind, ..Op::default() }), refused);
    }
    engine.apply(&Op { kind: OpKind::Init, settings: Settings { mtu_log2: 0, ..default }, ..Op::default() });
    for mtu_log2 in 0..16 {
        for kind in [OpKind::Read, OpKind::Ack] {
            let settings = Settings { mtu_log2, ..default };
            let outcome = engine.apply(&Op { kind, settings, ..Op::default() });
            assert_eq!(outcome == refused, !(8..=13).contains(&mtu_log2), "{kind:?} at {mtu_log2}");
        }
    }
    assert_eq!(engine.apply(&Op { conn: 1, ..Op::default() }), refused, "another connection");
    engine.reset();
    assert_eq!(engine.apply(&Op::default()), refused);
    for connections in [0, 16385] {
        let panic = catch_unwind(|| Engine::new(Params { connections })).expect_err("refused");
        let said: &String = panic.downcast_ref().expect("a sentence");
        assert!(said.starts_with("connections must be 1..=16384"), "{said}");
    }
}

#[test]
fn codes_are_those_of_the_ports() {
    let kinds = [OpKind::Read, OpKind::Ack, OpKind::Nack, OpKind::Timeout, OpKind::Init, OpKind::Reserved];
    for (code, kind) in (0..).zip(kinds) {
        assert_eq!((OpKind::from_code(code), kind.code()), (kind, code));
    }
    assert_eq!([6, 7].map(OpKind::from_code), [OpKind::Reserved; 2]);
    let actions =
        [Action::Hold, Action::Proportional, Action::Additive, Action::Multiplicative, Action::Achieved];
    assert_eq!(actions.map(Action::code), [0, 1, 2, 3, 4]);
    assert_eq!([Status::Ok, Status::Uninitialised].map(Status::code), [0, 7]);
    let classes = [
        (Class::Idle, "idle"),
        (Class::Read, "read"),
        (Class::Init, "init"),
        (Class::AckHold, "ack_hold"),
        (Class::AckAchieved, "ack_achieved"),
        (Class::AckIncrease, "ack_increase"),
        (Class::AckMultiplicative, "ack_multiplicative"),
    ];
    assert_eq!(classes.map(|(class, _)| CLASSES[class as usize]), classes.map(|(_, name)| name));
}
