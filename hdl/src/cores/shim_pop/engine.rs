//! The core: a window from which shims are read, the cut, a queue of beats, and a queue of records.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::{Reader, Record};
use crate::comment;
use crate::cores::rewrite_rx::Queue;
use crate::cores::shim::describe::QUEUE_LIMIT;
use crate::cores::shim::{Extent, Finder, Found, Place, Plan, Window};
use crate::manifest::MemoryKind;
use crate::prims::{NamedBytes, Param};

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

/// The `shim_pop` core. Of [`BusSizes`](crate::cores::sizes::BusSizes) `W` is `data`, `K` `bytes`, `N` `steps`, `BB` `beat_number`,
/// `D` `beat` and `C` `window`.
#[derive(LogicBlock, Default)]
pub struct ShimPop<
    const W: usize,
    const K: usize,
    const N: usize,
    const BB: usize,
    const D: usize,
    const C: usize,
> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub s_axis_tdata: Signal<In, Bits<W>>,
    pub s_axis_tkeep: Signal<In, Bits<K>>,
    pub s_axis_tvalid: Signal<In, Bit>,
    pub s_axis_tlast: Signal<In, Bit>,
    pub s_axis_tuser: Signal<In, Bits<1>>,
    pub s_axis_tready: Signal<Out, Bit>,
    pub s_take_out: Signal<In, Bits<5>>,
    pub ethertype: Signal<In, Bits<16>>,
    pub m_axis_tdata: Signal<Out, Bits<W>>,
    pub m_axis_tkeep: Signal<Out, Bits<K>>,
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

    window: Window<W, K, C, Bits<5>>,
    finder: Finder<W, K, C>,
    reader: Reader,
    place: Place<N, BB>,
    extent: Extent<K>,
    beats: Queue<Bits<D>>,
    records: Queue<Record>,

    push: Signal<Local, Bit>,
    found: Signal<Local, Found>,
    read: Signal<Local, Record>,
    takes: Signal<Local, Bits<8>>,
    plan: DFF<Plan>,
    record_0: DFF<Record>,
    is_long_0: DFF<Bit>,
    /// The beat in place 0 and the two behind it.
    beat_0: Signal<Local, Bits<W>>,
    beat_1: Signal<Local, Bits<W>>,
    beat_2: Signal<Local, Bits<W>>,
    is_last_0: Signal<Local, Bit>,
    user_0: Signal<Local, Bits<1>>,
    is_last_1: Signal<Local, Bit>,
    user_1: Signal<Local, Bits<1>>,
    user_2: Signal<Local, Bits<1>>,
    /// Their bytes, none of another frame.
    keep_0: Signal<Local, Bits<K>>,
    keep_1: Signal<Local, Bits<K>>,
    keep_2: Signal<Local, Bits<K>>,
    /// Beats two and three steps further on, and those behind them.
    from_2: Signal<Local, Bits<W>>,
    from_3: Signal<Local, Bits<W>>,
    keep_from_2: Signal<Local, Bits<K>>,
    keep_from_3: Signal<Local, Bits<K>>,
    rest_2: Signal<Local, Bits<K>>,
    rest_3: Signal<Local, Bits<K>>,
    lane_0: [Signal<Local, Bits<32>>; 16],
    lane_2: [Signal<Local, Bits<32>>; 16],
    lane_3: [Signal<Local, Bits<32>>; 16],
    lane: [Signal<Local, Bits<32>>; 16],
    named: NamedBytes<W, K>,
    enables_0: [Signal<Local, Bits<4>>; 16],
    enables_2: [Signal<Local, Bits<4>>; 16],
    enables_3: [Signal<Local, Bits<4>>; 16],
    enables: [Signal<Local, Bits<4>>; 16],
    data: Signal<Local, Bits<W>>,
    keep: Signal<Local, Bits<K>>,
    is_last: Signal<Local, Bit>,
    user: Signal<Local, Bits<1>>,
    marked_keep: Signal<Local, Bits<K>>,
    kept: Signal<Local, Bits<K>>,
    ends: Signal<Local, Bit>,
    is_ended: DFF<Bit>,
    ended: DFF<Ended>,
    index: Signal<Local, Bits<16>>,
    less: Signal<Local, Bits<16>>,
    bytes: Signal<Local, Bits<16>>,
    record: Signal<Local, Record>,
    is_cut: Signal<Local, Bit>,
    has_shim: Signal<Local, Bit>,
    popped: DFF<Bit>,
    kept_in: DFF<Bit>,
    plain: DFF<Bit>,
    unknown: DFF<Bit>,
    malformed: DFF<Bit>,
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

