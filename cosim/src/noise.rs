//! What inputs carry that nobody may look at: a value by chance, and not what happened to stand there before.
//!
//! It is made of the cycle's number and a seed alone, so that a run that is repeated, with waves or from a reproducer,
//! has the same.

use crate::traffic::frames::mix;

/// An odd number that differs from its multiples in half of its bits.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// The noise of one clock cycle.
#[derive(Clone, Copy, Debug)]
pub struct Noise(u64);

impl Noise {
    /// That of a cycle in runs of a seed.
    #[inline(always)]
    pub fn of(seed: u64, cycle: u64) -> Noise {
        Noise(mix(seed.rotate_right(16) ^ cycle))
    }

    /// The value of an input of 1 to 64 bits, which `place` tells from the others.
    #[inline(always)]
    pub fn bits(self, place: usize, width: u32) -> u64 {
        let word = self.0.wrapping_mul(FACTOR.wrapping_mul(2 * place as u64 + 1));
        (word ^ word >> 32) >> (64 - width)
    }
}
