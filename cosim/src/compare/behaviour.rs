//! What a selector did in a run.

use std::collections::{HashMap, HashSet};

use serde::Serialize;

use respray_golden::paths::hash::mix;
use respray_hdl::contract::{Shown, Words};

use crate::path_selector::{ACK, Ports};

/// Uplinks of the switch whose load is looked at: 001 Appendix B, Figure 16.
pub const UPLINKS: usize = 32;

/// Shares are of the packets sent, 0 to 1.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Behaviour {
    /// Packets sent.
    pub sends: u64,
    /// Onto paths that mark every packet, where there are such.
    pub onto_bad: Option<f64>,
    /// Onto an EV of which the connection's latest ACK of it said that it was marked.
    pub onto_marked: f64,
    /// EVs that a connection used, in the mean of the connections.
    pub evs: f64,
    /// Load imbalance over the uplinks, among which a hash of connection and EV chooses: how much more than the mean the most loaded
    /// one has got (001 Appendix B).
    pub imbalance: f64,
    /// EVs drawn or next in a rotation, named by feedback, and used before.
    pub explored: f64,
    pub recycled: f64,
    pub replayed: f64,
}

/// Counts what becomes of ops.
#[derive(Debug)]
pub(super) struct Observer {
    /// By path, where there are such.
    bad: Option<Vec<bool>>,
    kinds: [u64; 4],
    onto_bad: u64,
    onto_marked: u64,
    /// What the latest ACK said of an EV, by connection.
    marks: HashMap<(u64, u16), bool>,
    evs: HashSet<(u64, u16)>,
    connections: HashSet<u64>,
    uplinks: [u64; UPLINKS],
}

impl Observer {
    pub fn new(bad: Option<Vec<bool>>) -> Observer {
        Observer {
            bad,
            kinds: [0; 4],
            onto_bad: 0,
            onto_marked: 0,
            marks: HashMap::new(),
            evs: HashSet::new(),
            connections: HashSet::new(),
            uplinks: [0; UPLINKS],
        }
    }

    /// An op and what the outputs show of it.
    pub fn hear<O: Words, S: Shown>(&mut self, ports: &Ports, op: &O, shown: Option<&S>) {
        let conn = op.get(ports.conn);
        if op.get(0) == ACK {
            let word = |place: Option<usize>| place.map_or(0, |place| op.get(place));
            self.marks.insert((conn, word(ports.ev) as u16), word(ports.ecn) != 0);
        }
        let Some(sent) = shown.and_then(|shown| ports.sent(shown)) else { return };
        self.kinds[sent.kind as usize] += 1;
        self.evs.insert((conn, sent.ev));
        self.connections.insert(conn);
        self.uplinks[(mix(conn << 16 | u64::from(sent.ev)) % UPLINKS as u64) as usize] += 1;
        self.onto_marked += u64::from(self.marks.get(&(conn, sent.ev)) == Some(&true));
        if let Some(bad) = &self.bad {
            self.onto_bad += u64::from(bad[usize::from(sent.ev) % bad.len()]);
        }
    }

    pub fn behaviour(&self) -> Behaviour {
        let sends: u64 = self.kinds.iter().sum();
        let share = |count: u64| if sends == 0 { 0.0 } else { count as f64 / sends as f64 };
        let most = self.uplinks.iter().max().copied().unwrap_or(0);
        Behaviour {
            sends,
            onto_bad: self.bad.as_ref().map(|_| share(self.onto_bad)),
            onto_marked: share(self.onto_marked),
            evs: self.evs.len() as f64 / self.connections.len().max(1) as f64,
            imbalance: (share(most) * UPLINKS as f64 - 1.0).max(0.0),
            explored: share(self.kinds[0]),
            recycled: share(self.kinds[1]),
            replayed: share(self.kinds[2]),
        }
    }
}
