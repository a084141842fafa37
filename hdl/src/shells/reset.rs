//! `shell_reset_near`, `shell_reset_far`: the reset pair of a user block in OpenNIC shell.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;

/// Holds `rst` for 64 edges from the last one with `mod_rstn` low on, and answers with `mod_rst_done` when that is over.
#[derive(LogicBlock, Default)]
pub struct ResetNear {
    pub clk: Signal<In, Clock>,
    pub mod_rstn: Signal<In, bool>,
    pub mod_rst_done: Signal<Out, bool>,
    pub rst: Signal<Out, bool>,

    count: DFF<Bits<7>>,
    is_over: Signal<Local, bool>,
}

impl ResetNear {
    /// As after configuration of the FPGA: in reset.
    pub fn new() -> Self {
        let mut block = Self::default();
        block.connect_all();
        block
    }
}

impl Logic for ResetNear {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Holds the reset for 64 edges, and answers when that is over.");
        dff_setup!(self, clk, count);
        self.is_over.next = self.count.q.val().get_bit(6);
        if !self.mod_rstn.val() {
            self.count.d.next = bits::<7>(0);
        } else if !self.is_over.val() {
            self.count.d.next = self.count.q.val() + 1;
        }
        self.mod_rst_done.next = self.is_over.val();
        self.rst.next = !self.is_over.val();
    }
}

/// The same reset on another clock, two edges later.
#[derive(LogicBlock, Default)]
pub struct ResetFar {
    pub clk: Signal<In, Clock>,
    pub asked: Signal<In, bool>,
    pub rst: Signal<Out, bool>,

    asked_1: DFF<bool>,
    asked_2: DFF<bool>,
}

impl ResetFar {
    /// As after configuration of the FPGA.
    pub fn new() -> Self {
        let mut block = Self::default();
        block.connect_all();
        block
    }
}

impl Logic for ResetFar {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("The reset on the clock of the streams.");
        dff_setup!(self, clk, asked_1, asked_2);
        self.asked_1.d.next = self.asked.val();
        self.asked_2.d.next = self.asked_1.q.val();
        self.rst.next = self.asked_2.q.val();
    }
}
