//! ACKs and NACKs that leave.

use super::endpoint::{Endpoint, Waiting};
use super::frame::{CE, Outer};
use super::headers::{Ack, Destination, Header, Mode, Nack, Request, next};
use super::receiver::Trigger;
use super::ses::Response;

/// What a packet with a PSN of its own says of itself.
#[derive(Clone, Copy)]
pub(super) struct Own {
    pub mode: Mode,
    pub psn: u32,
    pub source: u16,
    pub destination: Destination,
    pub is_retransmission: bool,
    pub ack_request: bool,
}

impl Own {
    pub(super) fn of_request(request: &Request) -> Self {
        Own {
            mode: request.mode,
            psn: request.psn,
            source: request.source,
            destination: request.destination,
            is_retransmission: request.is_retransmission,
            ack_request: request.ack_request,
        }
    }
}

impl Endpoint {
    pub(super) fn send_ack(
        &mut self,
        id: u16,
        outer: &Outer,
        own: &Own,
        response: Option<Response>,
        now: u64,
    ) {
        let trigger =
            Trigger { psn: own.psn, is_marked: outer.ecn == CE, is_retransmission: own.is_retransmission };
        let pdc = self.pdcs.get_mut(&id).expect("the packet is of it");
        let ack = pdc.receiver.ack(&trigger, &self.config);
        self.send_answer(id, outer, own, ack, response, now);
    }

    pub(super) fn send_answer(
        &mut self,
        id: u16,
        outer: &Outer,
        own: &Own,
        ack: Ack,
        response: Option<Response>,
        now: u64,
    ) {
        let response = response.filter(|response| self.config.ack_ses || response.opcode != 0);
        let next_header = if response.is_some() { next::RESPONSE } else { next::NONE };
        let ack = Ack { next_header, source: id, destination: own.source, ..ack };
        let tail = response.map_or_else(Vec::new, |response| response.to_bytes().to_vec());
        let outer = self.answering(outer);
        self.waiting.push_back(Waiting { outer, header: Header::Ack(ack), tail, arrived: Some(now) });
    }

    pub(super) fn send_nack(&mut self, outer: &Outer, own: &Own, code: u8, source: u16, payload: u32) {
        let nack = Nack {
            is_marked: outer.ecn == CE,
            is_retransmission: own.is_retransmission,
            code,
            psn: own.psn,
            source,
            destination: own.source,
            payload,
            ..Nack::default()
        };
        let outer = self.answering(outer);
        self.waiting.push_back(Waiting {
            outer,
            header: Header::Nack(nack),
            tail: Vec::new(),
            arrived: None,
        });
    }

    /// What stands around an answer: it goes back by the EV of the packet.
    fn answering(&self, outer: &Outer) -> Outer {
        let dscp = self.config.dscp_control;
        Outer { from: self.config.address, to: outer.from, ev: outer.ev, dscp, ecn: 0 }
    }
}
