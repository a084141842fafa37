//! Step by step: epochs, saturation, age, ports that die, and which uplink is the least loaded.

use respray_golden::flowcut_switch::{
    Bucket, Engine, MOST_IN_FLIGHT, Op, OpKind, Outcome, Params, Pick, Route, Settings,
};

const ALL: u64 = 0xff;

fn engine_of(uplinks: u32, pick: Pick, seed: u16) -> Engine {
    Engine::new(Params { buckets: 2, uplinks, pick, seed })
}

fn engine() -> Engine {
    engine_of(8, Pick::All, 5)
}

fn data(engine: &mut Engine, bytes: u32, up: u64, clock: u8) -> Outcome {
    engine.apply(&Op { bytes, up, clock, ..Op::default() })
}

fn port(outcome: &Outcome) -> u8 {
    outcome.sent.and_then(Route::port).expect("a route")
}

/// An ACK after 100 ticks.
fn ack(engine: &mut Engine, bytes: u32, epoch: u8, clock: u8) -> Outcome {
    engine.apply(&Op { kind: OpKind::Ack, bytes, epoch, now: 100, clock, ..Op::default() })
}

/// A round of the walker; what came of bucket 0.
fn round(engine: &mut Engine, clock: u8, drain_after: u8) -> Outcome {
    let settings = Settings { drain_after, ..Settings::default() };
    let visit = |bucket| Op { kind: OpKind::Visit, bucket, clock, settings, ..Op::default() };
    let outcome = engine.apply(&visit(0));
    assert_eq!(engine.apply(&visit(1)), Outcome::default());
    outcome
}

fn set_load(engine: &mut Engine, port: u8, load: u8) {
    engine.apply(&Op { kind: OpKind::Load, port, load, ..Op::default() });
}

#[test]
fn an_ack_of_an_epoch_that_is_over_is_refused() {
    let mut engine = engine();
    let first = data(&mut engine, 1000, ALL, 0);
    assert_eq!(first.epoch, 1);
    assert!(round(&mut engine, 65, 0).entry_cleared);
    assert!(ack(&mut engine, 1000, 1, 65).ack_refused);
    let second = data(&mut engine, 1000, ALL, 66);
    assert_eq!(second.epoch, 2);
    let before = *engine.bucket(0);
    assert!(ack(&mut engine, 1000, 1, 67).ack_refused);
    assert_eq!(*engine.bucket(0), before);
    assert!(!ack(&mut engine, 1000, 2, 67).ack_refused);
    assert_eq!(engine.bucket(0).in_flight, 0);
    // 16 flowcuts later the number is back
    for epoch in (3..=17).map(|epoch| epoch % 16) {
        assert_eq!(data(&mut engine, 1, ALL, 68).epoch, epoch);
        assert!(!ack(&mut engine, 1, epoch, 68).ack_refused);
    }
}

#[test]
fn a_full_count_drains_and_silence_alone_empties_it() {
    let mut engine = engine();
    let mut sent = 0;
    while sent <= MOST_IN_FLIGHT {
        assert!(!engine.bucket(0).saturated, "{sent}");
        assert_eq!(engine.bucket(0).in_flight, sent);
        sent += 16383;
        data(&mut engine, 16383, ALL, 0);
    }
    assert!(engine.bucket(0).saturated && !engine.bucket(0).draining);
    assert_eq!(engine.bucket(0).in_flight, MOST_IN_FLIGHT);
    // more than the count is no reason to refuse, and takes nothing off
    for (bytes, xoff) in [(1000, true), (MOST_IN_FLIGHT, false), (MOST_IN_FLIGHT, false)] {
        assert_eq!(ack(&mut engine, bytes, 1, 10), Outcome { xoff, ..Outcome::default() });
        assert_eq!(engine.bucket(0).in_flight, MOST_IN_FLIGHT);
    }
    let late = data(&mut engine, 1, ALL, 20);
    assert!(late.draining && matches!(late.sent, Some(Route::Same(_))));
    assert_eq!(engine.bucket(0).in_flight, MOST_IN_FLIGHT);
    assert_eq!(round(&mut engine, 84, 0), Outcome::default());
    let cleared = Outcome { xon: true, entry_cleared: true, ..Outcome::default() };
    assert_eq!(round(&mut engine, 85, 0), cleared);
    let Bucket { in_flight, saturated, draining, .. } = *engine.bucket(0);
    assert_eq!((in_flight, saturated, draining), (0, false, false));
    assert!(matches!(data(&mut engine, 1, ALL, 86).sent, Some(Route::New(_))));
}

