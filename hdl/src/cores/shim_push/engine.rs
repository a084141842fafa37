//! The core: a window from which heads of packets are read, the joint, and a queue of beats.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::{Request, Writer};
use crate::comment;
use crate::cores::rewrite_rx::Queue;
use crate::cores::shim::describe::QUEUE_LIMIT;
use crate::cores::shim::{Finder, Found, Place, Plan, Window};
use crate::manifest::MemoryKind;
use crate::prims::{NamedBytes, Param, Reg};

/// Edges with `rst` low until `s_axis_tready` is high.
pub(super) const RESET_CYCLES: u32 = 1;

/// What becomes of a frame; one of these.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
struct Outcome {
    inserted: Bit,
    patched: Bit,
    passed: Bit,
    refused: Bit,
    malformed: Bit,
}

/// The `shim_push` core. Its sizes are fields of [`BusSizes`](crate::cores::sizes::BusSizes).
#[block]
pub struct ShimPush<
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
    pub s_op: Signal<In, Bits<2>>,
    pub s_kind: Signal<In, Bits<3>>,
    pub s_hops: Signal<In, Bits<4>>,
    pub s_epoch: Signal<In, Bits<4>>,
    pub s_timestamp: Signal<In, Bits<16>>,
    pub s_hash: Signal<In, Bits<16>>,
    pub s_bytes: Signal<In, Bits<24>>,
    pub s_enable: Signal<In, Bit>,
    pub s_hop: Signal<In, Bits<2>>,
    pub s_path: Signal<In, Bits<32>>,
    pub s_len: Signal<In, Bits<2>>,
    pub s_ce: Signal<In, Bits<8>>,
    pub s_dst: Signal<In, Bits<16>>,
    pub ethertype: Signal<In, Bits<16>>,
    pub m_axis_tdata: Signal<Out, Bits<DATA>>,
    pub m_axis_tkeep: Signal<Out, Bits<BYTES>>,
    pub m_axis_tvalid: Signal<Out, Bit>,
    pub m_axis_tlast: Signal<Out, Bit>,
    pub m_axis_tuser: Signal<Out, Bits<1>>,
    pub m_axis_tready: Signal<In, Bit>,
    pub pkt_inserted: Signal<Out, Bit>,
    pub pkt_patched: Signal<Out, Bit>,
    pub pkt_passed: Signal<Out, Bit>,
    pub pkt_refused: Signal<Out, Bit>,
    pub pkt_malformed: Signal<Out, Bit>,

    window: Window<DATA, BYTES, WINDOW, Request>,
    finder: Finder<DATA, BYTES, WINDOW>,
    writer: Writer,
    place: Place<STEPS, BEAT_NUMBER>,
    beats: Queue<Bits<BEAT>>,

    asked: Signal<Local, Request>,
    /// Of the frame on the input: a shim is asked for, a long one.
    inserts_held: Reg<Bit>,
    is_long_held: Reg<Bit>,
    over_2: Signal<Local, Bits<BYTES>>,
    over_3: Signal<Local, Bits<BYTES>>,
    #[reset = false]
    pauses_again: Reg<Bit>,

    found: Signal<Local, Found>,
    request: Signal<Local, Request>,
    plan: Reg<Plan>,
    outcome_0: Reg<Outcome>,
    /// Two or three words are written.
    writes: Reg<Bit>,
    writes_third: Reg<Bit>,
    /// The words, as they stand in a lane: the first byte at the bottom.
    word_0: Reg<Bits<32>>,
    word_1: Reg<Bits<32>>,
    word_2: Reg<Bits<32>>,

    beat_before: Reg<Bits<DATA>>,
    keep_before: Reg<Bits<BYTES>>,
    beat_long_before: Reg<Bits<DATA>>,
    keep_long_before: Reg<Bits<BYTES>>,
    user_before: Reg<Bits<1>>,
    /// What leaves is behind the frame's own last beat.
    #[reset = false]
    is_tail: Reg<Bit>,
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
    user: Signal<Local, Bits<1>>,
    #[reset = false]
    inserted: Reg<Bit>,
    #[reset = false]
    patched: Reg<Bit>,
    #[reset = false]
    passed: Reg<Bit>,
    #[reset = false]
    refused: Reg<Bit>,
    #[reset = false]
    malformed: Reg<Bit>,
    is_64: Param<Bit>,
    /// The lane can hold the shim's first word, its second, its third.
    has_word_0: [Param<Bit>; 16],
    has_word_1: [Param<Bit>; 16],
    has_word_2: [Param<Bit>; 16],
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
> ShimPush<DATA, BYTES, STEPS, BEAT_NUMBER, BEAT, WINDOW>
{
    /// The core with its beats in a memory of `kind`.
    pub fn new(kind: MemoryKind) -> Self {
        let number = |number: usize| Param::new((number as u64).into());
        // behind no tag to two
        let words = |word: usize| {
            std::array::from_fn(|lane| Param::new((3 + word..6 + word).any(|step| step % STEPS == lane)))
        };
        // on a bus of two steps, two steps are a whole beat: what is counted here is what is left of three
        let steps = |steps: usize| if STEPS == 2 { steps - 2 } else { steps };
        Self {
            writer: Writer::new(),
            beats: Queue::new("beat_memory", "beats between the input and the output", kind, QUEUE_LIMIT),
            is_64: Param::new(STEPS == 2),
            has_word_0: words(0),
            has_word_1: words(1),
            has_word_2: words(2),
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
        comment!("Puts shims into packets.");
        comment!("A beat goes into the window, a packet's first one with what is asked.");
        self.s_axis_tready = self.beats.ready;
        let push = self.s_axis_tvalid && self.beats.ready;
        self.writer.op = self.s_op;
        self.writer.kind = self.s_kind;
        self.writer.ethertype = self.ethertype;
        self.writer.hops = self.s_hops;
        self.writer.epoch = self.s_epoch;
        self.writer.timestamp = self.s_timestamp;
        self.writer.hash = self.s_hash;
        self.writer.bytes = self.s_bytes;
        self.writer.enable = self.s_enable;
        self.writer.hop = self.s_hop;
        self.writer.path = self.s_path;
        self.writer.len = self.s_len;
        self.writer.ce = self.s_ce;
        self.writer.dst = self.s_dst;
        self.asked = self.writer.request;
        self.window.push = push;
        self.window.data = self.s_axis_tdata;
        self.window.keep = self.s_axis_tkeep;
        self.window.last = self.s_axis_tlast;
        self.window.user = self.s_axis_tuser;
        self.window.side = self.asked;
        self.window.ethertype = self.ethertype;
        comment!(
            "Behind a last beat that becomes two the input pauses for a cycle, at 64 bits behind one that becomes three for two."
        );
        let mut inserts_now = self.inserts_held;
        let mut is_long_now = self.is_long_held;
        if self.window.at_first {
            inserts_now = self.asked.inserts && self.asked.is_known;
            is_long_now = self.asked.is_long;
        }
        if push {
            self.inserts_held = inserts_now;
            self.is_long_held = is_long_now;
        }
        self.over_2 = self.s_axis_tkeep >> self.without_two_bytes;
        self.over_3 = self.s_axis_tkeep >> self.without_three_bytes;
        if self.is_64 {
            self.over_2 = self.s_axis_tkeep;
        }
        let mut is_over = self.over_2.get_bit(0);
        if is_long_now {
            is_over = self.over_3.get_bit(0) || self.is_64;
        }
        let pauses = push && self.s_axis_tlast && inserts_now && is_over;
        self.pauses_again = self.is_64 && pauses && is_long_now && self.over_3.get_bit(0);
        for i in 0..WINDOW {
            self.finder.valid[i] = self.window.valid[i];
            self.finder.data_at[i] = self.window.data_at[i];
            self.finder.keep_at[i] = self.window.keep_at[i];
            self.finder.is_last_at[i] = self.window.is_last_at[i];
            self.finder.is_tag_at[i] = self.window.is_tag_at[i];
            self.finder.is_shim_at[i] = self.window.is_shim_at[i];
            self.finder.is_ip_at[i] = self.window.is_ip_at[i];
        }
        comment!("What is to be done goes with a frame's first beat to place 0, and holds for the frame.");
        self.found = self.finder.found;
        self.request = self.window.side_1;
        let is_same_kind = self.found.kind == bit_cast::<4, 3>(self.request.kind);
        let can_insert =
            !self.found.is_cut && self.found.is_ip && !self.found.is_shim && self.request.is_known;
        let can_patch = !self.found.is_cut
            && self.found.is_shim
            && !self.found.is_cut_in_shim
            && self.request.is_known
            && is_same_kind;
        let is_broken =
            self.found.is_cut || (self.request.patches && self.found.is_shim && self.found.is_cut_in_shim);
        let first_word = self.request.shim.get_bits::<32>(64);
        let second_word = self.request.shim.get_bits::<32>(32);
        let third_word = self.request.shim.get_bits::<32>(0);
        if self.window.advance && self.window.is_first_at[1] {
            self.plan.tags = self.found.tags;
            self.plan.by_2 = self.request.inserts && can_insert && !self.request.is_long;
            self.plan.by_3 = self.request.inserts && can_insert && self.request.is_long;
            self.writes = (self.request.inserts && can_insert) || (self.request.patches && can_patch);
            self.writes_third = self.request.is_long;
            self.outcome_0.inserted = self.request.inserts && can_insert;
            self.outcome_0.patched = self.request.patches && can_patch;
            self.outcome_0.passed = !self.request.inserts && !self.request.patches;
            self.outcome_0.malformed = (self.request.inserts || self.request.patches) && is_broken;
            self.outcome_0.refused =
                !is_broken && ((self.request.inserts && !can_insert) || (self.request.patches && !can_patch));
            self.word_0 = (first_word << 24)
                | ((first_word & bits::<32>(0x0000FF00)) << 8)
                | ((first_word >> 8) & bits::<32>(0x0000FF00))
                | (first_word >> 24);
            self.word_1 = (second_word << 24)
                | ((second_word & bits::<32>(0x0000FF00)) << 8)
                | ((second_word >> 8) & bits::<32>(0x0000FF00))
                | (second_word >> 24);
            self.word_2 = (third_word << 24)
                | ((third_word & bits::<32>(0x0000FF00)) << 8)
                | ((third_word >> 8) & bits::<32>(0x0000FF00))
                | (third_word >> 24);
        }
        comment!("The beat in place 0, or nothing behind the frame's last beat.");
        let is_there = self.window.valid[0];
        let leaves = is_there || self.is_tail;
        // The beat in place 0, and the two before it.
        let beat_0 = self.window.data_at[0];
        let is_last_0 = self.window.is_last_at[0];
        let user_0 = self.window.user_at[0];
        let mut keep_0 = self.window.keep_at[0];
        if self.is_tail {
            keep_0 = 0;
        }
        comment!("The same two and three steps further back, and what of it is left for the next beat.");
        if self.is_64 {
            self.from_2 = self.beat_before;
            self.from_3 = (self.beat_before << self.three) | (self.beat_long_before >> self.without_three);
            self.keep_from_2 = self.keep_before;
            self.keep_from_3 =
                (self.keep_before << self.three_bytes) | (self.keep_long_before >> self.without_three_bytes);
            self.rest_2 = keep_0;
            self.rest_3 = keep_0;
            if self.is_tail {
                self.rest_3 = self.keep_before >> self.without_three_bytes;
            }
        } else {
            self.from_2 = (beat_0 << self.two) | (self.beat_before >> self.without_two);
            self.from_3 = (beat_0 << self.three) | (self.beat_before >> self.without_three);
            self.keep_from_2 = (keep_0 << self.two_bytes) | (self.keep_before >> self.without_two_bytes);
            self.keep_from_3 = (keep_0 << self.three_bytes) | (self.keep_before >> self.without_three_bytes);
            self.rest_2 = keep_0 >> self.without_two_bytes;
            self.rest_3 = keep_0 >> self.without_three_bytes;
        }
        let is_more =
            (self.plan.by_2 && self.rest_2.get_bit(0)) || (self.plan.by_3 && self.rest_3.get_bit(0));
        let is_last = (is_last_0 || self.is_tail) && !is_more;
        self.is_tail = leaves && (is_last_0 || self.is_tail) && is_more;
        if leaves {
            self.beat_before = beat_0;
            self.keep_before = keep_0;
            self.user_before = self.user;
            if self.is_64 {
                self.beat_long_before = self.beat_before;
                self.keep_long_before = self.keep_before;
            }
        }
        self.place.advance = self.window.advance;
        self.place.is_first = self.window.is_first_at[1];
        self.place.step = leaves && (is_last_0 || self.is_tail) && is_more;
        self.place.plan = self.plan;
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
            if self.has_word_0[j] && self.writes && self.place.is_word_0[j] {
                self.lane[j] = self.word_0;
                self.enables[j] = 15;
            }
            if self.has_word_1[j] && self.writes && self.place.is_word_1[j] {
                self.lane[j] = self.word_1;
                self.enables[j] = 15;
            }
            if self.has_word_2[j] && self.writes && self.writes_third && self.place.is_word_2[j] {
                self.lane[j] = self.word_2;
                self.enables[j] = 15;
            }
            data = (data >> 32) | (self.lane[j].get_bits::<DATA>(0) << self.top);
            keep = (keep >> 4) | (self.enables[j].get_bits::<BYTES>(0) << self.top_enable);
        }
        self.user = user_0;
        if self.is_tail {
            self.user = self.user_before;
        }
        let marked_keep = keep.replace_bit(0, is_last);
        self.beats.push = leaves;
        self.beats.is_held_up = pauses || self.pauses_again;
        self.named.data = data;
        self.named.keep = keep;
        self.beats.item = bit_cast::<BEAT, DATA>(self.named.zeroed)
            | (bit_cast::<BEAT, BYTES>(marked_keep) << self.at_keep)
            | (bit_cast::<BEAT, 1>(self.user) << self.at_user);
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
        comment!("Events.");
        let ends = is_there && is_last_0;
        self.inserted = ends && self.outcome_0.inserted;
        self.patched = ends && self.outcome_0.patched;
        self.passed = ends && self.outcome_0.passed;
        self.refused = ends && self.outcome_0.refused;
        self.malformed = ends && self.outcome_0.malformed;
        self.pkt_inserted = self.inserted;
        self.pkt_patched = self.patched;
        self.pkt_passed = self.passed;
        self.pkt_refused = self.refused;
        self.pkt_malformed = self.malformed;
    }
}
