//! What an ACK does to the window. 004 Algorithm 4.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::Reg;

/// Chooses between the branches of Algorithm 4.
#[block(no_reset)]
pub struct Decide {
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

    branch: Reg<Bits<3>>,
}

#[block]
impl Decide {
    fn update(&mut self) {
        comment!("module decide: what the ACK does to the window");
        let may_cut = !self.branch.any() & self.can_cut & self.average_above;
        let to_achieved = may_cut & self.is_high & self.measured & self.achieved_little;
        let to_fraction = may_cut & self.is_above & !to_achieved;
        comment!("0 hold, 1 proportional, 2 additive, 3 multiplicative, 4 achieved.");
        if self.step_7 & !self.ecn {
            if self.is_low {
                self.branch = 1;
            }
            if self.is_high {
                self.branch = 2;
            }
        }
        if self.step_13 {
            if to_fraction {
                self.branch = 3;
            }
            if to_achieved {
                self.branch = 4;
            }
        }
        if self.step_1 {
            self.branch = 0;
        }
        self.grows = self.branch.any() & !self.is_full;
        self.is_additive = self.branch.get_bit(1);
        self.takes = to_achieved;
        self.cuts = to_fraction;
        self.was_cut = self.branch.get_bit(2) | (self.branch.get_bit(1) & self.branch.get_bit(0));
        self.action = self.branch;
    }
}
