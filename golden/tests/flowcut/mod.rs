//! What must hold of Flowcut in any history: an observer that knows the ops and their outcomes alone.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use respray_golden::flowcut::{
    Connection, Engine, HALF_CIRCLE, Op, OpKind, Outcome, Params, Route, Settings, Variant,
};

const CONNECTIONS: u16 = 4;
const OPS: usize = 300_000;
const COUNT_MASK: u32 = (1 << 24) - 1;

fn engine(variant: Variant) -> Engine {
    Engine::new(Params {
        connections: CONNECTIONS.into(),
        variant,
        time_bits: 16,
        ev_base: 0,
        ev_bits: 16,
        seed: 7,
    })
}

/// What an observer knows of a connection.
#[derive(Clone, Copy, Default)]
struct Seen {
    sent: u32,
    recvd: u32,
    ev: Option<u16>,
    draining: bool,
}

impl Seen {
    fn in_flight(&self) -> u32 {
        self.sent.wrapping_sub(self.recvd) & COUNT_MASK
    }
}

/// A random op, mostly one that a network would give.
fn op(rng: &mut Xoshiro256PlusPlus, seen: &[Seen], now: &mut u32) -> Op {
    *now = (*now + rng.random_range(0..8)) & 0xffff;
    let conn = rng.random_range(0..CONNECTIONS);
    let kind = match rng.random_range(0..100_u32) {
        0..45 => OpKind::Send,
        45..92 => OpKind::Ack,
        92..96 => OpKind::Timeout,
        96 => OpKind::Init,
        97 => OpKind::SetMin,
        98 => OpKind::Nack,
        _ => OpKind::Reserved,
    };
    let in_flight = seen[usize::from(conn)].in_flight();
    let forward = match rng.random_range(0..20_u32) {
        0 => rng.random(),
        1..8 => in_flight,
        _ => rng.random_range(0..=in_flight),
    };
    Op {
        kind,
        conn,
        bytes: rng.random_range(0..1 << 14),
        is_retransmission: rng.random_range(0..16_u32) == 0,
        recvd: seen[usize::from(conn)].recvd.wrapping_add(forward) & COUNT_MASK,
        timestamp: now.wrapping_sub(rng.random_range(0..400)) & 0xffff,
        class: rng.random_range(0..4),
        serial: rng.random_range(0..8),
        now: *now,
        settings: Settings {
            rtt_floor: rng.random_range(0..20),
            ratio: rng.random_range(2..12),
            alpha: rng.random_range(1..=5),
            hold: rng.random_range(0..8_u32) != 0,
            timeout_reroutes: rng.random(),
        },
    }
}

/// Runs a random history; `check` gets each op, its outcome, what was seen and the engine's connection before it, and the engine after it.
fn histories(variant: Variant, mut check: impl FnMut(&Op, &Outcome, &Seen, &[Connection], &Engine)) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(21);
    let (mut engine, mut now) = (engine(variant), 0);
    let mut seen = [Seen::default(); CONNECTIONS as usize];
    for _ in 0..OPS {
        let op = op(&mut rng, &seen, &mut now);
        let before: Vec<Connection> = (0..CONNECTIONS).map(|conn| *engine.connection(conn)).collect();
        let outcome = engine.apply(&op);
        let of = &mut seen[usize::from(op.conn)];
        check(&op, &outcome, of, &before, &engine);
        match (op.kind, outcome.sent) {
            (OpKind::Send, Some((Route::New(ev) | Route::Same(ev), _))) => {
                of.ev = Some(ev);
                of.sent += if op.is_retransmission { 0 } else { op.bytes };
                of.sent &= COUNT_MASK;
            }
            (OpKind::Ack, _) if !outcome.ack_refused => of.recvd = op.recvd,
            (OpKind::Init, _) => *of = Seen { sent: op.recvd, recvd: op.recvd, ..Seen::default() },
            _ => {}
        }
        of.draining |= outcome.drain_started;
        of.draining &= !outcome.drain_done && !outcome.drain_given_up && op.kind != OpKind::Init;
    }
}

fn both(mut check: impl FnMut(&Op, &Outcome, &Seen, &[Connection], &Engine)) {
    histories(Variant::Paper, &mut check);
    histories(Variant::Sticky, &mut check);
}

