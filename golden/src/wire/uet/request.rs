//! Requests: what carries data.

use super::table::{CCC_ID, CLEAR_PSN_OFFSET, CREDIT_TARGET, PSN, REQUEST, REQUEST_CC};
use super::*;

/// A request's header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// ROD if set, RUD otherwise.
    pub ordered: bool,
    /// 4 bits.
    pub next_header: u8,
    pub retransmit: bool,
    pub ack_request: bool,
    /// The receiver's PDC is not known yet: `destination_pdc` is `pdc_info` (4 bits) and `psn_offset` (12).
    pub syn: bool,
    /// Clear PSN minus PSN.
    pub clear_psn_offset: i16,
    pub psn: u32,
    pub source_pdc: u16,
    pub destination_pdc: u16,
    /// What types 13 and 14 add.
    pub credit: Option<Credit>,
}

/// What a request adds for congestion control by credits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Credit {
    pub ccc_id: u8,
    /// 24 bits.
    pub target: u32,
}

impl Request {
    /// The table's header.
    pub const fn header(&self) -> Header {
        if self.credit.is_some() { REQUEST_CC } else { REQUEST }
    }

    /// First PSN of the connection that a SYN asks for.
    pub fn start_psn(&self) -> Option<u32> {
        self.syn.then(|| start_psn(self.psn, self.destination_pdc))
    }

    /// A SYN asks for a PDC of the reserved pool.
    pub const fn is_of_reserved_pool(&self) -> bool {
        self.syn && self.destination_pdc >> 12 != 0
    }

    /// The header's 12 or 16 bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.header().bytes()];
        let kind = match (self.ordered, self.credit) {
            (false, None) => TYPE_RUD_REQUEST,
            (true, None) => TYPE_ROD_REQUEST,
            (false, Some(_)) => TYPE_RUD_CC_REQUEST,
            (true, Some(_)) => TYPE_ROD_CC_REQUEST,
        };
        let flags = flag(self.retransmit, FLAG_RETRANSMIT)
            | flag(self.ack_request, FLAG_ACK_REQUEST)
            | flag(self.syn, FLAG_SYN);
        put_common(&mut bytes, kind, self.next_header, flags, [self.source_pdc, self.destination_pdc]);
        CLEAR_PSN_OFFSET.put(&mut bytes, self.clear_psn_offset as u64);
        PSN.put(&mut bytes, self.psn.into());
        if let Some(credit) = self.credit {
            CCC_ID.put(&mut bytes, credit.ccc_id.into());
            CREDIT_TARGET.put(&mut bytes, credit.target.into());
        }
        bytes
    }

    pub(super) fn read(common: &Common, payload: &[u8]) -> Request {
        let is_cc = matches!(common.kind, TYPE_RUD_CC_REQUEST | TYPE_ROD_CC_REQUEST);
        Request {
            ordered: matches!(common.kind, TYPE_ROD_REQUEST | TYPE_ROD_CC_REQUEST),
            next_header: common.next_header,
            retransmit: common.has(FLAG_RETRANSMIT),
            ack_request: common.has(FLAG_ACK_REQUEST),
            syn: common.has(FLAG_SYN),
            clear_psn_offset: CLEAR_PSN_OFFSET.get(payload) as i16,
            psn: PSN.get(payload) as u32,
            source_pdc: common.source_pdc,
            destination_pdc: common.destination_pdc,
            credit: is_cc.then(|| Credit {
                ccc_id: CCC_ID.get(payload) as u8,
                target: CREDIT_TARGET.get(payload) as u32,
            }),
        }
    }
}

/// The message ID of a request whose payload is `payload`; only a standard request has one.
pub fn message_id(next_header: u8, payload: &[u8]) -> Option<u16> {
    let is_there = next_header == NEXT_STANDARD_REQUEST && payload.len() >= 4;
    is_there.then(|| table::MESSAGE_ID.get(payload) as u16)
}
