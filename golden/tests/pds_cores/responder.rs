//! The host behind a target: it opens the connection, takes in messages, and holds responses until they are cleared.

use std::collections::BTreeMap;

use respray_golden::hosts::pds::frame::{CE, Outer, Packet};
use respray_golden::hosts::pds::headers::{
    Ack, Ask, Congestion, Control, Ctl, Destination, Header, Mode, Nack, Request, code, next,
};
use respray_golden::hosts::pds::ses::{Assembly, Piece, Response};

use super::{A, B, Case, Found, Slip, encapsulation, here};

/// What a packet says that is answered.
#[derive(Clone, Copy)]
pub(super) struct Trigger {
    outer: Outer,
    pub psn: u32,
    pub source: u16,
    pub is_retransmission: bool,
}

impl Trigger {
    pub fn of(packet: &Packet, request: &Request) -> Self {
        let Request { psn, source, is_retransmission, .. } = *request;
        Trigger { outer: packet.outer, psn, source, is_retransmission }
    }

    pub fn of_control(packet: &Packet, control: &Control) -> Self {
        let Control { psn, source, is_retransmission, .. } = *control;
        Trigger { outer: packet.outer, psn, source, is_retransmission }
    }

    pub fn is_marked(&self) -> bool {
        self.outer.ecn == CE
    }

    /// The frame that answers it.
    pub fn answered_by(&self, header: &Header, tail: &[u8]) -> Vec<u8> {
        let Outer { from, ev, .. } = self.outer;
        let outer = Outer { from: here(B), to: from, ev, dscp: 46, ecn: 0 };
        encapsulation().write(&outer, &[&header.to_bytes(), tail].concat())
    }
}

/// What a SYN comes to.
pub(super) enum Syn {
    /// It opens the connection, with this Start_PSN.
    Opens(u32),
    IsOpen,
    /// It says another Start_PSN than the one before.
    Contradicts(u32),
    Refused {
        code: u8,
        payload: u32,
    },
}

pub(super) struct Responder {
    case: Case,
    /// Start_PSN, once a SYN has opened the connection.
    start: Option<u32>,
    /// Responses that wait to be cleared, by PSN less Start_PSN.
    held: BTreeMap<u32, Response>,
    clear_request_at: Option<u64>,
    assembly: Assembly,
    pub delivered: Vec<Vec<u8>>,
    /// NACKs that were sent, by their codes.
    pub nacks: BTreeMap<u8, u64>,
}

impl Responder {
    pub fn new(case: &Case) -> Self {
        Responder {
            case: case.clone(),
            start: None,
            held: BTreeMap::new(),
            clear_request_at: None,
            assembly: Assembly::default(),
            delivered: Vec::new(),
            nacks: BTreeMap::new(),
        }
    }

    pub fn is_open(&self) -> bool {
        self.start.is_some()
    }

    /// The host answers, since it holds responses.
    pub fn answers(&self) -> bool {
        self.case.held > 0
    }

    fn number(&self, psn: u32) -> u32 {
        psn.wrapping_sub(self.start.expect("the connection is open"))
    }

    /// The PSN behind those that are cleared.
    pub fn limit(&self, epsn: u32) -> u32 {
        let held = self.held.keys().next().filter(|_| !self.case.has(Slip::HeldPassed));
        held.map_or(epsn, |held| self.start.expect("it holds responses").wrapping_add(*held))
    }

    /// A packet with SYN comes.
    pub fn syn(&mut self, trigger: &Trigger, psn_offset: u16) -> Syn {
        let is_unread = self.case.has(Slip::SynOffsetUnread);
        let offset = if is_unread { 0 } else { psn_offset };
        let start = trigger.psn.wrapping_sub(offset.into());
        match self.start {
            Some(known) if known == start || is_unread => Syn::IsOpen,
            Some(_) => Syn::Contradicts(start),
            None if u32::from(offset) >= self.case.window => {
                Syn::Refused { code: code::SYN_OUTSIDE, payload: 0 }
            }
            None if self.case.mode == Mode::Rod && offset != 0 => {
                Syn::Refused { code: code::ROD_OUT_OF_ORDER, payload: start }
            }
            None => {
                self.start = Some(start);
                Syn::Opens(start)
            }
        }
    }

