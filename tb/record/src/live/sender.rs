//! The sender: connections with a window, EVs by the engine, and the op trace of all that the engine heard.
//!
//! Ops carry the kernel's time stamps of the frames that caused them, those that the capture shows too: a data frame's
//! stamp is read back from the interface right after it was sent. So the capture alone gives the same ops.

use std::collections::{BTreeSet, VecDeque};
use std::time::{Duration, SystemTime};

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use respray_cosim::traffic::capture::{Ack, Expired, Flight, Kind, Profile};
use respray_cosim::traffic::recording::Figures;
use respray_cosim::traffic::stimulus::{Expectation, Line};
use respray_golden::selector::{OpKind, SendKind};
use respray_golden::wire::{Profile as Wire, strack};
use respray_hdl::cores::reps::contract::CONTRACT;
use respray_hdl::cores::selector::SelectorOp;

use super::sockets::Sockets;
use super::{Engine, Feedback, Scenario};
use crate::error::RecordError;
use crate::frames;
use crate::socket::Interface;

/// Beyond this distance from its lowest unacknowledged PSN a connection sends nothing new; the receiver takes 256.
const REACH: u32 = 192;
/// How long to look for an own frame or an expected ACK at the interface.
const PATIENCE: Duration = Duration::from_millis(3);

/// A timeout due within this time goes first: the frame's stamp, taken after the decision, must not come behind it.
const CLEARANCE_NS: u64 = 500_000;

/// The sending host.
pub struct Sender<'a> {
    scenario: &'a Scenario,
    engine: &'a mut dyn Engine,
    sockets: &'a Sockets,
    flight: Flight,
    connections: Vec<Connection>,
    retransmit: VecDeque<(u32, u32)>,
    random: SmallRng,
    lines: Vec<Line<SelectorOp>>,
    figures: Figures,
}

/// A connection's own state.
#[derive(Default)]
struct Connection {
    next_psn: u32,
    unacked: BTreeSet<u32>,
}

/// Nanoseconds since 1970, by the clock of the kernel's stamps.
pub fn clock_ns() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |d| d.as_nanos() as u64)
}

impl<'a> Sender<'a> {
    /// A sender with nothing sent.
    pub fn new(scenario: &'a Scenario, engine: &'a mut dyn Engine, sockets: &'a Sockets) -> Self {
        Sender {
            scenario,
            engine,
            sockets,
            flight: Flight::new(scenario.rto_ns, Profile::from(Wire::Strack).psn_bits()),
            connections: (0..scenario.connections).map(|_| Connection::default()).collect(),
            retransmit: VecDeque::new(),
            random: SmallRng::seed_from_u64(scenario.engine.seed.into()),
            lines: Vec::new(),
            figures: Figures::default(),
        }
    }

    /// Data packets sent so far.
    pub fn sends(&self) -> u64 {
        self.figures.sends
    }

    /// Takes what has come in; waits a little until it is `expected` frames, so that no ACK that is due at the
    /// interface slips in behind the next decision.
    pub fn hear(&mut self, interface: &mut Interface, expected: usize) -> Result<(), RecordError> {
        let mut got = 0;
        let patience = SystemTime::now() + PATIENCE;
        loop {
            match interface.hear()? {
                Some(heard) if !heard.outgoing => {
                    got += 1;
                    if let Some(frame) = frames::parse(Some(heard.time_ns), heard.data)
                        && let Kind::Ack(ack) = frame.kind
                    {
                        self.acked(heard.time_ns, frame.id, &ack)?;
                    }
                }
                Some(_) => {}
                None if got >= expected || SystemTime::now() > patience => return Ok(()),
                None => std::hint::spin_loop(),
            }
        }
    }

    /// Times out what is due, then sends up to `packets`; returns how many went.
    pub fn send(&mut self, interface: &mut Interface, packets: u64) -> Result<u64, RecordError> {
        let mut sent = 0;
        while sent < packets {
            self.expire(clock_ns())?;
            if !self.is_clear() {
                return Ok(sent);
            }
            if let Some((conn, psn)) = self.retransmit.pop_front() {
                // an ACK may have come late
                if self.connection(conn).unacked.contains(&psn) {
                    self.figures.retransmissions += 1;
                    self.transmit(interface, conn, psn)?;
                    sent += 1;
                }
                continue;
            }
            let Some(conn) = self.pick() else { return Ok(sent) };
            for _ in 0..self.scenario.burst {
                if sent < packets && self.has_room(conn) && self.is_clear() {
                    let psn = self.connection(conn).next_psn;
                    self.connection(conn).next_psn += 1;
                    self.connection(conn).unacked.insert(psn);
                    self.transmit(interface, conn, psn)?;
                    sent += 1;
                }
            }
        }
        Ok(sent)
    }

    /// The ops in order, with times from the first frame on, and what was counted.
    pub fn finish(mut self) -> Result<(Vec<Line<SelectorOp>>, Figures), RecordError> {
        let start = self.lines.first().map_or(0, |line| line.time);
        for line in &mut self.lines {
            line.time = line.time.saturating_sub(start);
        }
        self.figures.span_ns = self.lines.last().map_or(0, |line| line.time);
        (self.figures.freezes, self.figures.thaws) = self.engine.freezes()?;
        Ok((self.lines, self.figures))
    }

