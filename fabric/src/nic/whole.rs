//! The golden block `nic` behind a host, bytes and all: its frames in and out, its registers as a driver writes them, and
//! what its events say.
//!
//! Ops of the block take no time, as those of the engines one by one do not. Its clock goes on with the network's time,
//! and its walker visits one connection after the other on the way.

use respray_golden::hosts::Port as _;
use respray_golden::hosts::frames::{self, Addresses, Below, Data};
use respray_golden::nic::{Command, Counter, Event, Kind, Nic, Sent};
use respray_golden::paths::{End, frame};
use respray_golden::rewrite_rx::{self, Record};
use respray_golden::sack_rx::{Sack, Status};
use respray_golden::selector::SendKind;
use respray_hdl::cores::sack_tx::contract::Shown;

use super::Settings;
use crate::engine::Counts;
use crate::time::Picoseconds;

/// A block behind its host.
pub struct Block {
    nic: Nic,
    own: Addresses,
    /// Of each connection: bytes of payload in flight, as the host knows.
    bytes: Vec<u32>,
}

/// A frame that leaves a block.
#[derive(Clone, Debug)]
pub struct Left {
    pub frame: Vec<u8>,
    pub ev: u16,
    /// Where the EV came from.
    pub kind: SendKind,
    pub timestamp: u16,
    /// Connection and PSN that it says.
    pub conn: u32,
    pub psn: u32,
}

impl Left {
    /// A SACK's frame, which goes by the EV of the packet that it answers.
    pub fn of_sack(frame: Vec<u8>, sack: &Sack) -> Left {
        let Sack { ev, timestamp, psn, .. } = *sack;
        Left { frame, ev, kind: SendKind::Replay, timestamp, conn: 0, psn }
    }
}

/// A data packet of the host.
#[derive(Clone, Copy, Debug)]
pub struct Packet {
    pub conn: u16,
    /// 24 bits.
    pub psn: u32,
    /// Payload in bytes.
    pub bytes: u32,
    pub ack_request: bool,
    pub is_repeated: bool,
}

/// What became of a frame at its receiver.
#[derive(Clone, Debug)]
pub enum Received {
    /// The block dropped it, as too many waited for an engine.
    Dropped,
    /// What `sack_rx` says of it, whether its bytes are those that were sent, and the SACK that answers it.
    Taken { status: Option<Status>, is_right: bool, sack: Option<(Sack, Vec<u8>)> },
}

/// What events said of a connection.
#[derive(Clone, Debug, Default)]
pub struct Told {
    pub conn: u16,
    /// As `sack_tx` alone would have shown it. Without a status an ACK was not heard.
    pub shown: Shown,
    /// Round trip in ticks of the wire.
    pub rtt: Option<u16>,
    /// The window in packets, where the block chooses it.
    pub window: Option<u16>,
    /// PSNs to send again, each with the packets in flight.
    pub again: Vec<(u32, u16)>,
}

/// A frame of the host, as the wire has it, but for what the block writes.
fn below(own: Addresses, peer: Addresses) -> Below {
    Below::Ipv4([own, peer])
}

/// Addresses of a host by its number, behind one gateway.
pub fn addresses(host: u32) -> Addresses {
    let [a, b, c, d] = host.to_be_bytes();
    Addresses { mac: [2, 0, a, b, c, d], next_hop: [2, 1, 0, 0, 0, 1], ipv4: [10, b, c, d] }
}

/// Bytes of a data packet's headers: Ethernet, IPv4, UDP and those of the profile.
const HEADERS: usize = 14 + 20 + 8 + 16;

/// Code of a loss by rule 3 in its event.
const TIMEOUT: u16 = 3;

impl Block {
    /// Of a host by its number; its registers are set.
    pub(super) fn new(nic: Nic, host: u32) -> Block {
        let bytes = vec![0; nic.config().connections as usize];
        Block { nic, own: addresses(host), bytes }
    }

    fn command(&mut self, conn: u16, command: Command) {
        self.nic.write_register("command_conn", conn.into());
        self.nic.write_register("command_psn", 0);
        self.nic.write_register("command", command as u32);
    }

