//! What hosts do whose transport is that of the `nic`: its engines are given their ops, and what they show is acted on.

use respray_golden::psn::SEGMENT;
use respray_golden::sack_tx::{Rule, SackFields};
use respray_hdl::cores::sack_tx::contract as tx;
use respray_hdl::cores::strack_cc::contract as cc;

use super::host::SLOW_ROUND_TRIP;
use super::{Event, Simulation, What};
use crate::engine::{Feedback, Say};
use crate::error::FabricError;
use crate::nic::load::Part;
use crate::nic::{Engines, Sender, Settings, Told};
use crate::packet::{Kind, Marks, Packet};
use crate::parameters::{LossFeedback, Parameters, WindowOf};
use crate::time::{NANOSECOND, Picoseconds};

/// The sender of a connection whose transport is that of the `nic`, its settings, and its number at its engines.
macro_rules! senders {
    ($simulation:expr, $number:expr) => {{
        let connection = &mut $simulation.connections[$number as usize];
        let sender: &mut Sender = connection.nic.as_mut().expect("the transport is the nic's");
        let nic = $simulation.scenario.nic.as_ref().expect("the transport is the nic's");
        let settings: &Settings = &nic.settings;
        (sender, settings, connection.number)
    }};
}

/// The same with its engines.
macro_rules! of {
    ($simulation:expr, $number:expr) => {{
        let engine = $simulation.connections[$number as usize].engine as usize;
        let (sender, settings, number) = senders!($simulation, $number);
        let engines: &mut Engines = &mut $simulation.transports[engine];
        (sender, settings, engines, number)
    }};
}

pub(super) use self::receiving::answer_of;
pub(super) use senders;

