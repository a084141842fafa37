//! When the events that wait are a frame.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::{Reg, resize};

/// A frame is due when a batch of events waits, or when events have waited for so many ticks. It is begun when there is room for it and it
/// is granted, with the events that wait then.
#[block]
pub struct Batch {
    /// Events that wait.
    pub waiting: Signal<In, Bits<16>>,
    /// Events of a frame, at most; and ticks after which fewer are a frame.
    pub most: Signal<In, Bits<6>>,
    pub ticks: Signal<In, Bits<16>>,
    pub wire_time: Signal<In, Bits<16>>,
    /// A frame is being made.
    pub is_busy: Signal<In, bool>,
    /// There is room for a frame.
    pub has_room: Signal<In, bool>,
    /// A frame is to begin; it begins in the same cycle or later, where it is granted.
    pub wants: Signal<Out, bool>,
    pub granted: Signal<In, bool>,
    pub begins: Signal<Out, bool>,
    /// Beside `begins`: the events that it is to have.
    pub records: Signal<Out, Bits<6>>,

    /// The time at which the first of the events that wait was not there yet, or the frame before was being made.
    since: Reg<Bits<16>>,
    #[reset = false]
    is_due: Reg<bool>,
}

#[block]
impl Batch {
    fn update(&mut self) {
        comment!("module batch: when the events that wait are a frame");
        let waits = self.waiting.any();
        let batch_size: Bits<16> = resize(self.most);
        let is_batch = self.waiting >= batch_size;
        if !waits | self.is_busy {
            self.since = self.wire_time;
        }
        let waited = self.wire_time - self.since;
        let is_late = waited >= self.ticks;
        let asks = self.is_due & self.has_room & !self.is_busy;
        let goes = asks & self.granted;
        comment!("What is due stays so until it begins.");
        self.is_due = waits & !self.is_busy & !goes & (is_batch | is_late | self.is_due);
        self.wants = asks;
        self.begins = goes;
        self.records = self.waiting.get_bits::<6>(0);
        if is_batch {
            self.records = self.most;
        }
    }
}
