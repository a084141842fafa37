//! The block as target, and the host that answers through it.

use std::collections::{BTreeMap, VecDeque};

use respray_golden::hosts::Port;
use respray_golden::hosts::pds::AckType;
use respray_golden::hosts::pds::frame::{CE, Outer, Packet};
use respray_golden::hosts::pds::headers::{
    Ack, Ask, Congestion, Control, Ctl, Destination, Header, Mode, Nack, Request, State, code, next,
};
use respray_golden::hosts::pds::ses::{Assembly, Piece, Response};
use respray_golden::nic::{Command, Counter, Delivery, Kind, Nic, Verdict};
use respray_golden::sack_rx::Status;
use respray_golden::sack_rx::uet::Connection;

use super::super::carry::Station;
use super::super::{A, B, Case, Slip, encapsulation, here};
use super::{TARGET, advance, block, events, mode, write_all};

pub(super) struct Target {
    case: Case,
    pub nic: Nic,
    /// Start_PSN, once a SYN has opened the connection.
    start: Option<u32>,
    /// Responses that wait to be cleared, by PSN less Start_PSN.
    held: BTreeMap<u32, Response>,
    clear_request_at: Option<u64>,
    assembly: Assembly,
    out: VecDeque<Vec<u8>>,
    pub delivered: Vec<Vec<u8>>,
    pub closed: bool,
    pub new_packets: usize,
    /// NACKs that the host sent, by their codes.
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

impl Target {
    pub fn new(case: &Case) -> Self {
        Target {
            case: case.clone(),
            nic: block(case, TARGET),
            start: None,
            held: BTreeMap::new(),
            clear_request_at: None,
            assembly: Assembly::default(),
            out: VecDeque::new(),
            delivered: Vec::new(),
            closed: false,
            new_packets: 0,
            nacks: BTreeMap::new(),
            wrong: None,
        }
    }

    /// What the receiver says.
    pub fn connection(&self) -> &Connection {
        self.nic.uet_receiver().expect("it is of Ultra Ethernet").connection(B)
    }

    pub fn counter(&self, counter: Counter) -> u64 {
        self.nic.counter(counter)
    }

    fn host_answers(&self) -> bool {
        self.case.held > 0
    }

