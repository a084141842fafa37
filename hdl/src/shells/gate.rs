//! `shell_gate`: whole frames, or nothing of them, from a MAC that never waits.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;

/// Stands beside the data of a stream into the block, whose input is ready but during a reset and shortly after it.
///
/// The MAC does not wait for it. A beat that finds the block not ready is lost, and with it the rest of its frame; and a frame of
/// which the block forgot the beginning is not gone on with. So the block never takes the rest of a frame for a frame.
#[derive(LogicBlock, Default)]
pub struct Gate {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    /// The block forgets what it has of a frame.
    pub cut: Signal<In, bool>,
    pub s_axis_tvalid: Signal<In, bool>,
    pub s_axis_tlast: Signal<In, bool>,
    pub m_axis_tvalid: Signal<Out, bool>,
    pub m_axis_tready: Signal<In, bool>,
    /// The block takes the first beat of a frame.
    pub begins: Signal<Out, bool>,

    /// The block has a part of the frame that is passing.
    is_inside: DFF<bool>,
    /// The rest of the frame is dropped.
    drops: DFF<bool>,
    passes: Signal<Local, bool>,
}

impl Gate {
    /// Outside of a frame.
    pub fn new() -> Self {
        let mut block = Self::default();
        block.connect_all();
        block
    }
}

impl Logic for Gate {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Whole frames, or nothing of them, from a MAC that never waits.");
        dff_setup!(self, clk, is_inside, drops);
        self.m_axis_tvalid.next = self.s_axis_tvalid.val() && !self.drops.q.val();
        self.passes.next =
            self.s_axis_tvalid.val() && !self.drops.q.val() && self.m_axis_tready.val() && !self.cut.val();
        self.begins.next = self.passes.val() && !self.is_inside.q.val();
        if self.cut.val() && self.is_inside.q.val() {
            self.is_inside.d.next = false;
            self.drops.d.next = true;
        }
        if self.s_axis_tvalid.val() {
            self.is_inside.d.next = self.passes.val() && !self.s_axis_tlast.val();
            self.drops.d.next = !self.passes.val() && !self.s_axis_tlast.val();
        }
        if self.rst.val() {
            self.is_inside.d.next = false;
            self.drops.d.next = false;
        }
    }
}
