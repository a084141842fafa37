//! The network between two `nic`s, and the lines that join them to it.

use super::{IntoDead, Order, Setup, frames};
use crate::nic::{Sent, Transmitted};
use crate::paths::{Change, End, Network, Packet, SECOND_PS, Scheduled, frame};

/// Preamble, check sequence and gap between frames, in bytes.
const FRAME_OVERHEAD: u32 = 24;

/// What became of a frame that was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passage {
    /// The path that its EV chose.
    pub path: usize,
    pub sent: Sent,
    /// Since when that path had failed, in picoseconds; `None`: it is up.
    pub dead_for_ps: Option<u64>,
}

impl Passage {
    /// A data packet that met a path that had failed.
    pub fn into_dead(&self) -> Option<IntoDead> {
        match (self.sent, self.dead_for_ps) {
            (Sent::Data { kind, .. }, Some(after_ps)) => Some(IntoDead { after_ps, kind }),
            _ => None,
        }
    }
}

/// The network, and the lines by which the `nic`s send into it.
pub struct Lines {
    pub network: Network<Vec<u8>>,
    /// Whether packets overtake each other.
    pub order: Order,
    changes: Vec<Scheduled>,
    line_bps: u64,
    /// When the line of each end has sent its last frame, in picoseconds.
    free: [u64; 2],
}

impl Lines {
    /// Those of a setup, at time 0.
    ///
    /// # Panics
    /// On a value of the network outside its range.
    pub fn new(setup: &Setup) -> Self {
        Lines {
            network: Network::new(&setup.network),
            order: Order::new(setup.traffic()),
            changes: setup.network.changes.clone(),
            line_bps: setup.line_bps,
            free: [0; 2],
        }
    }

    /// The clock, in picoseconds.
    pub fn now(&self) -> u64 {
        self.network.now()
    }

    /// Whether an end may send a frame now.
    pub fn is_free(&self, end: End) -> bool {
        self.free[end.index()] <= self.now()
    }

    /// When the next line becomes free that is not, `until` the latest.
    pub fn next_free(&self, until: u64) -> u64 {
        self.free.into_iter().filter(|free| *free > self.now()).fold(until, u64::min)
    }

    /// Sends a frame at the present time. Its line is busy as long as it lasts.
    ///
    /// # Errors
    /// A sentence, if the frame is not addressed to the other end.
    pub fn send(&mut self, from: End, transmitted: Transmitted) -> Result<Passage, String> {
        let Transmitted { frame, sent, .. } = transmitted;
        if !frames::is_addressed(&frame, from) {
            return Err(format!("a frame is not addressed to the other end: {sent:?}"));
        }
        let hashed = frame::hashed(&frame).ok_or_else(|| format!("a frame is not UDP: {sent:?}"))?;
        self.order.send(from, &frame, sent);
        let bytes = frame.len() as u32 + FRAME_OVERHEAD;
        self.free[from.index()] = self.now() + u64::from(bytes) * 8 * SECOND_PS / self.line_bps;
        let packet = Packet {
            flow: hashed.flow,
            ev: hashed.ev,
            bytes,
            ecn_capable: hashed.ecn_capable,
            marked: hashed.marked,
            data: frame,
        };
        let path = self.network.send(from, packet).path;
        let is_dead = !self.network.is_up(from, path);
        let dead_for_ps = is_dead.then(|| self.now() - self.failed_at(path));
        Ok(Passage { path, sent, dead_for_ps })
    }

    /// Runs to the next frame that arrives at an end, with CE if the network marked it, `until` the latest.
    pub fn pop(&mut self, until: u64) -> Option<(End, Vec<u8>)> {
        let delivery = self.network.pop(until)?;
        let mut packet = delivery.packet;
        if packet.marked {
            frame::mark(&mut packet.data);
        }
        self.order.arrive(delivery.to.other(), &packet.data);
        Some((delivery.to, packet.data))
    }

    /// When a path that is down failed.
    fn failed_at(&self, path: usize) -> u64 {
        let failures = self.changes.iter().filter(|change| change.path == path);
        let times = failures.filter(|change| change.change == Change::Down).map(|change| change.at_ps);
        times.filter(|at| *at <= self.now()).max().expect("it failed by a change of the setup")
    }
}
