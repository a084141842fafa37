//! The block as initiator, and the host that sends through it.

use std::collections::{BTreeMap, VecDeque};

use respray_golden::hosts::Port;
use respray_golden::hosts::pds::AckRequests;
use respray_golden::hosts::pds::frame::{ECT_0, Outer};
use respray_golden::hosts::pds::headers::{
    Ack, Action, Control, Ctl, Destination, Header, Mode, Nack, Request, next,
};
use respray_golden::hosts::pds::ses::{Piece, Response};
use respray_golden::nic::{Command, Counter, Delivery, Event, Kind, Nic, Sent, Verdict};
use respray_golden::sack_tx::uet::Connection;

use super::super::carry::Station;
use super::super::{A, B, Case, Slip, encapsulation, here};
use super::{INITIATOR, advance, block, mode, write_all};

/// Until a packet is sent again that a receiver cannot take.
const NACK_RETX: u64 = 20_000;
/// Until the block is asked again what is due.
const LOOK: u64 = 2000;
const NOT_RECEIVED: u8 = 0x12;

#[derive(Default)]
struct Packet {
    /// Behind the header of a request; `None`: a Close.
    bytes: Option<Vec<u8>>,
    message: usize,
    is_last: bool,
    wants_response: bool,
    /// Its response came.
    is_answered: bool,
}

pub(super) struct Initiator {
    case: Case,
    pub nic: Nic,
    packets: Vec<Packet>,
    /// Packets that were sent.
    sent: usize,
    /// The block had no room for a new packet, and nothing was acknowledged since.
    is_full: bool,
    /// All below this PSN is acknowledged, by the latest event.
    pub told: u32,
    peer: Option<u16>,
    /// Packets to be sent again, each with its time.
    again: BTreeMap<usize, u64>,
    /// Control packets that wait for `tx_in`.
    controls: VecDeque<Vec<u8>>,
    /// Packets whose responses the target may forget, and when it is told so.
    cleared: usize,
    clear_at: Option<u64>,
    look_at: u64,
    pub responded: Vec<(usize, u8)>,
    pub retransmissions: u64,
    pub nacks: BTreeMap<u8, u64>,
    pub clears_asked: u64,
    /// EVs with which data left.
    pub evs: Vec<u16>,
    wrong: Option<String>,
}

impl Initiator {
    pub fn new(case: &Case) -> Self {
        let packet = |(message, piece, bytes): (usize, Piece, Vec<u8>)| Packet {
            bytes: Some(bytes),
            message,
            is_last: piece.is_last,
            wants_response: piece.wants_response,
            ..Packet::default()
        };
        let mut nic = block(case, INITIATOR);
        let open = [
            ("command_conn", A.into()),
            ("command_psn", case.start),
            ("command_mode", mode(case, false)),
            ("command", Command::OpenTx as u32),
        ];
        write_all(&mut nic, &open);
        Initiator {
            nic,
            packets: case.packets().into_iter().map(packet).collect(),
            sent: 0,
            is_full: false,
            told: case.start,
            peer: None,
            again: BTreeMap::new(),
            controls: VecDeque::new(),
            cleared: 0,
            clear_at: None,
            look_at: 0,
            responded: Vec::new(),
            retransmissions: 0,
            nacks: BTreeMap::new(),
            clears_asked: 0,
            evs: Vec::new(),
            wrong: None,
            case: case.clone(),
        }
    }

    /// What the scoreboard says.
    pub fn connection(&self) -> &Connection {
        self.nic.uet_scoreboard().expect("it is of Ultra Ethernet").connection(A)
    }

    pub fn packets(&self) -> usize {
        self.packets.len()
    }

    pub fn counter(&self, counter: Counter) -> u64 {
        self.nic.counter(counter)
    }

    fn fail(&mut self, what: String) {
        self.wrong.get_or_insert(format!("the block as initiator: {what}"));
    }

    fn psn(&self, at: usize) -> u32 {
        self.case.start.wrapping_add(at as u32)
    }

    /// The packet with this PSN, if it was sent.
    fn at(&self, psn: u32) -> Option<usize> {
        Some(psn.wrapping_sub(self.case.start) as usize).filter(|at| *at < self.sent)
    }

    fn una(&self) -> usize {
        self.connection().snd_una.wrapping_sub(self.case.start) as usize
    }

    /// Packets from the first on whose responses came, or that the cumulative PSN covers.
    fn answered(&self) -> usize {
        let una = self.una();
        if self.case.has(Slip::UnansweredCleared) {
            return self.sent;
        }
        una + self.packets[una..].iter().take_while(|packet| packet.is_answered).count()
    }

    /// The target may forget the responses that came. A new packet says it as well.
    fn clear(&mut self, at_once: bool) {
        self.cleared = self.cleared.max(self.answered());
        if self.cleared > 0 && (at_once || self.is_full || self.sent == self.packets.len()) {
            self.control(Ctl::Clear, 0, self.psn(self.cleared - 1));
        }
    }

