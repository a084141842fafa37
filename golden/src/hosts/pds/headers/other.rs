//! Headers of packets that belong to no connection, and the header of the transport security sublayer.

use super::{Prologue, flag, kind, u16_at, u24_at, u32_at};

/// A request or response of RUDI, types 4 and 5.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rudi {
    pub is_response: bool,
    /// 4 bits.
    pub next_header: u8,
    /// 7 bits.
    pub flags: u8,
    pub packet: u32,
}

impl Rudi {
    pub(super) fn parse(prologue: Prologue, bytes: &[u8]) -> Self {
        let Prologue { kind, next: next_header, flags } = prologue;
        Rudi { is_response: kind == kind::RUDI_RESPONSE, next_header, flags, packet: u32_at(bytes, 4) }
    }

    pub(super) fn to_bytes(self) -> Vec<u8> {
        let kind = if self.is_response { kind::RUDI_RESPONSE } else { kind::RUDI_REQUEST };
        let mut bytes = Prologue { kind, next: self.next_header, flags: self.flags }.to_bytes().to_vec();
        bytes.extend([0; 2]);
        bytes.extend(self.packet.to_be_bytes());
        bytes
    }
}

/// A request of UUD, type 6.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Uud {
    /// 4 bits.
    pub next_header: u8,
    /// 7 bits.
    pub flags: u8,
}

impl Uud {
    pub(super) fn parse(prologue: Prologue) -> Self {
        Uud { next_header: prologue.next, flags: prologue.flags }
    }

    pub(super) fn to_bytes(self) -> Vec<u8> {
        let prologue = Prologue { kind: kind::UUD_REQUEST, next: self.next_header, flags: self.flags };
        [prologue.to_bytes(), [0; 2]].concat()
    }
}

/// The header of the transport security sublayer, type 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Security {
    /// AN.
    pub association: bool,
    /// 24 bits.
    pub sdi: u32,
    /// Where SP is set.
    pub ssi: Option<u32>,
    pub epoch: u16,
    /// 48 bits.
    pub counter: u64,
}

impl Security {
    pub(super) fn parse(bytes: &[u8]) -> Self {
        let ssi = (bytes[0] & 4 != 0).then(|| u32_at(bytes, 4));
        let at = if ssi.is_some() { 8 } else { 4 };
        Security {
            association: bytes[0] & 1 != 0,
            sdi: u24_at(bytes, 1),
            ssi,
            epoch: u16_at(bytes, at),
            counter: u64::from(u16_at(bytes, at + 2)) << 32 | u64::from(u32_at(bytes, at + 4)),
        }
    }

    pub(super) fn to_bytes(self) -> Vec<u8> {
        let first = kind::SECURITY << 3 | flag(self.ssi.is_some(), 4) | u8::from(self.association);
        let mut bytes = (u32::from(first) << 24 | self.sdi & 0xff_ffff).to_be_bytes().to_vec();
        bytes.extend(self.ssi.map(u32::to_be_bytes).into_iter().flatten());
        bytes.extend((u64::from(self.epoch) << 48 | self.counter & 0xffff_ffff_ffff).to_be_bytes());
        bytes
    }
}