    fn fail(&mut self, what: String) {
        self.wrong.get_or_insert(format!("the block as target: {what}"));
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

    fn send(&mut self, trigger: &Trigger, header: &Header, tail: &[u8]) {
        let Outer { from, ev, .. } = trigger.outer;
        let outer = Outer { from: here(B), to: from, ev, dscp: 46, ecn: 0 };
        let frame = encapsulation().write(&outer, &[&header.to_bytes(), tail].concat());
        self.nic.offer(frame).expect("tx_in has room");
    }

    /// An ACK of which the block writes what the receiver says.
    fn answer(&mut self, trigger: &Trigger, response: Option<Response>) {
        let cack = self.limit().wrapping_sub(1);
        let nothing = State::Nscc {
            service_time: 0,
            restore_cwnd: false,
            rcvd_cwnd_pend: 0,
            rcvd_bytes: 0,
            ooo_count: 0,
        };
        let congestion = Congestion {
            cc_type: 0,
            cc_flags: 0,
            mpr: 0,
            sack_offset: 0,
            bitmap: 0,
            state: match self.case.ack_type {
                AckType::Ccx => State::Extended([0; 16]),
                _ => nothing,
            },
        };
        let is_plain = self.case.ack_type == AckType::Plain;
        let ack = Ack {
            next_header: if response.is_some() { next::RESPONSE } else { next::NONE },
            is_marked: trigger.outer.ecn == CE,
            is_retransmission: trigger.is_retransmission,
            is_probe: false,
            ask: if self.held.is_empty() { Ask::Nothing } else { Ask::Clear },
            has_expected_psn: false,
            offset: trigger.psn.wrapping_sub(cack) as u16,
            cack,
            source: B,
            destination: trigger.source,
            congestion: (!is_plain).then_some(congestion),
        };
        let tail = response.map_or_else(Vec::new, |response| response.to_bytes().to_vec());
        self.send(trigger, &Header::Ack(ack), &tail);
    }

    fn send_nack(&mut self, trigger: &Trigger, code: u8, source: u16, payload: u32) {
        *self.nacks.entry(code).or_default() += 1;
        let nack = Nack {
            is_marked: trigger.outer.ecn == CE,
            is_retransmission: trigger.is_retransmission,
            code,
            psn: trigger.psn,
            source,
            destination: trigger.source,
            payload,
            ..Nack::default()
        };
        self.send(trigger, &Header::Nack(nack), &[]);
    }

    /// A packet with SYN, of which no engine has heard. What the receiver says of it, if it is accepted.
    fn accept(&mut self, trigger: &Trigger, psn_offset: u16, ask: bool, bytes: usize) -> Option<u32> {
        let offset = if self.case.has(Slip::SynOffsetUnread) { 0 } else { psn_offset };
        let start = trigger.psn.wrapping_sub(offset.into());
        if self.start.is_none() {
            if u32::from(offset) >= self.case.window {
                self.send_nack(trigger, code::SYN_OUTSIDE, 0, 0);
                return None;
            }
            if self.case.mode == Mode::Rod && offset != 0 {
                self.send_nack(trigger, code::ROD_OUT_OF_ORDER, 0, start);
                return None;
            }
            self.start = Some(start);
            let open = [
                ("command_conn", B.into()),
                ("command_psn", start),
                ("command_mode", mode(&self.case, self.host_answers())),
                ("command_peer", trigger.source.into()),
                ("command", Command::OpenRx as u32),
            ];
            write_all(&mut self.nic, &open);
        } else if self.start != Some(start) && !self.case.has(Slip::SynOffsetUnread) {
            self.fail(format!("a SYN begins at {start:08x}"));
        }
        let flags = u32::from(ask) | u32::from(trigger.is_retransmission) << 1;
        let accept = [
            ("command_psn", trigger.psn),
            ("command_bytes", bytes as u32),
            ("command_flags", flags),
            ("accept", B.into()),
        ];
        write_all(&mut self.nic, &accept);
        let status = self.nic.read_register("result_status");
        let code = self.nic.read_register("result_nack") as u8;
        if code != 0 {
            let epsn = self.connection().arrivals.epsn;
            let payload = if code == code::ROD_OUT_OF_ORDER { epsn } else { 0 };
            self.send_nack(trigger, code, B, payload);
        }
        Some(status)
    }

    fn request(&mut self, delivery: &Delivery, packet: &Packet, request: &Request, tail: &[u8], now: u64) {
        let Request { psn, source, is_retransmission, .. } = *request;
        let trigger = Trigger { outer: packet.outer, psn, source, is_retransmission };
        let (status, is_ours) = match (request.destination, delivery.verdict) {
            (Destination::Syn { psn_offset, .. }, Some(Verdict::Unbound)) => {
                (self.accept(&trigger, psn_offset, request.ack_request, tail.len()), true)
            }
            (Destination::Pdc(_), _) => (Some(delivery.status_code().into()), self.host_answers()),
            (_, verdict) => return self.fail(format!("{request:?} comes with {verdict:?}")),
        };
        let piece = Piece::parse(tail);
        match status {
            Some(0) => {
                self.new_packets += 1;
                match piece {
                    Some((piece, data)) => self.deliver(psn, &piece, data, now),
                    None => self.fail("a packet is no piece of a message".to_owned()),
                }
            }
            Some(1) => {}
            _ => return,
        }
        self.clear(psn.wrapping_add_signed(request.clear_offset.into()));
        if is_ours {
            let response = Response::default_of(piece.map_or(0, |(piece, _)| piece.message));
            let held = self.held.get(&self.number(psn)).copied();
            self.answer(&trigger, Some(held.unwrap_or(response)));
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

    fn control(&mut self, delivery: &Delivery, packet: &Packet, control: &Control) {
        let Control { psn, source, is_retransmission, .. } = *control;
        let trigger = Trigger { outer: packet.outer, psn, source, is_retransmission };
        match (control.ctl, delivery.status) {
            (Ctl::AckRequest, Some(Status::Duplicate)) if self.host_answers() => {
                let held = self.held.get(&self.number(psn)).copied();
                self.answer(&trigger, Some(held.unwrap_or(Response::default_of(control.payload as u16))));
            }
            (Ctl::AckRequest, None) if self.host_answers() => {
                self.send_nack(&trigger, code::NOT_RECEIVED, B, 0);
            }
            (Ctl::AckRequest, Some(Status::Outside)) if self.host_answers() => {
                self.send_nack(&trigger, code::OUTSIDE_WINDOW, B, 0);
            }
            // of the two forms one has PSN 0, the other payload 0
            (Ctl::Clear, None) => self.clear(if control.payload != 0 { control.payload } else { psn }),
            (Ctl::Close, Some(Status::New | Status::Duplicate)) => {
                self.closed = true;
                self.answer(&trigger, None);
            }
            (Ctl::Close, Some(Status::Outside)) | (Ctl::Close, None) => {}
            (_, status) => self.fail(format!("{control:?} comes with {status:?}")),
        }
    }

    fn take(&mut self, delivery: &Delivery, now: u64) {
        let packet = encapsulation().read(&delivery.frame).expect("the endpoint sends what can be read");
        let (header, length) = Header::parse(packet.bytes).expect("the endpoint sends what can be read");
        match header {
            Header::Request(request) => {
                self.request(delivery, &packet, &request, &packet.bytes[length..], now);
            }
            Header::Control(control) => self.control(delivery, &packet, &control),
            _ => self.fail(format!("{header:?} comes")),
        }
    }

    fn transmit(&mut self) {
        while let Some(transmitted) = self.nic.transmit() {
            self.out.push_back(transmitted.frame);
        }
    }

    /// It is time to ask the initiator by a control packet for a clear.
    fn ask_for_clear(&mut self, now: u64) {
        if self.clear_request_at.is_none_or(|at| at > now) {
            return;
        }
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
            self.nic.offer(frame).expect("tx_in has room");
        }
    }
}

impl Station for Target {
    fn poll(&mut self, now: u64) -> Option<Vec<u8>> {
        advance(&mut self.nic, TARGET, now).map_err(|wrong| self.fail(wrong)).ok()?;
        self.ask_for_clear(now);
        self.transmit();
        self.out.pop_front()
    }

    /// The host answers at once, so that answers leave in the order of what they answer.
    fn receive(&mut self, frame: &[u8], now: u64) {
        if let Err(wrong) = advance(&mut self.nic, TARGET, now) {
            return self.fail(wrong);
        }
        self.nic.receive(frame.to_vec(), false);
        while let Some(delivery) = self.nic.deliver() {
            self.take(&delivery, now);
        }
        for event in events(&mut self.nic) {
            match event.kind {
                Kind::Duplicate => {}
                // outside, and ahead in a connection in order
                Kind::Stray if matches!(event.detail, 2 | 9) => {}
                _ => self.fail(format!("{event:?} comes")),
            }
        }
        self.transmit();
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
