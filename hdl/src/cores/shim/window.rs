//! The beats that a frame's head is read from.

use respray_hdl_macros::{LogicBlock, Part, hdl_gen};
use rust_hdl::prelude::*;

use crate::comment;
use crate::cores::rewrite::Geometry;
use crate::prims::Param;

/// `WINDOW` beats in a row, place 0 the oldest, into which one comes every cycle at most. It never stalls.
///
/// A beat goes down to the next place as soon as that is free, but from place 1 to place 0 only when the beats behind it are there:
/// all other places are taken, or hold the end of its frame. It leaves place 0 in the next cycle. So a beat comes to place 0 when
/// `WINDOW` - 2 beats behind it are in, or a cycle later for each that its frame does not have.
#[derive(LogicBlock, Part)]
pub struct Window<const DATA: usize, const BYTES: usize, const WINDOW: usize, S: Synth> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub push: Signal<In, Bit>,
    pub data: Signal<In, Bits<DATA>>,
    pub keep: Signal<In, Bits<BYTES>>,
    pub last: Signal<In, Bit>,
    pub user: Signal<In, Bits<1>>,
    /// What goes with the beat.
    pub side: Signal<In, S>,
    pub ethertype: Signal<In, Bits<16>>,
    /// The next beat is the first of a frame.
    pub at_first: Signal<Out, Bit>,
    /// The places.
    pub valid: [Signal<Out, Bit>; WINDOW],
    pub data_at: [Signal<Out, Bits<DATA>>; WINDOW],
    pub keep_at: [Signal<Out, Bits<BYTES>>; WINDOW],
    pub is_first_at: [Signal<Out, Bit>; WINDOW],
    pub is_last_at: [Signal<Out, Bit>; WINDOW],
    pub user_at: [Signal<Out, Bits<1>>; WINDOW],
    /// Bit t speaks of the halfword that begins step 3 + t, if that step is in the beat: an EtherType behind t tags. It is a tag's,
    /// the shim's, IP's.
    pub is_tag_at: [Signal<Out, Bits<3>>; WINDOW],
    pub is_shim_at: [Signal<Out, Bits<3>>; WINDOW],
    pub is_ip_at: [Signal<Out, Bits<3>>; WINDOW],
    /// What went with the beat in place 1.
    pub side_1: Signal<Out, S>,
    /// The beat in place 1 goes to place 0.
    pub advance: Signal<Out, Bit>,

    fresh: DFF<Bit>,
    is_there: [DFF<Bit>; WINDOW],
    data_held: [DFF<Bits<DATA>>; WINDOW],
    keep_held: [DFF<Bits<BYTES>>; WINDOW],
    first_held: [DFF<Bit>; WINDOW],
    last_held: [DFF<Bit>; WINDOW],
    user_held: [DFF<Bits<1>>; WINDOW],
    tag_held: [DFF<Bits<3>>; WINDOW],
    shim_held: [DFF<Bits<3>>; WINDOW],
    ip_held: [DFF<Bits<3>>; WINDOW],
    side_held: [DFF<S>; WINDOW],
    is_tag: Signal<Local, Bits<3>>,
    is_shim: Signal<Local, Bits<3>>,
    is_ip: Signal<Local, Bits<3>>,
    lane: [Signal<Local, Bits<16>>; 3],
    halfword: [Signal<Local, Bits<16>>; 3],
    /// Place i and those from 1 up to it are taken.
    is_filled: [Signal<Local, Bit>; WINDOW],
    /// The same, or the frame of the beat in place 1 ends in one of them.
    is_whole: [Signal<Local, Bit>; WINDOW],
    moves: [Signal<Local, Bit>; WINDOW],
    is_newest: [Param<Bit>; WINDOW],
    is_above_1: [Param<Bit>; WINDOW],
    /// Bits of a beat below step 3 + t.
    below: [Param<Bits<10>>; 3],
}

