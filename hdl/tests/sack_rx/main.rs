//! The SACK receiver in rust-hdl's own simulation: 16 connections, both engines.

mod bench;
mod model;
mod timing;

use bench::{
    Engine, Op, PSNS, Sack, fast_64, fast_128, fast_256, fast_512, init, packet, run, sacks, small_64,
    small_128, statuses,
};
use model::random_ops;
use respray_hdl::cores::sack_rx::fast::{LATENCY_CYCLES, SAME_CONNECTION_CYCLES};

#[test]
fn new_duplicate_outside_probe_and_uninitialised_are_told_apart() {
    let probe = |psn| Op { probe: true, ..packet(psn) };
    let ops = [
        packet(100),
        init(100),
        packet(100),
        packet(100),
        packet(99),
        packet(103),
        packet(103),
        packet(164),
        packet(165),
        probe(103),
        Op { conn: 1, ..probe(103) },
        packet(101 + PSNS / 2),
        packet(100 + PSNS / 2),
    ];
    for engine in [small_64(), fast_64()] {
        assert_eq!(statuses(engine, &ops), [7, 0, 1, 1, 0, 1, 0, 2, 3, 7, 1, 2]);
    }
}

#[test]
fn epsn_moves_over_the_whole_run_at_once_and_small_takes_longer_by_segment() {
    let first = PSNS - 70;
    let mut ops = vec![init(first)];
    ops.extend((1..128).map(|n| packet((first + n) % PSNS)));
    ops.push(packet(first));
    // Of one connection every packet waits for the one before, whose result comes as it may start.
    let fast = LATENCY_CYCLES + SAME_CONNECTION_CYCLES - 1;
    for (mut engine, cycles, last_cycles) in [(small_128(), 6, 6 + 2 * 2), (fast_128(), fast, fast)] {
        let outcomes = run(engine.as_mut(), &ops);
        assert!(outcomes[..127].iter().all(|(outcome, _)| outcome.sack.is_none()));
        assert!(outcomes[1..127].iter().all(|(_, taken)| *taken == cycles));
        let (outcome, taken) = outcomes[127];
        let sack = outcome.sack.unwrap();
        assert_eq!((sack.epsn, sack.base, sack.bitmap), (58, 0, (1 << 58) - 1));
        assert_eq!((sack.ooo, sack.bytes_recvd, taken), (0, 1280, last_cycles));
    }
}

#[test]
fn a_sack_shows_the_lowest_segment_since_the_last_one_and_a_probe_changes_nothing() {
    let asked = Op { ack_request: true, ..packet(141) };
    let ops = [
        init(10),
        packet(70),
        packet(137),
        Op { probe: true, ..packet(135) },
        packet(20),
        packet(130),
        asked,
        Op { psn: 129, ..asked },
        Op { psn: 135, ..asked },
    ];
    for engine in [small_128(), fast_128()] {
        let sacks = sacks(engine, &ops);
        let bits = |sack: Option<Sack>| sack.map(|sack| (sack.base, sack.bitmap, sack.ooo));
        assert_eq!(bits(sacks[2]), Some((128, 1 << 9, 2)));
        assert_eq!(bits(sacks[5]), None);
        assert_eq!(bits(sacks[6]), Some((0, ((1 << 10) - 1) | (1 << 20), 5)));
        assert_eq!(bits(sacks[7]), Some((128, 1 << 1 | 1 << 2 | 1 << 7 | 1 << 9, 6)));
    }
}

/// Segments fill in any order, and EPSN then passes all that follow it without a gap.
#[test]
fn fast_knows_which_segments_are_full_at_every_distance() {
    let start = PSNS - 320;
    for (segments, gap) in [(4, 0), (4, 1), (4, 2), (4, 3), (8, 0), (8, 6)] {
        let segment = |n: u32| (64 * n..64 * n + 64).filter(|n| *n != 0);
        let mut order: Vec<u32> = (1..segments).rev().filter(|n| *n != gap).flat_map(segment).collect();
        order.extend(segment(0));
        order.push(0);
        let mut ops = vec![init(start)];
        ops.extend(order.iter().map(|n| packet((start + n) % PSNS)));
        let mut engine = if segments == 4 { fast_256() } else { fast_512() };
        let outcomes = run(engine.as_mut(), &ops);
        let sack = outcomes.last().unwrap().0.sack.unwrap();
        let passed = if gap == 0 { segments } else { gap };
        assert_eq!(sack.epsn, (start + 64 * passed) % PSNS, "without segment {gap} of {segments}");
        assert_eq!(sack.ooo, order.len() as u32 - 64 * passed);
    }
}

/// The first and the last segment lie in one word: what is not received of one looks received of the other.
#[test]
fn the_last_segment_is_never_taken_for_a_full_one() {
    for (window, engine) in [(64, fast_64()), (128, fast_128()), (256, fast_256()), (64, small_64())] {
        let mut ops = vec![init(1), packet(window)];
        ops.extend((1..window).map(packet));
        let sacks = sacks(engine, &ops);
        let sack = sacks.last().unwrap().unwrap();
        assert_eq!((sack.epsn, sack.base, sack.bitmap, sack.ooo), (window + 1, window, 1, 0));
    }
}

fn agrees_with_the_model(mut engine: Box<dyn Engine>, window: u32, seed: u64) {
    let (ops, expected) = random_ops(window, seed);
    let outcomes = run(engine.as_mut(), &ops);
    let packets = ops.iter().filter(|op| !op.init);
    for ((op, expected), (outcome, _)) in packets.zip(&expected).zip(&outcomes) {
        assert_eq!(outcome, expected, "{op:?}");
    }
    assert_eq!(outcomes.len(), expected.len());
}

#[test]
fn small_agrees_with_the_model_at_a_window_of_64() {
    agrees_with_the_model(small_64(), 64, 1);
}

#[test]
fn small_agrees_with_the_model_at_a_window_of_128() {
    agrees_with_the_model(small_128(), 128, 2);
}
