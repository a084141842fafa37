//! Where a receiver of a capture begins to count.

use std::collections::HashMap;
use std::hash::Hash;

use respray_golden::psn::PsnSpace;

/// Packets of a connection among which its first PSN is looked for.
const PACKETS: u32 = 64;

/// The first PSN of each connection: the lowest of its first 64 packets, since they need not come in order.
pub struct Beginnings<K> {
    psns: PsnSpace,
    /// Lowest PSN so far, and packets.
    first: HashMap<K, (u32, u32)>,
}

impl<K: Eq + Hash> Beginnings<K> {
    /// No packet has come.
    pub fn new(psns: PsnSpace) -> Self {
        Beginnings { psns, first: HashMap::new() }
    }

    /// A packet of a connection has come. Of its PSN the bits above those of the engines are left out.
    pub fn hear(&mut self, connection: K, psn: u32) {
        let psn = self.psns.wrap(psn);
        let (lowest, packets) = self.first.entry(connection).or_insert((psn, 0));
        if *packets < PACKETS && self.psns.is_below(psn, *lowest) {
            *lowest = psn;
        }
        *packets += 1;
    }

    /// The connections, each with its first PSN, in no order.
    pub fn into_first(self) -> impl Iterator<Item = (K, u32)> {
        self.first.into_iter().map(|(connection, (lowest, _))| (connection, lowest))
    }
}
