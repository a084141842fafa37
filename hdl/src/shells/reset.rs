//! `shell_reset_near`, `shell_reset_far`: the reset pair of a user block in OpenNIC shell.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::Reg;

/// Asks for a reset of the block from an edge with `mod_rstn` low on, for 48 edges and until the other clock has seen it, which may
/// stand still. `mod_rst_done` rises after 64 edges: the reset is over at the other end by then, so an access that waited for it is not
/// refused, and a clock that stands still holds no one up.
#[block(no_reset)]
pub struct ResetNear {
    pub mod_rstn: Signal<In, bool>,
    pub mod_rst_done: Signal<Out, bool>,
    /// To the other end, and from there that it is seen.
    pub asks: Signal<Out, bool>,
    pub seen: Signal<In, bool>,
    /// That of this clock, from [`PowerUp`](super::PowerUp).
    pub power_up: Signal<In, bool>,
    /// The other end has been reset once, so its answers mean something.
    pub has_begun: Signal<Out, bool>,

    count: Reg<Bits<7>>,
    is_asked: Reg<bool>,
    /// The other clock has not seen this reset.
    is_due: Reg<bool>,
    begun: Reg<bool>,
    seen_1: Reg<bool>,
    seen_2: Reg<bool>,
}

#[block]
impl ResetNear {
    /// As after configuration of the FPGA: in reset.
    pub fn new() -> Self {
        let mut block = Self::default();
        block.connect_all();
        block
    }

    fn update(&mut self) {
        comment!(
            "Asks for a reset for 48 edges, and answers 16 edges later, when it is over at the other end, too."
        );
        self.seen_1 = self.seen;
        self.seen_2 = self.seen_1;
        let is_over = self.count.get_bit(6);
        if !is_over {
            self.count = self.count + 1;
        }
        let has_asked = is_over || (self.count.get_bit(5) && self.count.get_bit(4));
        self.is_asked = !has_asked || self.is_due;
        if self.seen_2 {
            self.is_due = false;
            self.begun = true;
        }
        if !self.mod_rstn || self.power_up {
            self.count = 0;
            self.is_asked = true;
            self.is_due = true;
        }
        self.mod_rst_done = is_over;
        self.asks = self.is_asked;
        self.has_begun = self.begun;
        if self.power_up {
            self.begun = false;
            self.seen_1 = false;
            self.seen_2 = false;
        }
    }
}

/// The same reset on another clock, two edges later.
#[block(no_reset)]
pub struct ResetFar {
    pub asked: Signal<In, bool>,
    pub rst: Signal<Out, bool>,
    /// The reset is there. It is low before the first edges of the clock.
    pub seen: Signal<Out, bool>,
    /// That of this clock, from [`PowerUp`](super::PowerUp).
    pub power_up: Signal<In, bool>,

    asked_1: Reg<bool>,
    asked_2: Reg<bool>,
}

#[block]
impl ResetFar {
    /// As after configuration of the FPGA.
    pub fn new() -> Self {
        let mut block = Self::default();
        block.connect_all();
        block
    }

    fn update(&mut self) {
        comment!("The reset on the clock of the streams.");
        self.asked_1 = self.asked;
        self.asked_2 = self.asked_1;
        self.rst = self.asked_2;
        self.seen = self.asked_2 && !self.power_up;
    }
}
