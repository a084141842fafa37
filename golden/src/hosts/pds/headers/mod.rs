//! Headers of the packet delivery sublayer of Ultra Ethernet 1.0: all types, parsed and written.
//!
//! All numbers are big-endian. A header begins with `type` (5 bits), `next_header` or `ctl` (4) and `flags` (7).
//! Reserved bits are written as 0 and not looked at.

mod ack;
mod control;
mod nack;
mod other;
mod request;

use thiserror::Error;

pub use ack::{Ack, Ask, Congestion, State};
pub use control::{Control, Ctl};
pub use nack::{Action, Nack, code};
pub use other::{Rudi, Security, Uud};
pub use request::{Destination, Request};

/// RUD takes packets in any order, ROD in order alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    #[default]
    Rud,
    Rod,
}

/// Types of a header, 5 bits.
pub mod kind {
    pub const SECURITY: u8 = 1;
    pub const RUD_REQUEST: u8 = 2;
    pub const ROD_REQUEST: u8 = 3;
    pub const RUDI_REQUEST: u8 = 4;
    pub const RUDI_RESPONSE: u8 = 5;
    pub const UUD_REQUEST: u8 = 6;
    pub const ACK: u8 = 7;
    pub const ACK_CC: u8 = 8;
    pub const ACK_CCX: u8 = 9;
    pub const NACK: u8 = 10;
    pub const CONTROL: u8 = 11;
    pub const NACK_CCX: u8 = 12;
    pub const RUD_CC_REQUEST: u8 = 13;
    pub const ROD_CC_REQUEST: u8 = 14;
}

/// What stands behind a header, 4 bits.
pub mod next {
    pub const NONE: u8 = 0;
    pub const STANDARD_REQUEST: u8 = 3;
    /// 12 bytes.
    pub const RESPONSE: u8 = 4;
}

/// A header of any type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Header {
    Request(Request),
    Ack(Ack),
    Nack(Nack),
    Control(Control),
    Rudi(Rudi),
    Uud(Uud),
    Security(Security),
}

/// Why bytes are no header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum HeaderError {
    #[error("{got} bytes, and a header of type {kind} needs {needed}")]
    Short { kind: u8, needed: usize, got: usize },
    #[error("type {0} is reserved")]
    Reserved(u8),
    #[error("a control packet of ctl {0} has SYN, and it opens no connection")]
    Syn(u8),
}

impl Header {
    /// The header that `bytes`, what IP says of them, begin with, and the bytes that it takes.
    ///
    /// # Errors
    /// If it is cut off, of a reserved type, or contradicts itself.
    pub fn parse(bytes: &[u8]) -> Result<(Header, usize), HeaderError> {
        let Some(&[high, low]) = bytes.first_chunk() else {
            return Err(HeaderError::Short { kind: 0, needed: 2, got: bytes.len() });
        };
        let prologue = Prologue { kind: high >> 3, next: (high & 7) << 1 | low >> 7, flags: low & 0x7f };
        let kind = prologue.kind;
        let needed = needed(kind, high).ok_or(HeaderError::Reserved(kind))?;
        if bytes.len() < needed {
            return Err(HeaderError::Short { kind, needed, got: bytes.len() });
        }
        let header = match kind {
            kind::SECURITY => Header::Security(Security::parse(bytes)),
            kind::RUDI_REQUEST | kind::RUDI_RESPONSE => Header::Rudi(Rudi::parse(prologue, bytes)),
            kind::UUD_REQUEST => Header::Uud(Uud::parse(prologue)),
            kind::ACK | kind::ACK_CC | kind::ACK_CCX => Header::Ack(Ack::parse(prologue, bytes)),
            kind::NACK | kind::NACK_CCX => Header::Nack(Nack::parse(prologue, bytes)),
            kind::CONTROL => Header::Control(Control::parse(prologue, bytes)?),
            _ => Header::Request(Request::parse(prologue, bytes)),
        };
        Ok((header, header.len().min(bytes.len())))
    }

    /// Bytes begin as a request does.
    pub fn begins_request(bytes: &[u8]) -> bool {
        use kind::{ROD_CC_REQUEST, ROD_REQUEST, RUD_CC_REQUEST, RUD_REQUEST};
        let kind = bytes.first().map(|byte| byte >> 3);
        matches!(kind, Some(RUD_REQUEST | ROD_REQUEST | RUD_CC_REQUEST | ROD_CC_REQUEST))
    }

    /// The bytes of it.
    pub fn to_bytes(&self) -> Vec<u8> {
        match self {
            Header::Request(header) => header.to_bytes(),
            Header::Ack(header) => header.to_bytes(),
            Header::Nack(header) => header.to_bytes(),
            Header::Control(header) => header.to_bytes(),
            Header::Rudi(header) => header.to_bytes(),
            Header::Uud(header) => header.to_bytes(),
            Header::Security(header) => header.to_bytes(),
        }
    }

    /// How many bytes it has.
    fn len(&self) -> usize {
        match self {
            Header::Request(request) => 12 + 4 * usize::from(request.credit.is_some()),
            Header::Ack(ack) => match ack.congestion {
                None => 12,
                Some(Congestion { state: State::Extended(_), .. }) => 40,
                Some(_) => 32,
            },
            Header::Nack(nack) => 16 + 16 * usize::from(nack.is_extended),
            Header::Control(_) => 16,
            Header::Rudi(_) => 8,
            Header::Uud(_) => 4,
            Header::Security(security) => 12 + 4 * usize::from(security.ssi.is_some()),
        }
    }
}

/// Bytes that must be there of a header of a type; `None` of a reserved one.
const fn needed(kind: u8, first_byte: u8) -> Option<usize> {
    Some(match kind {
        kind::SECURITY => 12 + if first_byte & 4 != 0 { 4 } else { 0 },
        kind::RUD_REQUEST | kind::ROD_REQUEST | kind::ACK | kind::CONTROL => 12,
        kind::RUD_CC_REQUEST | kind::ROD_CC_REQUEST | kind::NACK | kind::NACK_CCX => 16,
        kind::ACK_CC => 32,
        kind::ACK_CCX => 24,
        kind::RUDI_REQUEST | kind::RUDI_RESPONSE => 8,
        kind::UUD_REQUEST => 4,
        _ => return None,
    })
}

/// The first two bytes.
#[derive(Clone, Copy, Debug)]
struct Prologue {
    /// 5 bits.
    kind: u8,
    /// 4 bits: the next header, or `ctl`.
    next: u8,
    /// 7 bits.
    flags: u8,
}

impl Prologue {
    const fn has(self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// The two bytes.
    fn to_bytes(self) -> [u8; 2] {
        assert!(self.next < 16, "next_header and ctl have 4 bits, not {}", self.next);
        [self.kind << 3 | self.next >> 1, self.next << 7 | self.flags]
    }
}

/// The flag if it is set.
const fn flag(is_set: bool, flag: u8) -> u8 {
    if is_set { flag } else { 0 }
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([bytes[at], bytes[at + 1]])
}

fn u24_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes([0, bytes[at], bytes[at + 1], bytes[at + 2]])
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}
