//! `shim_pop`: what the shim of a frame says, and the frame without it.

use crate::shim::{Behind, Fields, Kind, find};

/// Bytes to which the length of a frame is counted.
pub const MOST_BYTES: usize = 16_383;

/// What became of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// Its shim is taken out.
    TakenOut,
    /// Its shim is read and stays.
    Kept,
    /// It has none.
    Plain,
    /// Unchanged: the kind of its shim is unknown.
    Unknown,
    /// Unchanged: it ends before the EtherType, or within the shim or the EtherType behind it.
    Malformed,
}

/// What is said of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    pub outcome: Outcome,
    /// Kind and fields of a shim that is whole and known. A `hop` or a `len` above 3, which no switch writes, is said to be 3,
    /// with which `caver` refuses it.
    pub shim: Option<(Kind, Fields)>,
    /// Bytes of the frame without that shim, [`MOST_BYTES`] if there are more.
    pub bytes: u16,
}

/// Reads the shim of `frame` and takes it out if bit k of `take_out` is set, k being the number of its kind.
pub fn pop(frame: &mut Vec<u8>, take_out: u8, ethertype: u16) -> Record {
    let length = |bytes: usize| bytes.min(MOST_BYTES) as u16;
    let unchanged = |outcome| Record { outcome, shim: None, bytes: length(frame.len()) };
    let (at, kind) = match find(frame, ethertype) {
        None | Some((_, Behind::ShortShim)) => return unchanged(Outcome::Malformed),
        Some((_, Behind::UnknownShim)) => return unchanged(Outcome::Unknown),
        Some((_, Behind::Ip | Behind::Other)) => return unchanged(Outcome::Plain),
        Some((at, Behind::Shim(kind))) => (at, kind),
    };
    let bytes = kind.header().bytes();
    let said = Fields::read(kind, &frame[at..]);
    let fields = Fields { hop: said.hop.min(3), len: said.len.min(3), ..said };
    let shim = Some((kind, fields));
    let record = |outcome| Record { outcome, shim, bytes: length(frame.len() - bytes) };
    if take_out >> kind.code() & 1 == 0 {
        return record(Outcome::Kept);
    }
    let record = record(Outcome::TakenOut);
    frame.drain(at..at + bytes);
    record
}
