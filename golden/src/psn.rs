//! Packet sequence numbers: 24 bits, all arithmetic modulo 2^24.

/// One more than the largest PSN.
pub const MODULUS: u32 = 1 << 24;
/// PSNs of a segment of the bitmap, aligned in PSN space: what one SACK carries.
pub const SEGMENT: u32 = 64;

/// `psn + n`.
pub const fn add(psn: u32, n: u32) -> u32 {
    psn.wrapping_add(n) % MODULUS
}

/// `to - from`: how many PSNs `to` lies ahead, 0..2^24.
pub const fn distance(from: u32, to: u32) -> u32 {
    to.wrapping_sub(from) % MODULUS
}

/// `a` is older than `b`: their difference as a signed 24-bit number is below 0.
pub const fn is_below(a: u32, b: u32) -> bool {
    distance(b, a) >= MODULUS / 2
}

/// First PSN of the segment that holds `psn`.
pub const fn segment_base(psn: u32) -> u32 {
    psn - psn % SEGMENT
}

/// How many segments the one that holds `to` lies ahead of the one that holds `from`, 0..2^18.
pub const fn segments_between(from: u32, to: u32) -> u32 {
    distance(segment_base(from), segment_base(to)) / SEGMENT
}

/// Where a ring of `window` entries, a power of two, holds what belongs to `psn`.
pub const fn slot(psn: u32, window: u32) -> usize {
    (psn & (window - 1)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn psns_wrap() {
        assert_eq!(add(0xff_ffff, 2), 1);
        assert_eq!(distance(0xff_fffe, 3), 5);
        assert_eq!(distance(3, 0xff_fffe), MODULUS - 5);
    }

    #[test]
    fn half_of_the_psns_are_below() {
        assert!(!is_below(7, 7));
        assert!(is_below(6, 7) && !is_below(7, 6));
        assert!(is_below(0xff_ffff, 0) && !is_below(0, 0xff_ffff));
        assert!(!is_below(0x7f_ffff, 0) && is_below(0x80_0000, 0), "the far end of the window is ahead");
    }

    #[test]
    fn segments_are_aligned_in_psn_space() {
        assert_eq!(segment_base(0x12_347f), 0x12_3440);
        assert_eq!(segments_between(63, 64), 1);
        assert_eq!(segments_between(0xff_ffff, 0), 1, "across the wrap");
        assert_eq!(segments_between(64, 63), (1 << 18) - 1);
    }
}
