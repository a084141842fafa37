//! What must hold in any history: an observer that knows the ops and their outcomes alone.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use respray_golden::flowcut_switch::{
    Bucket, Engine, MOST_IN_FLIGHT, Op, OpKind, Outcome, Params, Pick, Route, Settings,
};

const BUCKETS: u16 = 4;
const UPLINKS: u32 = 8;
const OPS: usize = 300_000;

fn engine(pick: Pick) -> Engine {
    Engine::new(Params { buckets: BUCKETS.into(), uplinks: UPLINKS, pick, seed: 7 })
}

/// What an observer knows of a bucket.
#[derive(Clone, Copy, Default)]
struct Seen {
    /// Bytes of the epoch that were sent, less those acknowledged; a flowcut with more than the count holds has no number any more.
    in_flight: u64,
    saturated: bool,
    epoch: u8,
    port: Option<u8>,
    draining: bool,
    /// When it was last heard of.
    heard: u8,
}

/// What draws ops, most of which a network would give.
struct Source {
    rng: Xoshiro256PlusPlus,
    now: u32,
    clock: u8,
    /// Where the walker comes next.
    visit: u16,
    /// Ops until the traffic changes.
    left: u32,
    /// Packets are large and ACKs few, so that counts get full.
    is_heavy: bool,
    /// The bucket that is silent, if it is below `BUCKETS`.
    silent: u16,
    up: u64,
}

impl Source {
    fn op(&mut self, seen: &[Seen], at: usize) -> Op {
        let rng = &mut self.rng;
        self.now = (self.now + rng.random_range(0..8)) & 0xffff;
        self.clock = self.clock.wrapping_add(u8::from(rng.random_range(0..8_u32) == 0));
        if self.left == 0 {
            self.is_heavy = rng.random_range(0..4_u32) == 0;
            self.left = rng.random_range(1..if self.is_heavy { 12_000 } else { 2000 });
            self.silent = rng.random_range(0..=BUCKETS);
        }
        self.left -= 1;
        if rng.random_range(0..50_u32) == 0 {
            self.up = rng.random();
            self.up &= if rng.random_range(0..20_u32) == 0 { !0xff } else { u64::MAX };
        }
        let acks = if self.is_heavy { 2 } else { 47 };
        let kind = match (at % 16, rng.random_range(0..100_u32)) {
            (15, _) => OpKind::Visit,
            (_, 98) => OpKind::Load,
            (_, 99) => OpKind::SetMin,
            (_, draw) if draw < acks => OpKind::Ack,
            _ => OpKind::Data,
        };
        let mut bucket = rng.random_range(0..BUCKETS);
        if bucket == self.silent {
            bucket = (bucket + 1) % BUCKETS;
        }
        if kind == OpKind::Visit {
            bucket = self.visit;
            self.visit = (self.visit + 1) % BUCKETS;
        }
        let of = &seen[usize::from(bucket)];
        let bytes = match (kind, rng.random_range(0..20_u32)) {
            (OpKind::Data, _) if self.is_heavy => 16383,
            (OpKind::Data, _) => rng.random_range(1..1 << 14),
            (_, 0) => rng.random_range(0..1 << 24),
            (_, 1..8) if !self.is_heavy => of.in_flight.min(MOST_IN_FLIGHT.into()) as u32,
            _ => rng.random_range(0..=of.in_flight.min(1 << 15)) as u32,
        };
        Op {
            kind,
            bucket,
            bytes,
            up: self.up,
            epoch: if rng.random_range(0..10_u32) == 0 { rng.random_range(0..16) } else { of.epoch },
            timestamp: self.now.wrapping_sub(rng.random_range(0..400)) & 0xffff,
            class: rng.random_range(0..4),
            serial: rng.random_range(0..8),
            port: rng.random_range(0..UPLINKS) as u8,
            load: rng.random_range(0..4),
            now: self.now,
            clock: self.clock,
            settings: Settings {
                rtt_floor: rng.random_range(0..20),
                ratio: rng.random_range(2..12),
                alpha: rng.random_range(0..8),
                entry_timeout: if self.is_heavy { 250 } else { rng.random_range(20..60) },
                drain_after: rng.random_range(0..16),
            },
        }
    }
}

