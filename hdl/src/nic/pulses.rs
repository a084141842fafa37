//! Counts that several parts of the block have in common.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::Reg;

/// One pulse for each of several that may come in the same cycle: at most 255 wait.
#[block]
pub struct Merge {
    pub first: Signal<In, bool>,
    pub second: Signal<In, bool>,
    pub third: Signal<In, bool>,
    pub pulse: Signal<Out, bool>,
    #[reset = 0]
    waiting: Reg<Bits<8>>,
}

#[block]
impl Merge {
    fn update(&mut self) {
        comment!("module merge: one pulse for each of several that may come in the same cycle");
        let mut left = self.waiting;
        if self.waiting.any() {
            left = self.waiting - 1;
        }
        let mut sum = left + self.first;
        sum = sum + self.second;
        sum = sum + self.third;
        self.pulse = self.waiting.any();
        self.waiting = sum;
    }
}

/// Joins the pulses of counters that several parts have in common.
///
/// Probes come from the host and from the block itself, each a few cycles apart; events are lost in three places. Those that waited
/// in two of them, and those that malformed frames of one beat bring meanwhile, are lost faster than one a cycle for tens of cycles.
#[block]
pub struct Pulses {
    pub own_probe: Signal<In, bool>,
    pub host_probe: Signal<In, bool>,
    /// A frame of the host leaves unchanged: nothing is wrong with it, or something is.
    pub passed: Signal<In, bool>,
    pub malformed: Signal<In, bool>,
    pub event_lost: Signal<In, bool>,
    pub receiver_event_lost: Signal<In, bool>,
    pub spray_event_lost: Signal<In, bool>,
    pub count_tx_probes: Signal<Out, bool>,
    pub count_tx_other: Signal<Out, bool>,
    pub count_events_lost: Signal<Out, bool>,
    probes: Merge,
    lost: Merge,
}

#[block]
impl Pulses {
    fn update(&mut self) {
        comment!("Counts that several parts of the block have in common.");
        self.probes.first = self.own_probe;
        self.probes.second = self.host_probe;
        self.probes.third = false;
        self.count_tx_probes = self.probes.pulse;
        self.lost.first = self.event_lost;
        self.lost.second = self.receiver_event_lost;
        self.lost.third = self.spray_event_lost;
        self.count_events_lost = self.lost.pulse;
        self.count_tx_other = self.passed | self.malformed;
    }
}
