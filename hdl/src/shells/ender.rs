//! `shell_ender`: a frame to the host that the block forgets is ended, and marked.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;

/// Stands beside the data of a stream out of the block. When the block forgets the rest of the frame that is passing (`cut`), a beat
/// more follows, with `tlast` and `tuser`: whoever takes the frames drops this one, and no frame is joined to another.
#[derive(LogicBlock, Default)]
pub struct Ender {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    /// The block forgets what it has of a frame, and gives nothing.
    pub cut: Signal<In, bool>,
    pub s_axis_tvalid: Signal<In, bool>,
    pub s_axis_tlast: Signal<In, bool>,
    pub s_axis_tready: Signal<Out, bool>,
    pub m_axis_tvalid: Signal<Out, bool>,
    pub m_axis_tlast: Signal<Out, bool>,
    /// In the beat that ends a frame which was cut.
    pub m_axis_tuser: Signal<Out, bool>,
    pub m_axis_tready: Signal<In, bool>,

    /// A part of the frame that is passing has left.
    is_inside: DFF<bool>,
    /// The beat that ends it is owed.
    owes: DFF<bool>,
    passes: Signal<Local, bool>,
    offers: Signal<Local, bool>,
}

impl Ender {
    /// Outside of a frame.
    pub fn new() -> Self {
        let mut block = Self::default();
        block.connect_all();
        block
    }
}

impl Logic for Ender {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("A frame that is cut is ended, and marked.");
        dff_setup!(self, clk, is_inside, owes);
        self.passes.next = !self.owes.q.val() && !self.cut.val();
        self.offers.next = self.passes.val() && self.s_axis_tvalid.val();
        self.s_axis_tready.next = self.passes.val() && self.m_axis_tready.val();
        self.m_axis_tvalid.next = self.owes.q.val() || self.offers.val();
        self.m_axis_tlast.next = self.owes.q.val() || self.s_axis_tlast.val();
        self.m_axis_tuser.next = self.owes.q.val();
        if self.offers.val() && self.m_axis_tready.val() {
            self.is_inside.d.next = !self.s_axis_tlast.val();
        }
        if self.owes.q.val() && self.m_axis_tready.val() {
            self.owes.d.next = false;
        }
        if self.cut.val() && self.is_inside.q.val() {
            self.is_inside.d.next = false;
            self.owes.d.next = true;
        }
        if self.rst.val() {
            self.is_inside.d.next = false;
            self.owes.d.next = false;
        }
    }
}