type Before = ([Bucket; BUCKETS as usize], [u32; 16]);

/// Runs random histories; `check` gets each op, its outcome, what was seen, the engine's buckets before it, and the engine after it.
fn histories(mut check: impl FnMut(&Op, &Outcome, &Seen, &Before, &Engine)) {
    for pick in [Pick::All, Pick::Two] {
        let rng = Xoshiro256PlusPlus::seed_from_u64(21);
        let mut source =
            Source { rng, now: 0, clock: 0, visit: 0, left: 0, is_heavy: false, silent: 0, up: u64::MAX };
        let mut engine = engine(pick);
        let mut seen = [Seen::default(); BUCKETS as usize];
        for at in 0..OPS {
            let op = source.op(&seen, at);
            let before = (std::array::from_fn(|bucket| *engine.bucket(bucket as u16)), *engine.rtt_min());
            let outcome = engine.apply(&op);
            let of = &mut seen[usize::from(op.bucket)];
            check(&op, &outcome, of, &before, &engine);
            match (op.kind, outcome.sent) {
                (OpKind::Data, Some(Route::New(port) | Route::Same(port) | Route::Forced(port))) => {
                    of.port = Some(port);
                    of.epoch = outcome.epoch;
                    of.in_flight += u64::from(op.bytes);
                    of.saturated |= of.in_flight > MOST_IN_FLIGHT.into();
                    of.heard = op.clock;
                }
                (OpKind::Ack, _) if !outcome.ack_refused => {
                    of.in_flight -= if of.saturated { 0 } else { u64::from(op.bytes) };
                    of.heard = op.clock;
                }
                _ => {}
            }
            if outcome.entry_cleared {
                (of.in_flight, of.saturated) = (0, false);
            }
            of.draining = (of.draining || outcome.xoff) && !outcome.xon;
        }
    }
}

#[test]
fn f1_a_new_uplink_without_a_risk_means_that_nothing_is_on_its_way() {
    let (mut new, mut forced) = (0, 0);
    histories(|op, outcome, seen, _, _| {
        match outcome.sent {
            Some(Route::New(_)) => {
                new += 1;
                assert_eq!(seen.in_flight, 0);
                assert_eq!(outcome.epoch, (seen.epoch + 1) % 16);
            }
            Some(Route::Forced(_)) => {
                forced += 1;
                assert!(seen.in_flight != 0 && op.up >> seen.port.unwrap() & 1 == 0);
                assert_eq!(outcome.epoch, seen.epoch);
            }
            Some(Route::Same(_)) => assert!(seen.in_flight != 0 && outcome.epoch == seen.epoch),
            Some(Route::NoRoute) => assert_eq!(op.up & 0xff, 0),
            None => assert_ne!(op.kind, OpKind::Data),
        }
        assert_eq!(outcome.order_risk, matches!(outcome.sent, Some(Route::Forced(_))));
    });
    assert!(new > 10_000 && forced > 1000, "{new} new, {forced} forced");
}

#[test]
fn f2_between_two_choices_a_bucket_has_one_uplink_and_it_is_up() {
    let mut same = 0;
    histories(|op, outcome, seen, _, _| {
        if let Some(Route::Same(port)) = outcome.sent {
            same += 1;
            assert_eq!(Some(port), seen.port);
        }
        if let Some(port) = outcome.sent.and_then(Route::port) {
            assert!(u32::from(port) < UPLINKS && op.up >> port & 1 != 0);
        }
    });
    assert!(same > 10_000, "{same}");
}

