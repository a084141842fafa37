//! NACKs: a packet is refused.

use super::table::{NACK, NACK_CODE, NACK_PAYLOAD, NACK_PSN, VENDOR_CODE};
use super::*;

/// A NACK's header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Nack {
    /// Of type NACK_CCX, which goes on behind what is read.
    pub is_ccx: bool,
    /// 4 bits.
    pub next_header: u8,
    pub ecn_echo: bool,
    pub retransmit: bool,
    /// It refuses a packet of RUDI, which has no PSN: it is none of the profile.
    pub of_rudi: bool,
    pub nack_code: u8,
    pub vendor_code: u8,
    /// PSN that is refused.
    pub psn: u32,
    pub source_pdc: u16,
    pub destination_pdc: u16,
    pub payload: u32,
}

impl Nack {
    /// The header's 16 bytes.
    pub fn to_bytes(&self) -> [u8; NACK.bytes()] {
        let mut bytes = [0; NACK.bytes()];
        let kind = if self.is_ccx { TYPE_NACK_CCX } else { TYPE_NACK };
        let flags = flag(self.ecn_echo, FLAG_ECN_ECHO)
            | flag(self.retransmit, FLAG_RETRANSMIT)
            | flag(self.of_rudi, FLAG_RUDI);
        put_common(&mut bytes, kind, self.next_header, flags, [self.source_pdc, self.destination_pdc]);
        NACK_CODE.put(&mut bytes, self.nack_code.into());
        VENDOR_CODE.put(&mut bytes, self.vendor_code.into());
        NACK_PSN.put(&mut bytes, self.psn.into());
        NACK_PAYLOAD.put(&mut bytes, self.payload.into());
        bytes
    }

    pub(super) fn read(common: &Common, payload: &[u8]) -> Nack {
        Nack {
            is_ccx: common.kind == TYPE_NACK_CCX,
            next_header: common.next_header,
            ecn_echo: common.has(FLAG_ECN_ECHO),
            retransmit: common.has(FLAG_RETRANSMIT),
            of_rudi: common.has(FLAG_RUDI),
            nack_code: NACK_CODE.get(payload) as u8,
            vendor_code: VENDOR_CODE.get(payload) as u8,
            psn: NACK_PSN.get(payload) as u32,
            source_pdc: common.source_pdc,
            destination_pdc: common.destination_pdc,
            payload: NACK_PAYLOAD.get(payload) as u32,
        }
    }
}
