//! `shell_stamps`: the timestamp of each frame from the MAC, again beside it when it goes on to the host.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;
use crate::manifest::MemoryKind;
use crate::prims::{Fifo, Param};

/// The block keeps the order of frames, and takes some out. So timestamps wait in the order of the frames, and each goes when it is
/// decided what becomes of its frame: an edge after its record was taken a frame is judged, and an edge later it is told where it is dropped.
///
/// ```text
///  ts ──► coming ──┬─► kept ──► stamp
///                  └─► dropped with its frame: bad, an ACK, a probe, or no room
/// ```
#[derive(LogicBlock, Default)]
pub struct Stamps {
    pub clk: Signal<In, Clock>,
    /// Also when the block forgets all frames.
    pub rst: Signal<In, bool>,
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
    /// Of the frame that passes.
    pub stamp: Signal<Out, Bits<96>>,

    /// Frames between `rx_in` and the receive side: each has a beat among 32 there, or in the registers before them.
    coming: Fifo<Bits<96>, 6, 7>,
    /// Frames in the ring: each has a beat among 512 there.
    kept: Fifo<Bits<96>, 10, 11>,
    ended_1: DFF<bool>,
    ended_2: DFF<bool>,
    is_for_host_1: DFF<bool>,
    is_for_host_2: DFF<bool>,
    ends: Signal<Local, bool>,
    is_probe: Signal<Local, bool>,
    is_uet: Param<bool>,
}

impl Stamps {
    /// For the packets of a profile.
    pub fn new(is_uet: bool) -> Self {
        let mut block = Self {
            coming: Fifo::new("coming_memory", MemoryKind::Distributed),
            kept: Fifo::new("kept_memory", MemoryKind::Block),
            is_uet: Param::new(is_uet),
            ..Default::default()
        };
        block.connect_all();
        block
    }
}

impl Logic for Stamps {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Timestamps of the frames from the MAC, each again beside its frame.");
        dff_setup!(self, clk, ended_1, ended_2, is_for_host_1, is_for_host_2);
        self.coming.clk.next = self.clk.val();
        self.coming.rst.next = self.rst.val();
        self.kept.clk.next = self.clk.val();
        self.kept.rst.next = self.rst.val();
        self.coming.in_valid.next = self.begins.val();
        self.coming.in_data.next = self.ts.val();
        comment!("Of uet a request without payload that asks for an ACK is a probe.");
        self.ends.next = self.tvalid.val() && self.tlast.val() && self.tready.val();
        self.is_probe.next =
            self.is_uet.val() && self.meta_ack_request.val() && (self.meta_bytes.val() == bits::<16>(0));
        self.ended_1.d.next = self.ends.val();
        self.ended_2.d.next = self.ended_1.q.val();
        self.is_for_host_1.d.next = !self.tuser.val()
            && ((self.meta_kind.val() == bits::<2>(3))
                || ((self.meta_kind.val() == bits::<2>(0)) && !self.is_probe.val()));
        self.is_for_host_2.d.next = self.is_for_host_1.q.val();
        self.coming.out_ready.next = self.ended_2.q.val();
        self.kept.in_valid.next = self.ended_2.q.val()
            && self.is_for_host_2.q.val()
            && !self.dropped_host.val()
            && !self.dropped_engine.val();
        self.kept.in_data.next = self.coming.out_data.val();
        self.m_axis_tvalid.next = self.s_axis_tvalid.val() && self.kept.out_valid.val();
        self.s_axis_tready.next = self.m_axis_tready.val() && self.kept.out_valid.val();
        self.kept.out_ready.next =
            self.s_axis_tvalid.val() && self.m_axis_tready.val() && self.s_axis_tlast.val();
        self.stamp.next = self.kept.out_data.val();
        if self.rst.val() {
            self.ended_1.d.next = false;
            self.ended_2.d.next = false;
        }
    }
}
