//! How a host sends whose transport is that of the `nic`.

use super::super::Simulation;
use crate::engine::{Answer, Feedback, Say};
use crate::error::FabricError;
use crate::nic::load::Part;
use crate::nic::{Departure, Engines, Next, Reason, Sender, Settings};
use crate::packet::{Marks, Packet};
use crate::parameters::{Parameters, WindowOf};
use crate::time::NANOSECOND;

impl Simulation<'_> {
    /// Opens both ends of a connection.
    fn open(&mut self, number: u32, say: &Say) -> Result<(), FabricError> {
        let now = self.events.now();
        if self.is_whole() {
            return self.open_blocks(number);
        }
        let (sender, settings, engines, conn) = of!(self, number);
        sender.is_open = true;
        engines.open_tx(conn, &sender.inputs(settings, now))?;
        if settings.window == WindowOf::Strack {
            engines.open_window(conn, settings.clock.wire(now) as u16, &settings.strack)?;
        }
        let (engine, conn) = self.receiving[number as usize];
        self.transports[engine as usize].open_rx(conn)?;
        let engine = self.connections[number as usize].engine;
        self.engines[engine as usize].hear(Feedback::Init, say)
    }

    /// A connection whose turn it is sends one packet, or finds that it has none.
    pub(in crate::simulation) fn send_by_nic(&mut self, host: u32, number: u32) -> Result<(), FabricError> {
        let now = self.events.now();
        let Parameters { packet_bytes, header_bytes, .. } = self.scenario.parameters;
        let say = self.say(number);
        let (sender, ..) = senders!(self, number);
        if !sender.is_open {
            self.open(number, &say)?;
        }
        let idle = self.scenario.parameters.idle_ns * NANOSECOND;
        let (sender, ..) = senders!(self, number);
        if let Some(since) = sender.idle_since.take()
            && idle > 0
            && now - since >= idle
        {
            let engine = self.connections[number as usize].engine;
            self.engines[engine as usize].hear(Feedback::Init, &say)?;
        }
        let (sender, settings, _) = senders!(self, number);
        let next = sender.next(settings).expect("it has something to send");
        let again = match next {
            Next::New => None,
            Next::Again => {
                let Some((psn, reason)) = sender.next_again() else {
                    // all of it has come
                    self.requeue(host, number);
                    return self.pump(host);
                };
                Some((psn, sender.bytes_of(psn).unwrap_or(packet_bytes as u16), reason))
            }
        };
        let bytes =
            again.map_or_else(|| sender.messages.next_bytes(packet_bytes as u16), |(_, bytes, _)| bytes);
        let is_handed_out = matches!(again, Some((.., Reason::HandedOut)));
        if is_handed_out && settings.window == WindowOf::Dctcp {
            sender.host_window.cut(bytes.into());
        }
        let say = Say { bytes, is_repeated: again.is_some(), ..say };
        let engine = self.connections[number as usize].engine as usize;
        // a selector that may let a packet wait is asked before that goes
        let early = match self.asks_first {
            true => {
                let ticket = self.engines[engine].send(&say)?;
                Some((ticket, self.engines[engine].ev(ticket)?))
            }
            false => None,
        };
        let (sender, settings, _) = senders!(self, number);
        if let Some((_, Answer::Wait)) = early {
            assert!(again.is_none(), "a packet that goes again does not wait");
            sender.is_waiting = true;
            sender.is_queued = false;
            return self.pump(host);
        }
        let psn = match again {
            Some((psn, ..)) => {
                sender.send_again(psn, now);
                psn
            }
            None => sender.send_new(now, settings, packet_bytes as u16).0,
        };
        let payload = bytes - header_bytes as u16;
        let inputs = sender.inputs(settings, now);
        let asks_for_ack = !sender.is_window_open(settings);
        let timestamp = settings.clock.wire(now) as u16;
        let is_planned = sender.visit_at.is_some();
        let departure = Departure {
            psn: settings.psns.wrap(psn),
            bytes: payload,
            is_repeated: again.is_some(),
            in_flight: sender.in_flight,
            is_alone: sender.is_alone(),
        };
        let mut frame = None;
        if self.is_whole() {
            let is_last = u32::from(bytes) != packet_bytes;
            frame = Some(self.send_by_block(number, &departure, is_last || asks_for_ack)?);
        } else {
            let (.., engines, conn) = of!(self, number);
            engines.sent(conn, departure, &inputs)?;
        }
        let costs = self.costs.as_ref().expect("the engines of the nic take time");
        let (of_tx, of_selector) = (costs.sent, costs.selector);
        let of_rtx = if is_handed_out { costs.next_rtx } else { 0 };
        self.load(host, Part::SackTx, of_tx + of_rtx);
        self.load(host, Part::Selector, of_selector);
        let (ticket, answer) = match (early, frame) {
            (Some((ticket, answer)), _) => (ticket, Some(answer)),
            (None, Some(frame)) => (frame, None),
            (None, None) => (self.engines[engine].send(&say)?, None),
        };
        if !is_planned {
            self.plan_visit(number);
        }
        self.plan_packet_timer(number);
        self.count_sent(number, psn, again.is_some());
        if let Some(series) = &mut self.series {
            series.given(host, now, bytes.into(), 0, false);
        }
        let mut packet = Packet {
            connection: number,
            psn,
            ev_or_ticket: ticket,
            received: timestamp.into(),
            bytes,
            ..Packet::default()
        };
        if let Some(answer) = answer {
            self.goes_by(&mut packet, answer);
        }
        if frame.is_some() {
            packet.marks.set(Marks::FRAME);
        }
        if asks_for_ack {
            packet.marks.set(Marks::ASKS_FOR_ACK);
        }
        if again.is_some() {
            packet.marks.set(Marks::REPEATED);
        }
        self.requeue(host, number);
        self.start(host, packet);
        Ok(())
    }

    /// A connection that had its turn waits for the next one, if it has something to send.
    fn requeue(&mut self, host: u32, number: u32) {
        if self.may_send(number) {
            self.hosts[host as usize].ready.push_back(number);
        } else {
            let (sender, ..) = senders!(self, number);
            sender.is_queued = false;
        }
    }

    /// A host's first probe goes.
    pub(in crate::simulation) fn send_probe(&mut self, host: u32) -> Result<(), FabricError> {
        let now = self.events.now();
        let (number, psn) = self.hosts[host as usize].probes.pop_front().expect("a probe waits");
        let say = self.say(number);
        let engine = self.connections[number as usize].engine as usize;
        let ticket = match self.is_whole() {
            true => self.probe_by_block(number, psn)?,
            false => self.engines[engine].send(&say)?,
        };
        let mut answer = None;
        if self.asks_first {
            answer = Some(self.engines[engine].ev(ticket)?);
        }
        if answer == Some(Answer::Wait) {
            // what drains has no path: the next probe asks again
            return self.pump(host);
        }
        self.counters.probes += 1;
        let mut packet = Packet {
            connection: number,
            psn,
            ev_or_ticket: ticket,
            received: u32::from(self.settings().clock.wire(now) as u16),
            bytes: self.scenario.parameters.header_bytes as u16,
            ..Packet::default()
        };
        if let Some(answer) = answer {
            self.goes_by(&mut packet, answer);
        }
        packet.marks.set(Marks::PROBE);
        if self.is_whole() {
            packet.marks.set(Marks::FRAME);
        }
        self.start(host, packet);
        Ok(())
    }
}
