//! A frame on its way through the core.

use super::beats::Beats;
use super::stream_core::Answer;

/// Later than any edge.
pub const UNKNOWN: u64 = u64::MAX;
/// More than any number of beats.
pub const NEVER: usize = usize::MAX;

/// The frame on an input.
#[derive(Default)]
pub struct Sending {
    /// There is one.
    pub is_on: bool,
    /// Of the stimulus.
    pub number: u64,
    /// The beat on the input, of so many.
    pub at: usize,
    pub count: usize,
    /// Beats after which a reset comes; [`NEVER`]: none does.
    pub reset_after: usize,
    /// Beat that decides what is written; `None`: nothing is.
    pub deciding: Option<usize>,
    /// Values of the sideband, which stand beside its first beat.
    pub sideband: Vec<u64>,
    pub answer: Answer,
}

/// A frame that is on an input, or of which not all has left.
#[derive(Default)]
pub struct Flight {
    pub number: u64,
    /// As it comes, and as it leaves if the core changes it, be it behind its last byte alone.
    pub came: Beats,
    pub changed: Beats,
    pub is_changed: bool,
    /// Beats that left.
    pub left: usize,
    /// First edge at which its first beat can be offered, beside what holds for every beat; [`UNKNOWN`] until a beat decides.
    pub decided: u64,
    /// The bytes that leave.
    pub data: Vec<u8>,
}

impl Flight {
    #[inline(always)]
    pub fn leaves(&self) -> &Beats {
        if self.is_changed { &self.changed } else { &self.came }
    }
}
