//! What an ACK does to the window. 004 Algorithm 4.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;

/// Chooses between the branches of Algorithm 4.
#[derive(LogicBlock, Default)]
pub struct Decide {
    pub clk: Signal<In, Clock>,
    pub step_1: Signal<In, bool>,
    pub step_7: Signal<In, bool>,
    pub step_13: Signal<In, bool>,
    pub ecn: Signal<In, bool>,
    /// Of the delay, from step 6 on.
    pub is_low: Signal<In, bool>,
    pub is_above: Signal<In, bool>,
    pub is_high: Signal<In, bool>,
    pub can_cut: Signal<In, bool>,
    /// The average is above the target.
    pub average_above: Signal<In, bool>,
    /// A whole period was counted.
    pub measured: Signal<In, bool>,
    /// Step 13: what it achieved is less than an eighth of the largest window.
    pub achieved_little: Signal<In, bool>,
    /// The window is as large as it may be.
    pub is_full: Signal<In, bool>,

    /// Step 8: the window grows by a quotient; `beta` makes it, not `alpha`.
    pub grows: Signal<Out, bool>,
    pub is_additive: Signal<Out, bool>,
    /// Step 13: the window becomes what was achieved; it becomes a fraction of itself.
    pub takes: Signal<Out, bool>,
    pub cuts: Signal<Out, bool>,
    /// From step 14 on: it was cut.
    pub was_cut: Signal<Out, bool>,
    pub action: Signal<Out, Bits<3>>,

    may_cut: Signal<Local, bool>,
    to_achieved: Signal<Local, bool>,
    to_fraction: Signal<Local, bool>,

    branch: DFF<Bits<3>>,
}

impl Logic for Decide {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module decide: what the ACK does to the window");
        dff_setup!(self, clk, branch);
        self.may_cut.next = !self.branch.q.val().any() & self.can_cut.val() & self.average_above.val();
        self.to_achieved.next =
            self.may_cut.val() & self.is_high.val() & self.measured.val() & self.achieved_little.val();
        self.to_fraction.next = self.may_cut.val() & self.is_above.val() & !self.to_achieved.val();
        comment!("0 hold, 1 proportional, 2 additive, 3 multiplicative, 4 achieved.");
        if self.step_7.val() & !self.ecn.val() {
            if self.is_low.val() {
                self.branch.d.next = 1.into();
            }
            if self.is_high.val() {
                self.branch.d.next = 2.into();
            }
        }
        if self.step_13.val() {
            if self.to_fraction.val() {
                self.branch.d.next = 3.into();
            }
            if self.to_achieved.val() {
                self.branch.d.next = 4.into();
            }
        }
        if self.step_1.val() {
            self.branch.d.next = 0.into();
        }
        self.grows.next = self.branch.q.val().any() & !self.is_full.val();
        self.is_additive.next = self.branch.q.val().get_bit(1);
        self.takes.next = self.to_achieved.val();
        self.cuts.next = self.to_fraction.val();
        self.was_cut.next = self.branch.q.val().get_bit(2)
            | (self.branch.q.val().get_bit(1) & self.branch.q.val().get_bit(0));
        self.action.next = self.branch.q.val();
    }
}
