//! Which words of the acked bitmap are visited, and what lies in them.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::super::small::bounds::Bound;
use crate::comment;
use crate::prims::{Param, Reg, resize};

/// Walks over the acked bitmap, 16 bits a word, a word a cycle: address, then mask, then write and count.
///
/// ```text
///  ack, nack that asks for a PSN        from the word of una to that of the mark
///  nack that goes back, next_rtx,       from the word of una to that of nxt
///    visit that finds the RTO over
///  init                                 the whole ring
/// ```
///
/// A word is counted from the first one of the segment of `una`, so that word `k` holds the places `16 * k` and up. The bit of a
/// PSN lies at PSN mod window. Bits outside `una..nxt` are 0, so a word of the ring that the window touches twice, at its
/// beginning and at its end, holds no bit of the one that stands for one of the other.
///
/// `K = R + 2` is the width of a word's number, `A = C + W - 4` that of its address.
#[block]
pub struct Walk<
    const C: usize,
    const A: usize,
    const N: usize,
    const R: usize,
    const K: usize,
    const P: usize,
> {
    pub step_2: Signal<In, bool>,
    pub step_8: Signal<In, bool>,
    pub step_9: Signal<In, bool>,
    /// The walk begins two cycles later, one cycle later.
    pub prime: Signal<In, bool>,
    pub start: Signal<In, bool>,
    pub conn: Signal<In, Bits<C>>,
    pub is_init: Signal<In, bool>,
    /// It ends with the mark; from step 9 on: with `una`.
    pub to_mark: Signal<In, bool>,
    pub unheard: Signal<In, bool>,
    pub mark: Signal<In, Bits<N>>,
    pub nxt: Signal<In, Bits<N>>,
    pub una: Signal<In, Bits<P>>,
    pub cumulative: Signal<In, Bits<N>>,
    pub recovering: Signal<In, bool>,
    /// The range is one that the op begins: of a visit up to the mark, of a NACK from its PSN on, or from where it was to go on.
    pub times_out: Signal<In, bool>,
    pub back: Signal<In, bool>,
    pub from_una: Signal<In, bool>,
    pub from_psn: Signal<In, bool>,
    pub psn_place: Signal<In, Bits<N>>,
    pub rtx: Signal<In, Bits<N>>,
    pub rec_end: Signal<In, Bits<N>>,

    /// A word is walked over, or the one before the first.
    pub walks: Signal<Out, bool>,
    pub last_word: Signal<Out, bool>,
    /// Number of the word.
    pub word_now: Signal<Out, Bits<K>>,
    pub read_address: Signal<Out, Bits<A>>,
    /// One cycle after the address: where the bounds fall into the word.
    pub una_above: Signal<Out, Bits<16>>,
    pub cum_above: Signal<Out, Bits<16>>,
    pub rtx_above: Signal<Out, Bits<16>>,
    pub rec_above: Signal<Out, Bits<16>>,
    /// Two cycles after the address: a word is there, its number, its address.
    pub valid: Signal<Out, bool>,
    pub word: Signal<Out, Bits<K>>,
    pub write_address: Signal<Out, Bits<A>>,
    /// Three cycles after the address.
    pub counted: Signal<Out, bool>,

    number: Reg<Bits<K>>,
    stop_at: Reg<Bits<K>>,
    #[reset = false]
    walking: Reg<bool>,
    #[reset = false]
    read: Reg<bool>,
    #[reset = false]
    masked: Reg<bool>,
    #[reset = false]
    added: Reg<bool>,
    number_read: Reg<Bits<K>>,
    number_masked: Reg<Bits<K>>,
    address_read: Reg<Bits<K>>,
    address_masked: Reg<Bits<K>>,
    una_bound: Bound<K>,
    cum_bound: Bound<K>,
    rtx_bound: Bound<K>,
    rec_bound: Bound<K>,
    rtx_place: Signal<Local, Bits<N>>,
    rec_place: Signal<Local, Bits<N>>,

    word_bits: Param<Bits<4>>,
    ring: Param<Bits<R>>,
    ring_end: Param<Bits<K>>,
}

