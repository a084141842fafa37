//! Which words of the acked bitmap are visited, and what lies in them.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::bounds::Bound;
use crate::comment;
use crate::prims::Param;

/// Walks over the acked bitmap, 32 bits a word, a word a cycle: address, then mask and write, then count.
///
/// ```text
///  sack      segments of una to EPSN, then that of the base
///  next_rtx  all segments that the window touches, from that of una
///  init      the whole ring
/// ```
///
/// A word is counted from the first one of the segment of `una`, so that word `k` holds the places `32 * k` and up. The bit of a
/// PSN lies at PSN mod window. Bits outside `una..nxt` are 0, so a word of the ring that the window touches twice, at its
/// beginning and at its end, holds no bit of the one that stands for one of the other.
///
/// `K = R + 1` is the width of a word's number, `A = C + W - 5` that of its address.
#[derive(LogicBlock, Default)]
pub struct Walk<
    const C: usize,
    const A: usize,
    const N: usize,
    const R: usize,
    const K: usize,
    const P: usize,
> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    /// The walk begins in the next cycle.
    pub start: Signal<In, bool>,
    /// The walk is given up.
    pub stop: Signal<In, bool>,
    pub conn: Signal<In, Bits<C>>,
    pub is_sack: Signal<In, bool>,
    pub is_init: Signal<In, bool>,
    /// Last segment, of a SACK the one of EPSN; segment of the SACK.
    pub segments: Signal<In, Bits<R>>,
    pub base_segment: Signal<In, Bits<R>>,
    pub recovering: Signal<In, bool>,
    pub una: Signal<In, Bits<P>>,
    pub epsn_low: Signal<In, Bits<6>>,
    pub rtx: Signal<In, Bits<N>>,
    pub rec_end: Signal<In, Bits<N>>,

    pub last_word: Signal<Out, bool>,
    /// Half of the segment, with the address.
    pub half: Signal<Out, Bits<1>>,
    pub read_address: Signal<Out, Bits<A>>,
    /// One cycle after the address: the segment is that of the SACK; where the bounds fall into the word.
    pub in_base: Signal<Out, bool>,
    pub una_above: Signal<Out, Bits<32>>,
    pub epsn_above: Signal<Out, Bits<32>>,
    pub rtx_above: Signal<Out, Bits<32>>,
    pub rec_above: Signal<Out, Bits<32>>,
    /// With them: a word is there to be written, and its address.
    pub writes: Signal<Out, bool>,
    pub write_address: Signal<Out, Bits<A>>,
    /// Two cycles after the address: a word was there, its number.
    pub valid: Signal<Out, bool>,
    pub word: Signal<Out, Bits<K>>,
    /// Three cycles after the address.
    pub counted: Signal<Out, bool>,

    base_segment_low: Signal<Local, Bits<R>>,
    segment: Signal<Local, Bits<R>>,
    at_end: Signal<Local, bool>,
    turn: Signal<Local, bool>,
    last: Signal<Local, bool>,
    ring_segment: Signal<Local, Bits<R>>,
    ring_word: Signal<Local, Bits<K>>,
    conn_part: Signal<Local, Bits<A>>,

    number: DFF<Bits<K>>,
    walking: DFF<bool>,
    second: DFF<bool>,
    masks_second: DFF<bool>,
    read: DFF<bool>,
    masked: DFF<bool>,
    added: DFF<bool>,
    number_read: DFF<Bits<K>>,
    number_masked: DFF<Bits<K>>,
    address_read: DFF<Bits<K>>,
    una_bound: Bound<K>,
    epsn_bound: Bound<K>,
    rtx_bound: Bound<K>,
    rec_bound: Bound<K>,

    word_bits: Param<Bits<4>>,
    ring: Param<Bits<R>>,
}

impl<const C: usize, const A: usize, const N: usize, const R: usize, const K: usize, const P: usize>
    Walk<C, A, N, R, K, P>
{
    /// The block with its parameters, which follow from its sizes.
    pub fn new() -> Self {
        Self {
            word_bits: Param::new((R as u64).into()),
            ring: Param::new(((1u64 << (R - 1)) - 1).into()),
            ..Default::default()
        }
    }
}

