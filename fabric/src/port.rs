//! An output port: its two queues, its marks, and what it does with what has no room.

use std::collections::VecDeque;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, RngExt};

use crate::events::Lane;
use crate::failure::Fault;
use crate::packet::{Kind, Marks, Packet};
use crate::parameters::{Full, Parameters};
use crate::time::Picoseconds;

/// How fast a port is, and how much it holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Speed {
    pub gbps: f64,
    /// Time of a full data packet and of a control packet on the wire, each with its lane.
    pub full: (Picoseconds, Lane),
    pub control: (Picoseconds, Lane),
    /// Bytes of data that have room, the packet being sent included.
    pub capacity: u32,
    /// Bytes up to which nothing is marked, and above which everything is.
    kmin: u32,
    kmax: u32,
}

impl Speed {
    /// Of a port with `share` of the rate `gbps`.
    pub fn new(
        parameters: &Parameters,
        gbps: f64,
        share: f64,
        mut timed: impl FnMut(u32, f64) -> (Picoseconds, Lane),
    ) -> Speed {
        let gbps = gbps * share;
        let packet = parameters.packet_bytes;
        let packets = |count: u32| (f64::from(count * packet) * share) as u32;
        Speed {
            gbps,
            full: timed(parameters.packet_bytes, gbps),
            control: timed(parameters.header_bytes, gbps),
            // however slow it is, it sends a packet
            capacity: packets(parameters.queue_packets).max(packet),
            kmin: packets(parameters.kmin_packets),
            kmax: packets(parameters.kmax_packets),
        }
    }
}

/// What became of a packet that a port was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given {
    Queued,
    /// It is queued, and the header of a data packet, this one or the newest of the queue, is among the control packets.
    Trimmed,
    /// There was no room.
    Dropped,
    /// The link is down, or lost it.
    Lost,
}

/// The packet of data in a queue: what an ACK says besides is not there.
#[derive(Clone, Copy, Debug)]
struct Queued {
    connection: u32,
    psn: u32,
    ev_or_ticket: u32,
    bytes: u16,
    marks: Marks,
}

impl Queued {
    #[inline]
    fn of(packet: &Packet) -> Queued {
        let Packet { connection, psn, ev_or_ticket, bytes, marks, .. } = *packet;
        Queued { connection, psn, ev_or_ticket, bytes, marks }
    }

    #[inline]
    fn packet(self) -> Packet {
        let Queued { connection, psn, ev_or_ticket, bytes, marks } = self;
        Packet { connection, psn, ev_or_ticket, bytes, marks, ..Packet::default() }
    }
}

/// Faults of a port.
#[derive(Debug, Default)]
struct Faults {
    down: Option<Fault>,
    loss: f64,
    /// When it was last given data while it was down, but for packets whose EV was drawn anew.
    last_into_down: Option<Picoseconds>,
    /// The same with those.
    last_data_into_down: Option<Picoseconds>,
}

/// An output port of a switch or of a host. It takes two lines of a cache.
#[derive(Debug)]
#[repr(align(128))]
pub struct Port {
    control: VecDeque<Packet>,
    data: VecDeque<Queued>,
    /// Bytes of data, the packet being sent included.
    data_bytes: u32,
    /// Control packets in a row that a host has sent while data waited.
    pub control_in_row: u32,
    /// The lane of its link's delay.
    pub link: Lane,
    /// Its speed, by its place among the speeds of the network.
    pub speed: u16,
    /// Faults hold; every packet that passes looks here alone.
    is_faulty: bool,
    /// It is sending a packet.
    pub is_sending: bool,
    /// Packets of data that it was given since the run began.
    pub given_data: u64,
    faults: Box<Faults>,
}

impl Port {
    pub fn new(link: Lane, speed: u16) -> Port {
        Port {
            control: VecDeque::new(),
            data: VecDeque::new(),
            data_bytes: 0,
            control_in_row: 0,
            link,
            speed,
            is_faulty: false,
            is_sending: false,
            given_data: 0,
            faults: Box::default(),
        }
    }

    /// A fault begins, or ends.
    pub fn set_fault(&mut self, fault: Fault, holds: bool) {
        let faults = self.faults.as_mut();
        match fault {
            Fault::Down { .. } => faults.down = holds.then_some(fault),
            Fault::Loss(share) => faults.loss = if holds { share } else { 0.0 },
            Fault::Rate(_) => {} // the speed says it
        }
        self.is_faulty = faults.down.is_some() || faults.loss > 0.0;
    }

    /// When it was last given data while it was down, but for packets whose EV was drawn anew.
    pub fn last_into_down(&self) -> Option<Picoseconds> {
        self.faults.last_into_down
    }

    /// When it was last given data while it was down.
    pub fn last_data_into_down(&self) -> Option<Picoseconds> {
        self.faults.last_data_into_down
    }

