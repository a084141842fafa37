//! `shell_gate`: whole frames, or nothing of them, from a MAC that never waits.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::Param;

/// Stands beside the data of a stream into the block, whose input is ready but during a reset and shortly after it.
///
/// The MAC does not wait for it. A beat that finds the block not ready is lost, and with it the rest of its frame; and a frame of
/// which the block forgot the beginning is not gone on with. So the block never takes the rest of a frame for a frame.
///
/// A frame of more than so many beats ends with the last of them, marked as a bad one: the block drops it, counts it and acknowledges
/// nothing, where a later part that has no room for it could only drop it.
///
/// It is reset with the MAC alone: a frame of which a part has come may have more to come when the block is reset.
#[derive(LogicBlock, Default)]
pub struct Gate {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    /// The block forgets what it has of a frame.
    pub cut: Signal<In, bool>,
    pub s_axis_tvalid: Signal<In, bool>,
    pub s_axis_tlast: Signal<In, bool>,
    pub s_axis_tuser: Signal<In, bool>,
    pub m_axis_tvalid: Signal<Out, bool>,
    pub m_axis_tlast: Signal<Out, bool>,
    pub m_axis_tuser: Signal<Out, bool>,
    pub m_axis_tready: Signal<In, bool>,
    /// The block takes the first beat of a frame.
    pub begins: Signal<Out, bool>,

    /// The block has a part of the frame that is passing.
    is_inside: DFF<bool>,
    /// The rest of the frame is dropped.
    drops: DFF<bool>,
    /// Beats that the frame may have after the one before.
    left: DFF<Bits<8>>,
    passes: Signal<Local, bool>,
    is_too_long: Signal<Local, bool>,
    ends: Signal<Local, bool>,
    most: Param<Bits<8>>,
    is_limited: Param<bool>,
}

impl Gate {
    /// Outside of a frame. A frame has at most so many beats, 1 to 256, if that is limited.
    pub fn new(most_beats: Option<u64>) -> Self {
        let mut block = Self {
            most: Param::new((most_beats.unwrap_or(1) - 1).into()),
            is_limited: Param::new(most_beats.is_some()),
            ..Default::default()
        };
        block.connect_all();
        block
    }
}

impl Logic for Gate {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Whole frames, or nothing of them, from a MAC that never waits.");
        dff_setup!(self, clk, is_inside, drops, left);
        comment!("A frame that is too long ends here, as a bad one.");
        self.is_too_long.next =
            self.is_limited.val() && (self.left.q.val() == bits::<8>(0)) && !self.s_axis_tlast.val();
        self.ends.next = self.s_axis_tlast.val() || self.is_too_long.val();
        self.m_axis_tlast.next = self.ends.val();
        self.m_axis_tuser.next = self.s_axis_tuser.val() || self.is_too_long.val();
        self.m_axis_tvalid.next = self.s_axis_tvalid.val() && !self.drops.q.val();
        self.passes.next =
            self.s_axis_tvalid.val() && !self.drops.q.val() && self.m_axis_tready.val() && !self.cut.val();
        self.begins.next = self.passes.val() && !self.is_inside.q.val();
        if self.cut.val() && self.is_inside.q.val() {
            self.is_inside.d.next = false;
            self.drops.d.next = true;
        }
        if self.s_axis_tvalid.val() {
            self.is_inside.d.next = self.passes.val() && !self.ends.val();
            self.drops.d.next = (!self.passes.val() || self.is_too_long.val()) && !self.s_axis_tlast.val();
        }
        if self.passes.val() && !self.ends.val() {
            self.left.d.next = self.left.q.val() - 1;
        } else if self.passes.val() || !self.is_inside.q.val() {
            self.left.d.next = self.most.val();
        }
        if self.rst.val() {
            self.is_inside.d.next = false;
            self.drops.d.next = false;
        }
    }
}
