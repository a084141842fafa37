//! The block as initiator, and the host that sends through it.

use std::collections::VecDeque;

use respray_golden::hosts::Port;
use respray_golden::hosts::pds::frame::{ECT_0, Outer};
use respray_golden::hosts::pds::headers::{Ack, Control, Ctl, Header, next};
use respray_golden::hosts::pds::ses::Response;
use respray_golden::nic::{Command, Counter, Delivery, Event, Kind, Nic, Sent, Verdict};
use respray_golden::sack_tx::uet::Connection;

use super::super::carry::Station;
use super::super::sender::Sender;
use super::super::{A, B, Case, Found, Slip, encapsulation, here};
use super::{INITIATOR, advance, block, mode, write_all};

/// Until the block is asked again what is due.
const LOOK: u64 = 2000;
pub(super) struct Initiator {
    case: Case,
    pub nic: Nic,
    host: Sender,
    /// The block had no room for a new packet, and nothing was acknowledged since.
    is_full: bool,
    /// All below this PSN is acknowledged, by the latest event.
    pub told: u32,
    /// Control packets that wait for `tx_in`.
    controls: VecDeque<Vec<u8>>,
    look_at: u64,
    pub retransmissions: u64,
    /// EVs with which data left.
    pub evs: Vec<u16>,
    wrong: Option<String>,
}

impl Initiator {
    pub fn new(case: &Case) -> Self {
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
            host: Sender::new(case),
            is_full: false,
            told: case.start,
            controls: VecDeque::new(),
            look_at: 0,
            retransmissions: 0,
            evs: Vec::new(),
            wrong: None,
            case: case.clone(),
        }
    }

    /// What the scoreboard says.
    pub fn connection(&self) -> &Connection {
        self.nic.uet_scoreboard().expect("it is of Ultra Ethernet").connection(A)
    }

    pub fn host(&self) -> &Sender {
        &self.host
    }

    pub fn packets(&self) -> usize {
        self.host.packets.len()
    }

    pub fn counter(&self, counter: Counter) -> u64 {
        self.nic.counter(counter)
    }

    fn fail(&mut self, what: String) {
        self.wrong.get_or_insert(format!("the block as initiator: {what}"));
    }

    fn hold(&mut self, found: Found) {
        if let Err(wrong) = found {
            self.fail(wrong);
        }
    }

    fn una(&self) -> usize {
        self.connection().snd_una.wrapping_sub(self.case.start) as usize
    }

    /// The target may forget the responses that came.
    fn clear(&mut self, at_once: bool) {
        let is_due = at_once || self.is_full || self.host.sent == self.host.packets.len();
        if let Some(psn) = self.host.clear(self.una(), is_due) {
            self.control(Ctl::Clear, 0, psn);
        }
    }

    fn control(&mut self, ctl: Ctl, psn: u32, payload: u32) {
        if let Some(header) = self.host.control(ctl, psn, 0, payload) {
            let outer = Outer { from: here(A), to: here(B), ev: 7, dscp: 46, ecn: 0 };
            self.controls.push_back(encapsulation().write(&outer, &header.to_bytes()));
        }
    }

    /// The frame of a packet. The block writes its EV.
    fn frame(&self, at: usize, is_again: bool, asks: bool) -> Vec<u8> {
        // what is cleared lies not above the packet that says it
        let header = self.host.header(at, is_again, asks, self.host.forgets(self.una()).min(at + 1));
        let outer = Outer { from: here(A), to: here(B), ev: 0, dscp: 0, ecn: ECT_0 };
        let tail = self.host.packets[at].bytes.as_deref().unwrap_or_default();
        encapsulation().write(&outer, &[&header.to_bytes(), tail].concat())
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
        let at = self.host.due(self.una(), now)?;
        self.retransmissions += 1;
        let frame = self.frame(at, true, true);
        Some(self.send(frame).expect("what was sent may be sent again"))
    }

    fn new_packet(&mut self) -> Option<Vec<u8>> {
        let at = self.host.sent;
        let may_syn = self.host.peer.is_some() || at < self.case.syn_packets.into();
        if self.is_full || at == self.host.packets.len() || !may_syn {
            return None;
        }
        if self.nic.state(A).in_flight >= self.case.cwnd {
            self.is_full = true;
            return None;
        }
        let c = self.connection();
        let is_last_of_window = c.snd_nxt.wrapping_sub(c.snd_una) + 1 >= c.limit(self.case.window)
            || at + 1 == self.host.packets.len();
        let asks = self.host.asks(at, is_last_of_window);
        let frame = self.frame(at, false, asks);
        self.host.sent += 1;
        let left = self.send(frame);
        if left.is_none() {
            self.host.sent -= 1;
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
                let at = self.host.at(event.psn).expect("only what was sent is handed out");
                self.host.again.insert(at, now);
            }
            Kind::Bound => self.host.peer = Some(event.detail),
            Kind::Nack => self.nack(&event, now),
            Kind::ClearRequest => self.host.asked_to_clear(self.una(), now),
            Kind::AckRequest => {
                let una = self.una();
                let message = self.host.packets[una].message as u32;
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
        *self.host.nacks.entry(code).or_default() += 1;
        let at = self.host.at(event.psn).expect("it is outstanding");
        let found = self.host.nack(at, code, now);
        self.hold(found);
    }

    /// A frame for the host: an ACK with what it answers, or a control packet.
    fn deliver(&mut self, delivery: &Delivery, now: u64) {
        let packet = encapsulation().read(&delivery.frame).expect("it can be read");
        let (header, length) = Header::parse(packet.bytes).expect("it can be read");
        match (header, delivery.verdict) {
            (Header::Ack(ack), Some(Verdict::Ack(0 | 1))) => self.answer(&ack, &packet.bytes[length..]),
            (Header::Ack(_), Some(Verdict::Ack(_))) => {}
            (Header::Control(Control { ctl: Ctl::ClearRequest, .. }), None) => {
                self.host.asked_to_clear(self.una(), now)
            }
            other => self.fail(format!("{other:?} comes to the host")),
        }
    }

    fn answer(&mut self, ack: &Ack, tail: &[u8]) {
        let Some(at) = ack.ack_psn().and_then(|psn| self.host.at(psn)) else { return };
        let response = if ack.next_header == next::RESPONSE { Response::parse(tail) } else { None };
        let found = self.host.answer(at, response);
        self.hold(found);
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
        if self.host.close_behind(self.una()) {
            self.is_full = false;
        }
        if self.host.clears(now) {
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
        [look, self.host.wake_at()].into_iter().flatten().min()
    }

    fn is_done(&self) -> bool {
        self.host.is_done(self.una())
    }

    fn wrong(&self) -> Option<String> {
        self.wrong.clone()
    }
}
