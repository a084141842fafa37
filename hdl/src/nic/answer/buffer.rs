//! Two frames, and two beats of the one that leaves.

use respray_hdl_macros::{LogicBlock, Part, hdl_gen};
use rust_hdl::prelude::*;

use crate::comment;
use crate::manifest::MemoryKind;
use crate::prims::{Param, SimpleDualPort};
use crate::signal_struct;

signal_struct! {
    /// Half of a word.
    pub struct Half {
        pub half: Bits<16>,
        /// It ends the frame.
        pub is_last: bool,
    }
}

/// Keeps a frame while the one before leaves. It is written by pairs, and read by words of 4 bytes: a word is the even half of a pair
/// and the odd half of the next.
///
/// A beat is gathered a word a cycle, so that it stands behind the one that is offered when that one is let go: a frame of two beats
/// leaves without a gap. One of more beats has gaps, in which nothing else can use the stream.
#[derive(LogicBlock, Default, Part)]
pub struct Buffer<const W: usize, const K: usize, const N: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// A frame begins: it needs [`Self::has_room`].
    pub claim: Signal<In, Bit>,
    pub has_room: Signal<Out, Bit>,
    pub write_even: Signal<In, Bit>,
    pub even_at: Signal<In, Bits<5>>,
    pub even: Signal<In, Bits<16>>,
    /// The frame ends with this half of a word, and has not the other one.
    pub ends_even: Signal<In, Bit>,
    pub write_odd: Signal<In, Bit>,
    /// Of the word: the pair's number less 1.
    pub odd_at: Signal<In, Bits<5>>,
    pub odd: Signal<In, Bits<16>>,
    pub ends_odd: Signal<In, Bit>,
    /// The frame is whole.
    pub done: Signal<In, Bit>,
    pub m_axis_tdata: Signal<Out, Bits<W>>,
    pub m_axis_tkeep: Signal<Out, Bits<K>>,
    pub m_axis_tvalid: Signal<Out, Bit>,
    /// It is 1 in the next cycle.
    pub m_axis_comes: Signal<Out, Bit>,
    pub m_axis_tlast: Signal<Out, Bit>,
    pub m_axis_tready: Signal<In, Bit>,

    evens: SimpleDualPort<Bits<6>, Half>,
    odds: SimpleDualPort<Bits<6>, Half>,
    /// Frames that began, that are whole, and that have left, modulo 4. The lowest bit is the half of the memories.
    claimed: DFF<Bits<2>>,
    made: DFF<Bits<2>>,
    left: DFF<Bits<2>>,
    fill: Signal<Local, Bits<2>>,
    next_left: Signal<Local, Bits<2>>,

    /// The word behind the memories' registers.
    at: DFF<Bits<5>>,
    next_at: Signal<Local, Bits<5>>,
    is_there: DFF<Bit>,
    takes: Signal<Local, Bit>,
    is_last: Signal<Local, Bit>,
    even_half: Signal<Local, Bits<16>>,
    odd_half: Signal<Local, Bits<16>>,
    lane_at: Signal<Local, Bits<5>>,
    word: Signal<Local, Bits<32>>,
    write_page: Signal<Local, Bits<6>>,
    read_page: Signal<Local, Bits<6>>,
    lanes: [DFF<Bits<32>>; 16],
    /// A lane has its even half, and its odd one.
    keeps_even: [DFF<Bit>; 16],
    keeps_odd: [DFF<Bit>; 16],
    /// The lanes hold a whole beat, and it is its frame's last.
    is_whole: DFF<Bit>,
    is_end: DFF<Bit>,
    /// They hold one, and none leaves; they hold one, and the one that leaves is offered. Of registers, because what `moves` drives is wide
    /// and `m_axis_tready` is late.
    is_free: DFF<Bit>,
    waits: DFF<Bit>,
    /// The first word of a beat goes into its lane; it does so if the beat that is offered leaves. Of registers for the same reason.
    starts_at_once: DFF<Bit>,
    starts_behind: DFF<Bit>,
    starts: Signal<Local, Bit>,
    is_next_free: Signal<Local, Bit>,
    is_next_first: Signal<Local, Bit>,
    /// They go into the beat that leaves.
    moves: Signal<Local, Bit>,
    has_out: DFF<Bit>,
    out_data: DFF<Bits<W>>,
    out_keep: DFF<Bits<K>>,
    out_last: DFF<Bit>,
    /// The beat that leaves is offered: the one behind it is whole, or it is its frame's last.
    is_offered: DFF<Bit>,
    has_next: Signal<Local, Bit>,
    is_next_whole: Signal<Local, Bit>,
    is_next_last: Signal<Local, Bit>,
    data: Signal<Local, Bits<W>>,
    keep: Signal<Local, Bits<K>>,
    number: [Param<Bits<5>>; 16],
    /// Of a lane within the beat.
    shift: [Param<Bits<10>>; 16],
    in_beat: Param<Bits<5>>,
}