impl<const W: usize, const K: usize, const N: usize, const BB: usize, const D: usize, const C: usize>
    ShimPop<W, K, N, BB, D, C>
{
    /// The core with its beats in a memory of `kind`.
    pub fn new(kind: MemoryKind) -> Self {
        let number = |number: usize| Param::new((number as u64).into());
        // on a bus of two steps, two steps are a whole beat: what is counted here is what is left of three
        let steps = |steps: usize| if N == 2 { steps - 2 } else { steps };
        let records = "what is said of packets, until it is taken";
        Self {
            reader: Reader::new(),
            extent: Extent::new(),
            beats: Queue::new("beat_memory", "beats between the input and the output", kind, QUEUE_LIMIT),
            records: Queue::new("record_memory", records, MemoryKind::Distributed, RECORD_LIMIT),
            is_64: Param::new(N == 2),
            two: number(32 * steps(2)),
            three: number(32 * steps(3)),
            without_two: number(W - 32 * steps(2)),
            without_three: number(W - 32 * steps(3)),
            two_bytes: number(4 * steps(2)),
            three_bytes: number(4 * steps(3)),
            without_two_bytes: number(K - 4 * steps(2)),
            without_three_bytes: number(K - 4 * steps(3)),
            top: number(W - 32),
            top_enable: number(K - 4),
            at_keep: number(W),
            at_user: number(W + K),
            ..Default::default()
        }
    }
}

