//! `shell_stamps`: the timestamp of each frame from the MAC, again beside it when it goes on to the host.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::manifest::MemoryKind;
use crate::prims::{Fifo, Optional, Param, Reg};

/// The block keeps the order of frames, and takes some out. So timestamps wait in the order of the frames, and each goes when it is
/// decided what becomes of its frame: an edge after its record was taken a frame is judged, and an edge later it is told where it is dropped.
///
/// ```text
///  ts ──► coming ──┬─► kept ──► stamp
///                  └─► dropped with its frame: bad, an ACK, a probe, or no room
/// ```
#[block]
pub struct Stamps {
    /// The block takes the first beat of a frame, and its timestamp.
    pub begins: Signal<In, bool>,
    pub ts: Signal<In, Bits<96>>,
    /// The receive side of the block takes a frame's last beat with its record.
    pub tvalid: Signal<In, bool>,
    pub tlast: Signal<In, bool>,
    pub tready: Signal<In, bool>,
    pub tuser: Signal<In, bool>,
    pub meta_kind: Signal<In, Bits<2>>,
    pub meta_bytes: Signal<In, Bits<16>>,
    pub meta_ack_request: Signal<In, bool>,
    pub dropped_host: Signal<In, bool>,
    pub dropped_engine: Signal<In, bool>,
    /// Beats for the host pass here: none before its timestamp is known.
    pub s_axis_tvalid: Signal<In, bool>,
    pub s_axis_tlast: Signal<In, bool>,
    pub s_axis_tready: Signal<Out, bool>,
    pub m_axis_tvalid: Signal<Out, bool>,
    pub m_axis_tready: Signal<In, bool>,
    /// The frame that passes is one of events, which did not come: its timestamp is 0.
    pub is_of_events: Optional<Signal<In, bool>>,
    /// Of the frame that passes.
    pub stamp: Signal<Out, Bits<96>>,

    /// Frames between `rx_in` and the receive side: each has a beat among 32 there, or in the registers before them.
    coming: Fifo<Bits<96>, 6, 7>,
    /// Frames in the ring: each has a beat among 512 there.
    kept: Fifo<Bits<96>, 10, 11>,
    #[reset = false]
    ended_1: Reg<bool>,
    #[reset = false]
    ended_2: Reg<bool>,
    is_for_host_1: Reg<bool>,
    is_for_host_2: Reg<bool>,
    is_uet: Param<bool>,
    has_events: Param<bool>,
}

#[block]
impl Stamps {
    /// For the packets of a profile, and for a block whose events go in frames or not.
    pub fn new(is_uet: bool, has_events: bool) -> Self {
        let mut block = Self {
            coming: Fifo::new("coming_memory", MemoryKind::Distributed),
            kept: Fifo::new("kept_memory", MemoryKind::Block),
            is_uet: Param::new(is_uet),
            is_of_events: Optional::new(has_events, Default::default),
            has_events: Param::new(has_events),
            ..Default::default()
        };
        block.connect_all();
        block
    }

    fn update(&mut self) {
        comment!("Timestamps of the frames from the MAC, each again beside its frame.");
        self.coming.in_valid = self.begins;
        self.coming.in_data = self.ts;
        comment!("Of uet a request without payload that asks for an ACK is a probe.");
        let ends = self.tvalid && self.tlast && self.tready;
        let is_probe = self.is_uet && self.meta_ack_request && (self.meta_bytes == 0);
        self.ended_1 = ends;
        self.ended_2 = self.ended_1;
        self.is_for_host_1 = !self.tuser && ((self.meta_kind == 3) || ((self.meta_kind == 0) && !is_probe));
        self.is_for_host_2 = self.is_for_host_1;
        self.coming.out_ready = self.ended_2;
        self.kept.in_valid = self.ended_2 && self.is_for_host_2 && !self.dropped_host && !self.dropped_engine;
        self.kept.in_data = self.coming.out_data;
        self.m_axis_tvalid = self.s_axis_tvalid && self.kept.out_valid;
        self.s_axis_tready = self.m_axis_tready && self.kept.out_valid;
        self.kept.out_ready = self.s_axis_tvalid && self.m_axis_tready && self.s_axis_tlast;
        self.stamp = self.kept.out_data;
        if self.has_events {
            comment!("A frame of events has no timestamp to wait for.");
            if self.is_of_events {
                self.m_axis_tvalid = self.s_axis_tvalid;
                self.s_axis_tready = self.m_axis_tready;
                self.kept.out_ready = false;
                self.stamp = 0;
            }
        }
    }
}