    fn control(&mut self, ctl: Ctl, psn: u32, payload: u32) {
        let Some(peer) = self.peer else { return };
        let control = Control {
            ctl,
            mode: Mode::Rud,
            is_retransmission: false,
            ack_request: false,
            opaque: 0,
            psn,
            source: A,
            destination: Destination::Pdc(peer),
            payload,
        };
        let outer = Outer { from: here(A), to: here(B), ev: 7, dscp: 46, ecn: 0 };
        self.controls.push_back(encapsulation().write(&outer, &Header::Control(control).to_bytes()));
    }

    /// The frame of a packet. The block writes its EV.
    fn frame(&self, at: usize, is_again: bool, asks: bool) -> Vec<u8> {
        let psn = self.psn(at);
        let destination = match self.peer {
            Some(peer) => Destination::Pdc(peer),
            None => Destination::Syn { pdc_info: 0, psn_offset: at as u16 },
        };
        let outer = Outer { from: here(A), to: here(B), ev: 0, dscp: 0, ecn: ECT_0 };
        let Some(tail) = &self.packets[at].bytes else {
            let close = Control {
                ctl: Ctl::Close,
                mode: Mode::Rud,
                is_retransmission: is_again,
                ack_request: true,
                opaque: 0,
                psn,
                source: A,
                destination,
                payload: 0,
            };
            return encapsulation().write(&outer, &Header::Control(close).to_bytes());
        };
        // what is cleared lies not above the packet that says it
        let clear = self.psn(self.cleared.max(self.una()).min(at + 1)).wrapping_sub(1);
        let request = Request {
            mode: self.case.mode,
            next_header: next::STANDARD_REQUEST,
            is_retransmission: is_again,
            ack_request: asks || is_again,
            clear_offset: clear.wrapping_sub(psn) as i16,
            psn,
            source: A,
            destination,
            credit: None,
        };
        encapsulation().write(&outer, &[&Header::Request(request).to_bytes()[..], tail].concat())
    }

    /// Gives the block a frame of the host; whether something left.
    fn send(&mut self, frame: Vec<u8>) -> Option<Vec<u8>> {
        self.nic.offer(frame).expect("tx_in has room");
        self.transmit()
    }

    fn transmit(&mut self) -> Option<Vec<u8>> {
        let transmitted = self.nic.transmit()?;
        if matches!(transmitted.sent, Sent::Data { .. }) {
            let packet = encapsulation().read(&transmitted.frame).expect("it can be read");
            self.evs.push(packet.outer.ev);
        }
        Some(transmitted.frame)
    }

    fn again(&mut self, now: u64) -> Option<Vec<u8>> {
        let una = self.una();
        while let Some(at) = self.again.iter().find(|(_, when)| **when <= now).map(|(at, _)| *at) {
            self.again.remove(&at);
            if at >= una {
                self.retransmissions += 1;
                let frame = self.frame(at, true, true);
                return Some(self.send(frame).expect("what was sent may be sent again"));
            }
        }
        None
    }

    fn new_packet(&mut self) -> Option<Vec<u8>> {
        let at = self.sent;
        let may_syn = self.peer.is_some() || at < self.case.syn_packets.into();
        if self.is_full || at == self.packets.len() || !may_syn {
            return None;
        }
        if self.nic.state(A).in_flight >= self.case.cwnd {
            self.is_full = true;
            return None;
        }
        let c = self.connection();
        let is_last_of_window = c.snd_nxt.wrapping_sub(c.snd_una) + 1 >= c.limit(self.case.window)
            || at + 1 == self.packets.len();
        let asks = match self.case.ack_requests {
            AckRequests::Every => true,
            AckRequests::Never => false,
            AckRequests::Sparse => at == 0 || self.packets[at].is_last || is_last_of_window,
        };
        let frame = self.frame(at, false, asks);
        self.sent += 1;
        let left = self.send(frame);
        if left.is_none() {
            self.sent -= 1;
            self.is_full = true;
        }
        left
    }

    fn hear(&mut self, event: Event, now: u64) {
        if event.conn != u32::from(A) || event.after_loss {
            return self.fail(format!("{event:?} comes"));
        }
        match event.kind {
            Kind::Acknowledged => {
                self.is_full = false;
                if (event.psn.wrapping_sub(self.told) as i32) < 0 {
                    self.fail(format!("{event:?} goes back"));
                }
                self.told = event.psn;
            }
            Kind::Retransmit => {
                let at = self.at(event.psn).expect("only what was sent is handed out");
                self.again.insert(at, now);
            }
            Kind::Bound => self.peer = Some(event.detail),
            Kind::Nack => self.nack(&event, now),
            Kind::ClearRequest => self.asked_to_clear(now),
            Kind::AckRequest => {
                let una = self.una();
                let message = self.packets[una].message as u32;
                // a Clear before may be lost
                self.clear(true);
                if !self.case.has(Slip::AskUnheard) {
                    self.control(Ctl::AckRequest, event.psn, message);
                }
            }
            // 3: the window is full, by the peer's MPR
            Kind::Refused if event.detail == 3 => {}
            // a NACK or an ACK of what is acknowledged, that was overtaken
            Kind::BadAck if event.detail == 1 => {}
            Kind::Loss | Kind::RecoveryLeft | Kind::Rtt | Kind::FreezeEntered | Kind::FreezeLeft => {}
            _ => self.fail(format!("{event:?} comes")),
        }
    }