#[test]
fn f4_bytes_on_their_way_are_those_of_the_epoch_less_those_acknowledged() {
    let mut full = 0;
    histories(|op, _, seen, (before, _), engine| {
        let bucket = &before[usize::from(op.bucket)];
        full += u32::from(seen.saturated);
        assert_eq!(bucket.saturated, seen.saturated);
        let expected = if seen.saturated { MOST_IN_FLIGHT.into() } else { seen.in_flight };
        assert_eq!(u64::from(bucket.in_flight), expected);
        assert!(engine.bucket(op.bucket).in_flight <= MOST_IN_FLIGHT);
    });
    assert!(full > 1000, "{full}");
}

#[test]
fn f4_an_ack_is_refused_if_and_only_if_it_is_of_another_epoch_or_of_bytes_not_on_their_way() {
    let mut taken = 0;
    histories(|op, outcome, seen, _, _| {
        let is_too_much = !seen.saturated && u64::from(op.bytes) > seen.in_flight;
        let is_foreign = seen.in_flight == 0 || op.epoch != seen.epoch || is_too_much;
        assert_eq!(outcome.ack_refused, op.kind == OpKind::Ack && is_foreign);
        taken += u32::from(op.kind == OpKind::Ack && !is_foreign);
    });
    assert!(taken > 10_000, "{taken}");
}

#[test]
fn f5_a_silent_bucket_is_empty_after_one_visit() {
    let (mut cleared, mut spared) = (0, 0);
    histories(|op, outcome, seen, _, engine| {
        let is_silent = op.clock.wrapping_sub(seen.heard) > op.settings.entry_timeout;
        let is_visit = op.kind == OpKind::Visit && seen.in_flight != 0;
        assert_eq!(outcome.entry_cleared, is_visit && is_silent);
        if outcome.entry_cleared {
            cleared += 1;
            let bucket = engine.bucket(op.bucket);
            assert!(bucket.in_flight == 0 && !bucket.saturated && !bucket.draining);
        }
        spared += u32::from(is_visit && !is_silent);
    });
    assert!(cleared > 10 && spared > 10_000, "{cleared} cleared, {spared} spared");
}

#[test]
fn f6_xoff_and_xon_come_in_turn_and_every_packet_between_tells() {
    let (mut xoffs, mut xons, mut told) = (0, 0, 0);
    histories(|op, outcome, seen, _, engine| {
        assert!(!(outcome.xoff && (seen.draining || outcome.xon)));
        assert!(!outcome.xon || seen.draining);
        let is_empty = engine.bucket(op.bucket).in_flight == 0;
        let is_end = op.kind != OpKind::Data && seen.draining && is_empty;
        let concerns = matches!(op.kind, OpKind::Ack | OpKind::Visit);
        assert_eq!(outcome.xon, concerns && is_end);
        if outcome.sent.and_then(Route::port).is_some() {
            assert_eq!(outcome.draining, seen.draining);
            told += u32::from(outcome.draining);
        }
        (xoffs, xons) = (xoffs + u32::from(outcome.xoff), xons + u32::from(outcome.xon));
    });
    assert!(xoffs > 1000 && xons > 1000 && told > 1000, "{xoffs} XOFF, {xons} XON, {told} told");
}

#[test]
fn f7_what_has_no_route_or_is_refused_changes_nothing() {
    let (mut stranded, mut refused) = (0, 0);
    histories(|op, outcome, _, (buckets, rtt_min), engine| {
        let is_stranded = outcome.sent == Some(Route::NoRoute);
        stranded += u32::from(is_stranded);
        refused += u32::from(outcome.ack_refused);
        let is_setting = matches!(op.kind, OpKind::Load | OpKind::SetMin);
        if is_stranded || outcome.ack_refused || is_setting {
            assert_eq!(*engine.bucket(op.bucket), buckets[usize::from(op.bucket)]);
        }
        if is_stranded || outcome.ack_refused {
            assert_eq!(engine.rtt_min(), rtt_min);
        }
    });
    assert!(stranded > 1000 && refused > 1000, "{stranded} stranded, {refused} refused");
}

