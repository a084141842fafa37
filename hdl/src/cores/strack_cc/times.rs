//! What is due: a cut, a period of the byte count, an increase for fairness.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::{Reg, resize};

/// Compares the three times of a connection, one after the other as the RAM gives them, with how long they last.
#[block(no_reset)]
pub struct Times {
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

    stored: Reg<Bits<16>>,
    elapsed: Reg<Bits<16>>,
    cut_due: Reg<bool>,
    period_over: Reg<bool>,
    fair_due: Reg<bool>,
}

#[block]
impl Times {
    fn update(&mut self) {
        comment!("module times: which of the three times of a connection are over");
        self.stored = self.read;
        self.elapsed = self.now - self.stored;
        let mut limit: Bits<17> = resize(self.base_rtt);
        if self.step_6 {
            limit = self.period;
        }
        let passed: bool = bit_cast::<17, 16>(self.elapsed) > limit;
        if self.step_5 {
            self.cut_due = passed;
        }
        if self.step_6 {
            self.period_over = passed & self.counting;
        }
        if self.step_8 {
            self.fair_due = passed;
        }
        if self.step_1 {
            self.fair_due = false;
        }
        self.stored_time = self.stored;
        self.can_cut = self.cut_due;
        self.closes = self.period_over;
        self.can_fair = self.fair_due;
    }
}