    fn nack(&mut self, event: &Event, now: u64) {
        let code = event.detail as u8;
        *self.nacks.entry(code).or_default() += 1;
        let at = self.at(event.psn).expect("it is outstanding");
        let nack = Nack { code, ..Nack::default() };
        match nack.action() {
            // the block's
            Action::ResendNow if code != NOT_RECEIVED => {}
            Action::GoBack => {}
            Action::ResendNow => _ = self.again.insert(at, now),
            Action::ResendLater => _ = self.again.entry(at).or_insert(now + NACK_RETX),
            action => self.fail(format!("NACK {code:02x} asks to {action:?}")),
        }
    }

    fn asked_to_clear(&mut self, now: u64) {
        self.clears_asked += 1;
        if self.answered() > self.una() {
            self.clear_at = self.clear_at.or(Some(now + self.case.clear_delay));
        }
    }

    /// A frame for the host: an ACK with what it answers, or a control packet.
    fn deliver(&mut self, delivery: &Delivery, now: u64) {
        let packet = encapsulation().read(&delivery.frame).expect("it can be read");
        let (header, length) = Header::parse(packet.bytes).expect("it can be read");
        match (header, delivery.verdict) {
            (Header::Ack(ack), Some(Verdict::Ack(0 | 1))) => self.answer(&ack, &packet.bytes[length..]),
            (Header::Ack(_), Some(Verdict::Ack(_))) => {}
            (Header::Control(Control { ctl: Ctl::ClearRequest, .. }), None) => self.asked_to_clear(now),
            other => self.fail(format!("{other:?} comes to the host")),
        }
    }

    fn answer(&mut self, ack: &Ack, tail: &[u8]) {
        let Some(at) = ack.ack_psn().and_then(|psn| self.at(psn)) else { return };
        let response = if ack.next_header == next::RESPONSE { Response::parse(tail) } else { None };
        let packet = &mut self.packets[at];
        if (response.is_none() && packet.wants_response) || packet.is_answered {
            return;
        }
        packet.is_answered = true;
        if let (true, Some(response)) = (packet.wants_response, response) {
            let message = packet.message;
            self.responded.push((message, response.opcode));
            if usize::from(response.message) != message {
                self.fail(format!("the response to message {message} is {response:?}"));
            }
        }
    }

    /// Takes all that the block has for its host.
    fn listen(&mut self, now: u64) {
        while let Some(delivery) = self.nic.deliver() {
            self.deliver(&delivery, now);
        }
        while let Some(event) = self.nic.event() {
            self.hear(event, now);
        }
    }
}

impl Station for Initiator {
    fn poll(&mut self, now: u64) -> Option<Vec<u8>> {
        advance(&mut self.nic, INITIATOR, now).map_err(|wrong| self.fail(wrong)).ok()?;
        self.look_at = now + LOOK;
        self.listen(now);
        if self.una() == self.packets.len() && self.packets.last().is_some_and(|last| last.bytes.is_some()) {
            self.packets.push(Packet { is_last: true, ..Packet::default() });
            self.is_full = false;
        }
        if self.clear_at.is_some_and(|at| at <= now) {
            self.clear_at = None;
            self.clear(false);
        }
        if let Some(frame) = self.transmit() {
            return Some(frame);
        }
        if let Some(frame) = self.controls.pop_front() {
            return Some(self.send(frame).expect("a control packet without a PSN passes"));
        }
        let left = self.again(now).or_else(|| self.new_packet());
        self.listen(now);
        left
    }

    fn receive(&mut self, frame: &[u8], now: u64) {
        if let Err(wrong) = advance(&mut self.nic, INITIATOR, now) {
            return self.fail(wrong);
        }
        self.nic.receive(frame.to_vec(), false);
    }

    fn wake_at(&self) -> Option<u64> {
        let look = (!self.is_done()).then_some(self.look_at);
        [look, self.again.values().min().copied(), self.clear_at].into_iter().flatten().min()
    }

    /// The Close is acknowledged.
    fn is_done(&self) -> bool {
        self.packets.last().is_some_and(|last| last.bytes.is_none()) && self.una() == self.packets.len()
    }

    fn wrong(&self) -> Option<String> {
        self.wrong.clone()
    }
}