impl<const C: usize, const A: usize, const N: usize, const R: usize, const K: usize, const P: usize> Logic
    for Walk<C, A, N, R, K, P>
{
    #[hdl_gen]
    fn update(&mut self) {
        comment!(
            "module walk: which words of the acked bitmap are visited, 32 PSNs a cycle, and what lies in them"
        );
        dff_setup!(self, clk, number, walking, second, masks_second, read, masked, added);
        dff_setup!(self, clk, number_read, number_masked, address_read);
        self.segment.next = bit_cast::<R, K>(self.number.q.val() >> 1);
        self.at_end.next = self.number.q.val().get_bit(0)
            & (self.second.q.val() | (self.segment.val() == self.segments.val()));
        self.turn.next = self.at_end.val() & self.is_sack.val() & !self.second.q.val();
        self.last.next =
            self.walking.q.val() & self.at_end.val() & (!self.is_sack.val() | self.second.q.val());
        if self.walking.q.val() {
            self.number.d.next = self.number.q.val() + 1;
        }
        if self.walking.q.val() & self.turn.val() {
            self.number.d.next = bit_cast::<K, R>(self.base_segment.val()) << 1;
            self.second.d.next = true;
        }
        if self.start.val() {
            self.number.d.next = 0.into();
            self.second.d.next = false;
        }
        self.walking.d.next = self.start.val() | (self.walking.q.val() & !self.last.val() & !self.stop.val());
        self.last_word.next = self.last.val();
        self.half.next = bit_cast::<1, K>(self.number.q.val());

        comment!("Address. An init may begin at any word, and una means nothing yet.");
        self.base_segment_low.next = bit_cast::<R, P>(self.una.val() >> 6);
        if self.is_init.val() {
            self.base_segment_low.next = 0.into();
        }
        self.ring_segment.next = (self.base_segment_low.val() + self.segment.val()) & self.ring.val();
        self.ring_word.next =
            (bit_cast::<K, R>(self.ring_segment.val()) << 1) | bit_cast::<K, 1>(self.half.val());
        self.conn_part.next = bit_cast::<A, C>(self.conn.val()) << self.word_bits.val();
        self.read_address.next = self.conn_part.val() | bit_cast::<A, K>(self.ring_word.val());
        self.address_read.d.next = self.ring_word.val();
        self.write_address.next = self.conn_part.val() | bit_cast::<A, K>(self.address_read.q.val());
        self.number_read.d.next = self.number.q.val();
        self.number_masked.d.next = self.number_read.q.val();
        self.word.next = self.number_masked.q.val();
        self.read.d.next = self.walking.q.val();
        self.masked.d.next = self.read.q.val();
        self.added.d.next = self.masked.q.val();
        self.writes.next = self.read.q.val();
        self.valid.next = self.masked.q.val();
        self.counted.next = self.added.q.val();
        self.masks_second.d.next = self.second.q.val();
        self.in_base.next = self.masks_second.q.val();

        comment!("Without a SACK everything lies below EPSN, out of recovery above the end of the range.");
        self.una_bound.clk.next = self.clk.val();
        self.una_bound.word.next = self.number.q.val();
        self.una_bound.bound_word.next = bit_cast::<K, 1>(self.una.val().get_bits::<1>(5));
        self.una_bound.offset.next = bit_cast::<5, P>(self.una.val());
        self.una_bound.none.next = false;
        self.una_bound.all.next = false;
        self.epsn_bound.clk.next = self.clk.val();
        self.epsn_bound.word.next = self.number.q.val();
        self.epsn_bound.bound_word.next = (bit_cast::<K, R>(self.segments.val()) << 1)
            | bit_cast::<K, 1>(self.epsn_low.val().get_bits::<1>(5));
        self.epsn_bound.offset.next = bit_cast::<5, 6>(self.epsn_low.val());
        self.epsn_bound.none.next = !self.is_sack.val();
        self.epsn_bound.all.next = false;
        self.rtx_bound.clk.next = self.clk.val();
        self.rtx_bound.word.next = self.number.q.val();
        self.rtx_bound.bound_word.next = bit_cast::<K, N>(self.rtx.val() >> 5);
        self.rtx_bound.offset.next = bit_cast::<5, N>(self.rtx.val());
        self.rtx_bound.none.next = false;
        self.rtx_bound.all.next = false;
        self.rec_bound.clk.next = self.clk.val();
        self.rec_bound.word.next = self.number.q.val();
        self.rec_bound.bound_word.next = bit_cast::<K, N>(self.rec_end.val() >> 5);
        self.rec_bound.offset.next = bit_cast::<5, N>(self.rec_end.val());
        self.rec_bound.none.next = false;
        self.rec_bound.all.next = !self.recovering.val();
        self.una_above.next = self.una_bound.above.val();
        self.epsn_above.next = self.epsn_bound.above.val();
        self.rtx_above.next = self.rtx_bound.above.val();
        self.rec_above.next = self.rec_bound.above.val();

        if self.rst.val() {
            self.walking.d.next = false;
            self.read.d.next = false;
            self.masked.d.next = false;
            self.added.d.next = false;
        }
    }
}
