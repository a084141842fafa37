//! An initiator of cores: the scoreboard for Ultra Ethernet, and the host that sends by it.

mod frames;
mod hearing;

use std::collections::VecDeque;

use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use respray_golden::hosts::pds::headers::{Control, Ctl, Destination, Header, Mode};
use respray_golden::psn::PsnSpace;
use respray_golden::sack_tx::Params;
use respray_golden::sack_tx::uet::{Connection, Inputs, Op, OpKind, Outcome, Status, UetTx};

use super::carry::Station;
use super::sender::Sender;
use super::shadow::Shadow;
use super::{A, Case, Found, NOMINAL_EXTRA, RTO, Slip, TICK, encapsulation};

/// Nanoseconds between two visits of a connection.
const VISIT: u64 = 2000;

/// What is known of a packet that was sent.
#[derive(Clone, Copy, Default)]
struct Known {
    /// An ACK said that it arrived.
    is_named: bool,
    sent_at: u64,
}

pub(super) struct Initiator {
    case: Case,
    engine: UetTx,
    shadow: Shadow,
    rng: Xoshiro256PlusPlus,
    host: Sender,
    known: Vec<Known>,
    in_flight: u32,
    /// EV of a connection in order.
    ev: u16,
    out: VecDeque<Vec<u8>>,
    /// `next_rtx` may have one.
    asks: bool,
    visit_at: u64,
    pub acks: u64,
    pub retransmissions: u64,
    pub timeouts: u64,
    pub asked: u64,
    pub probes_answered: u64,
    pub wrong: Option<String>,
}

impl Initiator {
    pub fn new(case: &Case) -> Self {
        let params = Params { connections: 1, window: case.window, psns: PsnSpace::new(32) };
        let mut initiator = Initiator {
            engine: UetTx::new(params),
            shadow: Shadow::new(case),
            rng: Xoshiro256PlusPlus::seed_from_u64(case.seed ^ 0xe5),
            host: Sender::new(case),
            known: Vec::new(),
            in_flight: 0,
            ev: case.seed as u16,
            out: VecDeque::new(),
            asks: false,
            visit_at: 0,
            acks: 0,
            retransmissions: 0,
            timeouts: 0,
            asked: 0,
            probes_answered: 0,
            wrong: None,
            case: case.clone(),
        };
        let is_ordered = case.mode == Mode::Rod;
        initiator.apply(OpKind::Init { psn: case.start, is_ordered, mpr: case.default_mpr }, 0);
        initiator
    }

    /// What the scoreboard says at the end.
    pub fn connection(&self) -> &Connection {
        self.engine.connection(0)
    }

    pub fn host(&self) -> &Sender {
        &self.host
    }

    pub fn packets(&self) -> usize {
        self.host.packets.len()
    }

    fn apply(&mut self, kind: OpKind, now: u64) -> Outcome {
        let inputs = Inputs {
            now: (now / TICK) as u16,
            ooo_packets: 0,
            probe_timeout: self.case.probe.map_or(u16::MAX, |after| (after / TICK) as u16),
            probe_rtt: 0,
            rto: (RTO / TICK) as u16,
            rto_backoff_max: 3,
            rules: 0,
            max_rto_retx: 15,
        };
        let outcome = self.engine.apply(&Op { kind, conn: 0, inputs });
        self.in_flight = outcome.in_flight.into();
        outcome
    }

    fn fail(&mut self, what: String) {
        self.wrong.get_or_insert(format!("initiator of cores: {what}"));
    }

    fn hold(&mut self, found: Found) {
        if let Err(wrong) = found {
            self.fail(format!("by the endpoint {wrong}"));
        }
    }

    fn una(&self) -> usize {
        self.connection().snd_una.wrapping_sub(self.case.start) as usize
    }

    fn visit(&mut self, now: u64) {
        self.visit_at = now + VISIT;
        let outcome = self.apply(OpKind::Visit, now);
        if outcome.dead {
            self.fail("it gave up".to_owned());
        }
        if outcome.loss.is_some() {
            self.timeouts += 1;
            self.asks = true;
        }
        if outcome.ack_request {
            let una = self.una();
            self.asked += 1;
            let message = self.host.packets[una].message as u32;
            // a Clear before may be lost
            self.clear(true);
            if !self.case.has(Slip::AskUnheard) {
                self.control(Ctl::AckRequest, self.host.psn(una), 0, message);
            }
        }
        if outcome.probe_due && self.host.peer.is_some() {
            let una = self.connection().snd_una;
            let (last, opaque) = (self.connection().snd_nxt.wrapping_sub(1), (now / TICK) as u16);
            self.control(Ctl::Probe, last, opaque, una - una % 64);
        }
    }

