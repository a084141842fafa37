//! What a run comes to, and who hears of it on the way.

use super::report::Difference;
use crate::report::Differing;

/// Clock edges with `rst` high with which every run begins.
pub const RESET_EDGES: u64 = 2;

/// What a run came to. Frames, beats and bytes are those of all lanes.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// Clock edges in all, the run's own reset included.
    pub cycles: u64,
    /// Frames of the stimulus up to the last that was begun, the ones on offer at the end included.
    pub begun: u64,
    /// The same by the first difference, if there is one.
    pub begun_by_difference: u64,
    /// Frames that left whole.
    pub frames: u64,
    pub beats: u64,
    pub bytes: u64,
    pub resets: u64,
    /// Cycles in which an input was held up.
    pub held_up: u64,
    /// Of the core's own counts, frames lost to a reset included.
    pub counts: Vec<u64>,
    /// The first difference, at which the run stopped unless it keeps going.
    pub difference: Option<Difference>,
    /// Of a run that keeps going: how often it differed.
    pub differing: Differing,
}

/// Takes a frame's number in the stimulus, from 0, and its bytes as they left.
pub type FrameListener<'a> = &'a mut dyn FnMut(u64, &[u8]);

/// Takes a cycle, the inputs before its clock edge and the outputs.
pub type RowListener<'a> = &'a mut dyn FnMut(u64, &[u64], &[u64]);

/// Takes a cycle that differs and the ports that do.
pub type WrongListener<'a> = &'a mut dyn FnMut(u64, &[String]);

/// Who hears of a run, and whether it goes on behind its first difference.
pub struct Listeners<'a> {
    /// A frame has left.
    pub frame: Option<FrameListener<'a>>,
    /// Now and then: clock edges, and frames that have left.
    pub progress: &'a mut dyn FnMut(u64, u64),
    /// Every cycle up to the end of the run.
    pub row: Option<RowListener<'a>>,
    /// Every cycle that differs, of a run that keeps going.
    pub wrong: Option<WrongListener<'a>>,
    pub keeps_going: bool,
}
