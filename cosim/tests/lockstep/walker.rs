//! The order of visits.

use respray_cosim::cores::sack_tx::walker::Walker;
use respray_cosim::lockstep::op_core::Turn;

#[test]
fn seventeenth_op_waits_for_a_visit() {
    let mut walker = Walker::new(16);
    for n in 0..80_u16 {
        assert_eq!(walker.is_forced(), n % 17 == 16, "turn {n}");
        let expected = if n % 17 == 16 { Turn::Visit(n / 17) } else { Turn::Op };
        assert_eq!(walker.turn(true), expected, "turn {n}");
    }
}

#[test]
fn idle_engine_walks_round() {
    let mut walker = Walker::new(3);
    let visited: Vec<Turn> = (0..8).map(|_| walker.turn(false)).collect();
    assert_eq!(visited, [0, 1, 2, 0, 1, 2, 0, 1].map(Turn::Visit));
}

#[test]
fn visits_between_restart_the_count() {
    let mut walker = Walker::new(16);
    for n in 0..200 {
        assert!(!walker.is_forced(), "op {n}");
        walker.turn(n % 16 != 15);
    }
}

#[test]
fn reset_starts_the_round_anew() {
    let mut walker = Walker::new(16);
    (0..5).for_each(|_| {
        walker.turn(false);
    });
    (0..16).for_each(|_| {
        walker.turn(true);
    });
    walker.reset();
    assert!(!walker.is_forced());
    assert_eq!(walker.turn(false), Turn::Visit(0));
}