    /// The target may forget the responses that came.
    fn clear(&mut self, at_once: bool) {
        if let Some(psn) = self.host.clear(self.una(), at_once || !self.has_room()) {
            self.control(Ctl::Clear, 0, 0, psn);
        }
    }

    /// A new packet may leave.
    fn has_room(&self) -> bool {
        let c = self.connection();
        self.host.sent < self.host.packets.len()
            && self.in_flight < self.case.cwnd
            && c.snd_nxt.wrapping_sub(c.snd_una) < c.limit(self.case.window)
            && (self.host.peer.is_some() || self.host.sent < self.case.syn_packets.into())
    }

    fn again(&mut self, now: u64) -> Option<Vec<u8>> {
        if let Some(at) = self.host.due(self.una(), now) {
            let bytes = self.size(at);
            let status = self.apply(OpKind::Sent { psn: self.host.psn(at), bytes }, now).status;
            if status != Some(Status::Again) {
                self.fail(format!("packet {at} is sent again, and the scoreboard says {status:?}"));
            }
            return Some(self.frame(at, true, true, now));
        }
        let may = self.asks && self.in_flight < self.case.cwnd && self.connection().in_recovery;
        let psn = may.then(|| self.apply(OpKind::NextRtx, now).psn).flatten();
        self.asks &= psn.is_some() || !may;
        let at = self.host.at(psn?).expect("only what was sent is handed out");
        if self.known[at].is_named {
            self.fail(format!("packet {at} is handed out, and an ACK has named it"));
        }
        Some(self.frame(at, true, true, now))
    }

    fn new_packet(&mut self, now: u64) -> Option<Vec<u8>> {
        let at = self.host.sent;
        if !self.has_room() {
            return None;
        }
        let bytes = self.size(at);
        let status = self.apply(OpKind::Sent { psn: self.host.psn(at), bytes }, now).status;
        if status != Some(Status::Ok) {
            self.fail(format!("packet {at} is new, and the scoreboard says {status:?}"));
        }
        let found = self.shadow.sent(self.host.psn(at), now);
        self.hold(found);
        self.host.sent += 1;
        self.known.push(Known::default());
        let asks = self.host.asks(at, !self.has_room());
        Some(self.frame(at, false, asks, now))
    }

    /// What a packet counts; a control packet nothing.
    fn size(&self, at: usize) -> u16 {
        self.host.packets[at].bytes.as_ref().map_or(0, |bytes| bytes.len() as u16 + u16::from(NOMINAL_EXTRA))
    }
}

impl Station for Initiator {
    fn poll(&mut self, now: u64) -> Option<Vec<u8>> {
        self.host.close_behind(self.una());
        if now >= self.visit_at && !self.is_done() {
            self.visit(now);
        }
        if self.host.clears(now) {
            self.clear(false);
        }
        let waiting = self.out.pop_front();
        waiting.or_else(|| self.again(now)).or_else(|| self.new_packet(now))
    }

    fn receive(&mut self, frame: &[u8], now: u64) {
        let packet = encapsulation().read(frame).expect("the endpoint sends what can be read");
        let (header, length) = Header::parse(packet.bytes).expect("the endpoint sends what can be read");
        let destination = match header {
            Header::Ack(ack) => Some(ack.destination),
            Header::Nack(nack) => Some(nack.destination),
            Header::Control(Control { destination: Destination::Pdc(pdc), .. }) => Some(pdc),
            _ => None,
        };
        match header {
            _ if destination != Some(A) || packet.trimmed.is_some() => self.fail(format!("{header:?} comes")),
            Header::Ack(ack) => self.ack(&ack, &packet.bytes[length..], now),
            Header::Nack(nack) => self.nack(&nack, now),
            Header::Control(Control { ctl: Ctl::ClearRequest, .. }) => {
                self.host.asked_to_clear(self.una(), now)
            }
            _ => self.fail(format!("{header:?} comes")),
        }
    }

    fn wake_at(&self) -> Option<u64> {
        let visit = (!self.is_done()).then_some(self.visit_at);
        [visit, self.host.wake_at()].into_iter().flatten().min()
    }

    fn is_done(&self) -> bool {
        self.host.is_done(self.una())
    }

    fn wrong(&self) -> Option<String> {
        self.wrong.clone()
    }
}
