//! When the engine takes an op and when it visits a bucket instead.

use respray_hdl::cores::flowcut_switch::contract::SLOTS;

use crate::lockstep::op_core::Turn;

/// Where the walker is: of 16 cycles the last one is its own.
#[derive(Clone, Copy, Debug)]
pub struct Slots {
    slot: u32,
    /// Bucket to be visited next.
    next: u16,
    last: u16,
}

impl Slots {
    /// At the first bucket.
    ///
    /// # Panics
    /// On more buckets than 2^16.
    pub fn new(buckets: u32) -> Self {
        let last = u16::try_from(buckets - 1).expect("buckets are numbered in 16 bits");
        Slots { slot: 0, next: 0, last }
    }

    /// An edge with `rst` high.
    pub fn reset(&mut self) {
        *self = Slots { slot: 0, next: 0, last: self.last };
    }

    /// Whether the coming edge is an op's.
    #[inline(always)]
    pub fn is_ops(&self) -> bool {
        self.slot < SLOTS - 1
    }

    /// What begins at the coming edge.
    #[inline(always)]
    pub fn turn(&mut self, is_offered: bool) -> Turn {
        if self.is_ops() {
            self.slot += 1;
            return if is_offered { Turn::Op } else { Turn::Nothing };
        }
        let bucket = self.next;
        self.slot = 0;
        self.next = if bucket == self.last { 0 } else { bucket + 1 };
        Turn::Visit(bucket)
    }
}