mod receiving;
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
            _ if self.is_whole() => self.at_block(host, packet),
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

    pub(super) fn settings(&self) -> &Settings {
        &self.scenario.nic.as_ref().expect("the transport is the nic's").settings
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
        self.heard_sack(packet, &said, &shown, rtt, None)
    }

    /// What a SACK brought by `sack_tx`, and its round trip. `told`: by a block, which has the window and the path
    /// selector by itself.
    pub(super) fn heard_sack(
        &mut self,
        packet: &Packet,
        said: &SackFields,
        shown: &tx::Shown,
        rtt: u16,
        told: Option<&Told>,
    ) -> Result<(), FabricError> {
        let (now, number) = (self.events.now(), packet.connection);
        let (sender, settings, ..) = senders!(self, number);
        let mut loss = None;
        match shown.res_status {
            Some(0) => loss = sender.taken(said, shown, now, settings).loss,
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
                if let Some(told) = told {
                    sender.engine_window = told.window.unwrap_or(sender.engine_window);
                } else {
                    let (sender, settings, engines, conn) = of!(self, number);
                    let op = cc::Op {
                        conn,
                        ecn: packet.is_marked(),
                        probe: said.probe,
                        bytes,
                        timestamp: packet.timestamp(),
                        now: settings.clock.wire(now) as u16,
                        ..cc::Op::default()
                    };
                    sender.engine_window = engines.window(&op, &settings.strack)?;
                }
                let (host, cost) = (self.connections[number as usize].source, self.costs.as_ref());
                let cost = cost.map_or(0, |costs| costs.window);
                self.load(host, Part::Window, cost);
            }
        }
        if !said.probe {
            self.note_round_trip(round_trip);
        }
        let (sender, ..) = senders!(self, number);
        sender.is_waiting = false;
        let (engine, host) = {
            let connection = &self.connections[number as usize];
            (connection.engine, connection.source)
        };
        if told.is_none() {
            let say = Say {
                ev: packet.ev().expect("a SACK has the EV of its packet"),
                is_marked: packet.is_marked(),
                received: packet.received & 0xff_ffff,
                sent_at: now.saturating_sub(round_trip) / NANOSECOND,
                ..self.say(number)
            };
            self.engines[engine as usize].hear(Feedback::Ack, &say)?;
        }
        let cost = self.costs.as_ref().map_or(0, |costs| costs.selector);
        self.load(host, Part::Selector, cost);
        // behind the ACK that shows a loss the selector hears of the loss
        if let Some(rule) = loss {
            self.lost_by(number, rule)?;
        }
        match told {
            Some(told) => self.told_again(number, told),
            None => self.hand_out(number)?,
        }
        self.finish_complete(number);
        self.queue(number)
    }

    /// The block names what is to be sent again, as far as its window goes.
    fn hand_out(&mut self, number: u32) -> Result<(), FabricError> {
        let now = self.events.now();
        let (sender, settings, engines, conn) = of!(self, number);
        while sender.is_handed_out(settings) {
            let shown = engines.next_rtx(conn, &sender.inputs(settings, now))?;
            let psn = shown.res_psn.filter(|_| shown.res_status == Some(0));
            let ahead = |psn| settings.psns.distance(settings.psns.wrap(sender.expected), psn);
            let psn = psn.map(|psn| sender.expected + ahead(psn));
            sender.handed_out(psn, shown.res_in_flight.unwrap_or_default());
        }
        Ok(())
    }

    /// Flows all of which has come end.
    fn finish_complete(&mut self, number: u32) {
        loop {
            let (sender, ..) = senders!(self, number);
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
        let (sender, ..) = senders!(self, number);
        if self.scenario.parameters.slow_is_congestion
            && sender.last_slow.is_some_and(|at| now - at <= 2 * rto)
        {
            return Ok(());
        }
        self.counters.failures_told += 1;
        if self.is_whole() {
            return Ok(());
        }
        let say = Say { ev, ..self.say(number) };
        let engine = self.connections[number as usize].engine;
        self.engines[engine as usize].hear(Feedback::Timeout, &say)
    }

    /// A header alone has come to its receiver, and this is its answer.
    pub(super) fn refused_at_nic(&mut self, nack: &Packet) -> Result<(), FabricError> {
        let (sender, settings, ..) = senders!(self, nack.connection);
        if sender.refuse(nack.psn)
            && settings.window == WindowOf::Dctcp
            && let Some(bytes) = sender.bytes_of(nack.psn)
        {
            sender.host_window.cut(bytes.into());
        }
        sender.is_waiting = false;
        let ev = nack.ev().expect("a NACK has the EV of its packet");
        if self.is_whole() {
            self.nack_at_block(nack.connection, ev)?;
            return self.queue(nack.connection);
        }
        let say = Say { ev, ..self.say(nack.connection) };
        let engine = self.connections[nack.connection as usize].engine;
        self.engines[engine as usize].hear(Feedback::Nack, &say)?;
        self.queue(nack.connection)
    }

    /// The walker comes to a connection, one of whose timers may have run out.
    pub(super) fn visit(&mut self, number: u32) -> Result<(), FabricError> {
        let now = self.events.now();
        let (sender, settings, ..) = senders!(self, number);
        if sender.visit_at != Some(now) {
            return Ok(());
        }
        sender.visit_at = None;
        if sender.due(settings).is_some_and(|due| settings.clock.sack(now) >= due) {
            let told = if self.is_whole() { Some(self.visit_of_block(number)?) } else { None };
            let shown = match &told {
                Some(told) => told.shown,
                None => {
                    let (sender, settings, engines, conn) = of!(self, number);
                    engines.visit(conn, &sender.inputs(settings, now))?
                }
            };
            let (host, cost) = (self.connections[number as usize].source, self.costs.as_ref());
            let cost = cost.map_or(0, |costs| costs.visit);
            self.load(host, Part::SackTx, cost);
            let (sender, settings, ..) = senders!(self, number);
            let heard = sender.visited(&shown, now, settings);
            sender.is_waiting = false;
            if let Some(rule) = heard.loss {
                self.lost_by(number, rule)?;
            }
            match &told {
                Some(told) => self.told_again(number, told),
                None => self.hand_out(number)?,
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
        let (sender, settings, conn) = senders!(self, number);
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
        let (sender, ..) = senders!(self, number);
        if sender.expiry_at != Some(now) {
            return Ok(());
        }
        sender.expiry_at = None;
        loop {
            let (sender, ..) = senders!(self, number);
            let Some(ev) = sender.expired(now, rto) else { break };
            sender.is_waiting = false;
            self.fail(number, ev)?;
        }
        self.plan_packet_timer(number);
        self.queue(number)
    }

    fn plan_packet_timer(&mut self, number: u32) {
        let rto = self.rto;
        let (sender, settings, ..) = senders!(self, number);
        if settings.loss_feedback != LossFeedback::Timeout || sender.expiry_at.is_some() {
            return;
        }
        if let Some(at) = sender.next_expiry(rto) {
            sender.expiry_at = Some(at);
            self.events.add_at(at, Event::plain(What::PacketTimer, number));
        }
    }
}
