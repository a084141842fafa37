//! Pauses of what is around a block, chosen at random: gaps of those who send, and stalls of those who receive.

use super::around::Around;
use crate::stream::pace::{Kind, Pace, Pauses};

/// A receiver stalls, a sender has a gap, in the order of [`Around::STREAMS`].
const KINDS: [Kind; Around::STREAMS.len()] = [Kind::Stall, Kind::Stall, Kind::Stall, Kind::Gap, Kind::Gap];

/// The pauses of each stream.
pub(super) struct Paced([Pauses; Around::STREAMS.len()]);

impl Paced {
    /// Of the block of this number, which tells those of a pair apart.
    pub fn new(pace: Pace, block: u64) -> Paced {
        let first = block * Around::STREAMS.len() as u64;
        Paced(std::array::from_fn(|at| Pauses::new(&pace.into(), KINDS[at], first + at as u64)))
    }

    /// What is around the block in the coming cycle, where it would be `around` without pauses.
    pub fn over(&mut self, around: Around) -> Around {
        let streams = Around::STREAMS.into_iter().zip(&mut self.0);
        streams.fold(around, |around, (stream, pauses)| {
            if pauses.is_pause() { around.holding(stream).expect("it is one of them") } else { around }
        })
    }
}
