//! An output port: its two queues, its marks, and what it does with what has no room.

use std::collections::VecDeque;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, RngExt};

use crate::events::Lane;
use crate::failure::Fault;
use crate::packet::{Kind, Marks, Packet};
use crate::parameters::{Full, Parameters};
use crate::time::Picoseconds;
use crate::topology::Node;

/// How fast a port is, and how much it holds.
#[derive(Clone, Copy, Debug)]
pub struct Speed {
    pub gbps: f64,
    /// Time of a full data packet and of a control packet on the wire, each with its lane.
    pub full: (Picoseconds, Lane),
    pub control: (Picoseconds, Lane),
    /// Bytes of data that have room, the packet being sent included.
    capacity: u32,
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
        let packets = |count: u32| (f64::from(count * parameters.packet_bytes) * share) as u32;
        Speed {
            gbps,
            full: timed(parameters.packet_bytes, gbps),
            control: timed(parameters.header_bytes, gbps),
            capacity: packets(parameters.queue_packets),
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

/// An output port of a switch or of a host.
#[derive(Debug)]
pub struct Port {
    pub to: Node,
    /// The lane of its link's delay.
    pub link: Lane,
    pub speed: Speed,
    /// The packet that is being sent.
    pub sending: Option<Packet>,
    control: VecDeque<Packet>,
    data: VecDeque<Packet>,
    /// Bytes of data, the packet being sent included.
    data_bytes: u32,
    down: Option<Fault>,
    loss: f64,
    /// Control packets in a row that a host has sent while data waited.
    pub control_in_row: u32,
    pub sent_bytes: u64,
    /// Packets of data that it was given since the run began, and while it was down the time of the last one.
    pub given_data: u64,
    pub last_into_down: Option<Picoseconds>,
}

impl Port {
    pub fn new(to: Node, link: Lane, speed: Speed) -> Port {
        Port {
            to,
            link,
            speed,
            sending: None,
            control: VecDeque::new(),
            data: VecDeque::new(),
            data_bytes: 0,
            down: None,
            loss: 0.0,
            control_in_row: 0,
            sent_bytes: 0,
            given_data: 0,
            last_into_down: None,
        }
    }

    /// A fault begins, or ends.
    pub fn set_fault(&mut self, fault: Fault, holds: bool) {
        match fault {
            Fault::Down { .. } => self.down = holds.then_some(fault),
            Fault::Loss(share) => self.loss = if holds { share } else { 0.0 },
            Fault::Rate(_) => {} // the speed says it
        }
    }

    /// Bytes of data that wait or are being sent.
    #[inline]
    pub fn data_bytes(&self) -> u32 {
        self.data_bytes
    }

    pub fn has_control(&self) -> bool {
        !self.control.is_empty()
    }

    /// Packets in its queues, and the one being sent.
    pub fn packets(&self) -> usize {
        self.control.len() + self.data.len() + usize::from(self.sending.is_some())
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
        parameters: &Parameters,
        random: &mut Xoshiro256PlusPlus,
    ) -> Given {
        let is_control = packet.kind.is_control();
        let bytes = u32::from(packet.bytes);
        if !is_control {
            self.given_data += 1;
        }
        if let Some(Fault::Down { data_only }) = self.down {
            if !(is_control && data_only) {
                if !is_control {
                    self.last_into_down = Some(now);
                }
                return Given::Lost;
            }
        }
        if self.loss > 0.0 && random.random_bool(self.loss) {
            return Given::Lost;
        }
        if is_control {
            self.control.push_back(packet);
            return Given::Queued;
        }
        if self.data_bytes + bytes <= self.speed.capacity {
            self.data_bytes += bytes;
            self.data.push_back(packet);
            return Given::Queued;
        }
        if parameters.full == Full::Drop {
            return Given::Dropped;
        }
        if let Some(newest) = self.data.back_mut().filter(|_| random.next_u64() & 1 == 0) {
            let after = self.data_bytes + bytes - u32::from(newest.bytes);
            // a short packet makes no room for a long one
            if after <= self.speed.capacity {
                self.data_bytes = after;
                std::mem::swap(newest, &mut packet);
            }
        }
        packet.kind = Kind::Trimmed;
        packet.bytes = parameters.header_bytes as u16;
        self.control.push_back(packet);
        Given::Trimmed
    }

    /// The next packet to send: control before data.
    #[inline]
    pub fn next(&mut self) -> Option<Packet> {
        self.control.pop_front().or_else(|| self.data.pop_front())
    }

    /// The next control packet.
    #[inline]
    pub fn next_control(&mut self) -> Option<Packet> {
        self.control.pop_front()
    }

    /// The last bit of a packet of a switch has left, which is marked by the data that it leaves behind. Says whether that is news.
    #[inline]
    pub fn left(&mut self, packet: &mut Packet, random: &mut Xoshiro256PlusPlus) -> bool {
        if packet.kind.is_control() {
            return false;
        }
        self.data_bytes -= u32::from(packet.bytes);
        let Speed { kmin, kmax, .. } = self.speed;
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
