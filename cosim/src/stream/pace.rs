//! Idle cycles of the sender and backpressure of the receiver, chosen at random.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

use crate::traffic::frames::mix;

/// How often a stream pauses.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pace {
    /// Share of cycles in which the sender has nothing, 0 to below 1.
    pub gap: f64,
    /// Share of cycles in which a receiver does not take, 0 to below 1.
    pub stall: f64,
    pub seed: u64,
}

/// Stretches of pausing and not pausing: most of them short, some of them longer than any queue, so that queues run full
/// and empty.
#[derive(Clone, Debug)]
pub struct Pauses {
    random: Xoshiro256PlusPlus,
    share: f64,
    /// It never pauses.
    is_steady: bool,
    pausing: bool,
    left: u32,
}

const SHORT: u32 = 4;
const LONG: u32 = 96;
const LONG_IN: u32 = 24;

impl Pauses {
    /// `stream` tells the pauses of one channel from those of another.
    pub fn new(share: f64, seed: u64, stream: u64) -> Pauses {
        let random = Xoshiro256PlusPlus::seed_from_u64(mix(seed) ^ stream);
        Pauses { random, share, is_steady: share == 0.0, pausing: false, left: 0 }
    }

    /// Whether the coming cycle is a pause.
    #[inline(always)]
    pub fn is_pause(&mut self) -> bool {
        if self.is_steady {
            return false;
        }
        if self.left == 0 {
            self.draw();
        }
        self.left -= 1;
        self.pausing
    }

    fn draw(&mut self) {
        self.pausing = self.random.random_bool(self.share);
        let longest = if self.random.random_ratio(1, LONG_IN) { LONG } else { SHORT };
        self.left = self.random.random_range(1..=longest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_have_their_share_and_run_long_now_and_then() {
        for share in [0.0, 0.1, 0.5, 0.9] {
            let mut pauses = Pauses::new(share, 1, 2);
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
            let mut pauses = Pauses::new(0.5, seed, stream);
            (0..100).map(|_| pauses.is_pause()).collect::<Vec<_>>()
        };
        assert_eq!(run(1, 0), run(1, 0));
        assert_ne!(run(1, 0), run(2, 0));
        assert_ne!(run(1, 0), run(1, 1));
    }
}
