//! What a receiver does whose transport is that of the `nic`.

use respray_golden::sack_rx::{Sack, Status};
use respray_hdl::cores::sack_rx::contract as rx;

use super::super::{Connection, Simulation};
use crate::connection::Arrival;
use crate::error::FabricError;
use crate::packet::{Kind, Marks, Packet};
use crate::parameters::Parameters;

impl Simulation<'_> {
    /// Data or a probe has come to its receiver.
    pub(super) fn receive_by_nic(&mut self, host: u32, packet: Packet) -> Result<(), FabricError> {
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
        let cumulative = self.hold_against(&packet, arrival, status, sack.as_ref());
        match sack {
            Some(sack) => self.answer(host, answer_of(&packet, &sack, cumulative, header_bytes as u16)),
            None => Ok(()),
        }
    }

    /// Holds what an engine says of a packet that has come against what the network knows; the PSN that its receiver wants.
    pub(in crate::simulation) fn hold_against(
        &mut self,
        packet: &Packet,
        arrival: Option<Arrival>,
        status: Option<Status>,
        sack: Option<&Sack>,
    ) -> u32 {
        let expected = match arrival {
            None => Status::Probe,
            Some(Arrival::New { .. }) => Status::New,
            Some(Arrival::Duplicate) => Status::Duplicate,
        };
        let psns = self.settings().psns;
        let cumulative = self.receivers[packet.connection as usize].cumulative;
        let is_known = sack.is_none_or(|sack| sack.epsn == psns.wrap(cumulative));
        self.disagreements += u64::from(status != Some(expected) || !is_known);
        cumulative
    }

    /// The engine at a receiver forgets the first connection that is open, for a check to find it.
    pub(crate) fn forget_received(&mut self) -> bool {
        let is_open = |connection: &Connection| connection.nic.as_ref().is_some_and(|nic| nic.is_open);
        let Some(number) = self.connections.iter().position(is_open) else { return false };
        let (engine, conn) = self.receiving[number];
        if let Some(block) = self.blocks.get_mut(engine as usize) {
            block.open_rx(conn);
            return true;
        }
        self.transports[engine as usize].open_rx(conn).is_ok()
    }
}

/// The SACK that answers a packet. `cumulative`: the PSN that the receiver wants, without the modulo.
pub(in crate::simulation) fn answer_of(packet: &Packet, sack: &Sack, cumulative: u32, bytes: u16) -> Packet {
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
