//! A target of cores: the receiver for Ultra Ethernet, and the host that answers by it.

mod answering;

use std::collections::{BTreeMap, VecDeque};

use respray_golden::hosts::pds::frame::{CE, Outer, Packet, Trimmed};
use respray_golden::hosts::pds::headers::{Control, Ctl, Destination, Header, Mode, Request, code};
use respray_golden::hosts::pds::ses::{Assembly, Piece, Response};
use respray_golden::psn::PsnSpace;
use respray_golden::sack_rx::Params;
use respray_golden::sack_rx::uet::{Connection, Op, OpKind, Outcome, Settings, Status, UetRx};

use super::carry::Station;
use super::{A, ACK_GEN_MIN, ACK_GEN_TRIGGER, B, Case, NOMINAL_EXTRA, Slip, encapsulation, here};

pub(super) struct Target {
    case: Case,
    engine: UetRx,
    /// Start_PSN, once a SYN has opened the connection.
    start: Option<u32>,
    /// Responses that wait to be cleared, by PSN less Start_PSN.
    held: BTreeMap<u32, Response>,
    clear_request_at: Option<u64>,
    assembly: Assembly,
    out: VecDeque<Vec<u8>>,
    pub delivered: Vec<Vec<u8>>,
    pub closed: bool,
    pub acks: u64,
    pub new_packets: usize,
    pub duplicates: u64,
    pub nacks: BTreeMap<u8, u64>,
    wrong: Option<String>,
}

/// What a packet says that is answered.
#[derive(Clone, Copy)]
struct Trigger {
    outer: Outer,
    psn: u32,
    source: u16,
    is_retransmission: bool,
}

impl Trigger {
    fn of(packet: &Packet, request: &Request) -> Self {
        let Request { psn, source, is_retransmission, .. } = *request;
        Trigger { outer: packet.outer, psn, source, is_retransmission }
    }

    fn of_control(packet: &Packet, control: &Control) -> Self {
        let Control { psn, source, is_retransmission, .. } = *control;
        Trigger { outer: packet.outer, psn, source, is_retransmission }
    }

    fn is_marked(&self) -> bool {
        self.outer.ecn == CE
    }
}

impl Target {
    pub fn new(case: &Case) -> Self {
        let params = Params { connections: 1, window: case.window, psns: PsnSpace::new(32) };
        Target {
            case: case.clone(),
            engine: UetRx::new(params),
            start: None,
            held: BTreeMap::new(),
            clear_request_at: None,
            assembly: Assembly::default(),
            out: VecDeque::new(),
            delivered: Vec::new(),
            closed: false,
            acks: 0,
            new_packets: 0,
            duplicates: 0,
            nacks: BTreeMap::new(),
            wrong: None,
        }
    }

    /// What the receiver says at the end.
    pub fn connection(&self) -> &Connection {
        self.engine.connection(0)
    }

    /// The host answers, since it holds responses.
    fn host_answers(&self) -> bool {
        self.case.held > 0
    }