#[test]
fn a_count_that_is_just_full_is_no_saturation() {
    let mut engine = engine();
    for _ in 0..1024 {
        data(&mut engine, 16383, ALL, 0);
    }
    data(&mut engine, 1022, ALL, 0);
    assert_eq!(engine.bucket(0).in_flight, MOST_IN_FLIGHT - 1);
    data(&mut engine, 1, ALL, 0);
    assert!(engine.bucket(0).in_flight == MOST_IN_FLIGHT && !engine.bucket(0).saturated);
    assert!(!ack(&mut engine, MOST_IN_FLIGHT, 1, 0).ack_refused);
    assert_eq!(engine.bucket(0).in_flight, 0);
}

#[test]
fn an_old_flowcut_is_drained_and_once() {
    for drain_after in 1..=15 {
        let mut engine = engine();
        data(&mut engine, 1000, ALL, 0);
        for age in 1..=20_u8 {
            let clock = age.wrapping_mul(16);
            data(&mut engine, 1000, ALL, clock);
            let outcome = round(&mut engine, clock, drain_after);
            assert_eq!(outcome, Outcome { xoff: age == drain_after, ..Outcome::default() });
            assert_eq!(engine.bucket(0).age, age.min(15));
        }
        assert!(engine.bucket(0).draining);
    }
}

#[test]
fn an_old_flowcut_is_not_drained_where_the_setting_is_0() {
    let mut engine = engine();
    for age in 0..40_u8 {
        data(&mut engine, 1000, ALL, age.wrapping_mul(16));
        assert_eq!(round(&mut engine, age.wrapping_mul(16), 0), Outcome::default());
    }
    assert_eq!(engine.bucket(0).age, 15);
}

#[test]
fn a_flowcut_beyond_the_age_of_a_new_setting_is_not_drained_for_it() {
    let mut engine = engine();
    for (clock, drain_after, xoff) in
        [(0, 0, false), (16, 0, false), (32, 0, false), (48, 2, false), (64, 4, true)]
    {
        data(&mut engine, 1000, ALL, clock);
        assert_eq!(round(&mut engine, clock, drain_after).xoff, xoff, "{clock}");
    }
}

#[test]
fn a_flowcut_begins_young_and_a_forced_one_does_not() {
    let mut engine = engine();
    let first = data(&mut engine, 1000, ALL, 0);
    for clock in [16, 32] {
        round(&mut engine, clock, 0);
    }
    let forced = data(&mut engine, 1000, ALL & !(1 << port(&first)), 33);
    assert!(matches!(forced.sent, Some(Route::Forced(_))));
    assert_eq!(engine.bucket(0).age, 2);
    ack(&mut engine, 2000, 1, 34);
    assert_eq!(engine.bucket(0).in_flight, 0);
    data(&mut engine, 1000, ALL, 35);
    assert_eq!(engine.bucket(0).age, 0);
}

#[test]
fn buckets_grow_older_once_in_16_ticks_however_often_the_walker_comes() {
    let mut engine = engine();
    let mut ages = Vec::new();
    for clock in 0..=255 {
        data(&mut engine, 1, ALL, clock);
        for _ in 0..3 {
            round(&mut engine, clock, 0);
        }
        ages.push(engine.bucket(0).age);
    }
    let expected: Vec<u8> = (0..=255_u8).map(|clock| clock / 16).collect();
    assert_eq!(ages, expected);
}

#[test]
fn one_round_makes_all_buckets_older_though_the_clock_stands_or_goes_on_within_it() {
    let mut engine = Engine::new(Params { buckets: 4, uplinks: 8, pick: Pick::All, seed: 5 });
    let visit = |bucket, clock| Op { kind: OpKind::Visit, bucket, clock, ..Op::default() };
    for bucket in 0..4 {
        engine.apply(&Op { bucket, bytes: 1, up: ALL, ..Op::default() });
    }
    // the round begins before 16, and so no bucket grows older in it
    for (bucket, clock) in [(0, 15), (1, 15), (2, 16), (3, 17)] {
        engine.apply(&visit(bucket, clock));
        assert_eq!(engine.bucket(bucket).age, 0);
    }
    for bucket in 0..4 {
        engine.apply(&visit(bucket, 17));
        assert_eq!(engine.bucket(bucket).age, 1);
    }
    for bucket in 0..4 {
        engine.apply(&visit(bucket, 18));
        assert_eq!(engine.bucket(bucket).age, 1);
    }
}

#[test]
fn a_dead_port_forces_another_says_so_and_forgets_the_average() {
    let mut engine = engine();
    let first = data(&mut engine, 1000, ALL, 0);
    ack(&mut engine, 1, 1, 0);
    assert_eq!(engine.bucket(0).average, Some(3200));
    let up = ALL & !(1 << port(&first));
    let forced = data(&mut engine, 1000, up, 0);
    assert!(matches!(forced.sent, Some(Route::Forced(_))) && forced.order_risk && forced.epoch == 1);
    assert_ne!(port(&forced), port(&first));
    assert_eq!(engine.bucket(0).average, None);
    assert_eq!(engine.bucket(0).in_flight, 1999);
    // it stays there, though the first is up again
    let same = data(&mut engine, 1000, ALL, 0);
    assert_eq!(same.sent, Some(Route::Same(port(&forced))));
    assert!(!same.order_risk);
}

