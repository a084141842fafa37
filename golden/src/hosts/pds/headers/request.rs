//! Requests of RUD and ROD, without and with the state of credits.

use super::{Mode, Prologue, flag, kind, u16_at, u24_at, u32_at};

const RETRANSMISSION: u8 = 0x10;
const ACK_REQUEST: u8 = 0x08;
const SYN: u8 = 0x04;

/// Whom a packet goes to: bytes 10 and 11 of requests and control packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Destination {
    /// The PDCID of the peer.
    Pdc(u16),
    /// SYN: it is not known yet. Start_PSN is the PSN less `psn_offset`.
    Syn {
        /// 4 bits; not 0: the reserved pool is asked for.
        pdc_info: u8,
        /// 12 bits.
        psn_offset: u16,
    },
}

impl Destination {
    pub(super) fn parse(is_syn: bool, bytes: &[u8]) -> Self {
        let word = u16_at(bytes, 10);
        if is_syn {
            Destination::Syn { pdc_info: (word >> 12) as u8, psn_offset: word & 0xfff }
        } else {
            Destination::Pdc(word)
        }
    }

    pub(super) fn flag(self) -> u8 {
        flag(self.is_syn(), SYN)
    }

    pub(super) fn to_bytes(self) -> [u8; 2] {
        match self {
            Destination::Pdc(pdc) => pdc.to_be_bytes(),
            Destination::Syn { pdc_info, psn_offset } => {
                assert!(pdc_info < 16 && psn_offset < 4096, "pdc_info has 4 bits, psn_offset 12");
                (u16::from(pdc_info) << 12 | psn_offset).to_be_bytes()
            }
        }
    }

    pub const fn is_syn(self) -> bool {
        matches!(self, Destination::Syn { .. })
    }
}

/// A request: a packet that carries data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    pub mode: Mode,
    /// 4 bits.
    pub next_header: u8,
    pub is_retransmission: bool,
    pub ack_request: bool,
    /// CLEAR_PSN less `psn`.
    pub clear_offset: i16,
    pub psn: u32,
    /// PDCID of the sender.
    pub source: u16,
    pub destination: Destination,
    /// `ccc_id` (8 bits) and `credit_target` (24) of types 13 and 14.
    pub credit: Option<(u8, u32)>,
}

impl Request {
    pub(super) fn parse(prologue: Prologue, bytes: &[u8]) -> Self {
        let kind = prologue.kind;
        let is_rod = matches!(kind, kind::ROD_REQUEST | kind::ROD_CC_REQUEST);
        let has_credit = matches!(kind, kind::RUD_CC_REQUEST | kind::ROD_CC_REQUEST);
        Request {
            mode: if is_rod { Mode::Rod } else { Mode::Rud },
            next_header: prologue.next,
            is_retransmission: prologue.has(RETRANSMISSION),
            ack_request: prologue.has(ACK_REQUEST),
            clear_offset: u16_at(bytes, 2) as i16,
            psn: u32_at(bytes, 4),
            source: u16_at(bytes, 8),
            destination: Destination::parse(prologue.has(SYN), bytes),
            credit: has_credit.then(|| (bytes[12], u24_at(bytes, 13))),
        }
    }

    pub(super) fn to_bytes(self) -> Vec<u8> {
        let kind = match (self.mode, self.credit) {
            (Mode::Rud, None) => kind::RUD_REQUEST,
            (Mode::Rod, None) => kind::ROD_REQUEST,
            (Mode::Rud, Some(_)) => kind::RUD_CC_REQUEST,
            (Mode::Rod, Some(_)) => kind::ROD_CC_REQUEST,
        };
        let flags = flag(self.is_retransmission, RETRANSMISSION)
            | flag(self.ack_request, ACK_REQUEST)
            | self.destination.flag();
        let mut bytes = Prologue { kind, next: self.next_header, flags }.to_bytes().to_vec();
        bytes.extend(self.clear_offset.to_be_bytes());
        bytes.extend(self.psn.to_be_bytes());
        bytes.extend(self.source.to_be_bytes());
        bytes.extend(self.destination.to_bytes());
        if let Some((context, target)) = self.credit {
            bytes.extend((u32::from(context) << 24 | target & 0xff_ffff).to_be_bytes());
        }
        bytes
    }
}
