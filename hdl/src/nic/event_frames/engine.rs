//! The block: its ports, and the wires between its parts.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::batch::Batch;
use super::gather::{Addressing, Gather};
use super::store::Store;
use super::turns::Turns;
use crate::comment;
use crate::nic::events::RECORD_BITS;
use crate::nic::receiver::words::Record;
use crate::prims::{Axis, Reg};

/// Events as frames to the host. Of [`EventFrameSizes`](super::EventFrameSizes) `W` is `data`, `K` `bytes` and `A` `address`.
#[block]
pub struct EventFrames<const W: usize, const K: usize, const A: usize> {
    #[flat]
    pub addressing: Signal<In, Addressing>,
    /// Events of a frame, at most; and ticks after which fewer are a frame.
    pub most: Signal<In, Bits<6>>,
    pub ticks: Signal<In, Bits<16>>,
    pub wire_time: Signal<In, Bits<16>>,

    /// The queue of events.
    pub event_tdata: Signal<In, Bits<RECORD_BITS>>,
    pub event_tvalid: Signal<In, bool>,
    pub event_tready: Signal<Out, bool>,
    pub waiting: Signal<In, Bits<16>>,
    /// Pulses: an event was lost, in one of three places.
    pub lost0: Signal<In, bool>,
    pub lost1: Signal<In, bool>,
    pub lost2: Signal<In, bool>,

    /// A frame is to begin, and does where it is granted.
    pub wants: Signal<Out, bool>,
    pub granted: Signal<In, bool>,

    /// Frames that came, and what stands beside them.
    pub s_axis: Axis<In, W, K>,
    pub rx: Signal<In, Record>,
    pub rx_status: Signal<In, Bits<3>>,
    /// Frames for the host. Of one of events `m_rx_kind` is 3 and `m_rx_status` 5; what is shown of a packet is no one's.
    pub m_axis: Axis<Out, W, K>,
    pub m_rx: Signal<Out, Record>,
    pub m_rx_status: Signal<Out, Bits<3>>,
    /// The frame is one of events.
    pub m_is_events: Signal<Out, bool>,

    batch: Batch,
    gather: Gather<W, K>,
    store: Store<W, K, A>,
    turns: Turns,
    /// Events that were lost, modulo 2^32.
    #[reset = 0]
    lost: Reg<Bits<32>>,
}

#[block]
impl<const W: usize, const K: usize, const A: usize> EventFrames<W, K, A> {
    /// With no event inside.
    pub fn new() -> Self {
        let mut block = Self { gather: Gather::new(), store: Store::new(), ..Default::default() };
        block.connect_all();
        block
    }

    fn update(&mut self) {
        comment!("Events as frames to the host, between the frames that came.");
        let mut lost_now: Bits<2> = 0;
        lost_now = lost_now + self.lost0;
        lost_now = lost_now + self.lost1;
        lost_now = lost_now + self.lost2;
        self.lost = self.lost + bit_cast::<32, 2>(lost_now);

        self.batch.waiting = self.waiting;
        self.batch.most = self.most;
        self.batch.ticks = self.ticks;
        self.batch.wire_time = self.wire_time;
        self.batch.is_busy = self.gather.is_busy;
        self.batch.has_room = self.store.has_room;
        self.batch.granted = self.granted;
        self.wants = self.batch.wants;

        self.gather.addressing = self.addressing;
        self.gather.event_valid = self.event_tvalid;
        self.gather.record = self.event_tdata;
        self.event_tready = self.gather.event_ready;
        self.gather.begins = self.batch.begins;
        self.gather.records = self.batch.records;
        self.gather.lost = self.lost;

        self.store.push = self.gather.push;
        self.store.beat = self.gather.beat;
        self.store.is_last = self.gather.is_last;
        self.store.pop = self.turns.is_own & self.m_axis.tready;

        self.turns.valid = self.s_axis.tvalid;
        self.turns.is_last = self.s_axis.tlast;
        self.turns.has_own = self.store.valid;
        self.turns.is_own_last = self.store.head.keep.get_bit(0);
        self.turns.ready = self.m_axis.tready;
        self.s_axis.tready = self.m_axis.tready & !self.turns.is_own;

        self.m_axis.tdata = self.s_axis.tdata;
        self.m_axis.tkeep = self.s_axis.tkeep;
        self.m_axis.tvalid = self.s_axis.tvalid;
        self.m_axis.tlast = self.s_axis.tlast;
        self.m_rx = self.rx;
        self.m_rx_status = self.rx_status;
        if self.turns.is_own {
            self.m_axis.tdata = self.store.head.data;
            self.m_axis.tkeep = self.store.head.keep.replace_bit(0, true);
            self.m_axis.tvalid = true;
            self.m_axis.tlast = self.store.head.keep.get_bit(0);
            self.m_rx.kind = 3;
            self.m_rx_status = 5;
        }
        self.m_is_events = self.turns.is_own;
    }
}
