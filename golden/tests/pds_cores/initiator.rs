//! An initiator of cores: the scoreboard for Ultra Ethernet, and the host that sends by it.

mod frames;
mod hearing;

use std::collections::{BTreeMap, VecDeque};

use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use respray_golden::hosts::pds::AckRequests;
use respray_golden::hosts::pds::headers::{Control, Ctl, Destination, Header, Mode};
use respray_golden::hosts::pds::ses::Piece;
use respray_golden::psn::PsnSpace;
use respray_golden::sack_tx::Params;
use respray_golden::sack_tx::uet::{Connection, Inputs, Op, OpKind, Outcome, Status, UetTx};

use super::carry::Station;
use super::shadow::Shadow;
use super::{A, Case, Found, NOMINAL_EXTRA, RTO, Slip, TICK, encapsulation};

/// Nanoseconds between two visits of a connection.
const VISIT: u64 = 2000;

#[derive(Default)]
struct Packet {
    /// Behind the header of a request; `None`: a Close.
    bytes: Option<Vec<u8>>,
    message: usize,
    is_last: bool,
    wants_response: bool,
    /// Its response came.
    is_answered: bool,
    /// An ACK said that it arrived.
    is_named: bool,
    sent_at: u64,
}

pub(super) struct Initiator {
    case: Case,
    engine: UetTx,
    shadow: Shadow,
    rng: Xoshiro256PlusPlus,
    packets: Vec<Packet>,
    /// Packets that were sent.
    sent: usize,
    in_flight: u32,
    peer: Option<u16>,
    /// EV of a connection in order.
    ev: u16,
    out: VecDeque<Vec<u8>>,
    /// Single packets to be sent again, each with its time.
    again: BTreeMap<usize, u64>,
    /// `next_rtx` may have one.
    asks: bool,
    /// Packets whose responses the target may forget, and when it is told so.
    cleared: usize,
    clear_at: Option<u64>,
    visit_at: u64,
    pub responded: Vec<(usize, u8)>,
    pub acks: u64,
    pub retransmissions: u64,
    pub timeouts: u64,
    pub nacks: BTreeMap<u8, u64>,
    pub asked: u64,
    pub clears_asked: u64,
    pub probes_answered: u64,
    pub wrong: Option<String>,
}

