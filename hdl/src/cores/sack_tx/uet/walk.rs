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
/// `WORDS = SEGMENTS + 2` is the width of a word's number, `WORD_ADDRESS = CONN + W - 4` that of its address.
#[block]
pub struct Walk<
    const CONN: usize,
    const WORD_ADDRESS: usize,
    const PACKETS: usize,
    const SEGMENTS: usize,
    const WORDS: usize,
    const PSN: usize,
> {
    pub step_2: Signal<In, bool>,
    pub step_8: Signal<In, bool>,
    pub step_9: Signal<In, bool>,
    /// The walk begins two cycles later, one cycle later.
    pub prime: Signal<In, bool>,
    pub start: Signal<In, bool>,
    pub conn: Signal<In, Bits<CONN>>,
    pub is_init: Signal<In, bool>,
    /// It ends with the mark; from step 9 on: with `una`.
    pub to_mark: Signal<In, bool>,
    pub unheard: Signal<In, bool>,
    pub mark: Signal<In, Bits<PACKETS>>,
    pub nxt: Signal<In, Bits<PACKETS>>,
    pub una: Signal<In, Bits<PSN>>,
    pub cumulative: Signal<In, Bits<PACKETS>>,
    pub recovering: Signal<In, bool>,
    /// The range is one that the op begins: of a visit up to the mark, of a NACK from its PSN on, or from where it was to go on.
    pub times_out: Signal<In, bool>,
    pub back: Signal<In, bool>,
    pub from_una: Signal<In, bool>,
    pub from_psn: Signal<In, bool>,
    pub psn_place: Signal<In, Bits<PACKETS>>,
    pub rtx: Signal<In, Bits<PACKETS>>,
    pub rec_end: Signal<In, Bits<PACKETS>>,

    /// A word is walked over, or the one before the first.
    pub walks: Signal<Out, bool>,
    pub last_word: Signal<Out, bool>,
    /// Number of the word.
    pub word_now: Signal<Out, Bits<WORDS>>,
    pub read_address: Signal<Out, Bits<WORD_ADDRESS>>,
    /// One cycle after the address: where the bounds fall into the word.
    pub una_above: Signal<Out, Bits<16>>,
    pub cum_above: Signal<Out, Bits<16>>,
    pub rtx_above: Signal<Out, Bits<16>>,
    pub rec_above: Signal<Out, Bits<16>>,
    /// Two cycles after the address: a word is there, its number, its address.
    pub valid: Signal<Out, bool>,
    pub word: Signal<Out, Bits<WORDS>>,
    pub write_address: Signal<Out, Bits<WORD_ADDRESS>>,
    /// Three cycles after the address.
    pub counted: Signal<Out, bool>,

    number: Reg<Bits<WORDS>>,
    stop_at: Reg<Bits<WORDS>>,
    #[reset = false]
    walking: Reg<bool>,
    #[reset = false]
    read: Reg<bool>,
    #[reset = false]
    masked: Reg<bool>,
    #[reset = false]
    added: Reg<bool>,
    number_read: Reg<Bits<WORDS>>,
    number_masked: Reg<Bits<WORDS>>,
    address_read: Reg<Bits<WORDS>>,
    address_masked: Reg<Bits<WORDS>>,
    una_bound: Bound<WORDS>,
    cum_bound: Bound<WORDS>,
    rtx_bound: Bound<WORDS>,
    rec_bound: Bound<WORDS>,
    rtx_place: Signal<Local, Bits<PACKETS>>,
    rec_place: Signal<Local, Bits<PACKETS>>,

    word_bits: Param<Bits<4>>,
    ring: Param<Bits<SEGMENTS>>,
    ring_end: Param<Bits<WORDS>>,
}

#[block]
impl<
    const CONN: usize,
    const WORD_ADDRESS: usize,
    const PACKETS: usize,
    const SEGMENTS: usize,
    const WORDS: usize,
    const PSN: usize,
> Walk<CONN, WORD_ADDRESS, PACKETS, SEGMENTS, WORDS, PSN>
{
    /// The block with its parameters, which follow from its sizes.
    pub fn new() -> Self {
        Self {
            word_bits: Param::new((SEGMENTS as u64 + 1).into()),
            ring: Param::new(((1u64 << (SEGMENTS - 1)) - 1).into()),
            ring_end: Param::new(((1u64 << (WORDS - 1)) - 1).into()),
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
            self.number = bit_cast::<WORDS, 2>(una_low.get_bits::<2>(4)) - 1;
            if self.is_init {
                self.number = !bits::<WORDS>(0);
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
        let mut base_segment: Bits<SEGMENTS> = resize(self.una >> 6);
        if self.is_init {
            base_segment = 0;
        }
        let segment: Bits<SEGMENTS> = resize(self.number >> 2);
        let ring_segment = (base_segment + segment) & self.ring;
        let ring_word = (bit_cast::<WORDS, SEGMENTS>(ring_segment) << 2)
            | bit_cast::<WORDS, 2>(bit_cast::<2, WORDS>(self.number));
        let conn_part: Bits<WORD_ADDRESS> = bit_cast::<WORD_ADDRESS, CONN>(self.conn) << self.word_bits;
        self.read_address = conn_part | bit_cast::<WORD_ADDRESS, WORDS>(ring_word);
        self.address_read = ring_word;
        self.address_masked = self.address_read;
        self.write_address = conn_part | bit_cast::<WORD_ADDRESS, WORDS>(self.address_masked);
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