    /// Opens a connection for sending, from PSN 0 on.
    pub fn open_tx(&mut self, conn: u16) {
        self.command(conn, Command::OpenTx);
    }

    /// Opens a connection for receiving, from PSN 0 on.
    pub fn open_rx(&mut self, conn: u16) {
        self.command(conn, Command::OpenRx);
    }

    /// The host learned that a packet with this EV was trimmed.
    pub fn nack(&mut self, conn: u16, ev: u16) {
        self.nic.write_register("command_ev", ev.into());
        self.command(conn, Command::Nack);
    }

    /// Time goes on. `visits`: with the visit of the walker in the present cycle, if there is one; else that is to come.
    /// What visits brought that nobody had planned.
    pub fn advance(&mut self, now: Picoseconds, settings: &Settings, visits: bool) -> Vec<Told> {
        let cycle = settings.clock.cycles(now);
        let last = if visits { Some(cycle) } else { cycle.checked_sub(1) };
        if let Some(last) = last.filter(|last| *last >= self.nic.cycles()) {
            self.nic.advance(last);
        }
        self.nic.tick(cycle);
        self.told()
    }

    /// Whether a probe of a connection became due in the present cycle.
    pub fn is_probe_due(&self, conn: u16) -> bool {
        let connection = self.nic.scoreboard().connection(conn);
        connection.probe_out && u32::from(connection.heard) == self.nic.times()[1]
    }

    /// The host gives a data packet to a peer, and the MAC takes what leaves; none where the block refuses it.
    pub fn send(&mut self, packet: &Packet, peer: u32) -> Option<Left> {
        let Packet { conn, psn, bytes, ack_request, is_repeated } = *packet;
        let data = Data { from: End::A, conn, psn, bytes, ack_request, again: is_repeated };
        let frame = frames::data_over(below(self.own, addresses(peer)), self.nic.traffic(), &data);
        self.nic.offer(frame).ok()?;
        let sent = self.nic.transmit()?;
        let Sent::Data { again, kind } = sent.sent else { return None };
        if again != is_repeated {
            return None;
        }
        if !again {
            self.bytes[usize::from(conn)] += bytes;
        }
        Some(self.left(sent.frame, kind))
    }

    /// The MAC takes the next probe, if one is due.
    pub fn probe(&mut self) -> Option<Left> {
        let sent = self.nic.transmit()?;
        let Sent::Probe { kind } = sent.sent else { return None };
        Some(self.left(sent.frame, kind))
    }

    fn left(&self, frame: Vec<u8>, kind: SendKind) -> Left {
        let Record { ev, timestamp, connection, psn, .. } = self.record(&frame);
        Left { frame, ev, kind, timestamp, conn: connection, psn }
    }

    fn record(&self, frame: &[u8]) -> Record {
        rewrite_rx::record(frame, self.nic.traffic())
    }

    /// Data or a probe comes from a peer, marked on its way or not.
    pub fn receive(&mut self, mut frame: Vec<u8>, is_marked: bool, peer: u32) -> Received {
        if is_marked {
            frame::mark(&mut frame);
        }
        let dropped = self.nic.counter(Counter::RxDroppedEngine);
        self.nic.receive(frame, false);
        if self.nic.counter(Counter::RxDroppedEngine) > dropped {
            return Received::Dropped;
        }
        let delivery = self.nic.deliver();
        let is_right = delivery.as_ref().is_none_or(|delivery| {
            let Record { connection, psn, bytes, .. } = delivery.record;
            let sent = frames::payload(End::A, connection as u16, psn, bytes.into());
            let ip = [addresses(peer).ipv4, self.own.ipv4].concat();
            delivery.frame[26..34] == ip && delivery.frame[HEADERS..] == sent
        });
        let status = match delivery {
            Some(delivery) => delivery.status,
            None => Some(Status::Probe),
        };
        let sack = self.nic.transmit_sack().map(|sent| {
            let record = self.record(&sent.frame);
            (sack(&record), sent.frame)
        });
        // duplicates are told, and a host has no need of that
        self.told();
        Received::Taken { status, is_right, sack }
    }

    /// A header alone comes: its packet is longer than it is.
    pub fn receive_trimmed(&mut self, mut frame: Vec<u8>) {
        frame.truncate(HEADERS);
        self.nic.receive(frame, false);
        self.nic.deliver();
        self.told();
    }

