//! ACKs: plain, with a bitmap and the state of congestion control, and with other state.

use super::{Prologue, flag, kind, u16_at, u24_at, u32_at};

const EXPECTED_PSN: u8 = 0x40;
const MARKED: u8 = 0x20;
const RETRANSMISSION: u8 = 0x10;
const PROBE: u8 = 0x08;

/// What an ACK asks of the initiator, 2 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ask {
    #[default]
    Nothing,
    Clear,
    Close,
    Reserved,
}

/// An ACK of type 7, 8 or 9.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ack {
    /// 4 bits.
    pub next_header: u8,
    /// The packet that it answers was marked by a switch.
    pub is_marked: bool,
    /// It answers a retransmission.
    pub is_retransmission: bool,
    /// It answers a probe.
    pub is_probe: bool,
    pub ask: Ask,
    /// Flag 0x40: the expected PSN follows, as one sender writes it.
    pub has_expected_psn: bool,
    /// ACK_PSN less CACK, signed; of an answer to a probe the opaque of the probe.
    pub offset: u16,
    pub cack: u32,
    pub source: u16,
    pub destination: u16,
    /// Of types 8 and 9.
    pub congestion: Option<Congestion>,
}

/// Bytes 12 to 31 of types 8 and 9.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Congestion {
    /// 4 bits: 0 NSCC, 1 credit.
    pub cc_type: u8,
    /// 4 bits.
    pub cc_flags: u8,
    /// In 128 PSNs.
    pub mpr: u8,
    /// Base less CACK.
    pub sack_offset: i16,
    /// Bit i: base + i was received.
    pub bitmap: u64,
    pub state: State,
}

/// What a receiver says for congestion control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// `cc_type` 0 of type 8.
    Nscc {
        /// In 128 ns, rounded down; 0: not valid.
        service_time: u16,
        /// R.
        restore_cwnd: bool,
        /// 7 bits.
        rcvd_cwnd_pend: u8,
        /// 24 bits, in 256 bytes.
        rcvd_bytes: u32,
        ooo_count: u16,
    },
    /// Another `cc_type` of type 8.
    Other([u8; 8]),
    /// Type 9, of which senders write 32, 40 or 44 bytes: those up to byte 39, 0 where the packet ends before.
    Extended([u8; 16]),
}

impl Ack {
    /// The PSN that it answers; `None` of an answer to a probe.
    pub const fn ack_psn(&self) -> Option<u32> {
        if self.is_probe { None } else { Some(self.cack.wrapping_add_signed(self.offset as i16 as i32)) }
    }

    pub(super) fn parse(prologue: Prologue, bytes: &[u8]) -> Self {
        Ack {
            next_header: prologue.next,
            is_marked: prologue.has(MARKED),
            is_retransmission: prologue.has(RETRANSMISSION),
            is_probe: prologue.has(PROBE),
            ask: match prologue.flags >> 1 & 3 {
                0 => Ask::Nothing,
                1 => Ask::Clear,
                2 => Ask::Close,
                _ => Ask::Reserved,
            },
            has_expected_psn: prologue.has(EXPECTED_PSN),
            offset: u16_at(bytes, 2),
            cack: u32_at(bytes, 4),
            source: u16_at(bytes, 8),
            destination: u16_at(bytes, 10),
            congestion: (prologue.kind != kind::ACK)
                .then(|| Congestion::parse(prologue.kind == kind::ACK_CCX, bytes)),
        }
    }

    pub(super) fn to_bytes(self) -> Vec<u8> {
        let kind = match self.congestion {
            None => kind::ACK,
            Some(Congestion { state: State::Extended(_), .. }) => kind::ACK_CCX,
            Some(_) => kind::ACK_CC,
        };
        let flags = flag(self.has_expected_psn, EXPECTED_PSN)
            | flag(self.is_marked, MARKED)
            | flag(self.is_retransmission, RETRANSMISSION)
            | flag(self.is_probe, PROBE)
            | (self.ask as u8) << 1;
        let mut bytes = Prologue { kind, next: self.next_header, flags }.to_bytes().to_vec();
        bytes.extend(self.offset.to_be_bytes());
        bytes.extend(self.cack.to_be_bytes());
        bytes.extend(self.source.to_be_bytes());
        bytes.extend(self.destination.to_be_bytes());
        if let Some(congestion) = self.congestion {
            congestion.write(&mut bytes);
        }
        bytes
    }
}

impl Congestion {
    /// The PSN of bit 0 of the bitmap, of an ACK with this CACK.
    pub const fn base(&self, cack: u32) -> u32 {
        cack.wrapping_add_signed(self.sack_offset as i32)
    }

    fn parse(is_extended: bool, bytes: &[u8]) -> Self {
        let cc_type = bytes[12] >> 4;
        let state = if is_extended {
            let mut state = [0; 16];
            let rest = &bytes[24..bytes.len().min(40)];
            state[..rest.len()].copy_from_slice(rest);
            State::Extended(state)
        } else if cc_type == 0 {
            State::Nscc {
                service_time: u16_at(bytes, 24),
                restore_cwnd: bytes[26] & 0x80 != 0,
                rcvd_cwnd_pend: bytes[26] & 0x7f,
                rcvd_bytes: u24_at(bytes, 27),
                ooo_count: u16_at(bytes, 30),
            }
        } else {
            State::Other(*bytes[24..].first_chunk().expect("an ACK_CC has 32 bytes"))
        };
        Congestion {
            cc_type,
            cc_flags: bytes[12] & 15,
            mpr: bytes[13],
            sack_offset: u16_at(bytes, 14) as i16,
            bitmap: u64::from(u32_at(bytes, 16)) << 32 | u64::from(u32_at(bytes, 20)),
            state,
        }
    }

    fn write(self, bytes: &mut Vec<u8>) {
        bytes.extend([self.cc_type << 4 | self.cc_flags & 15, self.mpr]);
        bytes.extend(self.sack_offset.to_be_bytes());
        bytes.extend(self.bitmap.to_be_bytes());
        match self.state {
            State::Nscc { service_time, restore_cwnd, rcvd_cwnd_pend, rcvd_bytes, ooo_count } => {
                bytes.extend(service_time.to_be_bytes());
                bytes.push(flag(restore_cwnd, 0x80) | rcvd_cwnd_pend & 0x7f);
                bytes.extend(&rcvd_bytes.to_be_bytes()[1..]);
                bytes.extend(ooo_count.to_be_bytes());
            }
            State::Other(state) => bytes.extend(state),
            State::Extended(state) => bytes.extend(state),
        }
    }
}