    fn fail(&mut self, what: String) {
        self.wrong.get_or_insert(format!("target of cores: {what}"));
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

    fn number(&self, psn: u32) -> u32 {
        psn.wrapping_sub(self.start.expect("the connection is open"))
    }

    /// The PSN behind those that are cleared.
    fn limit(&self) -> u32 {
        let held = self.held.keys().next().filter(|_| !self.case.has(Slip::HeldPassed));
        let epsn = self.connection().arrivals.epsn;
        held.map_or(epsn, |held| self.start.expect("it holds responses").wrapping_add(*held))
    }

    /// The connection of a SYN, which opens one: false if it is refused.
    fn bind(&mut self, trigger: &Trigger, psn_offset: u16) -> bool {
        let offset = if self.case.has(Slip::SynOffsetUnread) { 0 } else { psn_offset };
        let start = trigger.psn.wrapping_sub(offset.into());
        if self.start.is_none() {
            if u32::from(offset) >= self.case.window {
                self.send_nack(trigger, code::SYN_OUTSIDE, 0, 0);
                return false;
            }
            if self.case.mode == Mode::Rod && offset != 0 {
                self.send_nack(trigger, code::ROD_OUT_OF_ORDER, 0, start);
                return false;
            }
            self.start = Some(start);
            let ordered = self.case.mode == Mode::Rod && !self.case.has(Slip::OrderForgotten);
            let host = self.host_answers();
            self.apply(Op { kind: OpKind::Init, psn: start, ordered, host, ..Op::default() });
        } else if self.start != Some(start) && !self.case.has(Slip::SynOffsetUnread) {
            self.fail(format!("a SYN begins at {start:08x}"));
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
            let source = if self.start.is_some() { B } else { 0 };
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
        let mut response = Response::default_of(piece.map_or(0, |(piece, _)| piece.message));
        match outcome.status {
            Some(Status::New) => {
                self.new_packets += 1;
                if let Some((piece, data)) = piece {
                    self.deliver(request.psn, &piece, data, now);
                } else if packet.trimmed.is_none() {
                    self.fail("a packet is no piece of a message".to_owned());
                }
            }
            Some(Status::Duplicate) => self.duplicates += 1,
            _ => return self.refuse(&trigger, &outcome),
        }
        self.clear(request.psn.wrapping_add_signed(request.clear_offset.into()));
        if self.host_answers() {
            response = self.held.get(&self.number(request.psn)).copied().unwrap_or(response);
            self.answer(&trigger, Some(response));
        } else if let Some(sack) = outcome.sack {
            self.send_ack(&trigger, &sack, Some(response), None);
        }
    }

    fn deliver(&mut self, psn: u32, piece: &Piece, data: &[u8], now: u64) {
        if piece.wants_response {
            self.held.insert(self.number(psn), Response::guaranteed(piece.message, psn));
            let after = self.case.clear_request;
            self.clear_request_at = self.clear_request_at.or(after.map(|after| now + after));
        }
        match self.assembly.take(piece, data) {
            Ok(whole) => self.delivered.extend(whole),
            Err(wrong) => self.fail(wrong.to_string()),
        }
    }

    /// The initiator has the responses up to this PSN.
    fn clear(&mut self, psn: u32) {
        let behind = psn.wrapping_add(1);
        let left = self.connection().arrivals.epsn.wrapping_sub(behind) as i32;
        if left < 0 {
            return self.fail(format!("{psn:08x} is cleared, and was not received"));
        }
        if (self.number(behind) as i32) > 0 {
            self.held = self.held.split_off(&self.number(behind));
        }
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
                        let held = self.held.get(&self.number(control.psn)).copied();
                        self.answer(&trigger, Some(held.unwrap_or(response)));
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
            // of the two forms one has PSN 0, the other payload 0
            Ctl::Clear => self.clear(if control.payload != 0 { control.payload } else { control.psn }),
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
        if self.clear_request_at.is_some_and(|at| at <= now) {
            let again = self.case.clear_request.filter(|_| !self.held.is_empty());
            self.clear_request_at = again.map(|after| now + after);
            if again.is_some() {
                let control = Control {
                    ctl: Ctl::ClearRequest,
                    mode: Mode::Rud,
                    is_retransmission: false,
                    ack_request: false,
                    opaque: 0,
                    psn: 0,
                    source: B,
                    destination: Destination::Pdc(A),
                    payload: self.connection().arrivals.epsn.wrapping_sub(1),
                };
                let outer = Outer { from: here(B), to: here(A), ev: 0, dscp: 46, ecn: 0 };
                let frame = encapsulation().write(&outer, &Header::Control(control).to_bytes());
                self.out.push_back(frame);
            }
        }
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
            Destination::Pdc(pdc) => pdc == B && self.start.is_some(),
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
        self.clear_request_at
    }

    fn is_done(&self) -> bool {
        self.closed
    }

    fn wrong(&self) -> Option<String> {
        self.wrong.clone()
    }
}