#[test]
fn a_drain_outlasts_a_forced_port() {
    let mut engine = engine();
    let first = data(&mut engine, 1000, ALL, 0);
    assert!(round(&mut engine, 16, 1).xoff);
    let forced = data(&mut engine, 1000, ALL & !(1 << port(&first)), 16);
    assert!(forced.order_risk && forced.draining);
    assert!(ack(&mut engine, 2000, 1, 17).xon);
}

#[test]
fn without_an_uplink_only_a_word_is_drawn() {
    let (mut stranded, mut other) = (engine(), engine());
    let no_route = Outcome { sent: Some(Route::NoRoute), ..Outcome::default() };
    for _ in 0..10 {
        assert_eq!(data(&mut stranded, 1000, 0, 9), no_route);
        // uplinks that the switch does not have
        assert_eq!(data(&mut stranded, 1000, !ALL, 9), no_route);
        assert_eq!(*stranded.bucket(0), Bucket::default());
    }
    choices(&mut other, ALL, 20);
    for _ in 0..100 {
        let (a, b) = (data(&mut stranded, 1, ALL, 0), data(&mut other, 1, ALL, 0));
        assert_eq!(a.sent, b.sent);
        ack(&mut stranded, 1, a.epoch, 0);
        ack(&mut other, 1, b.epoch, 0);
    }
}

/// How often each uplink is taken for a new flowcut.
fn choices(engine: &mut Engine, up: u64, times: u32) -> [u32; 64] {
    let mut counts = [0; 64];
    for _ in 0..times {
        let new = data(engine, 1, up, 0);
        assert!(matches!(new.sent, Some(Route::New(_))));
        counts[usize::from(port(&new))] += 1;
        ack(engine, 1, new.epoch, 0);
    }
    counts
}

/// Asserts that each count is within six deviations of its share.
fn assert_shares(counts: &[u32], shares: &[(usize, u32)], of: u32, times: u32) {
    for (port, count) in counts.iter().enumerate() {
        let share = shares.iter().find(|(of, _)| *of == port).map_or(0, |(_, share)| *share);
        let p = f64::from(share) / f64::from(of);
        let (mean, deviation) = (p * f64::from(times), (f64::from(times) * p * (1.0 - p)).sqrt());
        assert!((f64::from(*count) - mean).abs() <= 6.0 * deviation, "uplink {port}: {count}, not {mean}");
    }
}

#[test]
fn the_least_loaded_of_all_is_taken() {
    for uplinks in [8, 16, 32, 64] {
        let mut engine = engine_of(uplinks, Pick::All, 5);
        for port in 0..uplinks as u8 {
            set_load(&mut engine, port, 200 - port);
        }
        let up = u64::MAX >> (64 - uplinks);
        let least = uplinks as usize - 1;
        assert_eq!(choices(&mut engine, up, 100)[least], 100);
        // not if it is down
        assert_eq!(choices(&mut engine, up & !(1 << least), 100)[least - 1], 100);
        assert_eq!(choices(&mut engine, 1, 100)[0], 100);
    }
}

#[test]
fn equals_are_taken_equally_often() {
    const TIMES: u32 = 64_000;
    for uplinks in [8_u32, 16, 32, 64] {
        let mut engine = engine_of(uplinks, Pick::All, 5);
        let up = u64::MAX >> (64 - uplinks);
        let all: Vec<_> = (0..uplinks as usize).map(|port| (port, 1)).collect();
        assert_shares(&choices(&mut engine, up, TIMES), &all, uplinks, TIMES);
        // even ones only, at any load
        for port in 0..uplinks as u8 {
            set_load(&mut engine, port, 254 + port % 2);
        }
        let even: Vec<_> = (0..uplinks as usize).step_by(2).map(|port| (port, 2)).collect();
        assert_shares(&choices(&mut engine, up, TIMES), &even, uplinks, TIMES);
    }
    // and all of them full
    let mut engine = engine();
    (0..8).for_each(|port| set_load(&mut engine, port, 255));
    let all: Vec<_> = (0..8).map(|port| (port, 1)).collect();
    assert_shares(&choices(&mut engine, ALL, TIMES), &all, 8, TIMES);
}

#[test]
fn an_uplink_behind_a_gap_is_taken_for_the_gap_too() {
    const TIMES: u32 = 64_000;
    let counts = choices(&mut engine(), 0b0010_0110, TIMES);
    assert_shares(&counts, &[(1, 4), (2, 1), (5, 3)], 8, TIMES);
}

