//! What the golden side says of a cycle, and who hears it: the writer of a block, or who explains a difference.

/// What a cycle must show, told in the order in which a reader of a difference wants to know it. Lanes are told one after
/// the other: of all inputs first whether they are ready, then their events, then the outputs, then the records.
pub trait Witness {
    type Error;

    /// The inputs before the clock edge. Nothing more is told of a cycle with `rst` high.
    fn edge(&mut self, row: &[u64], rst: bool);

    /// `tready` of an input; low `behind_reset`, or because the core is full.
    fn ready(
        &mut self,
        lane: usize,
        now: impl FnOnce() -> Now,
        expected: bool,
        behind_reset: bool,
    ) -> Result<(), Self::Error>;

    /// The events of an input that pulse; `None`: none does.
    fn events(
        &mut self,
        lane: usize,
        now: impl FnOnce() -> Now,
        due: Option<&Due<u64>>,
    ) -> Result<(), Self::Error>;

    /// The beat at an output; `is_held`: it is that of the cycle before.
    fn beat(
        &mut self,
        lane: usize,
        now: impl FnOnce() -> Now,
        beat: Option<Beat<'_>>,
        is_held: bool,
    ) -> Result<(), Self::Error>;

    /// With the beat of this cycle its frame has left; its bytes, if they are kept.
    fn left(&mut self, number: u64, data: Option<Vec<u8>>);

    /// The record that a lane offers; `is_held`: it is that of the cycle before.
    fn record(
        &mut self,
        lane: usize,
        now: impl FnOnce() -> Now,
        record: Option<&Record>,
        is_held: bool,
    ) -> Result<(), Self::Error>;

    /// All lanes are told.
    fn told(&mut self);
}

/// Where a run is.
#[derive(Clone, Copy, Debug)]
pub struct Now {
    /// Clock edges before this one.
    pub cycle: u64,
    /// The frame at the lane's output, or the next one there.
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
pub type Record = Due<Vec<u64>>;

/// A beat at an output.
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
