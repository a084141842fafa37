//! What ports and switches do with a packet, and what a failure does to them.

use respray_golden::paths::hash::mix;
use respray_golden::selector::SendKind;

use super::build::speed;
use super::{Event, Simulation, What};
use crate::engine::Answer;
use crate::error::FabricError;
use crate::failure::Fault;
use crate::packet::{Kind, Marks, Packet};
use crate::parameters::Parameters;
use crate::port::Given;
use crate::time::serialization;
use crate::topology::Ways;

impl Simulation<'_> {
    /// A packet begins on the wire.
    #[inline]
    pub(super) fn start(&mut self, port: u32, packet: Packet) {
        let bytes = u32::from(packet.bytes);
        let Parameters { packet_bytes, header_bytes, .. } = self.scenario.parameters;
        let at = &mut self.ports[port as usize];
        at.is_sending = true;
        let speed = &self.speeds[usize::from(at.speed)];
        let event = Event { what: What::Left, place: port, packet };
        match bytes {
            _ if bytes == packet_bytes => self.events.add(speed.full.1, event),
            _ if bytes == header_bytes => self.events.add(speed.control.1, event),
            _ => {
                let time = serialization(bytes.into(), speed.gbps);
                self.events.add_at(self.events.now() + time, event);
            }
        }
    }

    /// The last bit of a port's packet has left.
    #[inline]
    pub(super) fn left(&mut self, port: u32, mut packet: Packet) -> Result<(), FabricError> {
        if packet.kind == Kind::Data
            && let Some(series) = &mut self.series
        {
            series.left(port, self.events.now(), packet.bytes.into());
        }
        let at = &mut self.ports[port as usize];
        at.is_sending = false;
        let is_nic = port < self.map.topology.hosts;
        let speed = &self.speeds[usize::from(at.speed)];
        if is_nic {
            if at.takes(&packet, self.events.now(), &mut self.random) {
                self.lose(&packet);
                if packet.kind == Kind::Data
                    && let Some(series) = &mut self.series
                {
                    series.lost(port, self.events.now());
                }
            } else {
                self.events.add(at.link, Event { what: What::Come, place: port, packet });
            }
            return self.pump(port);
        }
        if at.left(&mut packet, speed, &mut self.random) {
            self.counters.marked += 1;
        }
        self.events.add(at.link, Event { what: What::Come, place: port, packet });
        if let Some(next) = at.pop() {
            self.start(port, next);
        }
        Ok(())
    }

    /// The EV of a packet, which its engine is asked for if need be.
    #[inline]
    fn ev(&mut self, packet: &mut Packet) -> Result<u16, FabricError> {
        if packet.marks.has(Marks::FRAME) {
            return Ok(self.ev_of_frame(packet));
        }
        if let Some(ev) = packet.ev() {
            return Ok(ev);
        }
        let engine = self.connections[packet.connection as usize].engine;
        let answer = self.engines[engine as usize].ev(packet.ev_or_ticket)?;
        Ok(self.goes_by(packet, answer))
    }

    /// A packet has its EV from now on.
    #[inline]
    pub(super) fn goes_by(&mut self, packet: &mut Packet, answer: Answer) -> u16 {
        let Answer::Goes(kind, ev) = answer else { unreachable!("a packet that waits does not go") };
        if kind == SendKind::Explore {
            packet.marks.set(Marks::EV_DRAWN);
        }
        // the timestamp of the NIC stays above it; there is none with the ideal transport
        if !packet.marks.has(Marks::FRAME) {
            packet.ev_or_ticket = u32::from(ev) | packet.received << 16;
        }
        packet.marks.set(Marks::EV_KNOWN);
        if self.keeps_evs {
            let connection = &mut self.connections[packet.connection as usize];
            match &mut connection.nic {
                // a probe has the PSN of a packet that went before
                Some(nic) if !packet.marks.has(Marks::PROBE) => nic.goes_by(packet.psn, ev),
                Some(_) => {}
                None => connection.sender.goes_by(packet.psn, ev),
            }
        }
        self.note(ev.into(), packet.psn.into());
        ev
    }

    /// A packet has come to a switch.
    #[inline]
    pub(super) fn at_switch(&mut self, switch: u32, mut packet: Packet) -> Result<(), FabricError> {
        let connection = self.ends[packet.connection as usize];
        let (to, key) = match packet.kind.is_forward() {
            true => (connection.destination, connection.keys[0]),
            false => (connection.source, connection.keys[1]),
        };
        let ev = u64::from(self.ev(&mut packet)?);
        let ways = self.map.ways(switch, to);
        let port = match ways.count {
            1 => ways.first,
            _ if self.scenario.parameters.adaptive => self.shortest(ways),
            _ => ways.first + choose(key, ev, self.salts[switch as usize], ways.count),
        };
        let now = self.events.now();
        let at = &mut self.ports[port as usize];
        let speed = &self.speeds[usize::from(at.speed)];
        let given = at.give(packet, now, speed, &self.scenario.parameters, &mut self.random);
        if !at.is_sending
            && let Some(next) = at.pop()
        {
            self.start(port, next);
        }
        match given {
            Given::Queued => {}
            Given::Trimmed => self.counters.trimmed += 1,
            Given::Dropped => {
                self.counters.dropped += 1;
                self.frame_is_gone(&packet);
            }
            Given::Lost => self.lose(&packet),
        }
        if packet.kind == Kind::Data
            && let Some(series) = &mut self.series
        {
            let queue = self.ports[port as usize].data_bytes();
            series.given(port, now, packet.bytes.into(), queue, given != Given::Queued);
        }
        Ok(())
    }

    /// A failure took a packet.
    #[cold]
    fn lose(&mut self, packet: &Packet) {
        self.counters.lost_to_failure += 1;
        self.lost_data += u64::from(packet.kind == Kind::Data);
        self.frame_is_gone(packet);
    }

    /// The port with the shortest queue, the first of several.
    fn shortest(&self, ways: Ways) -> u32 {
        let ports = ways.first..ways.first + ways.count;
        ports.min_by_key(|port| self.ports[*port as usize].data_bytes()).expect("there is a way")
    }

    pub(super) fn fault(&mut self, place: u32, holds: bool) {
        let (failure, ports) = &self.faults[place as usize];
        for &port in ports {
            self.ports[port as usize].set_fault(failure.fault, holds);
            if let Fault::Rate(share) = failure.fault {
                let share = if holds { share } else { 1.0 };
                let gbps = self.map.wires[port as usize].links.gbps;
                let parameters = &self.scenario.parameters;
                let speed = speed(parameters, gbps, share, &mut self.speeds, &mut self.events);
                self.ports[port as usize].speed = speed;
            }
        }
    }
}

/// The way that a switch takes of so many.
#[inline]
pub fn choose(key: u64, ev: u64, salt: u64, ways: u32) -> u32 {
    let hash = mix(key ^ salt ^ ev << 17);
    (((hash >> 32) * u64::from(ways)) >> 32) as u32
}