#[test]
fn f8_smallest_rtts_fall_only_unless_they_are_set() {
    let mut fell = 0;
    histories(|op, outcome, _, (_, before), engine| {
        for (class, (was, is)) in before.iter().zip(engine.rtt_min()).enumerate() {
            let is_of_op = class == usize::from(op.class);
            let is_set = op.kind == OpKind::SetMin && is_of_op;
            let is_sample = op.kind == OpKind::Ack && !outcome.ack_refused && is_of_op;
            assert!(is == was || is_set || is_sample && is < was, "class {class}");
            assert!(!is_set || *is == op.timestamp);
            fell += u32::from(is < was && is_sample);
        }
    });
    assert!(fell > 100, "{fell}");
}

#[test]
fn f9_an_op_changes_no_other_bucket() {
    histories(|op, _, _, (buckets, _), engine| {
        for bucket in (0..BUCKETS).filter(|bucket| *bucket != op.bucket) {
            assert_eq!(*engine.bucket(bucket), buckets[usize::from(bucket)]);
        }
    });
}

#[test]
fn a_bucket_is_hot_by_the_rules_of_the_nic() {
    use respray_golden::flowcut;
    // one bucket beside one connection of the NIC: the same RTTs give the same average, smallest RTT and drains
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(8);
    let mut switch = engine(Pick::All);
    let mut nic = flowcut::Engine::new(flowcut::Params {
        connections: 1,
        variant: flowcut::Variant::Paper,
        time_bits: 16,
        ev_base: 0,
        ev_bits: 16,
        seed: 1,
    });
    let (mut sent, mut recvd, mut drains) = (0_u32, 0_u32, 0);
    for _ in 0..100_000 {
        let now = rng.random_range(0..1 << 16);
        let (ratio, alpha, rtt_floor) =
            (rng.random_range(0..64), rng.random_range(0..8), rng.random_range(0..300));
        let (timestamp, class, serial) =
            (rng.random_range(0..1 << 16), rng.random_range(0..16), rng.random_range(0..50));
        let of_switch = Settings { ratio, alpha, rtt_floor, drain_after: 0, ..Settings::default() };
        let of_nic = flowcut::Settings { ratio, alpha, rtt_floor, hold: false, timeout_reroutes: false };
        if sent == recvd || sent - recvd < 1 << 20 && rng.random() {
            let bytes = rng.random_range(1..1 << 14);
            let data = Op { bytes, up: 1, now, settings: of_switch, ..Op::default() };
            switch.apply(&data);
            nic.apply(&flowcut::Op { bytes, now, settings: of_nic, ..flowcut::Op::default() });
            sent += bytes;
        } else {
            let in_flight: u32 = sent - recvd;
            let is_last = rng.random_range(0..8_u32) == 0;
            let bytes = if is_last { in_flight } else { rng.random_range(1..=in_flight.min(20_000)) };
            let epoch = switch.bucket(0).epoch;
            recvd += bytes;
            let ack = Op {
                kind: OpKind::Ack,
                bytes,
                epoch,
                timestamp,
                class,
                serial,
                now,
                settings: of_switch,
                ..Op::default()
            };
            let kind = flowcut::OpKind::Ack;
            let count = flowcut::Op {
                kind,
                recvd: recvd & 0xff_ffff,
                timestamp,
                class,
                serial,
                now,
                settings: of_nic,
                ..flowcut::Op::default()
            };
            let (of_switch, of_nic) = (switch.apply(&ack), nic.apply(&count));
            assert_eq!((of_switch.xoff, of_switch.xon), (of_nic.drain_started, of_nic.drain_done));
            drains += u32::from(of_switch.xoff);
        }
        assert_eq!(switch.bucket(0).average, nic.connection(0).average);
        assert_eq!(switch.rtt_min(), nic.rtt_min());
        assert_eq!(switch.bucket(0).in_flight, nic.connection(0).in_flight());
    }
    assert!(drains > 100, "{drains}");
}
