//! Any network between any two nics.

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use respray_golden::hosts::scenarios::sack_ticks;
use respray_golden::hosts::{Hooks, Message, Setup, Window, run};
use respray_golden::nic::{Choice, Counter, Limits};
use respray_golden::paths::{Change, Config, End, Path, Scheduled};
use respray_golden::wire::Profile;

use super::{BITMAP, FLOWLET, MIXED, MS, OPS, PERMUTED, STRACK, UET, US, spraying};

/// A path somewhere between good and bad.
fn path(rng: &mut SmallRng) -> Path {
    let rare =
        |rng: &mut SmallRng, most: u64| if rng.random_ratio(1, 3) { 0 } else { rng.random_range(0..=most) };
    let kmin_bytes = rng.random_range(0..20_000);
    Path {
        delay_ps: rng.random_range(0..8 * US),
        rate_bps: rng.random_range(2..50) * 1_000_000_000,
        queue_bytes: rng.random_range(10_000..100_000),
        kmin_bytes,
        kmax_bytes: kmin_bytes + rng.random_range(0..40_000),
        loss_ppm: rare(rng, 200_000) as u32,
        reorder_ps: rare(rng, 25 * US),
    }
}

/// A path that fails or changes for a while, in one direction or both.
fn changes(rng: &mut SmallRng, paths: usize) -> Vec<Scheduled> {
    let mut changes = Vec::new();
    for _ in 0..rng.random_range(0..6u8) {
        let (at_ps, lasts) = (rng.random_range(0..MS), rng.random_range(0..MS / 2));
        let path = rng.random_range(0..paths);
        let from = [None, Some(End::A), Some(End::B)][rng.random_range(0..3usize)];
        let change = |at_ps, change| Scheduled { at_ps, path, from, change };
        changes.extend(match rng.random_range(0..3u8) {
            0 => [change(at_ps, Change::Down), change(at_ps + lasts, Change::Up)],
            1 => [change(at_ps, Change::Delay(0)), change(at_ps + lasts, Change::Delay(10 * US))],
            _ => [
                change(at_ps, Change::Rate(1_000_000_000)),
                change(at_ps + lasts, Change::Rate(10_000_000_000)),
            ],
        });
    }
    changes
}

/// The setup of a seed.
fn setup(seed: u64) -> Setup {
    let mut rng = SmallRng::seed_from_u64(seed);
    let choices = [
        Choice::reps(),
        UET,
        OPS,
        PERMUTED,
        Choice::Ecmp,
        Choice::Subflows,
        Choice::Mprdma,
        FLOWLET,
        Choice::Plb,
        STRACK,
        BITMAP,
        MIXED,
    ];
    let mut setup = spraying(choices[rng.random_range(0..choices.len())], 0);
    setup.nic.profile = if rng.random() { Profile::Strack } else { Profile::Uet };
    setup.nic.window = [64, 128, 256, 512][rng.random_range(0..4usize)];
    setup.nic.limits = Limits {
        events: [4, 64, 1024][rng.random_range(0..3usize)],
        sacks: [1, 64][rng.random_range(0..2usize)],
        ack_cycles: [17, 200][rng.random_range(0..2usize)],
        engine_ops: [2, 64][rng.random_range(0..2usize)],
        ..Limits::default()
    };
    let paths: Vec<Path> = (0..rng.random_range(1..17u8)).map(|_| path(&mut rng)).collect();
    let changes = changes(&mut rng, paths.len());
    setup.network = Config { seed, paths, window_ps: MS, changes };
    setup.connections = rng.random_range(1..6);
    setup.first_psn = rng.random_range(0..1 << 24);
    setup.payload = rng.random_range(100..3000);
    setup.window = Window::Fixed(rng.random_range(1..200));
    setup.event_interval_ps = if rng.random() { 0 } else { rng.random_range(0..20 * US) };
    let connections = setup.connections;
    let mut messages = || {
        let count = rng.random_range(0..20u8);
        let mut message =
            || Message { conn: rng.random_range(0..connections), bytes: rng.random_range(1..50_000) };
        (0..count).map(|_| message()).collect::<Vec<_>>()
    };
    setup.messages = [messages(), messages()];
    setup.settings.extend([
        ("cwnd_packets", rng.random_range(1..200)),
        ("sack_threshold", if rng.random() { 0 } else { rng.random_range(0..20_000) }),
        ("rto", sack_ticks(rng.random_range(150..600))),
        ("rto_backoff_max", rng.random_range(0..3)),
        ("probe_timeout", sack_ticks(rng.random_range(80..200))),
        ("probe_rtt", sack_ticks(rng.random_range(10..100))),
    ]);
    // at 1 Gb/s and a fifth lost: far more than any of them takes
    setup.limit_ps = 400 * MS;
    setup
}

/// What happens somewhere in a few networks.
const HAPPENS: [Counter; 12] = [
    Counter::TxProbes,
    Counter::Recycle,
    Counter::Replay,
    Counter::RxDuplicate,
    Counter::RxMarked,
    Counter::RxAcksOld,
    Counter::RxDroppedEngine,
    Counter::AcksDropped,
    Counter::EventsLost,
    Counter::LossOoo,
    Counter::LossProbe,
    Counter::LossTimeout,
];

fn pass(seeds: impl Iterator<Item = u64>) {
    let mut happened = [0; HAPPENS.len()];
    for seed in seeds {
        let report = run(&setup(seed), Hooks::default())
            .unwrap_or_else(|broken| panic!("seed {seed}: {broken}; {:?}", setup(seed)));
        for (count, counter) in happened.iter_mut().zip(HAPPENS) {
            *count += report.counter(End::A, counter) + report.counter(End::B, counter);
        }
    }
    for (count, counter) in happened.into_iter().zip(HAPPENS) {
        assert!(count > 0, "{} never happens", counter.name());
    }
}

#[test]
fn any_network_delivers_every_message_once() {
    pass(0..24);
}

/// The campaign in full: `cargo test --release -p respray-golden-tests pair -- --ignored`.
#[test]
#[ignore = "10 s"]
fn a_thousand_networks() {
    pass(0..1000);
}
