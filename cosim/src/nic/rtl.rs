//! The block in lockstep as a `nic` that a host can stand behind.

use respray_golden::hosts::Port;
use respray_golden::nic::{Counter, Delivery, Event};

use super::difference::Difference;
use super::end::End;
use super::streams::Given;

/// Frames of the host that wait before `tx_in`.
const MOST_OFFERED: usize = 2;
/// One of so many frames of the host has `tx_in_tuser`, which the block has to carry.
const FRAMES_PER_USER: u64 = 3;

/// The block in lockstep. Behind its first difference it stands still.
pub struct Rtl {
    pub end: End,
    /// Frames of the host.
    offered: u64,
    failed: Option<Difference>,
}

impl Rtl {
    pub fn new(end: End) -> Rtl {
        Rtl { end, offered: 0, failed: None }
    }

    /// One clock cycle.
    ///
    /// # Errors
    /// The first difference.
    pub fn step(&mut self) -> Result<(), Difference> {
        self.check()?;
        self.end.step()
    }

    /// # Errors
    /// The first difference, if an access to a register showed it.
    pub fn check(&self) -> Result<(), Difference> {
        self.failed.clone().map_or(Ok(()), Err)
    }

    /// Whether a frame of the host would be taken.
    pub fn has_room(&self) -> bool {
        self.end.waiting()[0] < MOST_OFFERED
    }

    fn keep<T: Default>(&mut self, result: Result<T, Difference>) -> T {
        result.unwrap_or_else(|difference| {
            self.failed.get_or_insert(difference);
            T::default()
        })
    }
}

impl Port for Rtl {
    fn offer(&mut self, frame: Vec<u8>) -> Result<(), Vec<u8>> {
        if !self.has_room() {
            return Err(frame);
        }
        self.offered += 1;
        self.end.send(Given { bytes: frame, user: self.offered.is_multiple_of(FRAMES_PER_USER) });
        Ok(())
    }

    fn deliver(&mut self) -> Option<Delivery> {
        self.end.out.delivered.pop_front()
    }

    fn event(&mut self) -> Option<Event> {
        // a host that gets frames of events reads them there
        if self.end.golden().config().event_frames {
            self.end.out.events.clear();
        }
        self.end.out.events.pop_front()
    }

    fn events_lost(&mut self) -> u64 {
        self.end.golden().counter(Counter::EventsLost)
    }

    fn read_register(&mut self, name: &str) -> u32 {
        let read = self.end.read(name);
        self.keep(read)
    }

    fn write_register(&mut self, name: &str, value: u32) {
        let written = self.end.write(name, value);
        self.keep(written);
    }
}
