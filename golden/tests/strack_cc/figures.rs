//! What the window does over whole runs, beside the same in real numbers.

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use respray_golden::strack_cc::{Engine, Op, OpKind, Params, Settings};

use super::network::{Integers, MTU, Reals, Seen, Windows, incast};
use super::reals::{Ack, Real};

/// The run of an incast, whose windows have settled behind 2 ms.
fn seen<W: Windows>(sources: u16, seed: u64) -> Seen {
    let seen = incast::<W>(sources, 14.0, seed);
    assert!(seen.packets > 140_000, "the queue never runs empty: {seen:?}");
    assert_eq!(seen.late_drops, 0, "drops end with the first round trips: {seen:?}");
    seen
}

/// 004 Figure 20: the queuing delay stays near its target of 12 us whatever the number of senders.
#[test]
fn an_incast_settles_at_the_target() {
    let figures = [(8, 12.2, 0.5), (32, 13.1, 0.5), (128, 17.0, 1.0)];
    for ((sources, delay_us, most), seed) in figures.into_iter().flat_map(|figure| [(figure, 1), (figure, 2)])
    {
        let integers = seen::<Integers>(sources, seed);
        assert!((integers.delay_us - delay_us).abs() < most, "{sources} sources: {integers:?}");
        let reals = seen::<Reals>(sources, seed);
        assert!((integers.delay_us - reals.delay_us).abs() < 0.2, "{sources}: {integers:?} {reals:?}");
        assert!((integers.window / reals.window - 1.0).abs() < 0.02, "{sources}: {integers:?} {reals:?}");
    }
}

/// Delays that wander, the same for the integers and the real numbers: by how much the windows differ on average, and how many of the
/// ACKs branch otherwise, both as a part of one.
fn walk(acks: u32, seed: u64, settings: &Settings, of_real: &Settings) -> (f64, f64) {
    let mut rng = SmallRng::seed_from_u64(seed);
    let mut engine = Engine::new(Params { connections: 1 });
    engine.apply(&Op { kind: OpKind::Init, settings: *settings, ..Op::default() });
    let mut real = Real::new(of_real, 0.0);
    let (mut now, mut delay) = (0_u64, 900_i64);
    let (mut off, mut otherwise) = (0.0, 0);
    for _ in 0..acks {
        now += rng.random_range(1..20_u64);
        delay = (delay + rng.random_range(-60..=60)).clamp(0, 4500);
        let rtt = 967 + delay as u64;
        let ecn = rng.random_ratio(delay as u32, 4500);
        let op = Op {
            kind: OpKind::Ack,
            ecn,
            bytes: MTU,
            timestamp: now.wrapping_sub(rtt) as u16,
            now: now as u16,
            settings: *settings,
            ..Op::default()
        };
        let result = engine.apply(&op).result.expect("an ACK has a result");
        let ack = Ack { ecn, probe: false, bytes: MTU, rtt: rtt as f64, now: now as f64 };
        let (action, fair) = real.ack(&ack, of_real);
        otherwise += u32::from((result.action, result.fair) != (action, fair));
        off += (f64::from(result.cwnd) / 65536.0 / real.cwnd - 1.0).abs();
    }
    (off / f64::from(acks), f64::from(otherwise) / f64::from(acks))
}

#[test]
fn windows_of_a_random_walk_are_those_of_real_numbers() {
    let settings = Settings::default();
    let (off, otherwise) = walk(300_000, 1, &settings, &settings);
    assert!(off < 0.002 && otherwise < 0.001, "windows differ by {off}, branches by {otherwise}");
    // gammas that differ by a hundredth part are told apart
    let (off, _) = walk(300_000, 1, &settings, &Settings { gamma: 51_905, ..settings });
    assert!(off > 0.002, "windows differ by {off}");
}

/// The average over any run is too high by 0 to 7/8 tick, which no run adds up.
#[test]
fn the_average_is_never_off_by_a_tick() {
    let settings = Settings::default();
    let mut rng = SmallRng::seed_from_u64(1);
    let mut engine = Engine::new(Params { connections: 1 });
    engine.apply(&Op { kind: OpKind::Init, settings, ..Op::default() });
    let mut real = Real::new(&settings, 0.0);
    let mut highest: f64 = 0.0;
    for i in 0..100_000 {
        // phases of constant delay, where roundings add up, and of any delay
        let delay: u16 = if i / 500 % 2 == 0 { i as u16 / 1000 * 7 } else { rng.random::<u16>() % 60_000 };
        let op = Op { kind: OpKind::Ack, ecn: true, settings, ..Op::default() };
        engine.apply(&Op { timestamp: 0_u16.wrapping_sub(967 + delay), ..op });
        real.average(delay.into());
        let above = f64::from(engine.connection(0).avg8) / 8.0 - real.avg_delay;
        assert!((-1e-6..=0.875 + 1e-6).contains(&above), "ACK {i}: {above}");
        highest = highest.max(above);
    }
    assert!(highest > 0.8, "the bound is met: {highest}");
}
