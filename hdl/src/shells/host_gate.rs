//! `shell_host_gate`: whole frames, or nothing of them, from a host that waits.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;

/// Stands beside the data of a stream into the block. When the block forgets the beginning of the frame that is passing (`cut`), the rest
/// of it is taken from the host and goes no further. So the block never takes the rest of a frame for a frame.
///
/// It is reset with the host alone: a frame of which a part has come may have more to come when the block is reset.
#[derive(LogicBlock, Default)]
pub struct HostGate {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    /// The block forgets what it has of a frame, and takes nothing.
    pub cut: Signal<In, bool>,
    pub s_axis_tvalid: Signal<In, bool>,
    pub s_axis_tlast: Signal<In, bool>,
    pub s_axis_tready: Signal<Out, bool>,
    pub m_axis_tvalid: Signal<Out, bool>,
    pub m_axis_tready: Signal<In, bool>,

    /// The block has a part of the frame that is passing.
    is_inside: DFF<bool>,
    /// The rest of the frame is dropped.
    drops: DFF<bool>,
    offers: Signal<Local, bool>,
    takes: Signal<Local, bool>,
}

impl HostGate {
    /// Outside of a frame.
    pub fn new() -> Self {
        let mut block = Self::default();
        block.connect_all();
        block
    }
}

impl Logic for HostGate {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Whole frames, or nothing of them, from a host that waits.");
        dff_setup!(self, clk, is_inside, drops);
        self.offers.next = self.s_axis_tvalid.val() && !self.drops.q.val() && !self.cut.val();
        self.m_axis_tvalid.next = self.offers.val();
        self.takes.next = self.m_axis_tready.val() && !self.cut.val();
        self.s_axis_tready.next = self.drops.q.val() || self.takes.val();
        if self.offers.val() && self.m_axis_tready.val() {
            self.is_inside.d.next = !self.s_axis_tlast.val();
        }
        if self.drops.q.val() && self.s_axis_tvalid.val() && self.s_axis_tlast.val() {
            self.drops.d.next = false;
        }
        if self.cut.val() && self.is_inside.q.val() {
            self.is_inside.d.next = false;
            self.drops.d.next = true;
        }
        if self.rst.val() {
            self.is_inside.d.next = false;
            self.drops.d.next = false;
        }
    }
}
