//! What the shrinker keeps whatever fails, and how far it looks back.

use respray_cosim::stream::shrink::{LOOK_BACK, shrink, tail};
use respray_cosim::stream::{Frame, Pacing};

#[test]
fn a_failure_that_needs_no_frame_keeps_one() {
    let frames = [(); 5].map(|()| Frame { data: vec![7; 9], ..Frame::default() });
    let list = shrink(&frames, &[Pacing::default()], &mut |_| Some(0)).expect("every list fails");
    assert_eq!(list.frames, [Frame { data: vec![7], ..Frame::default() }]);
}

#[test]
fn no_more_frames_and_bytes_are_kept_than_are_looked_back_on() {
    let frames = |count: u16, bytes: usize| {
        (0..count).map(move |ev| Frame { ev, data: vec![0; bytes], ..Frame::default() })
    };
    let short = tail(frames(5000, 1));
    assert_eq!((short.len(), short[LOOK_BACK - 1].ev), (LOOK_BACK, 4999));
    let long = tail(frames(1000, 65_535));
    assert_eq!((long.len(), long[511].ev), (512, 999));
    assert_eq!(tail(frames(3, 60)).len(), 3);
}
