//! Messages, and the header that stands before each piece of one: a standard request of 44 bytes.
//!
//! The packet delivery sublayer knows bytes 2 and 3 of it, the message ID. Of the rest the endpoints use what they need
//! to put a message together: first and last piece, offset and length.

use std::collections::BTreeMap;

use thiserror::Error;

/// Bytes of the header of a piece.
pub const HEADER: usize = 44;
/// Bytes of a response.
pub const RESPONSE: usize = 12;

const OPCODE: u8 = 5;
const VERSION: u8 = 0;
const FIRST: u8 = 0x01;
const LAST: u8 = 0x02;
/// Delivery complete: a response is asked for that is more than the default one.
const DELIVERY_COMPLETE: u8 = 0x20;

/// The header of a piece of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    pub message: u16,
    pub is_first: bool,
    pub is_last: bool,
    /// The response to this packet is guaranteed: the target holds it until it is cleared.
    pub wants_response: bool,
    /// Of the piece within the message, in bytes.
    pub offset: u32,
    /// Of the message, in bytes.
    pub length: u32,
}

impl Piece {
    pub fn to_bytes(self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
        bytes[0] = OPCODE;
        bytes[1] = VERSION
            | flag(self.is_first, FIRST)
            | flag(self.is_last, LAST)
            | flag(self.wants_response, DELIVERY_COMPLETE);
        bytes[2..4].copy_from_slice(&self.message.to_be_bytes());
        bytes[36..40].copy_from_slice(&self.offset.to_be_bytes());
        bytes[40..44].copy_from_slice(&self.length.to_be_bytes());
        bytes
    }

    /// The piece that a packet of data carries, and what follows its header; `None` if it is too short for one.
    pub fn parse(bytes: &[u8]) -> Option<(Piece, &[u8])> {
        let (header, data) = bytes.split_first_chunk::<HEADER>()?;
        let word = |at: usize| u32::from_be_bytes(*header[at..].first_chunk().expect("within the header"));
        let piece = Piece {
            message: u16::from_be_bytes([header[2], header[3]]),
            is_first: header[1] & FIRST != 0,
            is_last: header[1] & LAST != 0,
            wants_response: header[1] & DELIVERY_COMPLETE != 0,
            offset: word(36),
            length: word(40),
        };
        Some((piece, data))
    }
}

/// A response of 12 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Response {
    /// 0: the default response, which says that all went well and need not be held.
    pub opcode: u8,
    pub message: u16,
    /// What only this response says: the PSN that it answers, and a number of the target's.
    pub word: u32,
}

impl Response {
    /// Opcode of a response that is held.
    const GUARANTEED: u8 = 1;

    pub const fn default_of(message: u16) -> Self {
        Response { opcode: 0, message, word: 0 }
    }

    pub const fn guaranteed(message: u16, word: u32) -> Self {
        Response { opcode: Self::GUARANTEED, message, word }
    }

    pub fn to_bytes(self) -> [u8; RESPONSE] {
        let mut bytes = [0; RESPONSE];
        bytes[0] = self.opcode;
        bytes[2..4].copy_from_slice(&self.message.to_be_bytes());
        bytes[8..12].copy_from_slice(&self.word.to_be_bytes());
        bytes
    }

    /// The response that bytes begin with.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let bytes = bytes.first_chunk::<RESPONSE>()?;
        Some(Response {
            opcode: bytes[0],
            message: u16::from_be_bytes([bytes[2], bytes[3]]),
            word: u32::from_be_bytes(*bytes[8..].first_chunk().expect("within the response")),
        })
    }
}

/// A piece that lies outside its message, or contradicts another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the piece lies outside its message, or contradicts another one")]
pub struct NoPiece;

/// Messages of which some pieces have come.
#[derive(Clone, Debug, Default)]
pub struct Assembly {
    partial: BTreeMap<u16, Partial>,
}

#[derive(Clone, Debug)]
struct Partial {
    bytes: Vec<u8>,
    missing: usize,
}

impl Assembly {
    /// A piece has come, for the only time; the message if it is whole now.
    ///
    /// # Errors
    /// If it is no piece of it.
    pub fn take(&mut self, piece: &Piece, data: &[u8]) -> Result<Option<Vec<u8>>, NoPiece> {
        if piece.is_first && piece.is_last {
            return Ok(Some(data.to_vec()));
        }
        let (from, length) = (piece.offset as usize, piece.length as usize);
        let end = from + data.len();
        let partial = self
            .partial
            .entry(piece.message)
            .or_insert_with(|| Partial { bytes: vec![0; length.min(1 << 24)], missing: length });
        if partial.bytes.len() != length || end > length || data.len() > partial.missing {
            return Err(NoPiece);
        }
        partial.bytes[from..end].copy_from_slice(data);
        partial.missing -= data.len();
        if partial.missing > 0 {
            return Ok(None);
        }
        Ok(self.partial.remove(&piece.message).map(|partial| partial.bytes))
    }

    /// No message is there in part.
    pub fn is_empty(&self) -> bool {
        self.partial.is_empty()
    }
}
