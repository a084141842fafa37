//! Halves of the RTO, one after the other.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::Reg;

/// Says which phase it is. A visit that finds that half an RTO went by begins the next one, for the visits that follow.
#[block]
pub struct Phase {
    pub step_1: Signal<In, bool>,
    pub step_3: Signal<In, bool>,
    pub is_visit: Signal<In, bool>,
    pub now: Signal<In, Bits<16>>,
    /// Step 1: without doublings.
    pub rto: Signal<In, Bits<16>>,

    pub turn: Signal<Out, bool>,

    #[reset = false]
    is_odd: Reg<bool>,
    #[reset = 0]
    since: Reg<Bits<16>>,
    is_over: Reg<bool>,
}

#[block]
impl Phase {
    fn update(&mut self) {
        comment!("module phase: halves of the RTO, one after the other");
        let elapsed = self.now - self.since;
        if self.step_1 {
            self.is_over = self.is_visit & (elapsed >= (self.rto >> 1));
        }
        if self.step_3 & self.is_over {
            self.is_odd = !self.is_odd;
            self.since = self.now;
        }
        self.turn = self.is_odd;
    }
}
