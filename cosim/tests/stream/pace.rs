//! Pauses of channels.

use respray_cosim::stream::pace::{Kind, PHASE_CYCLES, Pauses};
use respray_cosim::stream::{Pace, Pacing};

fn constant(stall: f64, seed: u64, stream: u64) -> Pauses {
    Pauses::new(&Pace { gap: 0.0, stall, seed }.into(), Kind::Stall, stream)
}

/// Cycles of pauses in each of the phases of a run.
fn paused(pacing: Pacing, kind: Kind, stream: u64, phases: u64) -> Vec<usize> {
    let mut pauses = Pauses::new(&pacing, kind, stream);
    let phase = |phase| {
        pauses.begin_phase(&pacing, phase * PHASE_CYCLES);
        (0..PHASE_CYCLES).filter(|_| pauses.is_pause()).count()
    };
    (0..phases).map(phase).collect()
}

#[test]
fn phases_have_every_share_and_each_lane_its_own() {
    let pacing = Pacing::Phases { seed: 1, first: 0 };
    let [one, other] = [1, 2].map(|stream| paused(pacing, Kind::Stall, stream, 400));
    for receiver in [&one, &other] {
        assert!(receiver.iter().filter(|cycles| **cycles == 0).count() > 150, "half of them are free");
        assert!(receiver.iter().filter(|cycles| **cycles > 1900).count() > 25, "some are all but closed");
    }
    let is_alone = |(one, other): (&usize, &usize)| *one > 1900 && *other < 800;
    assert!(one.iter().zip(&other).filter(|both| is_alone(*both)).count() > 10);
    let sender = paused(pacing, Kind::Gap, 0, 400);
    assert!(sender.iter().filter(|cycles| **cycles == 0).count() > 200);
    assert!(sender.iter().all(|cycles| *cycles < 2040), "something is always sent");
}

#[test]
fn a_run_may_begin_with_a_phase_of_another() {
    let shares = |first| {
        let pacing = Pacing::Phases { seed: 3, first };
        let share = |phase: u64| pacing.share(Kind::Stall, 1, phase * PHASE_CYCLES);
        (0..20).map(share).collect::<Vec<_>>()
    };
    assert_eq!(shares(0)[5..], shares(5)[..15]);
    let seed = 3;
    let phase = |first| Pacing::Phases { seed, first };
    assert_eq!(phase(2).towards(100), [Pacing::free(seed), phase(2)]);
    assert_eq!(phase(2).towards(3 * PHASE_CYCLES), [Pacing::free(seed), phase(5), phase(4)]);
    assert_eq!(phase(2).next_phase(PHASE_CYCLES), 2 * PHASE_CYCLES);
    let constant = Pacing::from(Pace { gap: 0.1, stall: 0.2, seed });
    assert_eq!(constant.towards(9), [Pacing::free(seed), constant]);
}

#[test]
fn pauses_have_their_share_and_run_long_now_and_then() {
    for share in [0.0, 0.1, 0.5, 0.9] {
        let mut pauses = constant(share, 1, 2);
        let cycles: Vec<bool> = (0..200_000).map(|_| pauses.is_pause()).collect();
        let paused = cycles.iter().filter(|pause| **pause).count() as f64 / cycles.len() as f64;
        assert!((paused - share).abs() < 0.03, "{paused} of {share}");
        let longest = cycles.split(|pause| !pause).map(<[bool]>::len).max().unwrap_or(0);
        assert_eq!(longest > 48, share > 0.0);
    }
}

#[test]
fn equal_seeds_give_equal_pauses() {
    let run = |seed, stream| {
        let mut pauses = constant(0.5, seed, stream);
        (0..100).map(|_| pauses.is_pause()).collect::<Vec<_>>()
    };
    assert_eq!(run(1, 0), run(1, 0));
    assert_ne!(run(1, 0), run(2, 0));
    assert_ne!(run(1, 0), run(1, 1));
}