impl<const DATA: usize, const BYTES: usize, const WINDOW: usize, S: Synth> Default
    for Window<DATA, BYTES, WINDOW, S>
{
    fn default() -> Self {
        fn each<T: Default, const WINDOW: usize>() -> [T; WINDOW] {
            std::array::from_fn(|_| T::default())
        }
        let steps = Geometry::new(DATA).steps as usize;
        Self {
            clk: Default::default(),
            rst: Default::default(),
            push: Default::default(),
            data: Default::default(),
            keep: Default::default(),
            last: Default::default(),
            user: Default::default(),
            side: Default::default(),
            ethertype: Default::default(),
            at_first: Default::default(),
            valid: each(),
            data_at: each(),
            keep_at: each(),
            is_first_at: each(),
            is_last_at: each(),
            user_at: each(),
            is_tag_at: each(),
            is_shim_at: each(),
            is_ip_at: each(),
            side_1: Default::default(),
            advance: Default::default(),
            fresh: Default::default(),
            is_there: each(),
            data_held: each(),
            keep_held: each(),
            first_held: each(),
            last_held: each(),
            user_held: each(),
            tag_held: each(),
            shim_held: each(),
            ip_held: each(),
            side_held: each(),
            is_tag: Default::default(),
            is_shim: Default::default(),
            is_ip: Default::default(),
            lane: each(),
            halfword: each(),
            is_filled: each(),
            is_whole: each(),
            moves: each(),
            is_newest: std::array::from_fn(|place| Param::new(place + 1 == WINDOW)),
            is_above_1: std::array::from_fn(|place| Param::new(place > 1)),
            below: std::array::from_fn(|tags| Param::new((32 * ((3 + tags) % steps) as u64).into())),
        }
    }
}

