//! `ecpix5_startup`: the reset of the board, from its button and from power-up.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::Reg;

/// Holds `rst` for 256 cycles after `rst_n` was low, and after configuration, when all registers of an ECP5 are 0.
#[block(no_reset)]
pub struct Startup {
    /// The button: low while it is pressed, at any time within a cycle.
    pub rst_n: Signal<In, bool>,
    pub rst: Signal<Out, bool>,
    first: Reg<bool>,
    second: Reg<bool>,
    count: Reg<Bits<8>>,
    is_up: Reg<bool>,
}

#[block]
impl Startup {
    fn update(&mut self) {
        comment!("The reset of the board, from its button and from power-up.");
        self.first = self.rst_n;
        self.second = self.first;
        self.is_up = self.count.all();
        if !self.second {
            self.count = 0;
            self.is_up = false;
        } else if !self.count.all() {
            self.count = self.count + 1;
        }
        self.rst = !self.is_up;
    }
}