    /// A SACK comes: what the events say of its connection.
    pub fn sack(&mut self, frame: Vec<u8>) -> Told {
        let record = self.record(&frame);
        self.nic.receive(frame, false);
        let mut all = self.told();
        let of = all.iter().position(|told| u32::from(told.conn) == record.connection);
        of.map_or_else(Told::default, |place| all.swap_remove(place))
    }

    /// What the events say that wait, of each connection.
    fn told(&mut self) -> Vec<Told> {
        let mut all: Vec<Told> = Vec::new();
        while let Some(event) = self.nic.event() {
            let conn = event.conn as u16;
            let place = all.iter().position(|told| told.conn == conn).unwrap_or_else(|| {
                all.push(Told { conn, ..Told::default() });
                all.len() - 1
            });
            self.hear(&mut all[place], &event);
        }
        all
    }

    fn hear(&mut self, told: &mut Told, event: &Event) {
        let shown = &mut told.shown;
        match event.kind {
            Kind::Acknowledged => {
                shown.res_status = Some(0);
                shown.res_in_flight = Some(event.in_flight);
                let bytes = &mut self.bytes[usize::from(told.conn)];
                shown.res_bytes_acked = Some(bytes.saturating_sub(event.value));
                *bytes = event.value;
            }
            Kind::Loss if event.detail == TIMEOUT => shown.loss_timeout = true,
            Kind::Loss => (shown.loss_ooo, shown.loss_probe) = (event.detail == 1, event.detail == 2),
            Kind::Retransmit => told.again.push((event.psn, event.in_flight)),
            Kind::Rtt => {
                told.rtt = Some(event.detail);
                // an ACK that was not taken, and that is not refused, is old
                shown.res_status.get_or_insert(1);
            }
            Kind::Window => told.window = Some(event.detail),
            Kind::BadAck => shown.res_status = Some(event.detail as u8),
            _ => {}
        }
    }

    /// Adds what the path selector was asked, and what it told.
    pub fn count(&self, counts: &mut Counts) {
        let of = |counter| self.nic.counter(counter);
        let sends = [Counter::Explore, Counter::Recycle, Counter::Replay].map(of);
        let events = self.nic.selector_events().iter().zip(Counter::SELECTOR_EVENTS);
        let events = events.map(|(port, counter)| (*port, of(counter))).collect();
        let ops = sends.iter().sum::<u64>() + of(Counter::RxAcks) + of(Counter::RxAcksOld);
        let [explore, recycle, replay] = sends;
        let sends = [explore, recycle, replay, 0];
        counts.add(&Counts { ops, sends, events, ..Counts::default() });
    }
}

/// What a SACK says.
fn sack(record: &Record) -> Sack {
    let said = record.ack;
    Sack {
        psn: record.psn,
        epsn: said.epsn,
        base: said.base,
        bitmap: said.bitmap,
        ooo: said.ooo,
        bytes_recvd: said.recv_bytes,
        ecn: said.ecn_echo,
        ev: said.ev,
        timestamp: said.timestamp,
        probe: said.probe_echo,
    }
}

/// Frames on their way.
#[derive(Debug, Default)]
pub struct Frames {
    places: Vec<Option<Left>>,
    free: Vec<u32>,
}

impl Frames {
    /// Keeps a frame: its number.
    pub fn put(&mut self, left: Left) -> u32 {
        let place = self.free.pop().unwrap_or_else(|| {
            self.places.push(None);
            self.places.len() as u32 - 1
        });
        self.places[place as usize] = Some(left);
        place
    }

    /// A frame by its number.
    ///
    /// # Panics
    /// If it is gone.
    pub fn get(&self, number: u32) -> &Left {
        self.places[number as usize].as_ref().expect("a frame is there until it comes")
    }

    /// Takes a frame.
    ///
    /// # Panics
    /// If it is gone.
    pub fn take(&mut self, number: u32) -> Left {
        self.free.push(number);
        self.places[number as usize].take().expect("a frame comes once, or is lost once")
    }

    /// Frames that are on their way.
    pub fn count(&self) -> usize {
        self.places.len() - self.free.len()
    }
}
