//! Whether packets overtake each other on their way.

use std::collections::HashMap;

use crate::nic::Sent;
use crate::paths::End;
use crate::rewrite::{Kind, ProfileTraffic};
use crate::rewrite_rx;

/// Packets that were sent for the first time, of each connection of each end in the order in which they left, and how many of them another
/// one of their connection has overtaken that was sent behind them. What was sent again since is no longer looked at.
#[derive(Clone, Debug)]
pub struct Order {
    traffic: ProfileTraffic,
    connections: HashMap<(End, u32), Connection>,
    /// Packets that arrived behind one of their connection that was sent later.
    pub overtaken: u64,
}

/// A connection in one direction.
#[derive(Clone, Debug, Default)]
struct Connection {
    /// Packets sent for the first time.
    sent: u64,
    /// Of each of them that is on its way, by its PSN: how many were sent before.
    on_their_way: HashMap<u32, u64>,
    /// One more than the latest that has arrived.
    arrived: u64,
}

impl Order {
    /// Of a network without a packet.
    pub fn new(traffic: ProfileTraffic) -> Self {
        Order { traffic, connections: HashMap::new(), overtaken: 0 }
    }

    /// A frame leaves an end.
    pub fn send(&mut self, from: End, frame: &[u8], sent: Sent) {
        let Sent::Data { again, .. } = sent else { return };
        let Some((connection, psn)) = self.data(from, frame) else { return };
        if again {
            connection.on_their_way.remove(&psn);
            return;
        }
        connection.on_their_way.insert(psn, connection.sent);
        connection.sent += 1;
    }

    /// A frame arrives that an end has sent.
    pub fn arrive(&mut self, from: End, frame: &[u8]) {
        let Some((connection, psn)) = self.data(from, frame) else { return };
        let Some(at) = connection.on_their_way.remove(&psn) else { return };
        let is_overtaken = at < connection.arrived;
        connection.arrived = connection.arrived.max(at + 1);
        self.overtaken += u64::from(is_overtaken);
    }

    /// Connection and PSN of a data packet.
    fn data(&mut self, from: End, frame: &[u8]) -> Option<(&mut Connection, u32)> {
        let record = rewrite_rx::record(frame, self.traffic);
        if record.kind != Some(Kind::Data) {
            return None;
        }
        Some((self.connections.entry((from, record.connection)).or_default(), record.psn))
    }
}
