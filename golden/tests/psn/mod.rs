//! PSNs of both widths.

use respray_golden::psn::{PsnSpace, segment_base};

const WIDTHS: [(PsnSpace, u32); 2] = [(PsnSpace::new(24), 0xff_ffff), (PsnSpace::new(32), 0xffff_ffff)];

#[test]
fn psns_wrap_at_their_width() {
    for (psns, last) in WIDTHS {
        assert_eq!(psns.last(), last);
        assert_eq!(psns.add(last, 2), 1);
        assert_eq!(psns.sub(1, 2), last);
        assert_eq!(psns.distance(last - 1, 3), 5);
        assert_eq!(psns.distance(3, last - 1), last - 4);
    }
    assert_eq!(PsnSpace::new(24).add(0xff_ffff, 1), 0);
    assert_eq!(PsnSpace::new(32).add(0xff_ffff, 1), 0x100_0000, "32 bits go on where 24 wrap");
}

#[test]
fn half_of_the_psns_are_below() {
    for (psns, last) in WIDTHS {
        assert!(!psns.is_below(7, 7));
        assert!(psns.is_below(6, 7) && !psns.is_below(7, 6));
        assert!(psns.is_below(last, 0) && !psns.is_below(0, last));
        let half = psns.half();
        assert!(!psns.is_below(half - 1, 0) && psns.is_below(half, 0), "the far end is ahead");
    }
    assert!(!PsnSpace::new(32).is_below(0x80_0000, 0), "which 24 bits take for older");
}

#[test]
fn segments_are_aligned_in_psn_space() {
    assert_eq!(segment_base(0x12_347f), 0x12_3440);
    for (psns, last) in WIDTHS {
        assert_eq!(psns.segments_between(63, 64), 1);
        assert_eq!(psns.segments_between(last, 0), 1, "across the wrap");
        assert_eq!(psns.segments_between(64, 63), last / 64);
    }
}

#[test]
#[should_panic(expected = "24 or 32 bits")]
fn no_other_width_is_taken() {
    PsnSpace::new(16);
}
