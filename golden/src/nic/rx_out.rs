//! Frames on their way to the host.

use std::collections::VecDeque;

use super::Delivery;
use super::stable_port::StablePort;
use crate::sack_rx::Status;

/// Where a frame waits: the number of those that came before it since power-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place(u64);

/// A frame; data waits for its status.
#[derive(Clone, Debug)]
struct Waiting {
    delivery: Delivery,
    waits: bool,
}

/// Frames that wait for the host, in the order in which they came.
#[derive(Clone, Debug, Default)]
pub(super) struct RxOut {
    frames: VecDeque<Waiting>,
    /// Place of the first of them.
    first: u64,
}

impl RxOut {
    pub fn len(&self) -> usize {
        self.frames.len()
    }

    /// A frame that no engine is asked about.
    pub fn push(&mut self, delivery: Delivery) {
        self.frames.push_back(Waiting { delivery, waits: false });
    }

    /// A frame that waits for its status.
    pub fn push_waiting(&mut self, delivery: Delivery) -> Place {
        let place = Place(self.first + self.frames.len() as u64);
        self.frames.push_back(Waiting { delivery, waits: true });
        place
    }

    /// What is said of a frame that waits for it.
    pub fn decide_with(&mut self, place: Place, say: impl FnOnce(&mut Delivery)) {
        let frame = &mut self.frames[(place.0 - self.first) as usize];
        say(&mut frame.delivery);
        frame.waits = false;
    }

    /// The status of a frame that waits for it, if an engine was asked, and the port that is written into it.
    pub fn decide(&mut self, place: Place, status: Option<Status>, stable: Option<StablePort>) {
        self.decide_with(place, |delivery| {
            if let Some(stable) = stable {
                stable.write(&mut delivery.frame);
            }
            delivery.status = status;
        });
    }

    /// The first frame, if it does not wait.
    pub fn pop(&mut self) -> Option<Delivery> {
        if self.frames.front()?.waits {
            return None;
        }
        self.first += 1;
        self.frames.pop_front().map(|frame| frame.delivery)
    }

    /// Frames that came since power-up.
    pub fn came(&self) -> u64 {
        self.first + self.frames.len() as u64
    }

    /// Whether one of the first so many frames waits that was taken in for a connection.
    pub fn has_taken(&self, conn: u16, frames: u64) -> bool {
        let before = frames.saturating_sub(self.first) as usize;
        self.frames.iter().take(before).any(|Waiting { delivery, .. }| {
            delivery.record.connection == conn.into()
                && delivery.status.is_some_and(|status| status != Status::Uninitialised)
        })
    }

    pub fn clear(&mut self) {
        self.first += self.frames.len() as u64;
        self.frames.clear();
    }
}
