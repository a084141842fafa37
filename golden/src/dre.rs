//! The estimator of a port's load, the DRE that 003 takes from CONGA: the bytes of each packet that leaves are added, and each period
//! takes a share of the sum away. A port that carries `r` bytes a period comes to rest at `r / a`.
//!
//! # What the paper leaves open
//! - The share `a` is `2^-alpha`, rounded down, so that a sum below `2^alpha` stays.
//! - A sum has 26 bits and saturates.
//! - What the paper calls congestion extent is the sum over a power of two of the port's own, as speeds differ, and at most 255.

/// Largest sum, in bytes: 26 bits.
pub const SUM_MAX: u32 = (1 << 26) - 1;
/// `shift` after reset: with `alpha` 2 and a period of 41.9 us, a full link of 100 Gb/s shows 255.
pub const SHIFT: u8 = 13;

/// The estimator of one port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dre {
    /// The sum in bytes, 26 bits.
    sum: u32,
    /// Bits by which the sum is shifted to show as congestion, 0..=31.
    shift: u8,
}

impl Default for Dre {
    fn default() -> Self {
        Dre { sum: 0, shift: SHIFT }
    }
}

impl Dre {
    /// Counts a packet of so many bytes, 14 bits.
    #[inline]
    pub fn count(&mut self, bytes: u16) {
        self.sum = (self.sum + u32::from(bytes)).min(SUM_MAX);
    }

    /// A period ends: the sum loses its `2^-alpha`th, `alpha` 0..=7. With 0 it loses all.
    #[inline]
    pub fn decay(&mut self, alpha: u8) {
        self.sum -= self.sum >> alpha;
    }

    /// The congestion extent, 0..=255.
    #[inline]
    pub fn congestion(&self) -> u8 {
        (self.sum >> self.shift).min(255) as u8
    }

    /// Sets by how many bits the sum is shifted. Panics above 31.
    pub fn set_shift(&mut self, shift: u8) {
        assert!(shift < 32, "a shift has 5 bits, not {shift}");
        self.shift = shift;
    }

    /// The sum in bytes.
    pub const fn sum(&self) -> u32 {
        self.sum
    }
}
