//! What hosts do: the receiver answers packets, the sender hears the answers, and the NIC gives each connection its turn.

use super::{Event, Simulation, What};
use crate::connection::Arrival;
use crate::engine::{Answer, Feedback, Say};
use crate::error::FabricError;
use crate::metrics::{DEPTHS, FlowCounts, RTT_BIN, RTT_BINS};
use crate::packet::{Kind, Marks, Packet};
use crate::parameters::{Full, Parameters};
use crate::time::{NANOSECOND, Picoseconds};
use crate::workload::Start;

/// Control packets that a NIC sends before a data packet gets its turn.
const CONTROL_IN_ROW: u32 = 10;

/// Above this many times the base RTT a round trip is slow: without trimming, an expiry then is held for congestion (001 Appendix A).
pub(super) const SLOW_ROUND_TRIP: f64 = 1.65;

impl Simulation<'_> {
    /// A packet has come to a host.
    #[inline]
    pub(super) fn at_host(&mut self, host: u32, packet: Packet) -> Result<(), FabricError> {
        if self.scenario.nic.is_some() {
            return self.at_nic(host, packet);
        }
        match packet.kind {
            Kind::Data => self.receive(host, packet),
            // the answer is the same packet, turned round
            Kind::Trimmed => self.answer(host, Packet { kind: Kind::Nack, ..packet }),
            Kind::Ack => self.acknowledged(&packet),
            Kind::Nack => self.refused(&packet),
        }
    }

    /// Data has come to its receiver.
    fn receive(&mut self, host: u32, packet: Packet) -> Result<(), FabricError> {
        let Parameters { ack_bytes, header_bytes, packet_bytes, .. } = self.scenario.parameters;
        self.counters.delivered += 1;
        let arrival = self.note_arrival(&packet);
        if ack_bytes > 0 {
            let receiver = &mut self.receivers[packet.connection as usize];
            receiver.unanswered += u64::from(u32::from(packet.bytes).saturating_sub(header_bytes));
            let is_last = u32::from(packet.bytes) != packet_bytes;
            let at_once = arrival == Arrival::Duplicate
                || packet.is_marked()
                || is_last
                || packet.marks.has(Marks::ASKS_FOR_ACK);
            if !at_once && receiver.unanswered < u64::from(ack_bytes) {
                return Ok(());
            }
            receiver.unanswered = 0;
        }
        let receiver = &self.receivers[packet.connection as usize];
        let ack = Packet {
            kind: Kind::Ack,
            bytes: header_bytes as u16,
            cumulative: receiver.cumulative,
            bitmap: receiver.bitmap(packet.psn),
            received: receiver.received,
            ..packet
        };
        self.answer(host, ack)
    }

    /// Notes that data has come to its receiver.
    #[inline]
    pub(super) fn note_arrival(&mut self, packet: &Packet) -> Arrival {
        let receiver = &mut self.receivers[packet.connection as usize];
        let arrival = receiver.take(packet.psn, packet.bytes);
        match arrival {
            Arrival::New { depth } => {
                self.note_depth(depth);
                if depth > 0 {
                    self.counters.out_of_order += 1;
                    self.counters.overtaken += u64::from(!packet.marks.has(Marks::REPEATED));
                    if let Some(counts) = self.counts_of(packet.connection, packet.psn) {
                        counts.out_of_order += 1;
                        counts.deepest = counts.deepest.max(depth);
                    }
                }
            }
            Arrival::Duplicate => self.counters.duplicates += 1,
        }
        arrival
    }

    /// A packet has come for the first time, so deep.
    #[inline]
    fn note_depth(&mut self, depth: u32) {
        let place = (depth as usize).min(DEPTHS - 1);
        if self.depths.len() <= place {
            self.depths.resize(place + 1, 0);
        }
        self.depths[place] += 1;
    }

    /// What is counted of the flow that a packet belongs to.
    #[inline]
    fn counts_of(&mut self, connection: u32, psn: u32) -> Option<&mut FlowCounts> {
        let connection = &self.connections[connection as usize];
        let flow = match &connection.nic {
            None => connection.sender.flow_of(psn)?,
            Some(nic) => nic.messages.flow_of(psn)?,
        };
        Some(&mut self.flows[flow as usize].counts)
    }

    /// A host sends a control packet.
    #[inline]
    pub(super) fn answer(&mut self, host: u32, packet: Packet) -> Result<(), FabricError> {
        self.ports[host as usize].give_control(packet);
        if self.ports[host as usize].is_sending { Ok(()) } else { self.pump(host) }
    }

    /// What is said with every op of a connection.
    #[inline]
    pub(super) fn say(&self, connection: u32) -> Say {
        let of = &self.connections[connection as usize];
        let (window_packets, room) = match (&of.nic, &self.scenario.nic) {
            (Some(sender), Some(nic)) => {
                (sender.window_packets(&nic.settings), sender.is_window_open(&nic.settings))
            }
            _ => {
                let window = &of.sender.window;
                (window.size / u64::from(self.scenario.parameters.packet_bytes), window.is_open())
            }
        };
        Say {
            connection: of.number,
            now: self.events.now() / NANOSECOND,
            window_packets,
            room,
            tiers: of.tiers,
            ..Say::default()
        }
    }

    /// An ACK has come: the window takes it, then the engine, then packets may go.
    fn acknowledged(&mut self, ack: &Packet) -> Result<(), FabricError> {
        let now = self.events.now();
        let parameters = &self.scenario.parameters;
        let sender = &mut self.connections[ack.connection as usize].sender;
        let brought = sender.acknowledge(ack, now, parameters.packet_bytes as u16);
        let window = &mut sender.window;
        let mut is_calm = false;
        if let Some(round_trip) = brought.round_trip {
            window.round_trip(round_trip);
            let is_late = parameters.fast_increase().is_some_and(|from| now >= from);
            is_calm = is_late && round_trip - window.base_rtt < Parameters::LITTLE_QUEUEING;
            if round_trip as f64 > SLOW_ROUND_TRIP * window.base_rtt as f64 {
                sender.last_slow = Some(now);
            }
        }
        sender.window.acknowledged(brought.bytes, ack.is_marked(), is_calm);
        if let Some(round_trip) = brought.round_trip {
            self.note_round_trip(round_trip);
        }
        let ev = ack.ev().expect("an ACK has the EV of its packet");
        let say = Say {
            ev,
            is_marked: ack.is_marked(),
            received: ack.received & 0xff_ffff,
            sent_at: brought.sent_at.unwrap_or(now) / NANOSECOND,
            ..self.say(ack.connection)
        };
        self.connections[ack.connection as usize].sender.is_waiting = false;
        let engine = self.connections[ack.connection as usize].engine;
        self.engines[engine as usize].hear(Feedback::Ack, &say)?;
        while let Some(flow) = self.connections[ack.connection as usize].sender.complete() {
            self.complete(flow);
        }
        self.queue(ack.connection)
    }

    /// A NACK has come.
    fn refused(&mut self, nack: &Packet) -> Result<(), FabricError> {
        let sender = &mut self.connections[nack.connection as usize].sender;
        sender.lose(nack.psn);
        sender.is_waiting = false;
        let ev = nack.ev().expect("a NACK has the EV of its packet");
        let say = Say { ev, ..self.say(nack.connection) };
        let engine = self.connections[nack.connection as usize].engine;
        self.engines[engine as usize].hear(Feedback::Nack, &say)?;
        self.queue(nack.connection)
    }

    /// A timer has run out: packets whose time is over are held for lost.
    pub(super) fn timer(&mut self, number: u32) -> Result<(), FabricError> {
        let now = self.events.now();
        let rto = self.rto;
        let may_freeze = match self.scenario.parameters.full {
            Full::Trim => true,
            Full::Drop => {
                let slow = self.connections[number as usize].sender.last_slow;
                slow.is_none_or(|at| now - at > 2 * rto)
            }
        };
        while let Some(psn) = self.connections[number as usize].sender.expired(now, rto) {
            self.connections[number as usize].sender.lose(psn);
            self.counters.expired += 1;
            if may_freeze {
                let connection = &self.connections[number as usize];
                let (ev, engine) = (connection.sender.ev(psn).unwrap_or(0), connection.engine);
                let say = Say { ev, ..self.say(number) };
                self.engines[engine as usize].hear(Feedback::Timeout, &say)?;
            }
        }
        let sender = &mut self.connections[number as usize].sender;
        sender.is_waiting = false;
        let next = sender.next_expiry(rto);
        sender.is_timed = next.is_some();
        if let Some((next, _)) = next {
            self.events.add_at(next, Event::plain(What::Timer, number));
        }
        self.queue(number)
    }

    /// A connection that may send waits for its turn at its NIC.
    #[inline]
    pub(super) fn queue(&mut self, number: u32) -> Result<(), FabricError> {
        let connection = &self.connections[number as usize];
        let is_queued = connection.nic.as_ref().map_or(connection.sender.is_queued, |nic| nic.is_queued);
        if is_queued || !self.may_send(number) {
            return Ok(());
        }
        self.set_queued(number, true);
        let host = self.connections[number as usize].source;
        self.hosts[host as usize].ready.push_back(number);
        if self.ports[host as usize].is_sending { Ok(()) } else { self.pump(host) }
    }

    /// Whether a connection may send a packet.
    #[inline]
    pub(super) fn may_send(&mut self, number: u32) -> bool {
        let connection = &mut self.connections[number as usize];
        match (&connection.nic, &self.scenario.nic) {
            (Some(sender), Some(nic)) => sender.next(&nic.settings).is_some(),
            _ => connection.sender.may_send(),
        }
    }

    #[inline]
    fn set_queued(&mut self, number: u32, is_queued: bool) {
        let connection = &mut self.connections[number as usize];
        match &mut connection.nic {
            Some(nic) => nic.is_queued = is_queued,
            None => connection.sender.is_queued = is_queued,
        }
    }

    /// A NIC that sends nothing takes the next packet.
    #[inline]
    pub(super) fn pump(&mut self, host: u32) -> Result<(), FabricError> {
        let has_control = self.ports[host as usize].has_control();
        if !has_control && self.waits_for_engines(host) {
            return Ok(());
        }
        let has_probe = !self.hosts[host as usize].probes.is_empty();
        let has_data = !self.hosts[host as usize].waits && (has_probe || self.turn(host));
        let port = &mut self.ports[host as usize];
        let takes_control = has_control && (!has_data || port.control_in_row < CONTROL_IN_ROW);
        if takes_control {
            port.control_in_row = if has_data { port.control_in_row + 1 } else { 0 };
            let packet = port.pop_control().expect("control waits");
            self.start(host, packet);
        } else if has_data {
            port.control_in_row = 0;
            if has_probe {
                return self.send_probe(host);
            }
            let number = self.hosts[host as usize].ready.pop_front().expect("data waits");
            return match self.scenario.nic {
                Some(_) => self.send_by_nic(host, number),
                None => self.send(host, number),
            };
        }
        Ok(())
    }

    /// Whether a connection of a host may send; those in front that no longer may have left the queue.
    #[inline]
    fn turn(&mut self, host: u32) -> bool {
        while let Some(&number) = self.hosts[host as usize].ready.front() {
            if self.may_send(number) {
                return true;
            }
            self.set_queued(number, false);
            self.hosts[host as usize].ready.pop_front();
        }
        false
    }

    /// A connection whose turn it is sends one packet.
    #[inline]
    fn send(&mut self, host: u32, number: u32) -> Result<(), FabricError> {
        let now = self.events.now();
        let packet_bytes = self.scenario.parameters.packet_bytes as u16;
        let (bytes, is_repeated) = self.connections[number as usize].sender.next(packet_bytes);
        let say = Say { bytes, is_repeated, ..self.say(number) };
        let connection = &mut self.connections[number as usize];
        let engine = &mut self.engines[connection.engine as usize];
        if !std::mem::replace(&mut connection.is_begun, true) {
            engine.hear(Feedback::Init, &say)?;
        }
        let ticket = engine.send(&say)?;
        let answer = if self.asks_first { Some(engine.ev(ticket)?) } else { None };
        if answer == Some(Answer::Wait) {
            connection.sender.is_waiting = true;
            connection.sender.is_queued = false;
            return self.pump(host);
        }
        let sender = &mut connection.sender;
        let going = sender.send(now, packet_bytes);
        let asks_for_ack = !sender.window.is_open();
        if !sender.is_timed {
            sender.is_timed = true;
            self.events.add_at(now + self.rto, Event::plain(What::Timer, number));
        }
        self.count_sent(number, going.psn, going.is_repeated);
        if let Some(series) = &mut self.series {
            series.given(host, now, going.bytes.into(), 0, false);
        }
        let mut packet = Packet {
            connection: number,
            psn: going.psn,
            ev_or_ticket: ticket,
            bytes: going.bytes,
            ..Packet::default()
        };
        if let Some(answer) = answer {
            self.goes_by(&mut packet, answer);
        }
        if asks_for_ack {
            packet.marks.set(Marks::ASKS_FOR_ACK);
        }
        if going.is_repeated {
            packet.marks.set(Marks::REPEATED);
        }
        let sender = &mut self.connections[number as usize].sender;
        if sender.may_send() {
            self.hosts[host as usize].ready.push_back(number);
        } else {
            sender.is_queued = false;
        }
        self.start(host, packet);
        Ok(())
    }

    /// A packet of data goes.
    #[inline]
    pub(super) fn count_sent(&mut self, number: u32, psn: u32, is_repeated: bool) {
        match is_repeated {
            true => {
                self.counters.retransmitted += 1;
                if let Some(counts) = self.counts_of(number, psn) {
                    counts.retransmitted += 1;
                }
            }
            false => {
                self.counters.new_packets += 1;
                self.last_new = self.events.now();
            }
        }
    }

    /// A full packet that was sent once took this long to its ACK.
    #[inline]
    pub(super) fn note_round_trip(&mut self, time: Picoseconds) {
        let bin = ((time / RTT_BIN) as usize).min(RTT_BINS - 1);
        if self.round_trips.len() <= bin {
            self.round_trips.resize(bin + 1, 0);
        }
        self.round_trips[bin] += 1;
    }

    /// A flow begins.
    pub(super) fn begin(&mut self, flow: u32) -> Result<(), FabricError> {
        let number = self.of_flow[flow as usize];
        let bytes = self.scenario.flows.flows[flow as usize].bytes;
        self.flows[flow as usize].began = Some(self.events.now());
        let payload = self.scenario.parameters.payload_bytes();
        let packets = bytes.div_ceil(payload);
        let last = bytes - (packets - 1) * payload + u64::from(self.scenario.parameters.header_bytes);
        let connection = &mut self.connections[number as usize];
        match &mut connection.nic {
            Some(nic) => nic.messages.add(flow, packets as u32, last as u16),
            None => connection.sender.add(flow, packets as u32, last as u16),
        }
        self.queue(number)
    }

    /// All of a flow has come.
    pub(super) fn complete(&mut self, flow: u32) {
        let now = self.events.now();
        self.flows[flow as usize].ended = Some(now);
        self.left -= 1;
        for next in std::mem::take(&mut self.after[flow as usize]) {
            self.events.add_at(now, Event::plain(What::Begin, next));
        }
        if let Start::Queue(queue) = self.scenario.flows.flows[flow as usize].start
            && let Some(next) = self.queues[queue as usize].pop_front()
        {
            self.events.add_at(now, Event::plain(What::Begin, next));
        }
    }
}
