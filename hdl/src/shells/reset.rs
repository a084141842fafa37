//! `shell_reset_near`, `shell_reset_far`: the reset pair of a user block in OpenNIC shell.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;

/// Asks for a reset of the block from an edge with `mod_rstn` low on, for 48 edges and until the other clock has seen it, which may
/// stand still. `mod_rst_done` rises after 64 edges: the reset is over at the other end by then, so an access that waited for it is not
/// refused, and a clock that stands still holds no one up.
#[derive(LogicBlock, Default)]
pub struct ResetNear {
    pub clk: Signal<In, Clock>,
    pub mod_rstn: Signal<In, bool>,
    pub mod_rst_done: Signal<Out, bool>,
    /// To the other end, and from there that it is seen.
    pub asks: Signal<Out, bool>,
    pub seen: Signal<In, bool>,
    /// That of this clock, from [`PowerUp`](super::PowerUp).
    pub power_up: Signal<In, bool>,
    /// The other end has been reset once, so its answers mean something.
    pub has_begun: Signal<Out, bool>,

    count: DFF<Bits<7>>,
    is_asked: DFF<bool>,
    /// The other clock has not seen this reset.
    is_due: DFF<bool>,
    begun: DFF<bool>,
    seen_1: DFF<bool>,
    seen_2: DFF<bool>,
    is_over: Signal<Local, bool>,
    has_asked: Signal<Local, bool>,
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
        comment!(
            "Asks for a reset for 48 edges, and answers 16 edges later, when it is over at the other end, too."
        );
        dff_setup!(self, clk, count, is_asked, is_due, begun, seen_1, seen_2);
        self.seen_1.d.next = self.seen.val();
        self.seen_2.d.next = self.seen_1.q.val();
        self.is_over.next = self.count.q.val().get_bit(6);
        if !self.is_over.val() {
            self.count.d.next = self.count.q.val() + 1;
        }
        self.has_asked.next =
            self.is_over.val() || (self.count.q.val().get_bit(5) && self.count.q.val().get_bit(4));
        self.is_asked.d.next = !self.has_asked.val() || self.is_due.q.val();
        if self.seen_2.q.val() {
            self.is_due.d.next = false;
            self.begun.d.next = true;
        }
        if !self.mod_rstn.val() || self.power_up.val() {
            self.count.d.next = bits::<7>(0);
            self.is_asked.d.next = true;
            self.is_due.d.next = true;
        }
        self.mod_rst_done.next = self.is_over.val();
        self.asks.next = self.is_asked.q.val();
        self.has_begun.next = self.begun.q.val();
        if self.power_up.val() {
            self.begun.d.next = false;
            self.seen_1.d.next = false;
            self.seen_2.d.next = false;
        }
    }
}

/// The same reset on another clock, two edges later.
#[derive(LogicBlock, Default)]
pub struct ResetFar {
    pub clk: Signal<In, Clock>,
    pub asked: Signal<In, bool>,
    pub rst: Signal<Out, bool>,
    /// The reset is there. It is low before the first edges of the clock.
    pub seen: Signal<Out, bool>,
    /// That of this clock, from [`PowerUp`](super::PowerUp).
    pub power_up: Signal<In, bool>,

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
        self.seen.next = self.asked_2.q.val() && !self.power_up.val();
    }
}