#[block]
impl<const C: usize, const A: usize, const N: usize, const R: usize, const K: usize, const P: usize>
    Walk<C, A, N, R, K, P>
{
    /// The block with its parameters, which follow from its sizes.
    pub fn new() -> Self {
        Self {
            word_bits: Param::new((R as u64 + 1).into()),
            ring: Param::new(((1u64 << (R - 1)) - 1).into()),
            ring_end: Param::new(((1u64 << (K - 1)) - 1).into()),
            ..Default::default()
        }
    }

    fn update(&mut self) {
        comment!(
            "module walk: which words of the acked bitmap are visited, up to which, and what lies in them"
        );
        let una_low: Bits<6> = resize(self.una);
        let last = self.walking & (self.number == self.stop_at);
        if self.walking | self.start {
            self.number = self.number + 1;
        }
        if self.prime {
            self.number = bit_cast::<K, 2>(una_low.get_bits::<2>(4)) - 1;
            if self.is_init {
                self.number = !bits::<K>(0);
            }
        }
        if self.step_2 {
            self.stop_at = resize(self.nxt >> 4);
            if self.is_init {
                self.stop_at = self.ring_end;
            }
        }
        if self.step_8 & self.to_mark {
            self.stop_at = resize(self.mark >> 4);
        }
        if self.step_9 & self.unheard {
            self.stop_at = resize(una_low.get_bits::<2>(4));
        }
        self.walking = self.start | (self.walking & !last);
        self.walks = self.walking | self.start;
        self.last_word = last;
        self.word_now = self.number;

        comment!("Address. An init may begin at any word, and una means nothing yet.");
        let mut base_segment: Bits<R> = resize(self.una >> 6);
        if self.is_init {
            base_segment = 0;
        }
        let segment: Bits<R> = resize(self.number >> 2);
        let ring_segment = (base_segment + segment) & self.ring;
        let ring_word =
            (bit_cast::<K, R>(ring_segment) << 2) | bit_cast::<K, 2>(bit_cast::<2, K>(self.number));
        let conn_part: Bits<A> = bit_cast::<A, C>(self.conn) << self.word_bits;
        self.read_address = conn_part | bit_cast::<A, K>(ring_word);
        self.address_read = ring_word;
        self.address_masked = self.address_read;
        self.write_address = conn_part | bit_cast::<A, K>(self.address_masked);
        self.number_read = self.number;
        self.number_masked = self.number_read;
        self.word = self.number_masked;
        self.read = self.walking;
        self.masked = self.read;
        self.added = self.masked;
        self.valid = self.masked;
        self.counted = self.added;

        comment!("Out of recovery everything lies above the end of the range.");
        self.una_bound.word = self.number;
        self.una_bound.bound_word = resize(una_low.get_bits::<2>(4));
        self.una_bound.offset = resize(una_low);
        self.una_bound.none = false;
        self.una_bound.all = false;
        self.cum_bound.word = self.number;
        self.cum_bound.bound_word = resize(self.cumulative >> 4);
        self.cum_bound.offset = resize(self.cumulative);
        self.cum_bound.none = false;
        self.cum_bound.all = false;
        self.rtx_place = self.rtx;
        if self.from_psn {
            self.rtx_place = self.psn_place;
        }
        self.rtx_bound.word = self.number;
        self.rtx_bound.bound_word = resize(self.rtx_place >> 4);
        self.rtx_bound.offset = resize(self.rtx_place);
        self.rtx_bound.none = false;
        self.rtx_bound.all = self.from_una;
        self.rec_place = self.rec_end;
        if self.times_out {
            self.rec_place = self.mark;
        }
        self.rec_bound.word = self.number;
        self.rec_bound.bound_word = resize(self.rec_place >> 4);
        self.rec_bound.offset = resize(self.rec_place);
        self.rec_bound.none = self.back;
        self.rec_bound.all = !self.recovering & !self.times_out & !self.back;
        self.una_above = self.una_bound.above;
        self.cum_above = self.cum_bound.above;
        self.rtx_above = self.rtx_bound.above;
        self.rec_above = self.rec_bound.above;
    }
}