    /// Whether a fault takes a packet of a host, whose last bit has left its NIC.
    #[inline]
    pub fn takes(&mut self, packet: &Packet, now: Picoseconds, random: &mut Xoshiro256PlusPlus) -> bool {
        self.is_faulty && self.is_lost(packet, now, random)
    }

    /// Whether a fault takes a packet that it is given.
    #[cold]
    fn is_lost(&mut self, packet: &Packet, now: Picoseconds, random: &mut Xoshiro256PlusPlus) -> bool {
        let is_control = packet.kind.is_control();
        let faults = self.faults.as_mut();
        if let Some(Fault::Down { data_only }) = faults.down
            && !(is_control && data_only)
        {
            if !is_control {
                faults.last_data_into_down = Some(now);
                if !packet.marks.has(Marks::EV_DRAWN) {
                    faults.last_into_down = Some(now);
                }
            }
            return true;
        }
        faults.loss > 0.0 && random.random_bool(faults.loss)
    }

    /// Bytes of data that wait or are being sent.
    #[inline]
    pub fn data_bytes(&self) -> u32 {
        self.data_bytes
    }

    pub fn has_control(&self) -> bool {
        !self.control.is_empty()
    }

    /// Packets of data in its queue, without the one being sent, and their bytes.
    pub fn queued(&self) -> (u64, u64) {
        (self.data.len() as u64, self.data.iter().map(|queued| u64::from(queued.bytes)).sum())
    }

    /// Packets of its queues that are frames of whole blocks.
    pub fn queued_frames(&self) -> usize {
        let control = self.control.iter().map(|packet| packet.marks);
        let data = self.data.iter().map(|queued| queued.marks);
        control.chain(data).filter(|marks| marks.has(Marks::FRAME)).count()
    }

    /// Loses the newest packet of its queue without a word, for tests of what counts packets.
    pub(crate) fn lose_newest(&mut self) -> bool {
        self.data.pop_back().is_some()
    }

    /// Says that its queue holds a byte more than it does, for the same tests.
    pub(crate) fn claim_more(&mut self) -> bool {
        self.data_bytes += u32::from(!self.data.is_empty());
        !self.data.is_empty()
    }

    /// Takes a control packet of the host that it belongs to.
    #[inline]
    pub fn give_control(&mut self, packet: Packet) {
        self.control.push_back(packet);
    }

    /// Takes a packet of a switch.
    #[inline]
    pub fn give(
        &mut self,
        mut packet: Packet,
        now: Picoseconds,
        speed: &Speed,
        parameters: &Parameters,
        random: &mut Xoshiro256PlusPlus,
    ) -> Given {
        let is_control = packet.kind.is_control();
        let bytes = u32::from(packet.bytes);
        if !is_control {
            self.given_data += 1;
        }
        if self.is_faulty && self.is_lost(&packet, now, random) {
            return Given::Lost;
        }
        if is_control {
            self.control.push_back(packet);
            return Given::Queued;
        }
        if self.data_bytes + bytes <= speed.capacity {
            self.data_bytes += bytes;
            self.data.push_back(Queued::of(&packet));
            return Given::Queued;
        }
        if parameters.full == Full::Drop {
            return Given::Dropped;
        }
        if let Some(newest) = self.data.back_mut().filter(|_| random.next_u64() & 1 == 0) {
            let after = self.data_bytes + bytes - u32::from(newest.bytes);
            // a short packet makes no room for a long one
            if after <= speed.capacity {
                self.data_bytes = after;
                packet = std::mem::replace(newest, Queued::of(&packet)).packet();
            }
        }
        packet.kind = Kind::Trimmed;
        packet.bytes = parameters.header_bytes as u16;
        self.control.push_back(packet);
        Given::Trimmed
    }

    /// The next packet to send: control before data.
    #[inline]
    pub fn pop(&mut self) -> Option<Packet> {
        self.control.pop_front().or_else(|| self.data.pop_front().map(Queued::packet))
    }

    /// The next control packet.
    #[inline]
    pub fn pop_control(&mut self) -> Option<Packet> {
        self.control.pop_front()
    }

    /// The last bit of a packet of a switch has left, which is marked by the data that it leaves behind. Says whether that is news.
    #[inline]
    pub fn left(&mut self, packet: &mut Packet, speed: &Speed, random: &mut Xoshiro256PlusPlus) -> bool {
        if packet.kind.is_control() {
            return false;
        }
        self.data_bytes -= u32::from(packet.bytes);
        let Speed { kmin, kmax, .. } = *speed;
        let is_marked = match self.data_bytes {
            left if left <= kmin => false,
            left if left > kmax => true,
            left => random.random_bool(f64::from(left - kmin) / f64::from(kmax - kmin)),
        };
        let is_news = is_marked && !packet.is_marked();
        if is_marked {
            packet.marks.set(Marks::CONGESTION);
        }
        is_news
    }
}
