//! A golden `nic` of which all is written down that it is given and that comes out of it.

use respray_cosim::nic::Step;
use respray_golden::hosts::Port;
use respray_golden::nic::{Counter, Delivery, Event, Nic};

/// The block as its host sees it. The host gives it at most one frame in a tick, and only where it may.
pub struct Tap {
    pub nic: Nic,
    /// Registers that were written, in their order.
    pub writes: Vec<(String, u32)>,
    /// What happened since the first tick.
    pub steps: Vec<(u64, Step)>,
    /// The tick of what happens now; `None` before the first, and behind the last.
    pub tick: Option<u64>,
    /// The host may give a frame.
    pub may_offer: bool,
}

impl Tap {
    pub fn new(nic: Nic) -> Tap {
        Tap { nic, writes: Vec::new(), steps: Vec::new(), tick: None, may_offer: false }
    }

    /// Something happens now.
    pub fn note(&mut self, step: Step) {
        if let Some(tick) = self.tick {
            self.steps.push((tick, step));
        }
    }
}

impl Port for Tap {
    fn offer(&mut self, frame: Vec<u8>) -> Result<(), Vec<u8>> {
        if !std::mem::take(&mut self.may_offer) {
            return Err(frame);
        }
        self.note(Step::Host(frame.clone()));
        self.nic.offer(frame)
    }

    fn deliver(&mut self) -> Option<Delivery> {
        let delivery = self.nic.deliver()?;
        self.note(Step::Delivered(delivery.status_code()));
        Some(delivery)
    }

    fn event(&mut self) -> Option<Event> {
        let event = self.nic.event()?;
        self.note(Step::Event(event));
        Some(event)
    }

    fn events_lost(&mut self) -> u64 {
        self.nic.counter(Counter::EventsLost)
    }

    fn read_register(&mut self, name: &str) -> u32 {
        self.nic.read_register(name)
    }

    fn write_register(&mut self, name: &str, value: u32) {
        if self.steps.is_empty() {
            self.writes.push((name.to_string(), value));
        }
        self.nic.write_register(name, value);
    }
}