    fn connection(&mut self, conn: u32) -> &mut Connection {
        // queue pairs are the odd numbers
        &mut self.connections[conn as usize / 2]
    }

    /// No timeout is due before a frame that is sent now has its stamp.
    fn is_clear(&mut self) -> bool {
        let soon = clock_ns() + CLEARANCE_NS;
        self.flight.first_to_expire().is_none_or(|next| next.deadline_ns >= soon)
    }

    fn has_room(&mut self, conn: u32) -> bool {
        let window = self.scenario.window;
        let connection = self.connection(conn);
        let lowest = connection.unacked.first().copied().unwrap_or(connection.next_psn);
        connection.unacked.len() < window && connection.next_psn - lowest < REACH
    }

    /// A random connection with room in its window, or the next one that has.
    fn pick(&mut self) -> Option<u32> {
        let all = self.scenario.connections;
        let first = self.random.random_range(0..all);
        (0..all).map(|step| (first + step) % all * 2 + 1).find(|&conn| self.has_room(conn))
    }

    /// One data frame with the engine's EV.
    fn transmit(&mut self, interface: &mut Interface, conn: u32, psn: u32) -> Result<(), RecordError> {
        let now_ns = clock_ns();
        let send = op(OpKind::Send, conn);
        let (kind, ev) = self.engine.send(conn as u16, now_ns)?;
        if ev == 0 {
            return Err(RecordError::PortZero);
        }
        *match kind {
            SendKind::Explore => &mut self.figures.explore,
            SendKind::Recycle => &mut self.figures.recycle,
            SendKind::Replay => &mut self.figures.replay,
        } += 1;
        self.figures.sends += 1;
        // microseconds
        let timestamp = (now_ns / 1000) as u16;
        let header =
            strack::Data { connection: conn, psn, timestamp, ack_request: true, ..Default::default() };
        let mut payload = header.to_bytes().to_vec();
        payload.resize(payload.len() + self.scenario.payload_bytes, 0);
        self.sockets.send(ev, payload)?;
        let (time_ns, early) = self.own_stamp(interface)?;
        let expect = match kind {
            SendKind::Explore => Expectation::of(&CONTRACT, "explore", &[]),
            SendKind::Recycle | SendKind::Replay => {
                Expectation::of(&CONTRACT, "cached", &[("res_ev", ev.into())])
            }
        };
        let line = Line::op(time_ns, SelectorOp { ev, ..send });
        self.lines.push(Line { expect: Some(Box::new(expect)), ..line });
        self.flight.sent(time_ns, conn, psn);
        for (time_ns, conn, ack) in early {
            self.acked(time_ns, conn, &ack)?;
        }
        Ok(())
    }

    /// The stamp of the frame just sent, and ACKs that came to the interface before it.
    #[allow(clippy::type_complexity)]
    fn own_stamp(&mut self, interface: &mut Interface) -> Result<(u64, Vec<(u64, u32, Ack)>), RecordError> {
        let mut early = Vec::new();
        let patience = SystemTime::now() + 100 * PATIENCE;
        loop {
            match interface.hear()? {
                Some(heard) if heard.outgoing => return Ok((heard.time_ns, early)),
                Some(heard) => {
                    if let Some(frame) = frames::parse(Some(heard.time_ns), heard.data)
                        && let Kind::Ack(ack) = frame.kind
                    {
                        early.push((heard.time_ns, frame.id, ack));
                    }
                }
                None if SystemTime::now() > patience => return Err(RecordError::Unseen),
                None => std::hint::spin_loop(),
            }
        }
    }

    fn acked(&mut self, time_ns: u64, conn: u32, ack: &Ack) -> Result<(), RecordError> {
        self.expire(time_ns)?;
        self.flight.acked(conn, ack);
        let unacked = &mut self.connection(conn).unacked;
        unacked.retain(|&psn| {
            let bit = ack.sack.and_then(|sack| psn.checked_sub(sack.base).map(|bit| (sack.bitmap, bit)));
            let held = bit.is_some_and(|(bitmap, bit)| bit < 64 && bitmap >> bit & 1 == 1);
            psn >= ack.expected && psn != ack.psn && !held
        });
        let line = Line::op(time_ns, SelectorOp { ev: ack.echo_ev, ecn: ack.ce, ..op(OpKind::Ack, conn) });
        self.engine.hear(Feedback::Ack { ev: ack.echo_ev, is_marked: ack.ce }, conn as u16, time_ns)?;
        self.lines.push(line);
        self.figures.acks += 1;
        self.figures.acks_ce += u64::from(ack.ce);
        Ok(())
    }

    fn expire(&mut self, now_ns: u64) -> Result<(), RecordError> {
        while let Some(Expired { deadline_ns, conn, psn }) = self.flight.expire(now_ns) {
            self.engine.hear(Feedback::Timeout, conn as u16, deadline_ns)?;
            self.lines.push(Line::op(deadline_ns, op(OpKind::Timeout, conn)));
            self.figures.timeouts += 1;
            self.retransmit.push_back((conn, psn));
        }
        Ok(())
    }
}

/// An op of a connection, without an EV.
fn op(kind: OpKind, conn: u32) -> SelectorOp {
    SelectorOp { kind: kind.code(), conn: conn as u16, ..SelectorOp::default() }
}
