//! A frame as a stream core is given it.

use super::shims::Orders;

/// Bytes of the longest frame that is read from a file: no link of Ethernet carries more.
pub const LONGEST_FRAME: usize = 65_535;

/// One element of a run's stimulus: a frame, and what goes beside it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// Input of the core that it comes on, from 0.
    pub input: u8,
    /// From the first byte of the destination address on, without frame check sequence; at least one byte.
    pub data: Vec<u8>,
    /// EV that `rewrite_tx` is to write.
    pub ev: u16,
    /// Timestamp that `rewrite_tx` is to write.
    pub timestamp: u16,
    /// Whether `rewrite_tx` is to write at all.
    pub enable: bool,
    /// What the cores of shims are asked for it.
    pub orders: Orders,
    /// One clock edge with `rst` high once so many beats were taken; the rest of the frame is not sent.
    pub reset_after: Option<u32>,
}

/// A word that looks like no other (the finalizer of SplitMix64).
#[inline]
pub fn mix(word: u64) -> u64 {
    let word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 31
}
