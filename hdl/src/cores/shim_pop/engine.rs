//! The core: a window from which shims are read, the cut, a queue of beats, and a queue of records.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::{Head, Reader, Record, Teller};
use crate::comment;
use crate::cores::rewrite_rx::Queue;
use crate::cores::shim::describe::QUEUE_LIMIT;
use crate::cores::shim::{Extent, Finder, Found, Place, Plan, Window};
use crate::manifest::MemoryKind;
use crate::prims::{NamedBytes, Param, Reg, resize};

/// Edges with `rst` low until `s_axis_tready` is high.
pub(super) const RESET_CYCLES: u32 = 2;
/// Entries of the queue of records at which the input pauses.
pub(super) const RECORD_LIMIT: u64 = 16;

/// What is known of a frame whose last beat left place 0.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
struct Ended {
    record: Record,
    /// Bytes less one of the frame as it came, at most 2^15 and a beat.
    last_index: Bits<16>,
    is_long: Bit,
}

/// The `shim_pop` core. Its sizes are fields of [`BusSizes`](crate::cores::sizes::BusSizes).
#[block]
pub struct ShimPop<
    const DATA: usize,
    const BYTES: usize,
    const STEPS: usize,
    const BEAT_NUMBER: usize,
    const BEAT: usize,
    const WINDOW: usize,
> {
    pub s_axis_tdata: Signal<In, Bits<DATA>>,
    pub s_axis_tkeep: Signal<In, Bits<BYTES>>,
    pub s_axis_tvalid: Signal<In, Bit>,
    pub s_axis_tlast: Signal<In, Bit>,
    pub s_axis_tuser: Signal<In, Bits<1>>,
    pub s_axis_tready: Signal<Out, Bit>,
    pub s_take_out: Signal<In, Bits<5>>,
    pub ethertype: Signal<In, Bits<16>>,
    pub m_axis_tdata: Signal<Out, Bits<DATA>>,
    pub m_axis_tkeep: Signal<Out, Bits<BYTES>>,
    pub m_axis_tvalid: Signal<Out, Bit>,
    pub m_axis_tlast: Signal<Out, Bit>,
    pub m_axis_tuser: Signal<Out, Bits<1>>,
    pub m_axis_tready: Signal<In, Bit>,
    pub meta_valid: Signal<Out, Bit>,
    pub meta_ready: Signal<In, Bit>,
    pub meta_kind: Signal<Out, Bits<3>>,
    pub meta_error: Signal<Out, Bits<2>>,
    pub meta_bytes: Signal<Out, Bits<14>>,
    pub shim_hops: Signal<Out, Bits<4>>,
    pub shim_epoch: Signal<Out, Bits<4>>,
    pub shim_timestamp: Signal<Out, Bits<16>>,
    pub shim_hash: Signal<Out, Bits<16>>,
    pub shim_bytes: Signal<Out, Bits<24>>,
    pub shim_enable: Signal<Out, Bit>,
    pub shim_hop: Signal<Out, Bits<2>>,
    pub shim_path: Signal<Out, Bits<32>>,
    pub shim_len: Signal<Out, Bits<2>>,
    pub shim_ce: Signal<Out, Bits<8>>,
    pub shim_dst: Signal<Out, Bits<16>>,
    pub pkt_popped: Signal<Out, Bit>,
    pub pkt_kept: Signal<Out, Bit>,
    pub pkt_plain: Signal<Out, Bit>,
    pub pkt_unknown: Signal<Out, Bit>,
    pub pkt_malformed: Signal<Out, Bit>,

    window: Window<DATA, BYTES, WINDOW, Bits<5>>,
    finder: Finder<DATA, BYTES, WINDOW>,
    teller: Teller,
    reader: Reader,
    place: Place<STEPS, BEAT_NUMBER>,
    extent: Extent<BYTES>,
    beats: Queue<Bits<BEAT>>,
    records: Queue<Record>,

    found: Signal<Local, Found>,
    head: Signal<Local, Head>,
    plan: Reg<Plan>,
    head_0: Reg<Head>,
    is_long_0: Reg<Bit>,
    beat_1: Signal<Local, Bits<DATA>>,
    beat_2: Signal<Local, Bits<DATA>>,
    /// Beats two and three steps further on, and those behind them.
    from_2: Signal<Local, Bits<DATA>>,
    from_3: Signal<Local, Bits<DATA>>,
    keep_from_2: Signal<Local, Bits<BYTES>>,
    keep_from_3: Signal<Local, Bits<BYTES>>,
    rest_2: Signal<Local, Bits<BYTES>>,
    rest_3: Signal<Local, Bits<BYTES>>,
    lane_0: [Signal<Local, Bits<32>>; 16],
    lane_2: [Signal<Local, Bits<32>>; 16],
    lane_3: [Signal<Local, Bits<32>>; 16],
    lane: [Signal<Local, Bits<32>>; 16],
    named: NamedBytes<DATA, BYTES>,
    enables_0: [Signal<Local, Bits<4>>; 16],
    enables_2: [Signal<Local, Bits<4>>; 16],
    enables_3: [Signal<Local, Bits<4>>; 16],
    enables: [Signal<Local, Bits<4>>; 16],
    #[reset = false]
    is_ended: Reg<Bit>,
    ended: Reg<Ended>,
    record: Signal<Local, Record>,
    #[reset = false]
    popped: Reg<Bit>,
    #[reset = false]
    kept_in: Reg<Bit>,
    #[reset = false]
    plain: Reg<Bit>,
    #[reset = false]
    unknown: Reg<Bit>,
    #[reset = false]
    malformed: Reg<Bit>,
    is_64: Param<Bit>,
    /// Bits of two and of three steps, and what a beat has beside them.
    two: Param<Bits<10>>,
    three: Param<Bits<10>>,
    without_two: Param<Bits<10>>,
    without_three: Param<Bits<10>>,
    two_bytes: Param<Bits<10>>,
    three_bytes: Param<Bits<10>>,
    without_two_bytes: Param<Bits<10>>,
    without_three_bytes: Param<Bits<10>>,
    top: Param<Bits<10>>,
    top_enable: Param<Bits<10>>,
    at_keep: Param<Bits<10>>,
    at_user: Param<Bits<10>>,
}

