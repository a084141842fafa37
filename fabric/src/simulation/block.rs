//! What hosts do whose transport is that of the `nic`: its engines are given their ops, and what they show is acted on.

use respray_golden::psn::SEGMENT;
use respray_golden::sack_rx::{Sack, Status};
use respray_golden::sack_tx::{Rule, SackFields};
use respray_hdl::cores::sack_rx::contract as rx;
use respray_hdl::cores::strack_cc::contract as cc;

use super::host::SLOW_ROUND_TRIP;
use super::{Event, Simulation, What};
use crate::connection::Arrival;
use crate::engine::{Feedback, Say};
use crate::error::FabricError;
use crate::nic::load::Part;
use crate::nic::{Engines, Sender, Settings};
use crate::packet::{Kind, Marks, Packet};
use crate::parameters::{LossFeedback, Parameters, WindowOf};
use crate::time::{NANOSECOND, Picoseconds};

/// The sender of a connection whose transport is that of the `nic`, its settings, its engines, and its number there.
macro_rules! of {
    ($simulation:expr, $number:expr) => {{
        let connection = &mut $simulation.connections[$number as usize];
        let sender: &mut Sender = connection.nic.as_mut().expect("the transport is the nic's");
        let nic = $simulation.scenario.nic.as_ref().expect("the transport is the nic's");
        let settings: &Settings = &nic.settings;
        let engines: &mut Engines = &mut $simulation.transports[connection.engine as usize];
        (sender, settings, engines, connection.number)
    }};
}

mod sending;

