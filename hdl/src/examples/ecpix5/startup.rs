//! `ecpix5_startup`: the reset of the board, from its button and from power-up.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;

/// Holds `rst` for 256 cycles after `rst_n` was low, and after configuration, when all registers of an ECP5 are 0.
#[derive(LogicBlock, Default)]
pub struct Startup {
    pub clk: Signal<In, Clock>,
    /// The button: low while it is pressed, at any time within a cycle.
    pub rst_n: Signal<In, bool>,
    pub rst: Signal<Out, bool>,
    first: DFF<bool>,
    second: DFF<bool>,
    count: DFF<Bits<8>>,
    is_up: DFF<bool>,
}

impl Logic for Startup {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("The reset of the board, from its button and from power-up.");
        dff_setup!(self, clk, first, second, count, is_up);
        self.first.d.next = self.rst_n.val();
        self.second.d.next = self.first.q.val();
        self.is_up.d.next = self.count.q.val().all();
        if !self.second.q.val() {
            self.count.d.next = 0.into();
            self.is_up.d.next = false;
        } else if !self.count.q.val().all() {
            self.count.d.next = self.count.q.val() + 1;
        }
        self.rst.next = !self.is_up.q.val();
    }
}
