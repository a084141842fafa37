//! `shell_ender`: a frame to the host that the block forgets is ended, and marked.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::Reg;

/// Stands beside the data of a stream out of the block. When the block forgets the rest of the frame that is passing (`cut`), a beat
/// more follows, with `tlast` and `tuser`: whoever takes the frames drops this one, and no frame is joined to another.
#[block]
pub struct Ender {
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
    #[reset = false]
    is_inside: Reg<bool>,
    /// The beat that ends it is owed.
    #[reset = false]
    owes: Reg<bool>,
}

#[block]
impl Ender {
    /// Outside of a frame.
    pub fn new() -> Self {
        let mut block = Self::default();
        block.connect_all();
        block
    }

    fn update(&mut self) {
        comment!("A frame that is cut is ended, and marked.");
        let passes = !self.owes && !self.cut;
        let offers = passes && self.s_axis_tvalid;
        self.s_axis_tready = passes && self.m_axis_tready;
        self.m_axis_tvalid = self.owes || offers;
        self.m_axis_tlast = self.owes || self.s_axis_tlast;
        self.m_axis_tuser = self.owes;
        if offers && self.m_axis_tready {
            self.is_inside = !self.s_axis_tlast;
        }
        if self.owes && self.m_axis_tready {
            self.owes = false;
        }
        if self.cut && self.is_inside {
            self.is_inside = false;
            self.owes = true;
        }
    }
}
