//! Control packets.

use super::{Destination, HeaderError, Mode, Prologue, flag, kind, u16_at, u32_at};

const ROD: u8 = 0x20;
const RETRANSMISSION: u8 = 0x10;
const ACK_REQUEST: u8 = 0x08;
const SYN: u8 = 0x04;

/// What a control packet is, 4 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ctl {
    Noop,
    AckRequest,
    Clear,
    ClearRequest,
    Close,
    CloseRequest,
    Probe,
    Credit,
    CreditRequest,
    Negotiation,
    /// 10 to 15.
    Reserved(u8),
}

impl Ctl {
    /// All that mean something, in the order of their numbers from 0 on.
    pub const KNOWN: [Ctl; 10] = [
        Ctl::Noop,
        Ctl::AckRequest,
        Ctl::Clear,
        Ctl::ClearRequest,
        Ctl::Close,
        Ctl::CloseRequest,
        Ctl::Probe,
        Ctl::Credit,
        Ctl::CreditRequest,
        Ctl::Negotiation,
    ];

    fn number(self) -> u8 {
        match self {
            Ctl::Reserved(number) => number,
            known => Ctl::KNOWN.iter().position(|ctl| *ctl == known).expect("it is known") as u8,
        }
    }

    /// It takes a PSN of its direction, as a request does.
    pub const fn has_own_psn(self) -> bool {
        matches!(self, Ctl::Noop | Ctl::Close | Ctl::CloseRequest | Ctl::Negotiation)
    }

    /// It may open a connection.
    pub const fn may_open(self) -> bool {
        matches!(self, Ctl::Noop | Ctl::Negotiation)
    }
}

/// A control packet, type 11.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Control {
    pub ctl: Ctl,
    /// Flag 0x20, which says it of `ctl` 0 and 9.
    pub mode: Mode,
    pub is_retransmission: bool,
    pub ack_request: bool,
    /// Of a probe.
    pub opaque: u16,
    pub psn: u32,
    pub source: u16,
    pub destination: Destination,
    /// 0 where the packet ends before.
    pub payload: u32,
}

impl Control {
    pub(super) fn parse(prologue: Prologue, bytes: &[u8]) -> Result<Self, HeaderError> {
        let number = prologue.next;
        let ctl = Ctl::KNOWN.get(usize::from(number)).copied().unwrap_or(Ctl::Reserved(number));
        let is_syn = prologue.has(SYN);
        if is_syn && matches!(number, 1..=8) {
            return Err(HeaderError::Syn(number));
        }
        Ok(Control {
            ctl,
            mode: if prologue.has(ROD) { Mode::Rod } else { Mode::Rud },
            is_retransmission: prologue.has(RETRANSMISSION),
            ack_request: prologue.has(ACK_REQUEST),
            opaque: u16_at(bytes, 2),
            psn: u32_at(bytes, 4),
            source: u16_at(bytes, 8),
            destination: Destination::parse(is_syn, bytes),
            payload: if bytes.len() >= 16 { u32_at(bytes, 12) } else { 0 },
        })
    }

    pub(super) fn to_bytes(self) -> Vec<u8> {
        let flags = flag(self.mode == Mode::Rod, ROD)
            | flag(self.is_retransmission, RETRANSMISSION)
            | flag(self.ack_request, ACK_REQUEST)
            | self.destination.flag();
        let prologue = Prologue { kind: kind::CONTROL, next: self.ctl.number(), flags };
        let mut bytes = prologue.to_bytes().to_vec();
        bytes.extend(self.opaque.to_be_bytes());
        bytes.extend(self.psn.to_be_bytes());
        bytes.extend(self.source.to_be_bytes());
        bytes.extend(self.destination.to_bytes());
        bytes.extend(self.payload.to_be_bytes());
        bytes
    }
}
