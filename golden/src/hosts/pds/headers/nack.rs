//! NACKs, and what each of their codes asks of the sender.

use super::{Prologue, flag, kind, u16_at, u32_at};

const MARKED: u8 = 0x20;
const RETRANSMISSION: u8 = 0x10;
const RUDI: u8 = 0x08;

/// Codes of a NACK.
pub mod code {
    pub const TRIMMED: u8 = 0x01;
    pub const TRIMMED_LAST_HOP: u8 = 0x02;
    pub const NO_PDC: u8 = 0x04;
    pub const OUTSIDE_WINDOW: u8 = 0x0b;
    pub const ROD_OUT_OF_ORDER: u8 = 0x0d;
    pub const BAD_DESTINATION: u8 = 0x0e;
    pub const CLOSING: u8 = 0x10;
    pub const CLOSING_IN_ERROR: u8 = 0x11;
    pub const NOT_RECEIVED: u8 = 0x12;
    pub const HAD_DATA: u8 = 0x14;
    pub const SYN_OUTSIDE: u8 = 0x15;
    pub const NEW_START_PSN: u8 = 0x17;
}

/// A NACK of type 10 or 12.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Nack {
    /// 4 bits.
    pub next_header: u8,
    pub is_marked: bool,
    pub is_retransmission: bool,
    /// NT: it is of RUDI, and so of no connection.
    pub is_rudi: bool,
    /// One of [`code`].
    pub code: u8,
    pub vendor_code: u8,
    pub psn: u32,
    /// 0 where the receiver has no connection.
    pub source: u16,
    pub destination: u16,
    pub payload: u32,
    /// Type 12, whose senders write 24, 28 or 32 bytes: those behind byte 15, 0 where the packet ends before.
    pub state: [u8; 16],
    pub is_extended: bool,
}

/// What a sender does on a NACK (section 2.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Nothing but to tell.
    Tell,
    /// The packet is sent again at once.
    ResendNow,
    /// The packet is sent again after a time.
    ResendLater,
    /// Nothing is lost yet: the time without progress begins anew.
    Wait,
    /// ROD: all from the first packet on that is not acknowledged.
    GoBack,
    /// Its response has data: the packet is sent again, though it was received.
    AskAgain,
    /// All is sent again from another first PSN.
    NewStart,
    /// The connection is closed. What it did not finish may be tried on a new one.
    Close,
    /// The connection is closed. What it did not finish has failed.
    Fail,
}

impl Nack {
    pub const fn action(&self) -> Action {
        match self.code {
            0x01 | 0x02 | 0x1a => Action::ResendNow,
            // those of resources, and of a PSN outside the window, would come back at once if it were sent at once
            0x04..=0x0b | 0xfe => Action::ResendLater,
            0x0d => Action::GoBack,
            0x0e | 0x0f | 0x10 | 0x15 | 0x16 | 0x19 => Action::Close,
            0x11 | 0x13 | 0xff => Action::Fail,
            0x12 => Action::ResendNow,
            0x14 => Action::AskAgain,
            0x17 => Action::NewStart,
            0x18 => Action::Wait,
            // 03: the host may read again; FD: no error; all others are reserved
            _ => Action::Tell,
        }
    }

    pub(super) fn parse(prologue: Prologue, bytes: &[u8]) -> Self {
        let is_extended = prologue.kind == kind::NACK_CCX;
        let mut state = [0; 16];
        if is_extended {
            let rest = &bytes[16..bytes.len().min(32)];
            state[..rest.len()].copy_from_slice(rest);
        }
        Nack {
            next_header: prologue.next,
            is_marked: prologue.has(MARKED),
            is_retransmission: prologue.has(RETRANSMISSION),
            is_rudi: prologue.has(RUDI),
            code: bytes[2],
            vendor_code: bytes[3],
            psn: u32_at(bytes, 4),
            source: u16_at(bytes, 8),
            destination: u16_at(bytes, 10),
            payload: u32_at(bytes, 12),
            state,
            is_extended,
        }
    }

    pub(super) fn to_bytes(self) -> Vec<u8> {
        let kind = if self.is_extended { kind::NACK_CCX } else { kind::NACK };
        let flags = flag(self.is_marked, MARKED)
            | flag(self.is_retransmission, RETRANSMISSION)
            | flag(self.is_rudi, RUDI);
        let mut bytes = Prologue { kind, next: self.next_header, flags }.to_bytes().to_vec();
        bytes.extend([self.code, self.vendor_code]);
        bytes.extend(self.psn.to_be_bytes());
        bytes.extend(self.source.to_be_bytes());
        bytes.extend(self.destination.to_be_bytes());
        bytes.extend(self.payload.to_be_bytes());
        if self.is_extended {
            bytes.extend(self.state);
        }
        bytes
    }
}
