//! `shell_gate`: whole frames, or nothing of them, from a MAC that never waits.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::{Param, Reg};

/// Stands beside the data of a stream into the block, whose input is ready but during a reset and shortly after it.
///
/// The MAC does not wait for it. A beat that finds the block not ready is lost, and with it the rest of its frame; and a frame of
/// which the block forgot the beginning is not gone on with. So the block never takes the rest of a frame for a frame.
///
/// A frame of more than so many beats ends with the last of them, marked as a bad one: the block drops it, counts it and acknowledges
/// nothing, where a later part that has no room for it could only drop it.
///
/// It is reset with the MAC alone: a frame of which a part has come may have more to come when the block is reset.
#[block]
pub struct Gate {
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
    #[reset = false]
    is_inside: Reg<bool>,
    /// The rest of the frame is dropped.
    #[reset = false]
    drops: Reg<bool>,
    /// Beats that the frame may have after the one before.
    left: Reg<Bits<8>>,
    most: Param<Bits<8>>,
    is_limited: Param<bool>,
}

#[block]
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

    fn update(&mut self) {
        comment!("Whole frames, or nothing of them, from a MAC that never waits.");
        comment!("A frame that is too long ends here, as a bad one.");
        let is_too_long = self.is_limited && (self.left == 0) && !self.s_axis_tlast;
        let ends = self.s_axis_tlast || is_too_long;
        self.m_axis_tlast = ends;
        self.m_axis_tuser = self.s_axis_tuser || is_too_long;
        self.m_axis_tvalid = self.s_axis_tvalid && !self.drops;
        let passes = self.s_axis_tvalid && !self.drops && self.m_axis_tready && !self.cut;
        self.begins = passes && !self.is_inside;
        if self.cut && self.is_inside {
            self.is_inside = false;
            self.drops = true;
        }
        if self.s_axis_tvalid {
            self.is_inside = passes && !ends;
            self.drops = (!passes || is_too_long) && !self.s_axis_tlast;
        }
        if passes && !ends {
            self.left = self.left - 1;
        } else if passes || !self.is_inside {
            self.left = self.most;
        }
    }
}