    /// A new packet is taken in.
    pub fn deliver(&mut self, psn: u32, piece: &Piece, data: &[u8], now: u64) -> Found {
        if piece.wants_response {
            self.held.insert(self.number(psn), Response::guaranteed(piece.message, psn));
            let after = self.case.clear_request;
            self.clear_request_at = self.clear_request_at.or(after.map(|after| now + after));
        }
        self.delivered.extend(self.assembly.take(piece, data).map_err(|wrong| wrong.to_string())?);
        Ok(())
    }

    /// The initiator has the responses up to this PSN.
    pub fn clear(&mut self, psn: u32, epsn: u32) -> Found {
        let behind = psn.wrapping_add(1);
        if (epsn.wrapping_sub(behind) as i32) < 0 {
            return Err(format!("{psn:08x} is cleared, and was not received"));
        }
        if (self.number(behind) as i32) > 0 {
            self.held = self.held.split_off(&self.number(behind));
        }
        Ok(())
    }

    /// The response to a packet: the one that is held, or else this one.
    pub fn response(&self, psn: u32, usual: Response) -> Response {
        self.held.get(&self.number(psn)).copied().unwrap_or(usual)
    }

    /// The ACK that answers a packet.
    pub fn ack(
        &self,
        trigger: &Trigger,
        cack: u32,
        response: Option<Response>,
        congestion: Option<Congestion>,
    ) -> Ack {
        Ack {
            next_header: if response.is_some() { next::RESPONSE } else { next::NONE },
            is_marked: trigger.is_marked(),
            is_retransmission: trigger.is_retransmission,
            is_probe: false,
            ask: if self.held.is_empty() { Ask::Nothing } else { Ask::Clear },
            has_expected_psn: false,
            offset: trigger.psn.wrapping_sub(cack) as u16,
            cack,
            source: B,
            destination: trigger.source,
            congestion,
        }
    }

    /// The frame of a NACK.
    pub fn nack(&mut self, trigger: &Trigger, code: u8, source: u16, payload: u32) -> Vec<u8> {
        *self.nacks.entry(code).or_default() += 1;
        let nack = Nack {
            is_marked: trigger.is_marked(),
            is_retransmission: trigger.is_retransmission,
            code,
            psn: trigger.psn,
            source,
            destination: trigger.source,
            payload,
            ..Nack::default()
        };
        trigger.answered_by(&Header::Nack(nack), &[])
    }

    /// A control packet that asks the initiator for a clear, if it is time for one.
    pub fn clear_request(&mut self, now: u64, epsn: u32) -> Option<Vec<u8>> {
        self.clear_request_at.filter(|at| *at <= now)?;
        let again = self.case.clear_request.filter(|_| !self.held.is_empty());
        self.clear_request_at = again.map(|after| now + after);
        again?;
        let control = Control {
            ctl: Ctl::ClearRequest,
            mode: Mode::Rud,
            is_retransmission: false,
            ack_request: false,
            opaque: 0,
            psn: 0,
            source: B,
            destination: Destination::Pdc(A),
            payload: epsn.wrapping_sub(1),
        };
        let outer = Outer { from: here(B), to: here(A), ev: 0, dscp: 46, ecn: 0 };
        Some(encapsulation().write(&outer, &Header::Control(control).to_bytes()))
    }

    pub fn wake_at(&self) -> Option<u64> {
        self.clear_request_at
    }
}

/// The PSN up to which a Clear clears: of its two forms one has PSN 0, the other payload 0.
pub(super) fn cleared_by(control: &Control) -> u32 {
    if control.payload != 0 { control.payload } else { control.psn }
}

/// The tail of an ACK with a response.
pub(super) fn tail_of(response: Option<Response>) -> Vec<u8> {
    response.map_or_else(Vec::new, |response| response.to_bytes().to_vec())
}
