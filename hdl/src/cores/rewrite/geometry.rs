//! What the bus width fixes.

/// Sizes that follow from the bus width.
#[derive(Clone, Copy, Debug)]
pub struct Geometry {
    /// Bytes of a beat: 8, 16, 32 or 64.
    pub bytes: u64,
    /// 32-bit steps of a beat: 2, 4, 8 or 16.
    pub steps: u64,
    /// log2 of `steps`.
    pub shift: u64,
    /// Number at which the count of beats stays: its first step is 48 or more, beyond every header.
    pub last_beat: u64,
}

impl Geometry {
    /// Of a bus of `bits`: 64, 128, 256 or 512.
    pub const fn new(bits: usize) -> Geometry {
        let steps = bits as u64 / 32;
        Geometry { bytes: 4 * steps, steps, shift: steps.trailing_zeros() as u64, last_beat: 64 / steps - 1 }
    }
}