#[test]
fn f1_a_new_ev_without_a_risk_means_that_nothing_is_on_its_way() {
    let (mut new, mut risks) = (0, 0);
    both(|_, outcome, seen, _, _| {
        if let Some((Route::New(_), _)) = outcome.sent {
            new += 1;
            risks += u32::from(outcome.order_risk);
            assert_eq!(outcome.order_risk, seen.in_flight() != 0);
        }
    });
    assert!(new > 10_000 && risks > 100, "{new} new, {risks} risks");
}

#[test]
fn f2_between_two_new_evs_a_connection_has_one() {
    let mut same = 0;
    both(|_, outcome, seen, _, _| {
        if let Some((Route::Same(ev), _)) = outcome.sent {
            same += 1;
            assert_eq!(Some(ev), seen.ev);
        }
    });
    assert!(same > 10_000, "{same}");
}

#[test]
fn f4_bytes_on_their_way_are_those_sent_less_those_acknowledged_and_below_half_the_circle() {
    both(|op, _, seen, before, engine| {
        assert_eq!(before[usize::from(op.conn)].in_flight(), seen.in_flight());
        assert!(engine.connection(op.conn).in_flight() < HALF_CIRCLE);
    });
}

#[test]
fn f5_one_ack_of_all_leaves_nothing_on_its_way() {
    both(|op, outcome, seen, _, engine| {
        if op.kind == OpKind::Ack && op.recvd == seen.sent && seen.in_flight() != 0 {
            assert!(!outcome.ack_refused);
            assert_eq!(engine.connection(op.conn).in_flight(), 0);
            assert!(!engine.connection(op.conn).draining);
        }
    });
}

#[test]
fn f6_drains_begin_and_end_in_turn_and_nothing_new_is_sent_within_one_that_holds() {
    let mut drains = 0;
    both(|op, outcome, seen, _, _| {
        assert!(!(outcome.drain_started && seen.draining));
        assert!(seen.draining || !(outcome.drain_done || outcome.drain_given_up));
        drains += u32::from(outcome.drain_started);
        if let (Some((route, draining)), true) =
            (outcome.sent, op.settings.hold && !op.is_retransmission && op.bytes != 0)
        {
            assert_eq!(draining, seen.draining);
            assert!(!draining || route == Route::Wait);
        }
    });
    assert!(drains > 1000, "{drains}");
}

#[test]
fn f7_what_waits_or_is_refused_changes_nothing() {
    let (mut waits, mut refused) = (0, 0);
    both(|op, outcome, _, before, engine| {
        let is_wait = matches!(outcome.sent, Some((Route::Wait, _)));
        waits += u32::from(is_wait);
        refused += u32::from(outcome.ack_refused);
        let is_nothing = matches!(op.kind, OpKind::Nack | OpKind::Reserved | OpKind::SetMin);
        if is_wait || outcome.ack_refused || is_nothing {
            assert_eq!(*engine.connection(op.conn), before[usize::from(op.conn)]);
        }
    });
    assert!(waits > 1000 && refused > 1000, "{waits} wait, {refused} refused");
}

#[test]
fn f8_smallest_rtts_fall_only_unless_they_are_set() {
    for variant in [Variant::Paper, Variant::Sticky] {
        let mut last = *engine(variant).rtt_min();
        histories(variant, |op, outcome, _, _, engine| {
            for (class, (was, is)) in last.iter().zip(engine.rtt_min()).enumerate() {
                let is_set = op.kind == OpKind::SetMin && class == usize::from(op.class);
                assert!(is <= was || is_set, "class {class}");
                let is_sample =
                    op.kind == OpKind::Ack && !outcome.ack_refused && class == usize::from(op.class);
                assert!(is == was || is_set || is_sample);
            }
            last = *engine.rtt_min();
        });
    }
}

#[test]
fn f9_an_op_changes_no_other_connection() {
    both(|op, _, _, before, engine| {
        for conn in (0..CONNECTIONS).filter(|conn| *conn != op.conn) {
            assert_eq!(*engine.connection(conn), before[usize::from(conn)]);
        }
    });
}
