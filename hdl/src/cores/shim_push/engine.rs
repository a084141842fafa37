//! The core: a window from which heads of packets are read, the joint, and a queue of beats.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::{Request, Writer};
use crate::comment;
use crate::cores::rewrite_rx::Queue;
use crate::cores::shim::describe::QUEUE_LIMIT;
use crate::cores::shim::{Finder, Found, Place, Plan, Window};
use crate::manifest::MemoryKind;
use crate::prims::{NamedBytes, Param};

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

/// The `shim_push` core. Of [`BusSizes`](crate::cores::sizes::BusSizes) `W` is `data`, `K` `bytes`, `N` `steps`, `BB` `beat_number`,
/// `D` `beat` and `C` `window`.
#[derive(LogicBlock, Default)]
pub struct ShimPush<
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
    pub m_axis_tdata: Signal<Out, Bits<W>>,
    pub m_axis_tkeep: Signal<Out, Bits<K>>,
    pub m_axis_tvalid: Signal<Out, Bit>,
    pub m_axis_tlast: Signal<Out, Bit>,
    pub m_axis_tuser: Signal<Out, Bits<1>>,
    pub m_axis_tready: Signal<In, Bit>,
    pub pkt_inserted: Signal<Out, Bit>,
    pub pkt_patched: Signal<Out, Bit>,
    pub pkt_passed: Signal<Out, Bit>,
    pub pkt_refused: Signal<Out, Bit>,
    pub pkt_malformed: Signal<Out, Bit>,

    window: Window<W, K, C, Request>,
    finder: Finder<W, K, C>,
    writer: Writer,
    place: Place<N, BB>,
    beats: Queue<Bits<D>>,

    push: Signal<Local, Bit>,
    asked: Signal<Local, Request>,
    /// Of the frame on the input: a shim is asked for, a long one.
    inserts_held: DFF<Bit>,
    is_long_held: DFF<Bit>,
    inserts_now: Signal<Local, Bit>,
    is_long_now: Signal<Local, Bit>,
    over_2: Signal<Local, Bits<K>>,
    over_3: Signal<Local, Bits<K>>,
    is_over: Signal<Local, Bit>,
    pauses: Signal<Local, Bit>,
    pauses_again: DFF<Bit>,

    found: Signal<Local, Found>,
    request: Signal<Local, Request>,
    can_insert: Signal<Local, Bit>,
    can_patch: Signal<Local, Bit>,
    is_same_kind: Signal<Local, Bit>,
    is_broken: Signal<Local, Bit>,
    plan: DFF<Plan>,
    outcome_0: DFF<Outcome>,
    /// Two or three words are written.
    writes: DFF<Bit>,
    writes_third: DFF<Bit>,
    /// The words, as they stand in a lane: the first byte at the bottom.
    word_0: DFF<Bits<32>>,
    word_1: DFF<Bits<32>>,
    word_2: DFF<Bits<32>>,
    first_word: Signal<Local, Bits<32>>,
    second_word: Signal<Local, Bits<32>>,
    third_word: Signal<Local, Bits<32>>,

    /// The beat in place 0, and the two before it.
    beat_0: Signal<Local, Bits<W>>,
    is_last_0: Signal<Local, Bit>,
    user_0: Signal<Local, Bits<1>>,
    keep_0: Signal<Local, Bits<K>>,
    beat_before: DFF<Bits<W>>,
    keep_before: DFF<Bits<K>>,
    beat_long_before: DFF<Bits<W>>,
    keep_long_before: DFF<Bits<K>>,
    user_before: DFF<Bits<1>>,
    is_there: Signal<Local, Bit>,
    /// What leaves is behind the frame's own last beat.
    is_tail: DFF<Bit>,
    leaves: Signal<Local, Bit>,
    is_more: Signal<Local, Bit>,
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
    inserted: DFF<Bit>,
    patched: DFF<Bit>,
    passed: DFF<Bit>,
    refused: DFF<Bit>,
    malformed: DFF<Bit>,
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