impl<const W: usize, const K: usize, const N: usize> Buffer<W, K, N> {
    /// With nothing inside.
    pub fn new() -> Self {
        let memory = |name, about| SimpleDualPort::new(name, about, MemoryKind::Distributed);
        Self {
            evens: memory("even_memory", "even halves of two frames"),
            odds: memory("odd_memory", "odd halves of two frames"),
            number: std::array::from_fn(|lane| Param::new((lane as u64).into())),
            shift: std::array::from_fn(|lane| Param::new((32 * lane as u64).into())),
            in_beat: Param::new((N as u64 - 1).into()),
            ..Default::default()
        }
    }
}

impl<const W: usize, const K: usize, const N: usize> Logic for Buffer<W, K, N> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Keeps a frame while the one before leaves.");
        dff_setup!(self, clk, claimed, made, left, at, is_there, is_whole, is_end);
        dff_setup!(self, clk, has_out, out_data, out_keep, out_last, is_offered, is_free, waits);
        dff_setup!(self, clk, starts_at_once, starts_behind);
        self.evens.clk.next = self.clk.val();
        self.odds.clk.next = self.clk.val();
        self.fill.next = self.claimed.q.val() - self.left.q.val();
        self.has_room.next = self.fill.val() < bits::<2>(2);
        if self.claim.val() {
            self.claimed.d.next = self.claimed.q.val() + bits::<2>(1);
        }
        if self.done.val() {
            self.made.d.next = self.made.q.val() + bits::<2>(1);
        }
        self.write_page.next = bit_cast::<6, 1>(self.made.q.val().get_bits::<1>(0)) << 5;
        self.evens.write_enable.next = self.write_even.val();
        self.evens.write_address.next = self.write_page.val() | bit_cast::<6, 5>(self.even_at.val());
        self.evens.write_data.next.half = self.even.val();
        self.evens.write_data.next.is_last = self.ends_even.val();
        self.odds.write_enable.next = self.write_odd.val();
        self.odds.write_address.next = self.write_page.val() | bit_cast::<6, 5>(self.odd_at.val());
        self.odds.write_data.next.half = self.odd.val();
        self.odds.write_data.next.is_last = self.ends_odd.val();

        self.moves.next = self.is_free.q.val() || (self.waits.q.val() && self.m_axis_tready.val());

        comment!("A word a cycle goes into its lane. While a whole beat stays in the lanes, it waits.");
        self.takes.next = self.is_there.q.val() && (!self.is_whole.q.val() || self.moves.val());
        self.starts.next =
            self.starts_at_once.q.val() || (self.starts_behind.q.val() && self.m_axis_tready.val());
        self.is_last.next = self.evens.read_data.val().is_last || self.odds.read_data.val().is_last;
        self.next_at.next = self.at.q.val();
        self.next_left.next = self.left.q.val();
        if self.takes.val() {
            self.next_at.next = self.at.q.val() + bits::<5>(1);
            if self.is_last.val() {
                self.next_at.next = bits::<5>(0);
                self.next_left.next = self.left.q.val() + bits::<2>(1);
            }
        }
        self.at.d.next = self.next_at.val();
        self.left.d.next = self.next_left.val();
        self.is_there.d.next = self.made.q.val() != self.next_left.val();
        self.read_page.next = bit_cast::<6, 1>(self.next_left.val().get_bits::<1>(0)) << 5;
        self.evens.read_address.next = self.read_page.val() | bit_cast::<6, 5>(self.next_at.val());
        self.odds.read_address.next = self.read_page.val() | bit_cast::<6, 5>(self.next_at.val());

        comment!("The first byte on the wire is the high byte of the even half, and goes to the bottom.");
        self.even_half.next = self.evens.read_data.val().half;
        comment!("A frame that ends with an even half has no odd one there.");
        self.odd_half.next = 0.into();
        if !self.evens.read_data.val().is_last {
            self.odd_half.next = self.odds.read_data.val().half;
        }
        self.word.next = bit_cast::<32, 16>(self.even_half.val() >> 8)
            | (bit_cast::<32, 16>(self.even_half.val() & bits::<16>(0xff)) << 8)
            | (bit_cast::<32, 16>(self.odd_half.val() >> 8) << 16)
            | (bit_cast::<32, 16>(self.odd_half.val() & bits::<16>(0xff)) << 24);
        self.lane_at.next = self.at.q.val() & self.in_beat.val();
        self.data.next = 0.into();
        self.keep.next = 0.into();
        for i in 0..N {
            self.lanes[i].clock.next = self.clk.val();
            self.keeps_even[i].clock.next = self.clk.val();
            self.keeps_odd[i].clock.next = self.clk.val();
            self.lanes[i].d.next = self.lanes[i].q.val();
            self.keeps_even[i].d.next = self.keeps_even[i].q.val();
            self.keeps_odd[i].d.next = self.keeps_odd[i].q.val();
            if self.starts.val() {
                self.lanes[i].d.next = 0.into();
                self.keeps_even[i].d.next = false;
                self.keeps_odd[i].d.next = false;
            }
            if self.takes.val() && (self.lane_at.val() == self.number[i].val()) {
                self.lanes[i].d.next = self.word.val();
                self.keeps_even[i].d.next = true;
                self.keeps_odd[i].d.next = !self.evens.read_data.val().is_last;
            }
            self.data.next =
                self.data.val() | (self.lanes[i].q.val().get_bits::<W>(0) << self.shift[i].val());
            self.keep.next = self.keep.val().replace_bit(4 * i, self.keeps_even[i].q.val());
            self.keep.next = self.keep.val().replace_bit(4 * i + 1, self.keeps_even[i].q.val());
            self.keep.next = self.keep.val().replace_bit(4 * i + 2, self.keeps_odd[i].q.val());
            self.keep.next = self.keep.val().replace_bit(4 * i + 3, self.keeps_odd[i].q.val());
        }
        self.has_next.next = self.has_out.q.val() && !(self.is_offered.q.val() && self.m_axis_tready.val());
        self.is_next_whole.next = self.is_whole.q.val();
        self.is_next_last.next = self.out_last.q.val();
        if self.moves.val() {
            self.is_next_whole.next = false;
            self.has_next.next = true;
            self.is_next_last.next = self.is_end.q.val();
            self.out_data.d.next = self.data.val();
            self.out_keep.d.next = self.keep.val();
        }
        if self.takes.val() {
            self.is_next_whole.next = self.is_last.val() || (self.lane_at.val() == self.in_beat.val());
            self.is_end.d.next = self.is_last.val();
        }
        self.has_out.d.next = self.has_next.val();
        self.is_whole.d.next = self.is_next_whole.val();
        self.out_last.d.next = self.is_next_last.val();
        comment!("A beat is offered when the one behind it is whole, too, unless it is its frame's last.");
        self.m_axis_comes.next =
            !self.rst.val() && self.has_next.val() && (self.is_next_last.val() || self.is_next_whole.val());
        self.is_offered.d.next = self.m_axis_comes.val();
        self.is_next_free.next = !self.is_next_whole.val() || !self.has_next.val();
        self.is_free.d.next = self.is_next_whole.val() && !self.has_next.val();
        self.waits.d.next = self.is_next_whole.val() && self.has_next.val();
        self.is_next_first.next = (self.made.q.val() != self.next_left.val())
            && ((self.next_at.val() & self.in_beat.val()) == bits::<5>(0));
        self.starts_at_once.d.next = self.is_next_first.val() && self.is_next_free.val();
        self.starts_behind.d.next = self.is_next_first.val() && !self.is_next_free.val();
        self.m_axis_tdata.next = self.out_data.q.val();
        self.m_axis_tkeep.next = self.out_keep.q.val();
        self.m_axis_tvalid.next = self.is_offered.q.val();
        self.m_axis_tlast.next = self.out_last.q.val();
        if self.rst.val() {
            self.claimed.d.next = bits::<2>(0);
            self.made.d.next = bits::<2>(0);
            self.left.d.next = bits::<2>(0);
            self.at.d.next = bits::<5>(0);
            self.is_there.d.next = false;
            self.is_whole.d.next = false;
            self.has_out.d.next = false;
            self.is_free.d.next = false;
            self.waits.d.next = false;
            self.starts_at_once.d.next = false;
            self.starts_behind.d.next = false;
        }
    }
}
