//! The block as target, and the host that answers through it.

use std::collections::VecDeque;

use respray_golden::hosts::Port;
use respray_golden::hosts::pds::AckType;
use respray_golden::hosts::pds::frame::Packet;
use respray_golden::hosts::pds::headers::{
    Congestion, Control, Ctl, Destination, Header, Request, State, code,
};
use respray_golden::hosts::pds::ses::{Piece, Response};
use respray_golden::nic::{Command, Counter, Delivery, Kind, Nic, Verdict};
use respray_golden::sack_rx::Status;
use respray_golden::sack_rx::uet::Connection;

use super::super::carry::Station;
use super::super::responder::{Responder, Syn, Trigger, cleared_by, tail_of};
use super::super::{B, Case, Found, encapsulation};
use super::{TARGET, advance, block, events, mode, write_all};

pub(super) struct Target {
    case: Case,
    pub nic: Nic,
    host: Responder,
    out: VecDeque<Vec<u8>>,
    pub closed: bool,
    pub new_packets: usize,
    wrong: Option<String>,
}

impl Target {
    pub fn new(case: &Case) -> Self {
        Target {
            case: case.clone(),
            nic: block(case, TARGET),
            host: Responder::new(case),
            out: VecDeque::new(),
            closed: false,
            new_packets: 0,
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

    fn fail(&mut self, what: String) {
        self.wrong.get_or_insert(format!("the block as target: {what}"));
    }

    fn hold(&mut self, found: Found) {
        if let Err(wrong) = found {
            self.fail(wrong);
        }
    }

    fn epsn(&self) -> u32 {
        self.connection().arrivals.epsn
    }

    fn send(&mut self, frame: Vec<u8>) {
        self.nic.offer(frame).expect("tx_in has room");
    }

    /// An ACK of which the block writes what the receiver says.
    fn answer(&mut self, trigger: &Trigger, response: Option<Response>) {
        let cack = self.host.limit(self.epsn()).wrapping_sub(1);
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
        let ack = self.host.ack(trigger, cack, response, (!is_plain).then_some(congestion));
        self.send(trigger.answered_by(&Header::Ack(ack), &tail_of(response)));
    }

    fn send_nack(&mut self, trigger: &Trigger, code: u8, source: u16, payload: u32) {
        let frame = self.host.nack(trigger, code, source, payload);
        self.send(frame);
    }

    /// A packet with SYN, of which no engine has heard. What the receiver says of it, if it is accepted.
    fn accept(&mut self, trigger: &Trigger, psn_offset: u16, ask: bool, bytes: usize) -> Option<u32> {
        match self.host.syn(trigger, psn_offset) {
            Syn::Opens(start) => {
                let open = [
                    ("command_conn", B.into()),
                    ("command_psn", start),
                    ("command_mode", mode(&self.case, self.host.answers())),
                    ("command_peer", trigger.source.into()),
                    ("command", Command::OpenRx as u32),
                ];
                write_all(&mut self.nic, &open);
            }
            Syn::IsOpen => {}
            Syn::Contradicts(start) => self.fail(format!("a SYN begins at {start:08x}")),
            Syn::Refused { code, payload } => {
                self.send_nack(trigger, code, 0, payload);
                return None;
            }
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
            let payload = if code == code::ROD_OUT_OF_ORDER { self.epsn() } else { 0 };
            self.send_nack(trigger, code, B, payload);
        }
        Some(status)
    }

    fn request(&mut self, delivery: &Delivery, packet: &Packet, request: &Request, tail: &[u8], now: u64) {
        let trigger = Trigger::of(packet, request);
        let (status, is_ours) = match (request.destination, delivery.verdict) {
            (Destination::Syn { psn_offset, .. }, Some(Verdict::Unbound)) => {
                (self.accept(&trigger, psn_offset, request.ack_request, tail.len()), true)
            }
            (Destination::Pdc(_), _) => (Some(delivery.status_code().into()), self.host.answers()),
            (_, verdict) => return self.fail(format!("{request:?} comes with {verdict:?}")),
        };
        let piece = Piece::parse(tail);
        match status {
            Some(0) => {
                self.new_packets += 1;
                match piece {
                    Some((piece, data)) => {
                        let found = self.host.deliver(trigger.psn, &piece, data, now);
                        self.hold(found);
                    }
                    None => self.fail("a packet is no piece of a message".to_owned()),
                }
            }
            Some(1) => {}
            _ => return,
        }
        self.clear(trigger.psn.wrapping_add_signed(request.clear_offset.into()));
        if is_ours {
            let response = Response::default_of(piece.map_or(0, |(piece, _)| piece.message));
            self.answer(&trigger, Some(self.host.response(trigger.psn, response)));
        }
    }

    /// The initiator has the responses up to this PSN.
    fn clear(&mut self, psn: u32) {
        let found = self.host.clear(psn, self.epsn());
        self.hold(found);
    }

    fn control(&mut self, delivery: &Delivery, packet: &Packet, control: &Control) {
        let trigger = Trigger::of_control(packet, control);
        match (control.ctl, delivery.status) {
            (Ctl::AckRequest, Some(Status::Duplicate)) if self.host.answers() => {
                let usual = Response::default_of(control.payload as u16);
                self.answer(&trigger, Some(self.host.response(trigger.psn, usual)));
            }
            (Ctl::AckRequest, None) if self.host.answers() => {
                self.send_nack(&trigger, code::NOT_RECEIVED, B, 0);
            }
            (Ctl::AckRequest, Some(Status::Outside)) if self.host.answers() => {
                self.send_nack(&trigger, code::OUTSIDE_WINDOW, B, 0);
            }
            (Ctl::Clear, None) => self.clear(cleared_by(control)),
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

    pub fn host(&self) -> &Responder {
        &self.host
    }
}

impl Station for Target {
    fn poll(&mut self, now: u64) -> Option<Vec<u8>> {
        advance(&mut self.nic, TARGET, now).map_err(|wrong| self.fail(wrong)).ok()?;
        let epsn = self.epsn();
        if let Some(frame) = self.host.clear_request(now, epsn) {
            self.send(frame);
        }
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
        self.host.wake_at()
    }

    fn is_done(&self) -> bool {
        self.closed
    }

    fn wrong(&self) -> Option<String> {
        self.wrong.clone()
    }
}
