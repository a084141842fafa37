//! Hosts that have the golden block whole in the place of its engines one by one: packets are frames, and a host knows
//! what registers and events say, beside the mark of each SACK, which no event tells.

use super::Simulation;
use super::block::{answer_of, senders};
use crate::engine::{Answer, Counts};
use crate::error::FabricError;
use crate::nic::{Block, Departure, Left, Packet as Given, Received, Sender, Settings, Told};
use crate::packet::{Kind, Marks, Packet};
use crate::time::NANOSECOND;

impl Simulation<'_> {
    /// Whether hosts have whole blocks.
    #[inline]
    pub(super) fn is_whole(&self) -> bool {
        !self.blocks.is_empty()
    }

    fn broken(&self, host: u32, what: &'static str) -> FabricError {
        FabricError::Block { host, what, time_ns: self.events.now() / NANOSECOND }
    }

    /// The block of a host at the present time. A visit of its walker that found something was not planned.
    fn block(&mut self, host: u32) -> &mut Block {
        let now = self.events.now();
        let settings = &self.scenario.nic.as_ref().expect("a block has settings").settings;
        let block = &mut self.blocks[host as usize];
        self.disagreements += block.advance(now, settings, false).len() as u64;
        block
    }

    /// Opens both ends of a connection.
    pub(super) fn open_blocks(&mut self, number: u32) -> Result<(), FabricError> {
        let (sender, _, conn) = senders!(self, number);
        sender.is_open = true;
        let source = self.connections[number as usize].source;
        self.block(source).open_tx(conn);
        let (destination, conn) = self.receiving[number as usize];
        self.block(destination).open_rx(conn);
        Ok(())
    }

    /// A data packet goes through its block: the number of its frame.
    pub(super) fn send_by_block(
        &mut self,
        number: u32,
        departure: &Departure,
        ack_request: bool,
    ) -> Result<u32, FabricError> {
        let (_, settings, conn) = senders!(self, number);
        let timestamp = settings.clock.wire(self.events.now()) as u16;
        let Departure { psn, bytes, is_repeated, .. } = *departure;
        let ends = self.ends[number as usize];
        let given = Given { conn, psn, bytes: bytes.into(), ack_request, is_repeated };
        let left = self.block(ends.source).send(&given, ends.destination);
        let left = left.ok_or_else(|| self.broken(ends.source, "did not send a packet as it was to"))?;
        let is_it = (left.conn, left.psn, left.timestamp) == (conn.into(), psn, timestamp);
        self.disagreements += u64::from(!is_it);
        Ok(self.frames.put(left))
    }

    /// The probe of a connection that is due goes: the number of its frame.
    pub(super) fn probe_by_block(&mut self, number: u32, psn: u32) -> Result<u32, FabricError> {
        let (_, settings, conn) = senders!(self, number);
        let psn = settings.psns.wrap(psn);
        let source = self.ends[number as usize].source;
        let left = self.block(source).probe();
        let left = left.ok_or_else(|| self.broken(source, "has no probe"))?;
        self.disagreements += u64::from((left.conn, left.psn) != (conn.into(), psn));
        Ok(self.frames.put(left))
    }

    /// The EV of a packet is that of its frame.
    pub(super) fn ev_of_frame(&mut self, packet: &mut Packet) -> u16 {
        let Left { kind, ev, .. } = *self.frames.get(packet.ev_or_ticket);
        if packet.marks.has(Marks::EV_KNOWN) { ev } else { self.goes_by(packet, Answer::Goes(kind, ev)) }
    }

    /// The network has lost a packet.
    pub(super) fn frame_is_gone(&mut self, packet: &Packet) {
        if packet.marks.has(Marks::FRAME) {
            self.frames.take(packet.ev_or_ticket);
        }
    }

    /// A packet has come to a host, whose block takes its frame.
    pub(super) fn at_block(&mut self, host: u32, packet: Packet) -> Result<(), FabricError> {
        if !packet.marks.has(Marks::FRAME) {
            // a NACK, which no block made
            return self.refused_at_nic(&packet);
        }
        let Left { frame, ev, .. } = self.frames.take(packet.ev_or_ticket);
        match packet.kind {
            Kind::Data => self.data_at_block(host, packet, frame),
            Kind::Ack => self.sack_at_block(host, &packet, frame),
            Kind::Trimmed | Kind::Nack => {
                self.block(host).receive_trimmed(frame);
                let hears = self.scenario.parameters.hears_trims && !packet.marks.has(Marks::PROBE);
                if !hears {
                    return Ok(());
                }
                let mut marks = Marks::default();
                marks.set(Marks::EV_KNOWN);
                self.answer(host, Packet { kind: Kind::Nack, ev_or_ticket: ev.into(), marks, ..packet })
            }
        }
    }

    fn data_at_block(&mut self, host: u32, packet: Packet, frame: Vec<u8>) -> Result<(), FabricError> {
        let peer = self.ends[packet.connection as usize].source;
        let received = self.block(host).receive(frame, packet.is_marked(), peer);
        let Received::Taken { status, is_right, sack } = received else {
            self.counters.dropped += 1;
            return Ok(());
        };
        self.counters.delivered += 1;
        self.disagreements += u64::from(!is_right);
        let arrival = (!packet.marks.has(Marks::PROBE)).then(|| self.note_arrival(&packet));
        let cumulative = self.hold_against(&packet, arrival, status, sack.as_ref().map(|(sack, _)| sack));
        let Some((sack, frame)) = sack else { return Ok(()) };
        let bytes = self.scenario.parameters.header_bytes as u16;
        let mut answer = answer_of(&packet, &sack, cumulative, bytes);
        answer.ev_or_ticket = self.frames.put(Left::of_sack(frame, &sack));
        answer.marks.set(Marks::FRAME);
        self.answer(host, answer)
    }

    fn sack_at_block(&mut self, host: u32, packet: &Packet, frame: Vec<u8>) -> Result<(), FabricError> {
        let told = self.block(host).sack(frame);
        let Some(rtt) = told.rtt else {
            // it was dropped, or was refused
            self.disagreements += u64::from(told.shown.res_status.is_some());
            return Ok(());
        };
        self.heard_sack(packet, &packet.carried(), &told.shown, rtt, Some(&told))
    }

    /// The walker of a block comes to a connection: what its events say, and whether a probe is due.
    pub(super) fn visit_of_block(&mut self, number: u32) -> Result<Told, FabricError> {
        let now = self.events.now();
        let (_, settings, conn) = senders!(self, number);
        let block = &mut self.blocks[self.connections[number as usize].source as usize];
        let mut all = block.advance(now, settings, true);
        let place = all.iter().position(|told| told.conn == conn);
        let mut told = place.map_or_else(Told::default, |place| all.swap_remove(place));
        told.shown.probe_due = !told.shown.loss_timeout && block.is_probe_due(conn);
        // another connection's visit was not planned
        self.disagreements += all.len() as u64;
        Ok(told)
    }

    /// What the block names is to be sent again.
    pub(super) fn told_again(&mut self, number: u32, told: &Told) {
        let (sender, settings, _) = senders!(self, number);
        for &(psn, in_flight) in &told.again {
            let ahead = settings.psns.distance(settings.psns.wrap(sender.expected), psn);
            sender.handed_out(Some(sender.expected + ahead), in_flight);
        }
    }

    /// The host has learned that a packet was trimmed.
    pub(super) fn nack_at_block(&mut self, number: u32, ev: u16) -> Result<(), FabricError> {
        let (_, _, conn) = senders!(self, number);
        let source = self.ends[number as usize].source;
        self.nacks_told += 1;
        self.block(source).nack(conn, ev);
        Ok(())
    }

    /// Adds the ops of path selectors that no counter of a block has.
    pub(super) fn count_block_ops(&self, counts: &mut Counts) {
        if self.is_whole() {
            let is_open = |of: &&super::Connection| of.nic.as_ref().is_some_and(|nic| nic.is_open);
            counts.ops += self.connections.iter().filter(is_open).count() as u64;
            counts.ops += self.counters.failures_told + self.nacks_told;
        }
    }
}
