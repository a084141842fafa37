//! A target of cores: the receiver for Ultra Ethernet, and the host that answers by it.

mod answering;

use std::collections::VecDeque;

use respray_golden::hosts::pds::frame::{Packet, Trimmed};
use respray_golden::hosts::pds::headers::{Control, Ctl, Destination, Header, Mode, Request, code};
use respray_golden::hosts::pds::ses::{Piece, Response};
use respray_golden::psn::PsnSpace;
use respray_golden::sack_rx::Params;
use respray_golden::sack_rx::uet::{Connection, Op, OpKind, Outcome, Settings, Status, UetRx};

use super::carry::Station;
use super::responder::{Responder, Syn, Trigger, cleared_by};
use super::{A, ACK_GEN_MIN, ACK_GEN_TRIGGER, B, Case, Found, NOMINAL_EXTRA, Slip, encapsulation};

pub(super) struct Target {
    case: Case,
    engine: UetRx,
    host: Responder,
    out: VecDeque<Vec<u8>>,
    pub closed: bool,
    pub acks: u64,
    pub new_packets: usize,
    pub duplicates: u64,
    wrong: Option<String>,
}

impl Target {
    pub fn new(case: &Case) -> Self {
        let params = Params { connections: 1, window: case.window, psns: PsnSpace::new(32) };
        Target {
            case: case.clone(),
            engine: UetRx::new(params),
            host: Responder::new(case),
            out: VecDeque::new(),
            closed: false,
            acks: 0,
            new_packets: 0,
            duplicates: 0,
            wrong: None,
        }
    }

    pub fn host(&self) -> &Responder {
        &self.host
    }

    /// What the receiver says at the end.
    pub fn connection(&self) -> &Connection {
        self.engine.connection(0)
    }

    fn fail(&mut self, what: String) {
        self.wrong.get_or_insert(format!("target of cores: {what}"));
    }

    fn hold(&mut self, found: Found) {
        if let Err(wrong) = found {
            self.fail(wrong);
        }
    }

    fn epsn(&self) -> u32 {
        self.connection().arrivals.epsn
    }

    fn apply(&mut self, op: Op) -> Outcome {
        let settings = Settings {
            ack_gen_trigger: ACK_GEN_TRIGGER,
            ack_gen_min: ACK_GEN_MIN,
            ack_on_ecn: true,
            nominal_extra: NOMINAL_EXTRA,
        };
        self.engine.apply(&Op { settings, ..op })
    }

    /// The connection of a SYN, which opens one: false if it is refused.
    fn bind(&mut self, trigger: &Trigger, psn_offset: u16) -> bool {
        match self.host.syn(trigger, psn_offset) {
            Syn::Opens(psn) => {
                let ordered = self.case.mode == Mode::Rod && !self.case.has(Slip::OrderForgotten);
                let host = self.host.answers();
                self.apply(Op { kind: OpKind::Init, psn, ordered, host, ..Op::default() });
            }
            Syn::IsOpen => {}
            Syn::Contradicts(start) => self.fail(format!("a SYN begins at {start:08x}")),
            Syn::Refused { code, payload } => {
                self.send_nack(trigger, code, 0, payload);
                return false;
            }
        }
        true
    }

    fn request(&mut self, packet: &Packet, request: &Request, tail: &[u8], now: u64) {
        let trigger = Trigger::of(packet, request);
        if request.mode != self.case.mode {
            return self.fail(format!("{request:?} comes"));
        }
        if let (Some(trimmed), false) = (packet.trimmed, self.case.has(Slip::TrimmedReceived)) {
            let kind = OpKind::Trimmed;
            let outcome = self.apply(Op { kind, last_hop: trimmed == Trimmed::LastHop, ..Op::default() });
            let source = if self.host.is_open() { B } else { 0 };
            let code = outcome.nack.expect("a trimmed packet has a NACK");
            return self.send_nack(&trigger, code, source, 0);
        }
        if let Destination::Syn { psn_offset, .. } = request.destination
            && !self.bind(&trigger, psn_offset)
        {
            return;
        }
        let outcome = self.apply(Op {
            psn: request.psn,
            bytes: tail.len() as u16,
            ack_request: request.ack_request,
            syn: request.destination.is_syn(),
            retransmit: request.is_retransmission,
            ecn: trigger.is_marked(),
            ..Op::default()
        });
        let piece = Piece::parse(tail);
        let response = Response::default_of(piece.map_or(0, |(piece, _)| piece.message));
        match outcome.status {
            Some(Status::New) => {
                self.new_packets += 1;
                if let Some((piece, data)) = piece {
                    let found = self.host.deliver(request.psn, &piece, data, now);
                    self.hold(found);
                } else if packet.trimmed.is_none() {
                    self.fail("a packet is no piece of a message".to_owned());
                }
            }
            Some(Status::Duplicate) => self.duplicates += 1,
            _ => return self.refuse(&trigger, &outcome),
        }
        self.clear(request.psn.wrapping_add_signed(request.clear_offset.into()));
        if self.host.answers() {
            self.answer(&trigger, Some(self.host.response(request.psn, response)));
        } else if let Some(sack) = outcome.sack {
            self.send_ack(&trigger, &sack, Some(response), None);
        }
    }

