//! What a NACK asks for.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::Reg;

/// Which of two things a NACK asks for, by its code: to send one PSN again at once, or, of an ordered connection, to go back.
#[block(no_reset)]
pub struct Refusal {
    pub step_4: Signal<In, bool>,
    pub code: Signal<In, Bits<8>>,
    pub ordered: Signal<In, bool>,
    pub told: Signal<In, bool>,
    pub recovering: Signal<In, bool>,
    /// Step 4: `rtx` is at or after the PSN.
    pub reached: Signal<In, bool>,
    /// All of the range was handed out.
    pub finished: Signal<In, bool>,

    /// It asks for its PSN.
    pub single: Signal<Out, bool>,
    /// It goes back; to `una`, not to its PSN.
    pub back: Signal<Out, bool>,
    pub to_una: Signal<Out, bool>,
    /// From step 5 on: what was not handed out begins before its PSN.
    pub goes_on: Signal<Out, bool>,

    earlier: Reg<bool>,
}

#[block]
impl Refusal {
    fn update(&mut self) {
        comment!("module refusal: what a NACK asks for");
        comment!("1 trimmed, 2 trimmed at the last hop, 13 out of order, 26 the receiver infers a loss.");
        let trimmed = (self.code == 1) | (self.code == 2);
        let out_of_order = self.code == 13;
        self.single = !self.ordered & (trimmed | (self.code == 26));
        self.back = self.ordered & !self.told & (trimmed | out_of_order);
        self.to_una = out_of_order;
        if self.step_4 {
            self.earlier = self.recovering & !self.finished & !self.reached;
        }
        self.goes_on = self.earlier;
    }
}
