//! The generator of random EVs: 16 new bits a step, bit exact with the hardware.
//!
//! A linear recurrence over GF(2), `x[n] = x[n-61] ^ x[n-47] ^ x[n-35] ^ x[n-19]`, taken 16 steps at once.
//! Its characteristic polynomial `z^61 + z^42 + z^26 + z^14 + 1` is irreducible, and since 2^61 - 1 is prime
//! it is primitive: every state but zero lies on one cycle of length 2^61 - 1. 16 does not divide that
//! length, so the sequence of 16-bit words has the same period.

/// Bits of the state, `s[0]` the oldest.
pub const STATE_BITS: u32 = 61;
/// New bits of one step.
pub const WORD_BITS: u32 = 16;

/// State of the generator, bit `i` of the integer being `s[i]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rng {
    state: u64,
}

impl Rng {
    /// As `rst` leaves it: only `s[0]` set.
    pub const fn reset() -> Self {
        Rng { state: 1 }
    }

    /// As the core leaves it when `op_ready` first rises: reset, then one absorbing step for each of
    /// `connections` (the steps that clear the memories).
    pub fn seeded(seed: u16, connections: u32) -> Self {
        let mut rng = Rng::reset();
        for _ in 0..connections {
            rng.absorb(seed);
        }
        rng
    }

    /// One step; returns its 16 new bits, the oldest in bit 0.
    #[inline]
    pub fn step(&mut self) -> u16 {
        self.absorb(0)
    }

    /// One step with `seed` added into the new bits, which are returned.
    #[inline]
    pub fn absorb(&mut self, seed: u16) -> u16 {
        let s = self.state;
        // new[k] = s[k] ^ s[k+14] ^ s[k+26] ^ s[k+42] ^ seed[k], all k at once
        let new = (s ^ (s >> 14) ^ (s >> 26) ^ (s >> 42)) as u16 ^ seed;
        // s'[i] = s[i+16] below 45, s'[45+k] = new[k]
        self.state = (s >> WORD_BITS) | (u64::from(new) << (STATE_BITS - WORD_BITS));
        new
    }

    /// The word that the latest step made.
    pub const fn latest(&self) -> u16 {
        (self.state >> (STATE_BITS - WORD_BITS)) as u16
    }

    /// The 61 bits of state, for reports.
    pub const fn state(&self) -> u64 {
        self.state
    }
}