#[block]
impl<
    const DATA: usize,
    const BYTES: usize,
    const STEPS: usize,
    const BEAT_NUMBER: usize,
    const BEAT: usize,
    const WINDOW: usize,
> ShimPop<DATA, BYTES, STEPS, BEAT_NUMBER, BEAT, WINDOW>
{
    /// The core with its beats in a memory of `kind`.
    pub fn new(kind: MemoryKind) -> Self {
        let number = |number: usize| Param::new((number as u64).into());
        // on a bus of two steps, two steps are a whole beat: what is counted here is what is left of three
        let steps = |steps: usize| if STEPS == 2 { steps - 2 } else { steps };
        let records = "what is said of packets, until it is taken";
        Self {
            reader: Reader::new(),
            extent: Extent::new(),
            beats: Queue::new("beat_memory", "beats between the input and the output", kind, QUEUE_LIMIT),
            records: Queue::new("record_memory", records, MemoryKind::Distributed, RECORD_LIMIT),
            is_64: Param::new(STEPS == 2),
            two: number(32 * steps(2)),
            three: number(32 * steps(3)),
            without_two: number(DATA - 32 * steps(2)),
            without_three: number(DATA - 32 * steps(3)),
            two_bytes: number(4 * steps(2)),
            three_bytes: number(4 * steps(3)),
            without_two_bytes: number(BYTES - 4 * steps(2)),
            without_three_bytes: number(BYTES - 4 * steps(3)),
            top: number(DATA - 32),
            top_enable: number(BYTES - 4),
            at_keep: number(DATA),
            at_user: number(DATA + BYTES),
            ..Default::default()
        }
    }

    fn update(&mut self) {
        comment!("Reads the shims of packets and takes them out.");
        comment!("A beat goes into the window.");
        self.s_axis_tready = self.beats.ready;
        let push = self.s_axis_tvalid && self.beats.ready;
        self.window.push = push;
        self.window.data = self.s_axis_tdata;
        self.window.keep = self.s_axis_tkeep;
        self.window.last = self.s_axis_tlast;
        self.window.user = self.s_axis_tuser;
        self.window.side = self.s_take_out;
        self.window.ethertype = self.ethertype;
        for i in 0..WINDOW {
            self.finder.valid[i] = self.window.valid[i];
            self.finder.data_at[i] = self.window.data_at[i];
            self.finder.keep_at[i] = self.window.keep_at[i];
            self.finder.is_last_at[i] = self.window.is_last_at[i];
            self.finder.is_tag_at[i] = self.window.is_tag_at[i];
            self.finder.is_shim_at[i] = self.window.is_shim_at[i];
            self.finder.is_ip_at[i] = self.window.is_ip_at[i];
        }
        comment!("What is found in a frame goes with its first beat to place 0, and holds for the frame.");
        self.found = self.finder.found;
        self.teller.found = self.finder.found;
        self.head = self.teller.head;
        let takes: Bits<8> = resize(self.window.side_1);
        if self.window.advance && self.window.is_first_at[1] {
            self.head_0 = self.head;
            self.is_long_0 = self.found.is_long;
            self.plan.tags = self.found.tags;
            self.plan.by_2 = takes.get_bit(self.head.kind.index()) && !self.found.is_long;
            self.plan.by_3 = takes.get_bit(self.head.kind.index()) && self.found.is_long;
        }
        self.place.advance = self.window.advance;
        self.place.is_first = self.window.is_first_at[1];
        self.place.step = false;
        self.place.plan = self.plan;
        self.extent.advance = self.window.advance;
        self.extent.is_first = self.window.is_first_at[1];
        self.extent.keep = self.window.keep_at[0];
        comment!("The beat in place 0, and those behind it that are of the same frame.");
        // The beat in place 0 and the two behind it.
        let beat_0 = self.window.data_at[0];
        self.beat_1 = self.window.data_at[1];
        self.beat_2 = self.window.data_at[2];
        let is_last_0 = self.window.is_last_at[0];
        let user_0 = self.window.user_at[0];
        let is_last_1 = self.window.is_last_at[1];
        let user_1 = self.window.user_at[1];
        let user_2 = self.window.user_at[2];
        // Their bytes, none of another frame.
        let keep_0 = self.window.keep_at[0];
        let mut keep_1 = self.window.keep_at[1];
        let mut keep_2 = self.window.keep_at[2];
        if is_last_0 {
            keep_1 = 0;
        }
        if is_last_0 || is_last_1 {
            keep_2 = 0;
        }
        comment!("The same two and three steps further on, and what is behind a beat of that.");
        if self.is_64 {
            self.from_2 = self.beat_1;
            self.from_3 = (self.beat_1 >> self.three) | (self.beat_2 << self.without_three);
            self.keep_from_2 = keep_1;
            self.keep_from_3 = (keep_1 >> self.three_bytes) | (keep_2 << self.without_three_bytes);
            self.rest_2 = keep_2;
            self.rest_3 = keep_2 >> self.three_bytes;
        } else {
            self.from_2 = (beat_0 >> self.two) | (self.beat_1 << self.without_two);
            self.from_3 = (beat_0 >> self.three) | (self.beat_1 << self.without_three);
            self.keep_from_2 = (keep_0 >> self.two_bytes) | (keep_1 << self.without_two_bytes);
            self.keep_from_3 = (keep_0 >> self.three_bytes) | (keep_1 << self.without_three_bytes);
            self.rest_2 = keep_1 >> self.two_bytes;
            self.rest_3 = keep_1 >> self.three_bytes;
        }
        let mut data: Bits<DATA> = 0;
        let mut keep: Bits<BYTES> = 0;
        for j in 0..STEPS {
            self.lane_0[j] = beat_0.get_bits::<32>(32 * j);
            self.lane_2[j] = self.from_2.get_bits::<32>(32 * j);
            self.lane_3[j] = self.from_3.get_bits::<32>(32 * j);
            self.enables_0[j] = keep_0.get_bits::<4>(4 * j);
            self.enables_2[j] = self.keep_from_2.get_bits::<4>(4 * j);
            self.enables_3[j] = self.keep_from_3.get_bits::<4>(4 * j);
            self.lane[j] = self.lane_0[j];
            self.enables[j] = self.enables_0[j];
            if self.plan.by_2 && self.place.is_behind[j] {
                self.lane[j] = self.lane_2[j];
                self.enables[j] = self.enables_2[j];
            }
            if self.plan.by_3 && self.place.is_behind[j] {
                self.lane[j] = self.lane_3[j];
                self.enables[j] = self.enables_3[j];
            }
            data = (data >> 32) | (self.lane[j].get_bits::<DATA>(0) << self.top);
            keep = (keep >> 4) | (self.enables[j].get_bits::<BYTES>(0) << self.top_enable);
        }
        comment!(
            "It leaves if a byte of it is left, and is the last if none is behind it. The last byte's tuser stays the last one's."
        );
        let mut is_last = is_last_0;
        if self.plan.by_2 {
            is_last = !self.rest_2.get_bit(0);
        }
        if self.plan.by_3 {
            is_last = !self.rest_3.get_bit(0);
        }
        let mut user = user_0;
        if is_last && !is_last_0 {
            user = user_1;
            if self.is_64 && !is_last_1 {
                user = user_2;
            }
        }
        let marked_keep = keep.replace_bit(0, is_last);
        self.beats.push = self.window.valid[0] && keep.get_bit(0);
        self.beats.is_held_up = !self.records.ready;
        self.named.data = data;
        self.named.keep = keep;
        self.beats.item = bit_cast::<BEAT, DATA>(self.named.zeroed)
            | (bit_cast::<BEAT, BYTES>(marked_keep) << self.at_keep)
            | (bit_cast::<BEAT, 1>(user) << self.at_user);
        comment!(
            "The first beat that waits is at the output. A kept beat's first byte is there, so its place tells the last beat."
        );
        let kept = self.beats.head.get_bits::<BYTES>(self.at_keep.index());
        self.beats.pop = self.beats.valid && self.m_axis_tready;
        self.m_axis_tvalid = self.beats.valid;
        self.m_axis_tdata = self.beats.head.get_bits::<DATA>(0);
        self.m_axis_tkeep = kept.replace_bit(0, true);
        self.m_axis_tlast = self.beats.valid && kept.get_bit(0);
        self.m_axis_tuser = self.beats.head.get_bits::<1>(self.at_user.index());
        comment!(
            "With its last beat the frame's length is known: what it has without its shim goes into the record."
        );
        let ends = self.window.valid[0] && is_last_0;
        self.is_ended = ends;
        self.reader.head = self.head_0;
        self.ended.record = self.reader.record;
        self.ended.last_index = self.extent.last_index;
        self.ended.is_long = self.is_long_0;
        let index = self.ended.last_index;
        let mut less: Bits<16> = 7;
        if self.ended.is_long {
            less = 11;
        }
        let mut bytes = index - less;
        if self.ended.record.kind == 7 {
            bytes = index + bits::<16>(1);
        }
        self.record = self.ended.record;
        self.record.bytes = bytes.get_bits::<14>(0);
        if bytes.get_bits::<2>(14) != 0 {
            self.record.bytes = 0x3FFF;
        }
        self.records.push = self.is_ended;
        self.records.is_held_up = false;
        self.records.item = self.record;
        self.records.pop = self.records.valid && self.meta_ready;
        self.meta_valid = self.records.valid;
        self.meta_kind = self.records.head.kind;
        self.meta_error = self.records.head.error;
        self.meta_bytes = self.records.head.bytes;
        self.shim_hops = self.records.head.hops;
        self.shim_epoch = self.records.head.epoch;
        self.shim_timestamp = self.records.head.timestamp;
        self.shim_hash = self.records.head.hash;
        self.shim_bytes = self.records.head.acked;
        self.shim_enable = self.records.head.enable;
        self.shim_hop = self.records.head.hop;
        self.shim_path = self.records.head.path;
        self.shim_len = self.records.head.len;
        self.shim_ce = self.records.head.ce;
        self.shim_dst = self.records.head.dst;
        comment!("Events.");
        let has_shim = self.head_0.kind != 7;
        let is_cut = self.head_0.error == 1;
        self.popped = ends && (self.plan.by_2 || self.plan.by_3);
        self.kept_in = ends && has_shim && !self.plan.by_2 && !self.plan.by_3;
        self.plain = ends && !has_shim && (self.head_0.error == 0);
        self.unknown = ends && (self.head_0.error == 2);
        self.malformed = ends && is_cut;
        self.pkt_popped = self.popped;
        self.pkt_kept = self.kept_in;
        self.pkt_plain = self.plain;
        self.pkt_unknown = self.unknown;
        self.pkt_malformed = self.malformed;
    }
}
