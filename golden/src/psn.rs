//! Packet sequence numbers: 24 or 32 bits, all arithmetic modulo 2^24 or 2^32.

/// PSNs of a segment of the bitmap, aligned in PSN space: what one SACK carries.
pub const SEGMENT: u32 = 64;

/// The PSNs of a width, and arithmetic modulo their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PsnSpace {
    last: u32,
}

impl PsnSpace {
    /// The PSNs of `bits` bits, 24 or 32.
    ///
    /// # Panics
    /// On another width.
    pub const fn new(bits: u32) -> Self {
        assert!(bits == 24 || bits == 32, "a PSN must have 24 or 32 bits");
        PsnSpace { last: u32::MAX >> (u32::BITS - bits) }
    }

    /// The largest PSN, behind which comes 0.
    pub const fn last(self) -> u32 {
        self.last
    }

    /// Half of their number: the distance from which on a PSN is older.
    pub const fn half(self) -> u32 {
        self.last / 2 + 1
    }

    /// The PSN that a number stands for.
    pub const fn wrap(self, number: u32) -> u32 {
        number & self.last
    }

    /// `psn + n`.
    pub const fn add(self, psn: u32, n: u32) -> u32 {
        self.wrap(psn.wrapping_add(n))
    }

    /// `psn - n`.
    pub const fn sub(self, psn: u32, n: u32) -> u32 {
        self.wrap(psn.wrapping_sub(n))
    }

    /// `to - from`: how many PSNs `to` lies ahead, 0 to [`PsnSpace::last`].
    pub const fn distance(self, from: u32, to: u32) -> u32 {
        self.sub(to, from)
    }

    /// `a` is older than `b`: their difference as a signed number of the width is below 0.
    pub const fn is_below(self, a: u32, b: u32) -> bool {
        self.distance(b, a) >= self.half()
    }

    /// How many segments the one that holds `to` lies ahead of the one that holds `from`, less than the PSNs divided by 64.
    pub const fn segments_between(self, from: u32, to: u32) -> u32 {
        self.distance(segment_base(from), segment_base(to)) / SEGMENT
    }
}

/// First PSN of the segment that holds `psn`.
pub const fn segment_base(psn: u32) -> u32 {
    psn - psn % SEGMENT
}

/// Where a ring of `window` entries, a power of two, holds what belongs to `psn`.
pub const fn slot(psn: u32, window: u32) -> usize {
    (psn & (window - 1)) as usize
}