impl<const DATA: usize, const BYTES: usize, const WINDOW: usize, S: Synth> Logic
    for Window<DATA, BYTES, WINDOW, S>
{
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Beats in a row, from which the head of a frame is read.");
        dff_setup!(self, clk, fresh);
        comment!("What stands where an EtherType can be, read on the way in.");
        if self.push.val() {
            self.fresh.d.next = self.last.val();
        }
        self.at_first.next = self.fresh.q.val();
        self.is_tag.next = bits::<3>(0);
        self.is_shim.next = bits::<3>(0);
        self.is_ip.next = bits::<3>(0);
        for t in 0..3 {
            self.lane[t].next = self.data.val().get_bits::<16>(self.below[t].val().index());
            self.halfword[t].next = (self.lane[t].val() << 8) | (self.lane[t].val() >> 8);
            self.is_tag.next = self.is_tag.val().replace_bit(
                t,
                (self.halfword[t].val() == bits::<16>(0x8100))
                    || (self.halfword[t].val() == bits::<16>(0x88A8)),
            );
            self.is_shim.next =
                self.is_shim.val().replace_bit(t, self.halfword[t].val() == self.ethertype.val());
            self.is_ip.next = self.is_ip.val().replace_bit(
                t,
                (self.halfword[t].val() == bits::<16>(0x0800))
                    || (self.halfword[t].val() == bits::<16>(0x86DD)),
            );
        }
        comment!("Place 0 is left in every cycle, place 1 when all is there that is to be looked at.");
        self.is_filled[0].next = true;
        self.is_whole[0].next = false;
        self.moves[0].next = self.is_there[0].q.val();
        for i in 1..WINDOW {
            self.is_filled[i].next = self.is_filled[i - 1].val() && self.is_there[i].q.val();
            self.is_whole[i].next = self.is_whole[i - 1].val()
                || (self.is_filled[i].val() && (self.last_held[i].q.val() || self.is_newest[i].val()));
        }
        self.advance.next = false;
        for i in 1..WINDOW {
            if self.is_newest[i].val() {
                self.advance.next = self.is_whole[i].val();
            }
        }
        self.moves[1].next = self.advance.val();
        for i in 1..WINDOW {
            if self.is_above_1[i].val() {
                self.moves[i].next =
                    self.is_there[i].q.val() && (!self.is_there[i - 1].q.val() || self.moves[i - 1].val());
            }
        }
        comment!("A beat goes down, a new one comes in at the top.");
        for i in 0..WINDOW {
            self.is_there[i].clock.next = self.clk.val();
            self.data_held[i].clock.next = self.clk.val();
            self.keep_held[i].clock.next = self.clk.val();
            self.first_held[i].clock.next = self.clk.val();
            self.last_held[i].clock.next = self.clk.val();
            self.user_held[i].clock.next = self.clk.val();
            self.tag_held[i].clock.next = self.clk.val();
            self.shim_held[i].clock.next = self.clk.val();
            self.ip_held[i].clock.next = self.clk.val();
            self.side_held[i].clock.next = self.clk.val();
            self.is_there[i].d.next = self.is_there[i].q.val() && !self.moves[i].val();
            self.data_held[i].d.next = self.data_held[i].q.val();
            self.keep_held[i].d.next = self.keep_held[i].q.val();
            self.first_held[i].d.next = self.first_held[i].q.val();
            self.last_held[i].d.next = self.last_held[i].q.val();
            self.user_held[i].d.next = self.user_held[i].q.val();
            self.tag_held[i].d.next = self.tag_held[i].q.val();
            self.shim_held[i].d.next = self.shim_held[i].q.val();
            self.ip_held[i].d.next = self.ip_held[i].q.val();
            self.side_held[i].d.next = self.side_held[i].q.val();
            if self.is_newest[i].val() && self.push.val() {
                self.is_there[i].d.next = true;
                self.data_held[i].d.next = self.data.val();
                self.keep_held[i].d.next = self.keep.val();
                self.first_held[i].d.next = self.fresh.q.val();
                self.last_held[i].d.next = self.last.val();
                self.user_held[i].d.next = self.user.val();
                self.tag_held[i].d.next = self.is_tag.val();
                self.shim_held[i].d.next = self.is_shim.val();
                self.ip_held[i].d.next = self.is_ip.val();
                self.side_held[i].d.next = self.side.val();
            }
        }
        for i in 1..WINDOW {
            if self.moves[i].val() {
                self.is_there[i - 1].d.next = true;
                self.data_held[i - 1].d.next = self.data_held[i].q.val();
                self.keep_held[i - 1].d.next = self.keep_held[i].q.val();
                self.first_held[i - 1].d.next = self.first_held[i].q.val();
                self.last_held[i - 1].d.next = self.last_held[i].q.val();
                self.user_held[i - 1].d.next = self.user_held[i].q.val();
                self.tag_held[i - 1].d.next = self.tag_held[i].q.val();
                self.shim_held[i - 1].d.next = self.shim_held[i].q.val();
                self.ip_held[i - 1].d.next = self.ip_held[i].q.val();
                self.side_held[i - 1].d.next = self.side_held[i].q.val();
            }
        }
        for i in 0..WINDOW {
            self.valid[i].next = self.is_there[i].q.val();
            self.data_at[i].next = self.data_held[i].q.val();
            self.keep_at[i].next = self.keep_held[i].q.val();
            self.is_first_at[i].next = self.first_held[i].q.val();
            self.is_last_at[i].next = self.last_held[i].q.val();
            self.user_at[i].next = self.user_held[i].q.val();
            self.is_tag_at[i].next = self.tag_held[i].q.val();
            self.is_shim_at[i].next = self.shim_held[i].q.val();
            self.is_ip_at[i].next = self.ip_held[i].q.val();
        }
        self.side_1.next = self.side_held[1].q.val();
        if self.rst.val() {
            self.fresh.d.next = true;
            for i in 0..WINDOW {
                self.is_there[i].d.next = false;
            }
        }
    }
}