impl Simulation<'_> {
    /// A packet has come to a host.
    #[inline]
    pub(super) fn at_nic(&mut self, host: u32, packet: Packet) -> Result<(), FabricError> {
        let costs = self.costs.as_ref().expect("the engines of the nic take time");
        let (part, cost) = match packet.kind {
            // the first packet of a segment may be the one by which EPSN leaves the segment below
            Kind::Data => (Part::SackRx, costs.packet[usize::from(packet.psn.is_multiple_of(SEGMENT))]),
            Kind::Ack => {
                let sender = self.connections[packet.connection as usize].nic.as_ref();
                let expected = sender.map_or(0, |sender| sender.expected);
                let moved = (packet.cumulative / SEGMENT).checked_sub(expected / SEGMENT);
                let [still, by_one] = costs.sack;
                let taken = |segments| still + u64::from(segments) * (by_one - still);
                (Part::SackTx, moved.map_or(costs.sack_refused, taken))
            }
            Kind::Trimmed | Kind::Nack => return self.at_host_of_nic(host, packet),
        };
        let done = self.load(host, part, cost);
        if !self.settings().engine_cycles {
            return self.at_host_of_nic(host, packet);
        }
        self.events.add_at(done, Event { what: What::Done, place: host, packet });
        Ok(())
    }

    /// An op of an engine of a host: says when it is done.
    #[inline]
    fn load(&mut self, host: u32, part: Part, cost: Picoseconds) -> Picoseconds {
        let bin = self.scenario.parameters.bin_ns * NANOSECOND;
        self.loads[host as usize][part as usize].take(self.events.now(), cost, bin)
    }

    /// Whether a host that would send waits for `sack_tx`: then it is told when that is free.
    #[inline]
    pub(super) fn waits_for_engines(&mut self, host: u32) -> bool {
        let (now, waits) = (self.events.now(), self.hosts[host as usize].waits);
        if !self.scenario.parameters.engine_cycles || waits || self.loads.is_empty() {
            return waits;
        }
        let free_at = self.loads[host as usize][Part::SackTx as usize].free_at();
        if free_at <= now {
            return false;
        }
        self.hosts[host as usize].waits = true;
        self.events.add_at(free_at, Event::plain(What::Free, host));
        true
    }

    /// The engine of a host that waits is free.
    pub(super) fn free(&mut self, host: u32) -> Result<(), FabricError> {
        self.hosts[host as usize].waits = false;
        if self.ports[host as usize].is_sending { Ok(()) } else { self.pump(host) }
    }

    /// A packet has come to a host, whose engine has taken it.
    #[inline]
    pub(super) fn at_host_of_nic(&mut self, host: u32, packet: Packet) -> Result<(), FabricError> {
        match packet.kind {
            Kind::Data => self.receive_by_nic(host, packet),
            Kind::Trimmed if self.settings().hears_trims && !packet.marks.has(Marks::PROBE) => {
                self.answer(host, Packet { kind: Kind::Nack, ..packet })
            }
            // a header whose packet is longer than it is malformed to the block
            Kind::Trimmed => Ok(()),
            Kind::Ack => self.sacked(&packet),
            Kind::Nack => self.refused_at_nic(&packet),
        }
    }

    fn settings(&self) -> &Settings {
        &self.scenario.nic.as_ref().expect("the transport is the nic's").settings
    }

    /// Data or a probe has come to its receiver.
    fn receive_by_nic(&mut self, host: u32, packet: Packet) -> Result<(), FabricError> {
        let Parameters { header_bytes, packet_bytes, .. } = self.scenario.parameters;
        let is_probe = packet.marks.has(Marks::PROBE);
        self.counters.delivered += 1;
        let arrival = (!is_probe).then(|| self.note_arrival(&packet));
        let psns = self.settings().psns;
        let (engine, conn) = self.receiving[packet.connection as usize];
        let is_last = u32::from(packet.bytes) != packet_bytes;
        let op = rx::Op {
            kind: 0,
            conn,
            psn: psns.wrap(packet.psn),
            bytes: if is_probe { 0 } else { packet.bytes - header_bytes as u16 },
            ecn: packet.is_marked(),
            ev: packet.ev().expect("a packet that has come has an EV"),
            timestamp: packet.timestamp(),
            ack_request: is_last || packet.marks.has(Marks::ASKS_FOR_ACK),
            probe: is_probe,
            sack_threshold: self.settings().sack_threshold,
        };
        let (status, sack) = self.transports[engine as usize].packet(&op)?;
        let expected = match arrival {
            None => Status::Probe,
            Some(Arrival::New { .. }) => Status::New,
            Some(Arrival::Duplicate) => Status::Duplicate,
        };
        let cumulative = self.receivers[packet.connection as usize].cumulative;
        let is_known = sack.is_none_or(|sack| sack.epsn == psns.wrap(cumulative));
        self.disagreements += u64::from(status != Some(expected) || !is_known);
        match sack {
            Some(sack) => self.answer(host, answer_of(&packet, &sack, cumulative, header_bytes as u16)),
            None => Ok(()),
        }
    }

    /// A SACK has come: `sack_tx` takes it, then the window, then the path selector.
    fn sacked(&mut self, packet: &Packet) -> Result<(), FabricError> {
        let (now, number) = (self.events.now(), packet.connection);
        let (sender, settings, engines, conn) = of!(self, number);
        let rtt = (settings.clock.wire(now) as u16).wrapping_sub(packet.timestamp());
        let said = packet.carried();
        let fields = SackFields {
            epsn: settings.psns.wrap(said.epsn),
            base: settings.psns.wrap(said.base),
            timestamp: settings.clock.sack_timestamp(now, rtt),
            ..said
        };
        let shown = engines.sack(conn, &fields, &sender.inputs(settings, now))?;
        let mut loss = None;
        match shown.res_status {
            Some(0) => loss = sender.taken(&said, &shown, now, settings).loss,
            // old: it says nothing of packets
            Some(1) => {}
            _ => {
                self.disagreements += 1;
                return Ok(());
            }
        }
        let parameters = &self.scenario.parameters;
        let round_trip = settings.clock.longest(rtt);
        let base_rtt = sender.host_window.base_rtt;
        if round_trip as f64 > SLOW_ROUND_TRIP * base_rtt as f64 {
            sender.last_slow = Some(now);
        }
        let bytes = match shown.res_status {
            Some(0) => shown.res_bytes_acked.unwrap_or_default(),
            _ => 0,
        };
        match settings.window {
            WindowOf::Fixed => {}
            WindowOf::Dctcp => {
                let is_late = parameters.fast_increase().is_some_and(|from| now >= from);
                let is_calm = is_late && round_trip.saturating_sub(base_rtt) < Parameters::LITTLE_QUEUEING;
                let on_wire =
                    u64::from(bytes) * u64::from(parameters.packet_bytes) / parameters.payload_bytes();
                sender.host_window.acknowledged(on_wire, packet.is_marked(), is_calm);
            }
            WindowOf::Strack => {
                let now = settings.clock.wire(now) as u16;
                let op = cc::Op {
                    conn,
                    ecn: packet.is_marked(),
                    probe: said.probe,
                    bytes,
                    timestamp: packet.timestamp(),
                    now,
                    ..cc::Op::default()
                };
                sender.engine_window = engines.window(&op, &settings.strack)?;
                let (host, cost) = (self.connections[number as usize].source, self.costs.as_ref());
                let cost = cost.map_or(0, |costs| costs.window);
                self.load(host, Part::Window, cost);
            }
        }
        if !said.probe {
            self.note_round_trip(round_trip);
        }
        let (sender, ..) = of!(self, number);
        sender.is_waiting = false;
        if let Some(rule) = loss {
            self.lost_by(number, rule)?;
        }
        let say = Say {
            ev: packet.ev().expect("a SACK has the EV of its packet"),
            is_marked: packet.is_marked(),
            received: packet.received & 0xff_ffff,
            sent_at: now.saturating_sub(round_trip) / NANOSECOND,
            ..self.say(number)
        };
        let (engine, host) = {
            let connection = &self.connections[number as usize];
            (connection.engine, connection.source)
        };
        self.engines[engine as usize].hear(Feedback::Ack, &say)?;
        let cost = self.costs.as_ref().map_or(0, |costs| costs.selector);
        self.load(host, Part::Selector, cost);
        self.finish_complete(number);
        self.queue(number)
    }

    /// Flows all of which has come end.
    fn finish_complete(&mut self, number: u32) {
        loop {
            let (sender, ..) = of!(self, number);
            let Some(flow) = sender.messages.complete(sender.expected) else { return };
            self.complete(flow);
        }
    }

    /// `sack_tx` holds packets for lost: the path selector hears of it, if it is to.
    fn lost_by(&mut self, number: u32, rule: Rule) -> Result<(), FabricError> {
        let counter = match rule {
            Rule::Ooo => &mut self.counters.lost_by_ooo,
            Rule::Probe => &mut self.counters.lost_by_probe,
            Rule::Timeout => &mut self.counters.expired,
        };
        *counter += 1;
        match self.settings().loss_feedback {
            LossFeedback::Any => self.fail(number, 0),
            LossFeedback::Stalled if rule == Rule::Timeout => self.fail(number, 0),
            LossFeedback::Stalled | LossFeedback::Timeout | LossFeedback::None => Ok(()),
        }
    }

    /// The path selector hears of a failure.
    fn fail(&mut self, number: u32, ev: u16) -> Result<(), FabricError> {
        let (now, rto) = (self.events.now(), self.rto);
        let (sender, ..) = of!(self, number);
        if self.scenario.parameters.slow_is_congestion
            && sender.last_slow.is_some_and(|at| now - at <= 2 * rto)
        {
            return Ok(());
        }
        self.counters.failures_told += 1;
        let say = Say { ev, ..self.say(number) };
        let engine = self.connections[number as usize].engine;
        self.engines[engine as usize].hear(Feedback::Timeout, &say)
    }

    /// A header alone has come to its receiver, and this is its answer.
    fn refused_at_nic(&mut self, nack: &Packet) -> Result<(), FabricError> {
        let (sender, settings, ..) = of!(self, nack.connection);
        if sender.refuse(nack.psn)
            && settings.window == WindowOf::Dctcp
            && let Some(bytes) = sender.bytes_of(nack.psn)
        {
            sender.host_window.cut(bytes.into());
        }
        sender.is_waiting = false;
        let ev = nack.ev().expect("a NACK has the EV of its packet");
        let say = Say { ev, ..self.say(nack.connection) };
        let engine = self.connections[nack.connection as usize].engine;
        self.engines[engine as usize].hear(Feedback::Nack, &say)?;
        self.queue(nack.connection)
    }

    /// The walker comes to a connection, one of whose timers may have run out.
    pub(super) fn visit(&mut self, number: u32) -> Result<(), FabricError> {
        let now = self.events.now();
        let (sender, settings, engines, conn) = of!(self, number);
        if sender.visit_at != Some(now) {
            return Ok(());
        }
        sender.visit_at = None;
        if sender.due(settings).is_some_and(|due| settings.clock.sack(now) >= due) {
            let shown = engines.visit(conn, &sender.inputs(settings, now))?;
            let (host, cost) = (self.connections[number as usize].source, self.costs.as_ref());
            let cost = cost.map_or(0, |costs| costs.visit);
            self.load(host, Part::SackTx, cost);
            let (sender, settings, ..) = of!(self, number);
            let heard = sender.visited(&shown, now, settings);
            sender.is_waiting = false;
            if let Some(rule) = heard.loss {
                self.lost_by(number, rule)?;
            }
            if let Some(psn) = heard.probe {
                let host = self.connections[number as usize].source;
                self.hosts[host as usize].probes.push_back((number, psn));
                if !self.ports[host as usize].is_sending {
                    self.pump(host)?;
                }
            }
        }
        self.plan_visit(number);
        self.queue(number)
    }

    /// Plans the visit at which the next timer can have run out.
    fn plan_visit(&mut self, number: u32) {
        let now = self.events.now();
        let (sender, settings, _, conn) = of!(self, number);
        let Some(due) = sender.due(settings) else { return };
        let at = settings.visit_from(conn, settings.clock.when(due).max(now + NANOSECOND));
        if sender.visit_at.is_none_or(|planned| planned > at) {
            sender.visit_at = Some(at);
            self.events.add_at(at, Event::plain(What::Visit, number));
        }
    }

    /// The own timeout of a packet may have passed.
    pub(super) fn packet_timer(&mut self, number: u32) -> Result<(), FabricError> {
        let (now, rto) = (self.events.now(), self.rto);
        let (sender, ..) = of!(self, number);
        if sender.expiry_at != Some(now) {
            return Ok(());
        }
        sender.expiry_at = None;
        loop {
            let (sender, ..) = of!(self, number);
            let Some(ev) = sender.expired(now, rto) else { break };
            sender.is_waiting = false;
            self.fail(number, ev)?;
        }
        self.plan_packet_timer(number);
        self.queue(number)
    }

    fn plan_packet_timer(&mut self, number: u32) {
        let rto = self.rto;
        let (sender, settings, ..) = of!(self, number);
        if settings.loss_feedback != LossFeedback::Timeout || sender.expiry_at.is_some() {
            return;
        }
        if let Some(at) = sender.next_expiry(rto) {
            sender.expiry_at = Some(at);
            self.events.add_at(at, Event::plain(What::PacketTimer, number));
        }
    }

    /// The engine at a receiver forgets the first connection that is open, for a check to find it.
    pub(crate) fn forget_received(&mut self) -> bool {
        let is_open = |connection: &super::Connection| connection.nic.as_ref().is_some_and(|nic| nic.is_open);
        let Some(number) = self.connections.iter().position(is_open) else { return false };
        let (engine, conn) = self.receiving[number];
        self.transports[engine as usize].open_rx(conn).is_ok()
    }
}

/// The SACK that answers a packet. `cumulative`: the PSN that the receiver wants, without the modulo.
fn answer_of(packet: &Packet, sack: &Sack, cumulative: u32, bytes: u16) -> Packet {
    let mut marks = Marks::default();
    marks.set(Marks::EV_KNOWN);
    if sack.ecn {
        marks.set(Marks::CONGESTION);
    }
    if sack.probe {
        marks.set(Marks::PROBE);
    }
    let ev_or_ticket = u32::from(sack.ev) | u32::from(sack.timestamp) << 16;
    let answer = Packet { kind: Kind::Ack, bytes, marks, ev_or_ticket, ..*packet };
    answer.carry(sack, cumulative)
}