impl Initiator {
    pub fn new(case: &Case) -> Self {
        let params = Params { connections: 1, window: case.window, psns: PsnSpace::new(32) };
        let packet = |(message, piece, bytes): (usize, Piece, Vec<u8>)| Packet {
            bytes: Some(bytes),
            message,
            is_last: piece.is_last,
            wants_response: piece.wants_response,
            ..Packet::default()
        };
        let mut initiator = Initiator {
            engine: UetTx::new(params),
            shadow: Shadow::new(case),
            rng: Xoshiro256PlusPlus::seed_from_u64(case.seed ^ 0xe5),
            packets: case.packets().into_iter().map(packet).collect(),
            sent: 0,
            in_flight: 0,
            peer: None,
            ev: case.seed as u16,
            out: VecDeque::new(),
            again: BTreeMap::new(),
            asks: false,
            cleared: 0,
            clear_at: None,
            visit_at: 0,
            responded: Vec::new(),
            acks: 0,
            retransmissions: 0,
            timeouts: 0,
            nacks: BTreeMap::new(),
            asked: 0,
            clears_asked: 0,
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

    pub fn packets(&self) -> usize {
        self.packets.len()
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
            let message = self.packets[una].message as u32;
            // a Clear before may be lost
            self.clear(true);
            if !self.case.has(Slip::AskUnheard) {
                self.control(Ctl::AckRequest, self.psn(una), 0, message);
            }
        }
        if outcome.probe_due && self.peer.is_some() {
            let una = self.connection().snd_una;
            let (last, opaque) = (self.connection().snd_nxt.wrapping_sub(1), (now / TICK) as u16);
            self.control(Ctl::Probe, last, opaque, una - una % 64);
        }
    }

    /// The target may forget the responses that came. A new packet says it as well.
    fn clear(&mut self, at_once: bool) {
        self.cleared = self.cleared.max(self.answered());
        if self.cleared > 0 && (at_once || !self.has_room()) {
            self.control(Ctl::Clear, 0, 0, self.psn(self.cleared - 1));
        }
    }

    /// A new packet may leave.
    fn has_room(&self) -> bool {
        let c = self.connection();
        self.sent < self.packets.len()
            && self.in_flight < self.case.cwnd
            && c.snd_nxt.wrapping_sub(c.snd_una) < c.limit(self.case.window)
            && (self.peer.is_some() || self.sent < self.case.syn_packets.into())
    }

    fn again(&mut self, now: u64) -> Option<Vec<u8>> {
        let una = self.una();
        while let Some(at) = self.again.iter().find(|(_, when)| **when <= now).map(|(at, _)| *at) {
            self.again.remove(&at);
            if at >= una {
                let bytes = self.size(at);
                let status = self.apply(OpKind::Sent { psn: self.psn(at), bytes }, now).status;
                if status != Some(Status::Again) {
                    self.fail(format!("packet {at} is sent again, and the scoreboard says {status:?}"));
                }
                return Some(self.frame(at, true, true, now));
            }
        }
        let may = self.asks && self.in_flight < self.case.cwnd && self.connection().in_recovery;
        let psn = may.then(|| self.apply(OpKind::NextRtx, now).psn).flatten();
        self.asks &= psn.is_some() || !may;
        let at = self.at(psn?).expect("only what was sent is handed out");
        if self.packets[at].is_named {
            self.fail(format!("packet {at} is handed out, and an ACK has named it"));
        }
        Some(self.frame(at, true, true, now))
    }

    fn new_packet(&mut self, now: u64) -> Option<Vec<u8>> {
        let at = self.sent;
        if !self.has_room() {
            return None;
        }
        let bytes = self.size(at);
        let status = self.apply(OpKind::Sent { psn: self.psn(at), bytes }, now).status;
        if status != Some(Status::Ok) {
            self.fail(format!("packet {at} is new, and the scoreboard says {status:?}"));
        }
        let found = self.shadow.sent(self.psn(at), now);
        self.hold(found);
        self.sent += 1;
        let asks = match self.case.ack_requests {
            AckRequests::Every => true,
            AckRequests::Never => false,
            AckRequests::Sparse => at == 0 || self.packets[at].is_last || !self.has_room(),
        };
        Some(self.frame(at, false, asks, now))
    }

    /// What a packet counts; a control packet nothing.
    fn size(&self, at: usize) -> u16 {
        self.packets[at].bytes.as_ref().map_or(0, |bytes| bytes.len() as u16 + u16::from(NOMINAL_EXTRA))
    }
}

impl Station for Initiator {
    fn poll(&mut self, now: u64) -> Option<Vec<u8>> {
        if self.una() == self.packets.len() && self.packets.last().is_some_and(|last| last.bytes.is_some()) {
            self.packets.push(Packet { is_last: true, ..Packet::default() });
        }
        if now >= self.visit_at && !self.is_done() {
            self.visit(now);
        }
        if self.clear_at.is_some_and(|at| at <= now) {
            self.clear_at = None;
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
            Header::Control(Control { ctl: Ctl::ClearRequest, .. }) => self.asked_to_clear(now),
            _ => self.fail(format!("{header:?} comes")),
        }
    }

    fn wake_at(&self) -> Option<u64> {
        let visit = (!self.is_done()).then_some(self.visit_at);
        let again = self.again.values().min().copied();
        [visit, again, self.clear_at].into_iter().flatten().min()
    }

    /// The Close is acknowledged.
    fn is_done(&self) -> bool {
        self.packets.last().is_some_and(|last| last.bytes.is_none()) && self.una() == self.packets.len()
    }

    fn wrong(&self) -> Option<String> {
        self.wrong.clone()
    }
}
