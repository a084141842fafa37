//! What the golden side says of a cycle, and who hears it: the writer of a block, or who explains a difference.

use super::core::RECORD_FIELDS;

/// What a cycle must show, told in the order in which a reader of a difference wants to know it.
pub trait Witness {
    type Error;

    /// The inputs before the clock edge. Nothing is told of a cycle with `rst` high.
    fn edge(&mut self, row: &[u64], rst: bool);

    /// `s_axis_tready`; low `behind_reset`, or because the core is full.
    fn ready(&mut self, now: Now, expected: bool, behind_reset: bool) -> Result<(), Self::Error>;

    /// The events that pulse; `None`: none does.
    fn events(&mut self, now: Now, due: Option<&Due<u64>>) -> Result<(), Self::Error>;

    /// The beat at the output; `is_held`: it is that of the cycle before.
    fn beat(&mut self, now: Now, beat: Option<Beat<'_>>, is_held: bool) -> Result<(), Self::Error>;

    /// With the beat of this cycle its frame has left; its bytes, if they are kept.
    fn left(&mut self, number: u64, data: Option<Vec<u8>>);

    /// The record at the output, behind all others; `is_held`: it is that of the cycle before.
    fn record(&mut self, now: Now, record: Option<&Record>, is_held: bool) -> Result<(), Self::Error>;
}

/// Where a run is.
#[derive(Clone, Copy, Debug)]
pub struct Now {
    /// Clock edges before this one.
    pub cycle: u64,
    /// The frame at the output, or the next one there.
    pub frame: Option<u64>,
}

/// What is due once for each frame, from an edge on.
#[derive(Clone, Copy, Debug)]
pub struct Due<T> {
    pub number: u64,
    /// Clock edge.
    pub edge: u64,
    pub value: T,
}

/// The fields of a record.
pub type Record = Due<[u64; RECORD_FIELDS]>;

/// A beat at the output.
#[derive(Clone, Copy, Debug)]
pub struct Beat<'a> {
    /// Frame of the stimulus, from 0.
    pub number: u64,
    /// Beat of the frame, from 0.
    pub at: usize,
    /// `tdata`, lowest word first.
    pub data: &'a [u64],
    pub keep: u64,
    pub last: bool,
    pub user: u64,
}
