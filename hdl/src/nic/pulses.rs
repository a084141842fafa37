//! Counts that several parts of the block have in common.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;

/// One pulse for each of several that may come in the same cycle: at most 255 wait.
#[derive(LogicBlock, Default)]
pub struct Merge {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    pub first: Signal<In, bool>,
    pub second: Signal<In, bool>,
    pub third: Signal<In, bool>,
    pub pulse: Signal<Out, bool>,
    waiting: DFF<Bits<8>>,
    left: Signal<Local, Bits<8>>,
    sum: Signal<Local, Bits<8>>,
}

impl Logic for Merge {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module merge: one pulse for each of several that may come in the same cycle");
        dff_setup!(self, clk, waiting);
        self.left.next = self.waiting.q.val();
        if self.waiting.q.val().any() {
            self.left.next = self.waiting.q.val() - 1;
        }
        self.sum.next = self.left.val() + self.first.val();
        self.sum.next = self.sum.val() + self.second.val();
        self.sum.next = self.sum.val() + self.third.val();
        self.pulse.next = self.waiting.q.val().any();
        self.waiting.d.next = self.sum.val();
        if self.rst.val() {
            self.waiting.d.next = 0.into();
        }
    }
}

/// Joins the pulses of counters that several parts have in common.
///
/// Probes come from the host and from the block itself, each a few cycles apart; events are lost in three places. Those that waited
/// in two of them, and those that malformed frames of one beat bring meanwhile, are lost faster than one a cycle for tens of cycles.
#[derive(LogicBlock, Default)]
pub struct Pulses {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
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

impl Logic for Pulses {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Counts that several parts of the block have in common.");
        self.probes.clk.next = self.clk.val();
        self.probes.rst.next = self.rst.val();
        self.probes.first.next = self.own_probe.val();
        self.probes.second.next = self.host_probe.val();
        self.probes.third.next = false;
        self.count_tx_probes.next = self.probes.pulse.val();
        self.lost.clk.next = self.clk.val();
        self.lost.rst.next = self.rst.val();
        self.lost.first.next = self.event_lost.val();
        self.lost.second.next = self.receiver_event_lost.val();
        self.lost.third.next = self.spray_event_lost.val();
        self.count_events_lost.next = self.lost.pulse.val();
        self.count_tx_other.next = self.passed.val() | self.malformed.val();
    }
}