impl<const W: usize, const K: usize, const N: usize, const BB: usize, const D: usize, const C: usize> Logic
    for ShimPop<W, K, N, BB, D, C>
{
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Reads the shims of packets and takes them out.");
        dff_setup!(self, clk, plan, record_0, is_long_0, is_ended, ended);
        dff_setup!(self, clk, popped, kept_in, plain, unknown, malformed);
        self.window.clk.next = self.clk.val();
        self.place.clk.next = self.clk.val();
        self.extent.clk.next = self.clk.val();
        self.beats.clk.next = self.clk.val();
        self.records.clk.next = self.clk.val();
        self.window.rst.next = self.rst.val();
        self.beats.rst.next = self.rst.val();
        self.records.rst.next = self.rst.val();
        comment!("A beat goes into the window.");
        self.s_axis_tready.next = self.beats.ready.val();
        self.push.next = self.s_axis_tvalid.val() && self.beats.ready.val();
        self.window.push.next = self.push.val();
        self.window.data.next = self.s_axis_tdata.val();
        self.window.keep.next = self.s_axis_tkeep.val();
        self.window.last.next = self.s_axis_tlast.val();
        self.window.user.next = self.s_axis_tuser.val();
        self.window.side.next = self.s_take_out.val();
        self.window.ethertype.next = self.ethertype.val();
        for i in 0..C {
            self.finder.valid[i].next = self.window.valid[i].val();
            self.finder.data_at[i].next = self.window.data_at[i].val();
            self.finder.keep_at[i].next = self.window.keep_at[i].val();
            self.finder.is_last_at[i].next = self.window.is_last_at[i].val();
            self.finder.is_tag_at[i].next = self.window.is_tag_at[i].val();
            self.finder.is_shim_at[i].next = self.window.is_shim_at[i].val();
            self.finder.is_ip_at[i].next = self.window.is_ip_at[i].val();
        }
        comment!("What is found in a frame goes with its first beat to place 0, and holds for the frame.");
        self.found.next = self.finder.found.val();
        self.reader.found.next = self.finder.found.val();
        self.read.next = self.reader.record.val();
        self.takes.next = bit_cast::<8, 5>(self.window.side_1.val());
        if self.window.advance.val() && self.window.is_first_at[1].val() {
            self.record_0.d.next = self.read.val();
            self.is_long_0.d.next = self.found.val().is_long;
            self.plan.d.next.tags = self.found.val().tags;
            self.plan.d.next.by_2 =
                self.takes.val().get_bit(self.read.val().kind.index()) && !self.found.val().is_long;
            self.plan.d.next.by_3 =
                self.takes.val().get_bit(self.read.val().kind.index()) && self.found.val().is_long;
        }
        self.place.advance.next = self.window.advance.val();
        self.place.is_first.next = self.window.is_first_at[1].val();
        self.place.step.next = false;
        self.place.plan.next = self.plan.q.val();
        self.extent.advance.next = self.window.advance.val();
        self.extent.is_first.next = self.window.is_first_at[1].val();
        self.extent.keep.next = self.window.keep_at[0].val();
        comment!("The beat in place 0, and those behind it that are of the same frame.");
        self.beat_0.next = self.window.data_at[0].val();
        self.beat_1.next = self.window.data_at[1].val();
        self.beat_2.next = self.window.data_at[2].val();
        self.is_last_0.next = self.window.is_last_at[0].val();
        self.user_0.next = self.window.user_at[0].val();
        self.is_last_1.next = self.window.is_last_at[1].val();
        self.user_1.next = self.window.user_at[1].val();
        self.user_2.next = self.window.user_at[2].val();
        self.keep_0.next = self.window.keep_at[0].val();
        self.keep_1.next = self.window.keep_at[1].val();
        self.keep_2.next = self.window.keep_at[2].val();
        if self.is_last_0.val() {
            self.keep_1.next = bits::<K>(0);
        }
        if self.is_last_0.val() || self.is_last_1.val() {
            self.keep_2.next = bits::<K>(0);
        }
        comment!("The same two and three steps further on, and what is behind a beat of that.");
        if self.is_64.val() {
            self.from_2.next = self.beat_1.val();
            self.from_3.next =
                (self.beat_1.val() >> self.three.val()) | (self.beat_2.val() << self.without_three.val());
            self.keep_from_2.next = self.keep_1.val();
            self.keep_from_3.next = (self.keep_1.val() >> self.three_bytes.val())
                | (self.keep_2.val() << self.without_three_bytes.val());
            self.rest_2.next = self.keep_2.val();
            self.rest_3.next = self.keep_2.val() >> self.three_bytes.val();
        } else {
            self.from_2.next =
                (self.beat_0.val() >> self.two.val()) | (self.beat_1.val() << self.without_two.val());
            self.from_3.next =
                (self.beat_0.val() >> self.three.val()) | (self.beat_1.val() << self.without_three.val());
            self.keep_from_2.next = (self.keep_0.val() >> self.two_bytes.val())
                | (self.keep_1.val() << self.without_two_bytes.val());
            self.keep_from_3.next = (self.keep_0.val() >> self.three_bytes.val())
                | (self.keep_1.val() << self.without_three_bytes.val());
            self.rest_2.next = self.keep_1.val() >> self.two_bytes.val();
            self.rest_3.next = self.keep_1.val() >> self.three_bytes.val();
        }
        self.data.next = bits::<W>(0);
        self.keep.next = bits::<K>(0);
        for j in 0..N {
            self.lane_0[j].next = self.beat_0.val().get_bits::<32>(32 * j);
            self.lane_2[j].next = self.from_2.val().get_bits::<32>(32 * j);
            self.lane_3[j].next = self.from_3.val().get_bits::<32>(32 * j);
            self.enables_0[j].next = self.keep_0.val().get_bits::<4>(4 * j);
            self.enables_2[j].next = self.keep_from_2.val().get_bits::<4>(4 * j);
            self.enables_3[j].next = self.keep_from_3.val().get_bits::<4>(4 * j);
            self.lane[j].next = self.lane_0[j].val();
            self.enables[j].next = self.enables_0[j].val();
            if self.plan.q.val().by_2 && self.place.is_behind[j].val() {
                self.lane[j].next = self.lane_2[j].val();
                self.enables[j].next = self.enables_2[j].val();
            }
            if self.plan.q.val().by_3 && self.place.is_behind[j].val() {
                self.lane[j].next = self.lane_3[j].val();
                self.enables[j].next = self.enables_3[j].val();
            }
            self.data.next =
                (self.data.val() >> 32) | (self.lane[j].val().get_bits::<W>(0) << self.top.val());
            self.keep.next =
                (self.keep.val() >> 4) | (self.enables[j].val().get_bits::<K>(0) << self.top_enable.val());
        }
        comment!(
            "It leaves if a byte of it is left, and is the last if none is behind it. The last byte's tuser stays the last one's."
        );
        self.is_last.next = self.is_last_0.val();
        if self.plan.q.val().by_2 {
            self.is_last.next = !self.rest_2.val().get_bit(0);
        }
        if self.plan.q.val().by_3 {
            self.is_last.next = !self.rest_3.val().get_bit(0);
        }
        self.user.next = self.user_0.val();
        if self.is_last.val() && !self.is_last_0.val() {
            self.user.next = self.user_1.val();
            if self.is_64.val() && !self.is_last_1.val() {
                self.user.next = self.user_2.val();
            }
        }
        self.marked_keep.next = self.keep.val().replace_bit(0, self.is_last.val());
        self.beats.push.next = self.window.valid[0].val() && self.keep.val().get_bit(0);
        self.beats.is_held_up.next = !self.records.ready.val();
        self.named.data.next = self.data.val();
        self.named.keep.next = self.keep.val();
        self.beats.item.next = bit_cast::<D, W>(self.named.zeroed.val())
            | (bit_cast::<D, K>(self.marked_keep.val()) << self.at_keep.val())
            | (bit_cast::<D, 1>(self.user.val()) << self.at_user.val());
        comment!(
            "The first beat that waits is at the output. A kept beat's first byte is there, so its place tells the last beat."
        );
        self.kept.next = self.beats.head.val().get_bits::<K>(self.at_keep.val().index());
        self.beats.pop.next = self.beats.valid.val() && self.m_axis_tready.val();
        self.m_axis_tvalid.next = self.beats.valid.val();
        self.m_axis_tdata.next = self.beats.head.val().get_bits::<W>(0);
        self.m_axis_tkeep.next = self.kept.val().replace_bit(0, true);
        self.m_axis_tlast.next = self.beats.valid.val() && self.kept.val().get_bit(0);
        self.m_axis_tuser.next = self.beats.head.val().get_bits::<1>(self.at_user.val().index());
        comment!(
            "With its last beat the frame's length is known: what it has without its shim goes into the record."
        );
        self.ends.next = self.window.valid[0].val() && self.is_last_0.val();
        self.is_ended.d.next = self.ends.val();
        self.ended.d.next.record = self.record_0.q.val();
        self.ended.d.next.last_index = self.extent.last_index.val();
        self.ended.d.next.is_long = self.is_long_0.q.val();
        self.index.next = self.ended.q.val().last_index;
        self.less.next = bits::<16>(7);
        if self.ended.q.val().is_long {
            self.less.next = bits::<16>(11);
        }
        self.bytes.next = self.index.val() - self.less.val();
        if self.ended.q.val().record.kind == bits::<3>(7) {
            self.bytes.next = self.index.val() + bits::<16>(1);
        }
        self.record.next = self.ended.q.val().record;
        self.record.next.bytes = self.bytes.val().get_bits::<14>(0);
        if self.bytes.val().get_bits::<2>(14) != bits::<2>(0) {
            self.record.next.bytes = bits::<14>(0x3FFF);
        }
        self.records.push.next = self.is_ended.q.val();
        self.records.is_held_up.next = false;
        self.records.item.next = self.record.val();
        self.records.pop.next = self.records.valid.val() && self.meta_ready.val();
        self.meta_valid.next = self.records.valid.val();
        self.meta_kind.next = self.records.head.val().kind;
        self.meta_error.next = self.records.head.val().error;
        self.meta_bytes.next = self.records.head.val().bytes;
        self.shim_hops.next = self.records.head.val().hops;
        self.shim_epoch.next = self.records.head.val().epoch;
        self.shim_timestamp.next = self.records.head.val().timestamp;
        self.shim_hash.next = self.records.head.val().hash;
        self.shim_bytes.next = self.records.head.val().acked;
        self.shim_enable.next = self.records.head.val().enable;
        self.shim_hop.next = self.records.head.val().hop;
        self.shim_path.next = self.records.head.val().path;
        self.shim_len.next = self.records.head.val().len;
        self.shim_ce.next = self.records.head.val().ce;
        self.shim_dst.next = self.records.head.val().dst;
        comment!("Events.");
        self.has_shim.next = self.record_0.q.val().kind != bits::<3>(7);
        self.is_cut.next = self.record_0.q.val().error == bits::<2>(1);
        self.popped.d.next = self.ends.val() && (self.plan.q.val().by_2 || self.plan.q.val().by_3);
        self.kept_in.d.next =
            self.ends.val() && self.has_shim.val() && !self.plan.q.val().by_2 && !self.plan.q.val().by_3;
        self.plain.d.next =
            self.ends.val() && !self.has_shim.val() && (self.record_0.q.val().error == bits::<2>(0));
        self.unknown.d.next = self.ends.val() && (self.record_0.q.val().error == bits::<2>(2));
        self.malformed.d.next = self.ends.val() && self.is_cut.val();
        self.pkt_popped.next = self.popped.q.val();
        self.pkt_kept.next = self.kept_in.q.val();
        self.pkt_plain.next = self.plain.q.val();
        self.pkt_unknown.next = self.unknown.q.val();
        self.pkt_malformed.next = self.malformed.q.val();
        if self.rst.val() {
            self.is_ended.d.next = false;
            self.popped.d.next = false;
            self.kept_in.d.next = false;
            self.plain.d.next = false;
            self.unknown.d.next = false;
            self.malformed.d.next = false;
        }
    }
}