impl<const W: usize, const K: usize, const N: usize, const BB: usize, const D: usize, const C: usize>
    ShimPush<W, K, N, BB, D, C>
{
    /// The core with its beats in a memory of `kind`.
    pub fn new(kind: MemoryKind) -> Self {
        let number = |number: usize| Param::new((number as u64).into());
        // behind no tag to two
        let words = |word: usize| {
            std::array::from_fn(|lane| Param::new((3 + word..6 + word).any(|step| step % N == lane)))
        };
        // on a bus of two steps, two steps are a whole beat: what is counted here is what is left of three
        let steps = |steps: usize| if N == 2 { steps - 2 } else { steps };
        Self {
            writer: Writer::new(),
            beats: Queue::new("beat_memory", "beats between the input and the output", kind, QUEUE_LIMIT),
            is_64: Param::new(N == 2),
            has_word_0: words(0),
            has_word_1: words(1),
            has_word_2: words(2),
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
    for ShimPush<W, K, N, BB, D, C>
{
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Puts shims into packets.");
        dff_setup!(
            self,
            clk,
            inserts_held,
            is_long_held,
            pauses_again,
            plan,
            outcome_0,
            writes,
            writes_third
        );
        dff_setup!(self, clk, word_0, word_1, word_2, beat_before, keep_before, beat_long_before);
        dff_setup!(self, clk, keep_long_before, user_before, is_tail);
        dff_setup!(self, clk, inserted, patched, passed, refused, malformed);
        self.window.clk.next = self.clk.val();
        self.place.clk.next = self.clk.val();
        self.beats.clk.next = self.clk.val();
        self.window.rst.next = self.rst.val();
        self.beats.rst.next = self.rst.val();
        comment!("A beat goes into the window, a packet's first one with what is asked.");
        self.s_axis_tready.next = self.beats.ready.val();
        self.push.next = self.s_axis_tvalid.val() && self.beats.ready.val();
        self.writer.op.next = self.s_op.val();
        self.writer.kind.next = self.s_kind.val();
        self.writer.ethertype.next = self.ethertype.val();
        self.writer.hops.next = self.s_hops.val();
        self.writer.epoch.next = self.s_epoch.val();
        self.writer.timestamp.next = self.s_timestamp.val();
        self.writer.hash.next = self.s_hash.val();
        self.writer.bytes.next = self.s_bytes.val();
        self.writer.enable.next = self.s_enable.val();
        self.writer.hop.next = self.s_hop.val();
        self.writer.path.next = self.s_path.val();
        self.writer.len.next = self.s_len.val();
        self.writer.ce.next = self.s_ce.val();
        self.writer.dst.next = self.s_dst.val();
        self.asked.next = self.writer.request.val();
        self.window.push.next = self.push.val();
        self.window.data.next = self.s_axis_tdata.val();
        self.window.keep.next = self.s_axis_tkeep.val();
        self.window.last.next = self.s_axis_tlast.val();
        self.window.user.next = self.s_axis_tuser.val();
        self.window.side.next = self.asked.val();
        self.window.ethertype.next = self.ethertype.val();
        comment!(
            "Behind a last beat that becomes two the input pauses for a cycle, at 64 bits behind one that becomes three for two."
        );
        self.inserts_now.next = self.inserts_held.q.val();
        self.is_long_now.next = self.is_long_held.q.val();
        if self.window.at_first.val() {
            self.inserts_now.next = self.asked.val().inserts && self.asked.val().is_known;
            self.is_long_now.next = self.asked.val().is_long;
        }
        if self.push.val() {
            self.inserts_held.d.next = self.inserts_now.val();
            self.is_long_held.d.next = self.is_long_now.val();
        }
        self.over_2.next = self.s_axis_tkeep.val() >> self.without_two_bytes.val();
        self.over_3.next = self.s_axis_tkeep.val() >> self.without_three_bytes.val();
        if self.is_64.val() {
            self.over_2.next = self.s_axis_tkeep.val();
        }
        self.is_over.next = self.over_2.val().get_bit(0);
        if self.is_long_now.val() {
            self.is_over.next = self.over_3.val().get_bit(0) || self.is_64.val();
        }
        self.pauses.next =
            self.push.val() && self.s_axis_tlast.val() && self.inserts_now.val() && self.is_over.val();
        self.pauses_again.d.next =
            self.is_64.val() && self.pauses.val() && self.is_long_now.val() && self.over_3.val().get_bit(0);
        for i in 0..C {
            self.finder.valid[i].next = self.window.valid[i].val();
            self.finder.data_at[i].next = self.window.data_at[i].val();
            self.finder.keep_at[i].next = self.window.keep_at[i].val();
            self.finder.is_last_at[i].next = self.window.is_last_at[i].val();
            self.finder.is_tag_at[i].next = self.window.is_tag_at[i].val();
            self.finder.is_shim_at[i].next = self.window.is_shim_at[i].val();
            self.finder.is_ip_at[i].next = self.window.is_ip_at[i].val();
        }
        comment!("What is to be done goes with a frame's first beat to place 0, and holds for the frame.");
        self.found.next = self.finder.found.val();
        self.request.next = self.window.side_1.val();
        self.is_same_kind.next = self.found.val().kind == bit_cast::<4, 3>(self.request.val().kind);
        self.can_insert.next = !self.found.val().is_cut
            && self.found.val().is_ip
            && !self.found.val().is_shim
            && self.request.val().is_known;
        self.can_patch.next = !self.found.val().is_cut
            && self.found.val().is_shim
            && !self.found.val().is_cut_in_shim
            && self.request.val().is_known
            && self.is_same_kind.val();
        self.is_broken.next = self.found.val().is_cut
            || (self.request.val().patches && self.found.val().is_shim && self.found.val().is_cut_in_shim);
        self.first_word.next = self.request.val().shim.get_bits::<32>(64);
        self.second_word.next = self.request.val().shim.get_bits::<32>(32);
        self.third_word.next = self.request.val().shim.get_bits::<32>(0);
        if self.window.advance.val() && self.window.is_first_at[1].val() {
            self.plan.d.next.tags = self.found.val().tags;
            self.plan.d.next.by_2 =
                self.request.val().inserts && self.can_insert.val() && !self.request.val().is_long;
            self.plan.d.next.by_3 =
                self.request.val().inserts && self.can_insert.val() && self.request.val().is_long;
            self.writes.d.next = (self.request.val().inserts && self.can_insert.val())
                || (self.request.val().patches && self.can_patch.val());
            self.writes_third.d.next = self.request.val().is_long;
            self.outcome_0.d.next.inserted = self.request.val().inserts && self.can_insert.val();
            self.outcome_0.d.next.patched = self.request.val().patches && self.can_patch.val();
            self.outcome_0.d.next.passed = !self.request.val().inserts && !self.request.val().patches;
            self.outcome_0.d.next.malformed =
                (self.request.val().inserts || self.request.val().patches) && self.is_broken.val();
            self.outcome_0.d.next.refused = !self.is_broken.val()
                && ((self.request.val().inserts && !self.can_insert.val())
                    || (self.request.val().patches && !self.can_patch.val()));
            self.word_0.d.next = (self.first_word.val() << 24)
                | ((self.first_word.val() & bits::<32>(0x0000FF00)) << 8)
                | ((self.first_word.val() >> 8) & bits::<32>(0x0000FF00))
                | (self.first_word.val() >> 24);
            self.word_1.d.next = (self.second_word.val() << 24)
                | ((self.second_word.val() & bits::<32>(0x0000FF00)) << 8)
                | ((self.second_word.val() >> 8) & bits::<32>(0x0000FF00))
                | (self.second_word.val() >> 24);
            self.word_2.d.next = (self.third_word.val() << 24)
                | ((self.third_word.val() & bits::<32>(0x0000FF00)) << 8)
                | ((self.third_word.val() >> 8) & bits::<32>(0x0000FF00))
                | (self.third_word.val() >> 24);
        }
        comment!("The beat in place 0, or nothing behind the frame's last beat.");
        self.is_there.next = self.window.valid[0].val();
        self.leaves.next = self.is_there.val() || self.is_tail.q.val();
        self.beat_0.next = self.window.data_at[0].val();
        self.is_last_0.next = self.window.is_last_at[0].val();
        self.user_0.next = self.window.user_at[0].val();
        self.keep_0.next = self.window.keep_at[0].val();
        if self.is_tail.q.val() {
            self.keep_0.next = bits::<K>(0);
        }
        comment!("The same two and three steps further back, and what of it is left for the next beat.");
        if self.is_64.val() {
            self.from_2.next = self.beat_before.q.val();
            self.from_3.next = (self.beat_before.q.val() << self.three.val())
                | (self.beat_long_before.q.val() >> self.without_three.val());
            self.keep_from_2.next = self.keep_before.q.val();
            self.keep_from_3.next = (self.keep_before.q.val() << self.three_bytes.val())
                | (self.keep_long_before.q.val() >> self.without_three_bytes.val());
            self.rest_2.next = self.keep_0.val();
            self.rest_3.next = self.keep_0.val();
            if self.is_tail.q.val() {
                self.rest_3.next = self.keep_before.q.val() >> self.without_three_bytes.val();
            }
        } else {
            self.from_2.next =
                (self.beat_0.val() << self.two.val()) | (self.beat_before.q.val() >> self.without_two.val());
            self.from_3.next = (self.beat_0.val() << self.three.val())
                | (self.beat_before.q.val() >> self.without_three.val());
            self.keep_from_2.next = (self.keep_0.val() << self.two_bytes.val())
                | (self.keep_before.q.val() >> self.without_two_bytes.val());
            self.keep_from_3.next = (self.keep_0.val() << self.three_bytes.val())
                | (self.keep_before.q.val() >> self.without_three_bytes.val());
            self.rest_2.next = self.keep_0.val() >> self.without_two_bytes.val();
            self.rest_3.next = self.keep_0.val() >> self.without_three_bytes.val();
        }
        self.is_more.next = (self.plan.q.val().by_2 && self.rest_2.val().get_bit(0))
            || (self.plan.q.val().by_3 && self.rest_3.val().get_bit(0));
        self.is_last.next = (self.is_last_0.val() || self.is_tail.q.val()) && !self.is_more.val();
        self.is_tail.d.next =
            self.leaves.val() && (self.is_last_0.val() || self.is_tail.q.val()) && self.is_more.val();
        if self.leaves.val() {
            self.beat_before.d.next = self.beat_0.val();
            self.keep_before.d.next = self.keep_0.val();
            self.user_before.d.next = self.user.val();
            if self.is_64.val() {
                self.beat_long_before.d.next = self.beat_before.q.val();
                self.keep_long_before.d.next = self.keep_before.q.val();
            }
        }
        self.place.advance.next = self.window.advance.val();
        self.place.is_first.next = self.window.is_first_at[1].val();
        self.place.step.next =
            self.leaves.val() && (self.is_last_0.val() || self.is_tail.q.val()) && self.is_more.val();
        self.place.plan.next = self.plan.q.val();
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
            if self.has_word_0[j].val() && self.writes.q.val() && self.place.is_word_0[j].val() {
                self.lane[j].next = self.word_0.q.val();
                self.enables[j].next = bits::<4>(15);
            }
            if self.has_word_1[j].val() && self.writes.q.val() && self.place.is_word_1[j].val() {
                self.lane[j].next = self.word_1.q.val();
                self.enables[j].next = bits::<4>(15);
            }
            if self.has_word_2[j].val()
                && self.writes.q.val()
                && self.writes_third.q.val()
                && self.place.is_word_2[j].val()
            {
                self.lane[j].next = self.word_2.q.val();
                self.enables[j].next = bits::<4>(15);
            }
            self.data.next =
                (self.data.val() >> 32) | (self.lane[j].val().get_bits::<W>(0) << self.top.val());
            self.keep.next =
                (self.keep.val() >> 4) | (self.enables[j].val().get_bits::<K>(0) << self.top_enable.val());
        }
        self.user.next = self.user_0.val();
        if self.is_tail.q.val() {
            self.user.next = self.user_before.q.val();
        }
        self.marked_keep.next = self.keep.val().replace_bit(0, self.is_last.val());
        self.beats.push.next = self.leaves.val();
        self.beats.is_held_up.next = self.pauses.val() || self.pauses_again.q.val();
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
        comment!("Events.");
        self.ends.next = self.is_there.val() && self.is_last_0.val();
        self.inserted.d.next = self.ends.val() && self.outcome_0.q.val().inserted;
        self.patched.d.next = self.ends.val() && self.outcome_0.q.val().patched;
        self.passed.d.next = self.ends.val() && self.outcome_0.q.val().passed;
        self.refused.d.next = self.ends.val() && self.outcome_0.q.val().refused;
        self.malformed.d.next = self.ends.val() && self.outcome_0.q.val().malformed;
        self.pkt_inserted.next = self.inserted.q.val();
        self.pkt_patched.next = self.patched.q.val();
        self.pkt_passed.next = self.passed.q.val();
        self.pkt_refused.next = self.refused.q.val();
        self.pkt_malformed.next = self.malformed.q.val();
        if self.rst.val() {
            self.pauses_again.d.next = false;
            self.is_tail.d.next = false;
            self.inserted.d.next = false;
            self.patched.d.next = false;
            self.passed.d.next = false;
            self.refused.d.next = false;
            self.malformed.d.next = false;
        }
    }
}
