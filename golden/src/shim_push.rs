//! `shim_push`: a shim put into a frame, or written over the one that is there.

use crate::shim::{Behind, Fields, Kind, find};

/// What is asked for a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// It passes as it is.
    Leave,
    /// A shim is put before its EtherType of IP. `None`: of a kind that is unknown.
    Insert(Option<Kind>, Fields),
    /// The shim of that kind that it has is written anew.
    Patch(Option<Kind>, Fields),
}

/// What became of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    Inserted,
    Patched,
    /// Unchanged, as was asked.
    Passed,
    /// Unchanged: there is no IP to put a shim before, no shim of that kind to patch, or the kind is unknown.
    Refused,
    /// Unchanged: the frame ends before the EtherType, or within the shim that is to be patched or the EtherType behind it.
    Malformed,
}

/// Does what is asked to `frame`.
pub fn push(frame: &mut Vec<u8>, request: Request, ethertype: u16) -> Outcome {
    let found = find(frame, ethertype);
    match (request, found) {
        (Request::Leave, _) => Outcome::Passed,
        (_, None) | (Request::Patch(..), Some((_, Behind::ShortShim))) => Outcome::Malformed,
        (Request::Insert(Some(kind), fields), Some((at, Behind::Ip))) => {
            frame.splice(at..at, fields.write(kind, ethertype));
            Outcome::Inserted
        }
        (Request::Patch(Some(kind), fields), Some((at, Behind::Shim(own)))) if own == kind => {
            let shim = fields.write(kind, ethertype);
            frame[at..at + shim.len()].copy_from_slice(&shim);
            Outcome::Patched
        }
        _ => Outcome::Refused,
    }
}
