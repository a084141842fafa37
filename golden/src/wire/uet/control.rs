//! Control packets.

use super::table::{CONTROL, CONTROL_PAYLOAD, PROBE_OPAQUE, PSN};
use super::*;

/// A control packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Control {
    /// What it is, 4 bits: 0 no operation, 1 ACK request, 2 clear, 3 clear request, 4 close, 5 close request, 6 probe,
    /// 7 credit, 8 credit request, 9 negotiation.
    pub ctl: u8,
    /// Of a connection of ROD.
    pub ordered: bool,
    pub retransmit: bool,
    pub ack_request: bool,
    /// As in a request.
    pub syn: bool,
    /// Of a probe: what its answer brings back.
    pub probe_opaque: u16,
    pub psn: u32,
    pub source_pdc: u16,
    pub destination_pdc: u16,
    /// `None` where the packet stops before it.
    pub payload: Option<u32>,
}

impl Control {
    /// First PSN of the connection that a SYN asks for.
    pub fn start_psn(&self) -> Option<u32> {
        self.syn.then(|| start_psn(self.psn, self.destination_pdc))
    }

    /// Its 12 or 16 bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; CONTROL.bytes() + if self.payload.is_some() { 4 } else { 0 }];
        let flags = flag(self.ordered, FLAG_ORDERED)
            | flag(self.retransmit, FLAG_RETRANSMIT)
            | flag(self.ack_request, FLAG_ACK_REQUEST)
            | flag(self.syn, FLAG_SYN);
        put_common(&mut bytes, TYPE_CONTROL, self.ctl, flags, [self.source_pdc, self.destination_pdc]);
        PROBE_OPAQUE.put(&mut bytes, self.probe_opaque.into());
        PSN.put(&mut bytes, self.psn.into());
        if let Some(payload) = self.payload {
            CONTROL_PAYLOAD.put(&mut bytes, payload.into());
        }
        bytes
    }

    pub(super) fn read(common: &Common, payload: &[u8]) -> Control {
        let has_payload = payload.len() >= CONTROL.bytes() + 4;
        Control {
            ctl: common.next_header,
            ordered: common.has(FLAG_ORDERED),
            retransmit: common.has(FLAG_RETRANSMIT),
            ack_request: common.has(FLAG_ACK_REQUEST),
            syn: common.has(FLAG_SYN),
            probe_opaque: PROBE_OPAQUE.get(payload) as u16,
            psn: PSN.get(payload) as u32,
            source_pdc: common.source_pdc,
            destination_pdc: common.destination_pdc,
            payload: has_payload.then(|| CONTROL_PAYLOAD.get(payload) as u32),
        }
    }
}
