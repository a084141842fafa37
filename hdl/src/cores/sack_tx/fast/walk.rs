//! Which words of the acked bitmap are visited, and what lies in them.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::bounds::Bound;
use crate::comment;
use crate::prims::{Param, Reg, resize};

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
/// `WIDE_WORDS = SEGMENTS + 1` is the width of a word's number, `WIDE_WORD_ADDRESS = CONN + W - 5` that of its address.
#[block]
pub struct Walk<
    const CONN: usize,
    const WIDE_WORD_ADDRESS: usize,
    const PACKETS: usize,
    const SEGMENTS: usize,
    const WIDE_WORDS: usize,
    const PSN: usize,
> {
    /// The walk begins in the next cycle.
    pub start: Signal<In, bool>,
    /// The walk is given up.
    pub stop: Signal<In, bool>,
    pub conn: Signal<In, Bits<CONN>>,
    pub is_sack: Signal<In, bool>,
    pub is_init: Signal<In, bool>,
    /// Last segment, of a SACK the one of EPSN; segment of the SACK.
    pub segments: Signal<In, Bits<SEGMENTS>>,
    pub base_segment: Signal<In, Bits<SEGMENTS>>,
    pub recovering: Signal<In, bool>,
    pub una: Signal<In, Bits<PSN>>,
    pub epsn_low: Signal<In, Bits<6>>,
    pub rtx: Signal<In, Bits<PACKETS>>,
    pub rec_end: Signal<In, Bits<PACKETS>>,

    pub last_word: Signal<Out, bool>,
    /// Half of the segment, with the address.
    pub half: Signal<Out, Bits<1>>,
    pub read_address: Signal<Out, Bits<WIDE_WORD_ADDRESS>>,
    /// One cycle after the address: the segment is that of the SACK; where the bounds fall into the word.
    pub in_base: Signal<Out, bool>,
    pub una_above: Signal<Out, Bits<32>>,
    pub epsn_above: Signal<Out, Bits<32>>,
    pub rtx_above: Signal<Out, Bits<32>>,
    pub rec_above: Signal<Out, Bits<32>>,
    /// With them: a word is there to be written, and its address.
    pub writes: Signal<Out, bool>,
    pub write_address: Signal<Out, Bits<WIDE_WORD_ADDRESS>>,
    /// Two cycles after the address: a word was there, its number.
    pub valid: Signal<Out, bool>,
    pub word: Signal<Out, Bits<WIDE_WORDS>>,
    /// Three cycles after the address.
    pub counted: Signal<Out, bool>,

    number: Reg<Bits<WIDE_WORDS>>,
    #[reset = false]
    walking: Reg<bool>,
    second: Reg<bool>,
    masks_second: Reg<bool>,
    #[reset = false]
    read: Reg<bool>,
    #[reset = false]
    masked: Reg<bool>,
    #[reset = false]
    added: Reg<bool>,
    number_read: Reg<Bits<WIDE_WORDS>>,
    number_masked: Reg<Bits<WIDE_WORDS>>,
    address_read: Reg<Bits<WIDE_WORDS>>,
    una_bound: Bound<WIDE_WORDS>,
    epsn_bound: Bound<WIDE_WORDS>,
    rtx_bound: Bound<WIDE_WORDS>,
    rec_bound: Bound<WIDE_WORDS>,

    word_bits: Param<Bits<4>>,
    ring: Param<Bits<SEGMENTS>>,
}

#[block]
impl<
    const CONN: usize,
    const WIDE_WORD_ADDRESS: usize,
    const PACKETS: usize,
    const SEGMENTS: usize,
    const WIDE_WORDS: usize,
    const PSN: usize,
> Walk<CONN, WIDE_WORD_ADDRESS, PACKETS, SEGMENTS, WIDE_WORDS, PSN>
{
    /// The block with its parameters, which follow from its sizes.
    pub fn new() -> Self {
        Self {
            word_bits: Param::new((SEGMENTS as u64).into()),
            ring: Param::new(((1u64 << (SEGMENTS - 1)) - 1).into()),
            ..Default::default()
        }
    }

    fn update(&mut self) {
        comment!(
            "module walk: which words of the acked bitmap are visited, 32 PSNs a cycle, and what lies in them"
        );
        let segment: Bits<SEGMENTS> = resize(self.number >> 1);
        let at_end = self.number.get_bit(0) & (self.second | (segment == self.segments));
        let turn = at_end & self.is_sack & !self.second;
        let last = self.walking & at_end & (!self.is_sack | self.second);
        if self.walking {
            self.number = self.number + 1;
        }
        if self.walking & turn {
            self.number = bit_cast::<WIDE_WORDS, SEGMENTS>(self.base_segment) << 1;
            self.second = true;
        }
        if self.start {
            self.number = 0;
            self.second = false;
        }
        self.walking = self.start | (self.walking & !last & !self.stop);
        self.last_word = last;
        self.half = resize(self.number);

        comment!("Address. An init may begin at any word, and una means nothing yet.");
        let mut base_segment_low: Bits<SEGMENTS> = resize(self.una >> 6);
        if self.is_init {
            base_segment_low = 0;
        }
        let ring_segment = (base_segment_low + segment) & self.ring;
        let ring_word =
            (bit_cast::<WIDE_WORDS, SEGMENTS>(ring_segment) << 1) | bit_cast::<WIDE_WORDS, 1>(self.half);
        let conn_part: Bits<WIDE_WORD_ADDRESS> =
            bit_cast::<WIDE_WORD_ADDRESS, CONN>(self.conn) << self.word_bits;
        self.read_address = conn_part | bit_cast::<WIDE_WORD_ADDRESS, WIDE_WORDS>(ring_word);
        self.address_read = ring_word;
        self.write_address = conn_part | bit_cast::<WIDE_WORD_ADDRESS, WIDE_WORDS>(self.address_read);
        self.number_read = self.number;
        self.number_masked = self.number_read;
        self.word = self.number_masked;
        self.read = self.walking;
        self.masked = self.read;
        self.added = self.masked;
        self.writes = self.read;
        self.valid = self.masked;
        self.counted = self.added;
        self.masks_second = self.second;
        self.in_base = self.masks_second;

        comment!("Without a SACK everything lies below EPSN, out of recovery above the end of the range.");
        self.una_bound.word = self.number;
        self.una_bound.bound_word = resize(self.una.get_bits::<1>(5));
        self.una_bound.offset = resize(self.una);
        self.una_bound.none = false;
        self.una_bound.all = false;
        self.epsn_bound.word = self.number;
        self.epsn_bound.bound_word = (bit_cast::<WIDE_WORDS, SEGMENTS>(self.segments) << 1)
            | bit_cast::<WIDE_WORDS, 1>(self.epsn_low.get_bits::<1>(5));
        self.epsn_bound.offset = resize(self.epsn_low);
        self.epsn_bound.none = !self.is_sack;
        self.epsn_bound.all = false;
        self.rtx_bound.word = self.number;
        self.rtx_bound.bound_word = resize(self.rtx >> 5);
        self.rtx_bound.offset = resize(self.rtx);
        self.rtx_bound.none = false;
        self.rtx_bound.all = false;
        self.rec_bound.word = self.number;
        self.rec_bound.bound_word = resize(self.rec_end >> 5);
        self.rec_bound.offset = resize(self.rec_end);
        self.rec_bound.none = false;
        self.rec_bound.all = !self.recovering;
        self.una_above = self.una_bound.above;
        self.epsn_above = self.epsn_bound.above;
        self.rtx_above = self.rtx_bound.above;
        self.rec_above = self.rec_bound.above;
    }
}
