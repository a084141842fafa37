//! Frames for several inputs.

use respray_cosim::stream::supply::{Next, Supply};
use respray_cosim::traffic::frames::Frame;

fn frame(input: u8) -> Frame {
    Frame { input, data: vec![input], ..Frame::default() }
}

fn number<S: Iterator<Item = Frame>>(supply: &mut Supply<S>, input: usize) -> Option<u64> {
    match supply.next(input) {
        Next::Frame(number, frame) => {
            assert_eq!(usize::from(frame.input), input);
            Some(number)
        }
        Next::Later | Next::Never => None,
    }
}

#[test]
fn every_input_gets_its_own_frames_in_their_order() {
    let mut supply = Supply::new([0, 0, 1, 0, 1].map(frame).into_iter(), 2);
    assert_eq!(number(&mut supply, 1), Some(2));
    assert_eq!([(); 3].map(|()| number(&mut supply, 0)), [Some(0), Some(1), Some(3)]);
    assert!(matches!(supply.next(0), Next::Never));
    assert_eq!(number(&mut supply, 1), Some(4));
    assert!(matches!(supply.next(1), Next::Never));
}

#[test]
fn an_input_without_frames_does_not_look_for_ever() {
    let mut supply = Supply::new(std::iter::repeat_with(|| frame(0)), 2);
    assert!(matches!(supply.next(1), Next::Later));
    assert_eq!(number(&mut supply, 0), Some(0));
    assert!(matches!(supply.next(1), Next::Later));
    assert_eq!(number(&mut supply, 0), Some(1));
}