#[test]
fn of_two_random_ones_the_less_loaded_is_taken() {
    const TIMES: u32 = 64_000;
    let mut engine = engine_of(8, Pick::Two, 5);
    let all: Vec<_> = (0..8).map(|port| (port, 1)).collect();
    assert_shares(&choices(&mut engine, ALL, TIMES), &all, 8, TIMES);
    // the k-th least loaded is taken if neither draw is less loaded: 15, 13, ... 1 of 64
    (0..8).for_each(|port| set_load(&mut engine, port, 10 + port));
    let ordered: Vec<_> = (0..8).map(|port| (port, 15 - 2 * port as u32)).collect();
    assert_shares(&choices(&mut engine, ALL, TIMES), &ordered, 64, TIMES);
    // those of one load are taken equally often
    (1..8).for_each(|port| set_load(&mut engine, port, 1));
    set_load(&mut engine, 0, 0);
    let tied: Vec<_> = (0..8).map(|port| (port, if port == 0 { 15 } else { 7 })).collect();
    assert_shares(&choices(&mut engine, ALL, TIMES), &tied, 64, TIMES);
}

#[test]
fn the_word_of_the_generator_is_read_as_the_page_says() {
    use respray_golden::rng::Rng;
    for (pick, uplinks) in [Pick::All, Pick::Two].into_iter().flat_map(|pick| [(pick, 8), (pick, 64)]) {
        let mut engine = engine_of(uplinks, pick, 77);
        let mut rng = Rng::seeded(77, 2);
        for index in 0..1000_u32 {
            let word = u32::from(rng.step());
            let expected = match pick {
                Pick::All => word % uplinks,
                // uplink 3 is the fullest: the second draw counts where the first is that
                Pick::Two if (word & 0xff) % uplinks == 3 => (word >> 8) % uplinks,
                Pick::Two => (word & 0xff) % uplinks,
            };
            if pick == Pick::Two {
                set_load(&mut engine, 3, 1);
            }
            let new = data(&mut engine, 1, u64::MAX, 0);
            assert_eq!(u32::from(port(&new)), expected, "{pick:?}, new flowcut {index}");
            ack(&mut engine, 1, new.epoch, 0);
        }
    }
}

#[test]
fn each_data_packet_steps_the_generator_and_nothing_else_does() {
    let (mut busy, mut idle) = (engine(), engine());
    for _ in 0..100 {
        let (a, b) = (data(&mut busy, 1, ALL, 0), data(&mut idle, 1, ALL, 0));
        assert_eq!(a, b);
        // a packet that follows another one does, though it takes no word
        assert_eq!(data(&mut busy, 1, ALL, 0), data(&mut idle, 1, ALL, 0));
        round(&mut busy, 0, 0);
        set_load(&mut busy, 3, 0);
        ack(&mut busy, 1, a.epoch, 0);
        ack(&mut busy, 1, a.epoch, 0);
        assert!(ack(&mut busy, 1, a.epoch, 0).ack_refused);
        ack(&mut idle, 2, b.epoch, 0);
    }
}

#[test]
fn of_bytes_of_data_14_bits_count() {
    let mut engine = engine();
    data(&mut engine, 0xff_c001, ALL, 0);
    assert_eq!(engine.bucket(0).in_flight, 1);
}

#[test]
fn reset_is_a_new_engine() {
    let mut engine = engine();
    for clock in 0..200 {
        set_load(&mut engine, clock % 8, clock);
        data(&mut engine, 1000, ALL, clock);
        ack(&mut engine, 10, 1, clock);
        round(&mut engine, clock, 3);
    }
    engine.apply(&Op { kind: OpKind::SetMin, timestamp: 7, class: 3, ..Op::default() });
    assert_eq!((engine.rtt_min()[3], engine.loads()[7]), (7, 199));
    engine.reset(6);
    let mut new = engine_of(8, Pick::All, 6);
    assert_eq!((engine.rtt_min(), engine.loads()), (new.rtt_min(), new.loads()));
    assert_eq!(*engine.rtt_min(), [0xffff; 16]);
    assert_eq!(*engine.bucket(0), Bucket::default());
    // the walker's memory of the clock, too: a round at 17 makes older, for 0 was the last
    for clock in [1, 17, 18, 33] {
        let (a, b) = (data(&mut engine, 9, ALL, clock), data(&mut new, 9, ALL, clock));
        assert_eq!(a, b);
        assert_eq!(round(&mut engine, clock, 2), round(&mut new, clock, 2));
        assert_eq!(engine.bucket(0), new.bucket(0));
    }
    assert_eq!(engine.bucket(0).age, 2);
}
