//! The frames of a stimulus, given to the inputs that they are for.

use std::collections::VecDeque;

use crate::traffic::frames::Frame;

/// Frames for one input that are passed over while another looks for its own: so far apart in the stimulus two inputs get.
const AHEAD: usize = 64;

/// Frames in the order of the stimulus, of every input on its own.
pub struct Supply<S> {
    stimulus: S,
    /// Frames of the stimulus that were looked at.
    seen: u64,
    has_ended: bool,
    /// For each input the frames that were passed over, with their numbers.
    passed: Vec<VecDeque<(u64, Frame)>>,
}

/// What there is for an input.
pub enum Next {
    /// The number of a frame in the stimulus, from 0, and the frame.
    Frame(u64, Frame),
    /// Nothing before another input has gone on.
    Later,
    Never,
}

impl<S: Iterator<Item = Frame>> Supply<S> {
    pub fn new(stimulus: S, inputs: usize) -> Self {
        Supply { stimulus, seen: 0, has_ended: false, passed: vec![VecDeque::new(); inputs] }
    }

    pub fn next(&mut self, input: usize) -> Next {
        if let Some((number, frame)) = self.passed[input].pop_front() {
            return Next::Frame(number, frame);
        }
        while !self.has_ended && self.passed.iter().all(|passed| passed.len() < AHEAD) {
            let Some(frame) = self.stimulus.next() else {
                self.has_ended = true;
                break;
            };
            let number = self.seen;
            self.seen += 1;
            if usize::from(frame.input) == input {
                return Next::Frame(number, frame);
            }
            self.passed[usize::from(frame.input)].push_back((number, frame));
        }
        if self.has_ended { Next::Never } else { Next::Later }
    }
}
