//! How many bytes a connection may have on their way: the "DCTCP variant of MPRDMA" of 001's simulator. All sizes are bytes on the wire.

use crate::time::Picoseconds;
use crate::topology::Topology;

/// The window of one connection.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// What may be on its way.
    pub size: u64,
    /// What is on its way. An ACK may count what a later one then does not, so it can be below 0 for a moment.
    pub in_flight: i64,
    /// The shortest round trip of a full packet that was seen, or the longest there can be.
    pub base_rtt: Picoseconds,
    largest: u64,
    packet: u64,
    gbps: f64,
    /// Bytes of unmarked ACKs in a row without queueing.
    calm: u64,
}

impl Window {
    /// Of a new connection whose round trip without queues is `base_rtt`, over a link of this rate.
    pub fn new(first: u64, packet: u64, base_rtt: Picoseconds, gbps: f64) -> Window {
        let largest = largest(base_rtt, gbps);
        Window { size: first, in_flight: 0, base_rtt, largest, packet, gbps, calm: 0 }
    }

    /// The largest window over a round trip without queues of a topology's hosts.
    pub fn largest_of(base_rtt: Picoseconds, topology: &Topology) -> u64 {
        largest(base_rtt, topology.host_links.gbps)
    }

    /// The window in full packets, a part of one counted as one: so many packets may be in flight.
    #[inline]
    pub fn packets(&self) -> u64 {
        self.size.div_ceil(self.packet)
    }

    /// Whether another packet may go.
    #[inline]
    pub fn is_open(&self) -> bool {
        self.size as i64 > self.in_flight
    }

    /// A packet of so many bytes goes.
    #[inline]
    pub fn sent(&mut self, bytes: u64) {
        self.in_flight += bytes as i64;
    }

    /// A full packet took this long to its ACK.
    #[inline]
    pub fn round_trip(&mut self, rtt: Picoseconds) {
        if rtt < self.base_rtt {
            self.base_rtt = rtt;
            self.largest = largest(rtt, self.gbps);
        }
    }

    /// An ACK says that so many bytes more have come. `is_calm` where its packet met next to no queue, and windows may grow
    /// faster then.
    #[inline]
    pub fn acknowledged(&mut self, bytes: u64, is_marked: bool, is_calm: bool) {
        self.in_flight -= bytes as i64;
        if is_marked {
            self.calm = 0;
            self.shrink(bytes / 4);
            return;
        }
        self.calm = if is_calm { self.calm + bytes } else { 0 };
        self.size += bytes * self.packet / self.size;
        if self.calm > self.size {
            self.size += bytes / 2;
        }
        // never below a packet, as everywhere
        self.size = self.size.min(self.largest.max(self.packet));
    }

    /// A packet of so many bytes is known to be lost.
    pub fn lost(&mut self, bytes: u64) {
        self.in_flight -= bytes as i64;
        self.shrink(bytes);
    }

    /// A packet of so many bytes is sent again, as it was lost; what is in flight is counted elsewhere.
    pub fn cut(&mut self, bytes: u64) {
        self.shrink(bytes);
    }

    /// A packet that was held for lost has come all the same, and an ACK has counted or will count its bytes.
    pub fn come_after_all(&mut self, bytes: u64) {
        self.in_flight += bytes as i64;
    }

    fn shrink(&mut self, bytes: u64) {
        self.size = self.size.saturating_sub(bytes).max(self.packet);
    }
}

/// One and a half times the bandwidth-delay product.
fn largest(base_rtt: Picoseconds, gbps: f64) -> u64 {
    let bdp = (base_rtt as f64 * gbps / 8000.0).round() as u64;
    bdp * 3 / 2
}
