//! What is due: a cut, a period of the byte count, an increase for fairness.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;

/// Compares the three times of a connection, one after the other as the RAM gives them, with how long they last.
#[derive(LogicBlock, Default)]
pub struct Times {
    pub clk: Signal<In, Clock>,
    pub step_1: Signal<In, bool>,
    pub step_5: Signal<In, bool>,
    pub step_6: Signal<In, bool>,
    pub step_8: Signal<In, bool>,
    pub now: Signal<In, Bits<16>>,
    /// The time in the word that the RAM gives.
    pub read: Signal<In, Bits<16>>,
    pub base_rtt: Signal<In, Bits<16>>,
    pub period: Signal<In, Bits<17>>,
    /// An ACK was seen since `init`.
    pub counting: Signal<In, bool>,

    /// The same time a cycle later.
    pub stored_time: Signal<Out, Bits<16>>,
    /// From step 6 on: the last cut is longer ago than `base_rtt`.
    pub can_cut: Signal<Out, bool>,
    /// From step 7 on: the period of the byte count is over.
    pub closes: Signal<Out, bool>,
    /// From step 9 on: the last increase for fairness is longer ago than `base_rtt`.
    pub can_fair: Signal<Out, bool>,

    limit: Signal<Local, Bits<17>>,
    passed: Signal<Local, bool>,

    stored: DFF<Bits<16>>,
    elapsed: DFF<Bits<16>>,
    cut_due: DFF<bool>,
    period_over: DFF<bool>,
    fair_due: DFF<bool>,
}

impl Logic for Times {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module times: which of the three times of a connection are over");
        dff_setup!(self, clk, stored, elapsed, cut_due, period_over, fair_due);
        self.stored.d.next = self.read.val();
        self.elapsed.d.next = self.now.val() - self.stored.q.val();
        self.limit.next = bit_cast::<17, 16>(self.base_rtt.val());
        if self.step_6.val() {
            self.limit.next = self.period.val();
        }
        self.passed.next = bit_cast::<17, 16>(self.elapsed.q.val()) > self.limit.val();
        if self.step_5.val() {
            self.cut_due.d.next = self.passed.val();
        }
        if self.step_6.val() {
            self.period_over.d.next = self.passed.val() & self.counting.val();
        }
        if self.step_8.val() {
            self.fair_due.d.next = self.passed.val();
        }
        if self.step_1.val() {
            self.fair_due.d.next = false;
        }
        self.stored_time.next = self.stored.q.val();
        self.can_cut.next = self.cut_due.q.val();
        self.closes.next = self.period_over.q.val();
        self.can_fair.next = self.fair_due.q.val();
    }
}
