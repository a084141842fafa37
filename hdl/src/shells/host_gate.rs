//! `shell_host_gate`: whole frames, or nothing of them, from a host that waits.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::Reg;

/// Stands beside the data of a stream into the block. When the block forgets the beginning of the frame that is passing (`cut`), the rest
/// of it is taken from the host and goes no further. So the block never takes the rest of a frame for a frame.
///
/// It is reset with the host alone: a frame of which a part has come may have more to come when the block is reset.
#[block]
pub struct HostGate {
    /// The block forgets what it has of a frame, and takes nothing.
    pub cut: Signal<In, bool>,
    pub s_axis_tvalid: Signal<In, bool>,
    pub s_axis_tlast: Signal<In, bool>,
    pub s_axis_tready: Signal<Out, bool>,
    pub m_axis_tvalid: Signal<Out, bool>,
    pub m_axis_tready: Signal<In, bool>,

    /// The block has a part of the frame that is passing.
    #[reset = false]
    is_inside: Reg<bool>,
    /// The rest of the frame is dropped.
    #[reset = false]
    drops: Reg<bool>,
}

#[block]
impl HostGate {
    /// Outside of a frame.
    pub fn new() -> Self {
        let mut block = Self::default();
        block.connect_all();
        block
    }

    fn update(&mut self) {
        comment!("Whole frames, or nothing of them, from a host that waits.");
        let offers = self.s_axis_tvalid && !self.drops && !self.cut;
        self.m_axis_tvalid = offers;
        let takes = self.m_axis_tready && !self.cut;
        self.s_axis_tready = self.drops || takes;
        if offers && self.m_axis_tready {
            self.is_inside = !self.s_axis_tlast;
        }
        if self.drops && self.s_axis_tvalid && self.s_axis_tlast {
            self.drops = false;
        }
        if self.cut && self.is_inside {
            self.is_inside = false;
            self.drops = true;
        }
    }
}
