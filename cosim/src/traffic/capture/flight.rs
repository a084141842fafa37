//! Packets on their way and their timers: the rule by which an unacknowledged packet becomes a timeout.

use std::collections::{BTreeMap, HashMap, VecDeque};

use super::frame::Ack;

/// The packets of all connections that no ACK has covered yet.
pub struct Flight {
    rto_ns: u64,
    psn_bits: u32,
    /// Of each connection: PSN to the number of its last transmission.
    unacked: HashMap<u32, BTreeMap<u64, u64>>,
    /// Deadline, connection, PSN and number of transmission, in order of time.
    timers: VecDeque<(u64, u32, u64, u64)>,
    transmissions: u64,
}

/// A packet whose time is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expired {
    /// Its last transmission plus the RTO.
    pub deadline_ns: u64,
    /// Connection.
    pub conn: u32,
    /// Its PSN.
    pub psn: u32,
}

impl Flight {
    /// Nothing on its way. `psn_bits`: 24 or 32.
    pub fn new(rto_ns: u64, psn_bits: u32) -> Self {
        Flight { rto_ns, psn_bits, unacked: HashMap::new(), timers: VecDeque::new(), transmissions: 0 }
    }

    /// A packet leaves, for the first time or again: its timer starts anew. Times must not step back.
    pub fn sent(&mut self, now_ns: u64, conn: u32, psn: u32) {
        self.transmissions += 1;
        let psn = u64::from(psn);
        self.unacked.entry(conn).or_default().insert(psn, self.transmissions);
        self.timers.push_back((now_ns.saturating_add(self.rto_ns), conn, psn, self.transmissions));
    }

    /// An ACK covers what lies in the half of the PSN circle before its expected PSN, the packet that it
    /// answers, and the packets of its SACK segment.
    pub fn acked(&mut self, conn: u32, ack: &Ack) {
        let Some(unacked) = self.unacked.get_mut(&conn) else { return };
        let circle = 1u64 << self.psn_bits;
        let expected = u64::from(ack.expected);
        let low = (expected + circle / 2) % circle;
        let behind = if low < expected { [low..expected, 0..0] } else { [0..expected, low..circle] };
        for range in behind {
            while let Some((&psn, _)) = unacked.range(range.clone()).next() {
                unacked.remove(&psn);
            }
        }
        unacked.remove(&u64::from(ack.psn));
        if let Some(sack) = ack.sack {
            for bit in (0..64).filter(|bit| sack.bitmap >> bit & 1 == 1) {
                unacked.remove(&((u64::from(sack.base) + bit) % circle));
            }
        }
    }

    /// A packet was refused; it needs no timer any more.
    pub fn refused(&mut self, conn: u32, psn: u32) {
        if let Some(unacked) = self.unacked.get_mut(&conn) {
            unacked.remove(&u64::from(psn));
        }
    }

    /// The next packet whose deadline is `now_ns` or earlier, in order of deadlines. It is on its way no longer.
    pub fn expire(&mut self, now_ns: u64) -> Option<Expired> {
        let next = self.first_to_expire().filter(|next| next.deadline_ns <= now_ns)?;
        self.timers.pop_front();
        self.refused(next.conn, next.psn);
        Some(next)
    }

    /// The packet that times out first if nothing is heard of it.
    pub fn first_to_expire(&mut self) -> Option<Expired> {
        while let Some(&(deadline_ns, conn, psn, transmission)) = self.timers.front() {
            if self.unacked.get(&conn).and_then(|unacked| unacked.get(&psn)) == Some(&transmission) {
                return Some(Expired { deadline_ns, conn, psn: psn as u32 });
            }
            self.timers.pop_front();
        }
        None
    }
}