    /// The initiator has the responses up to this PSN.
    fn clear(&mut self, psn: u32) {
        let found = self.host.clear(psn, self.epsn());
        self.hold(found);
    }

    fn control(&mut self, packet: &Packet, control: &Control) {
        let trigger = Trigger::of_control(packet, control);
        match control.ctl {
            Ctl::AckRequest => {
                let outcome = self.apply(Op { kind: OpKind::Ask, psn: control.psn, ..Op::default() });
                let response = Response::default_of(control.payload as u16);
                match (outcome.status, outcome.sack) {
                    (_, Some(sack)) => self.send_ack(&trigger, &sack, Some(response), None),
                    (Some(Status::Duplicate), None) => {
                        self.answer(&trigger, Some(self.host.response(control.psn, response)));
                    }
                    (Some(Status::Missing), None) => self.send_nack(&trigger, code::NOT_RECEIVED, B, 0),
                    _ => self.send_nack(&trigger, code::OUTSIDE_WINDOW, B, 0),
                }
            }
            Ctl::Probe => {
                let op = Op { kind: OpKind::Probe, psn: control.payload, ..Op::default() };
                let sack = self.apply(op).sack.expect("a probe has an answer");
                self.send_ack(&trigger, &sack, None, Some(control.opaque));
            }
            Ctl::Clear => self.clear(cleared_by(control)),
            Ctl::Close => {
                let op = Op {
                    psn: control.psn,
                    control: true,
                    ack_request: control.ack_request,
                    retransmit: control.is_retransmission,
                    host: true,
                    ..Op::default()
                };
                let outcome = self.apply(op);
                match outcome.status {
                    Some(Status::New | Status::Duplicate) => {
                        self.closed = true;
                        self.answer(&trigger, None);
                    }
                    _ => self.refuse(&trigger, &outcome),
                }
            }
            _ => self.fail(format!("{control:?} comes")),
        }
    }
}

impl Station for Target {
    fn poll(&mut self, now: u64) -> Option<Vec<u8>> {
        let epsn = self.epsn();
        self.out.extend(self.host.clear_request(now, epsn));
        self.out.pop_front()
    }

    fn receive(&mut self, frame: &[u8], now: u64) {
        let packet = encapsulation().read(frame).expect("the endpoint sends what can be read");
        let (header, length) = Header::parse(packet.bytes).expect("the endpoint sends what can be read");
        let tail = &packet.bytes[length..];
        let (source, destination) = match header {
            Header::Request(Request { source, destination, .. })
            | Header::Control(Control { source, destination, .. }) => (source, destination),
            _ => return self.fail(format!("{header:?} comes")),
        };
        let is_for_it = match destination {
            Destination::Pdc(pdc) => pdc == B && self.host.is_open(),
            Destination::Syn { .. } => matches!(header, Header::Request(_)),
        };
        match header {
            _ if source != A || !is_for_it => self.fail(format!("{header:?} comes")),
            Header::Request(request) => self.request(&packet, &request, tail, now),
            Header::Control(control) => self.control(&packet, &control),
            _ => unreachable!("others have gone"),
        }
    }

    fn wake_at(&self) -> Option<u64> {
        self.host.wake_at()
    }

    fn is_done(&self) -> bool {
        self.closed
    }

    fn wrong(&self) -> Option<String> {
        self.wrong.clone()
    }
}
