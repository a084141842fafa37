//! Which words of the acked bitmap are visited, and what lies in them.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::bounds::Bound;
use crate::comment;
use crate::prims::{Param, Reg, resize};

/// Walks over the acked bitmap, 16 bits a word, a word a cycle: address, then mask, then write and count.
///
/// ```text
///  sack      segments of una to EPSN, then that of the base
///  next_rtx  all segments that the window touches, from that of una
///  init      the whole ring
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
    pub starts: Signal<In, bool>,
    /// The walk begins in the next cycle.
    pub start: Signal<In, bool>,
    /// The words of the SACK's bitmap are visited.
    pub scan: Signal<In, bool>,
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
    /// Word of the SACK's bitmap.
    pub part: Signal<Out, Bits<2>>,
    pub read_address: Signal<Out, Bits<WORD_ADDRESS>>,
    /// One cycle after the address: the segment is that of the SACK; where the bounds fall into the word.
    pub in_base: Signal<Out, bool>,
    pub una_above: Signal<Out, Bits<16>>,
    pub epsn_above: Signal<Out, Bits<16>>,
    pub rtx_above: Signal<Out, Bits<16>>,
    pub rec_above: Signal<Out, Bits<16>>,
    /// Two cycles after the address: a word is there, its number, its address.
    pub valid: Signal<Out, bool>,
    pub word: Signal<Out, Bits<WORDS>>,
    pub write_address: Signal<Out, Bits<WORD_ADDRESS>>,
    /// Three cycles after the address.
    pub counted: Signal<Out, bool>,

    #[reset = 0]
    number: Reg<Bits<WORDS>>,
    #[reset = false]
    walking: Reg<bool>,
    #[reset = false]
    second: Reg<bool>,
    masks_second: Reg<bool>,
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
    epsn_bound: Bound<WORDS>,
    rtx_bound: Bound<WORDS>,
    rec_bound: Bound<WORDS>,

    word_bits: Param<Bits<4>>,
    ring: Param<Bits<SEGMENTS>>,
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
            ..Default::default()
        }
    }

    fn update(&mut self) {
        comment!("module walk: which words of the acked bitmap are visited, and what lies in them");
        let segment: Bits<SEGMENTS> = resize(self.number >> 2);
        let at_end: bool =
            bit_cast::<2, WORDS>(self.number).all() & (self.second | (segment == self.segments));
        let turn = at_end & self.is_sack & !self.second;
        let last = self.walking & at_end & !turn;
        if self.walking | self.scan {
            self.number = self.number + 1;
        }
        if self.walking & turn {
            self.number = bit_cast::<WORDS, SEGMENTS>(self.base_segment) << 2;
            self.second = true;
        }
        if self.starts | self.start {
            self.number = 0;
            self.second = false;
        }
        self.walking = self.start | (self.walking & !last & !self.stop);
        self.last_word = last;
        self.part = resize(self.number);

        comment!("Address. An init may begin at any word, and una means nothing yet.");
        let mut base_segment_low: Bits<SEGMENTS> = resize(self.una >> 6);
        if self.is_init {
            base_segment_low = 0;
        }
        let ring_segment = (base_segment_low + segment) & self.ring;
        let ring_word = (bit_cast::<WORDS, SEGMENTS>(ring_segment) << 2) | bit_cast::<WORDS, 2>(self.part);
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
        self.masks_second = self.second;
        self.in_base = self.masks_second;

        comment!("Without a SACK everything lies below EPSN, out of recovery above the end of the range.");
        self.una_bound.word = self.number;
        self.una_bound.bound_word = resize(self.una.get_bits::<2>(4));
        self.una_bound.offset = resize(self.una);
        self.una_bound.none = false;
        self.una_bound.all = false;
        self.epsn_bound.word = self.number;
        self.epsn_bound.bound_word = (bit_cast::<WORDS, SEGMENTS>(self.segments) << 2)
            | bit_cast::<WORDS, 2>(self.epsn_low.get_bits::<2>(4));
        self.epsn_bound.offset = resize(self.epsn_low);
        self.epsn_bound.none = !self.is_sack;
        self.epsn_bound.all = false;
        self.rtx_bound.word = self.number;
        self.rtx_bound.bound_word = resize(self.rtx >> 4);
        self.rtx_bound.offset = resize(self.rtx);
        self.rtx_bound.none = false;
        self.rtx_bound.all = false;
        self.rec_bound.word = self.number;
        self.rec_bound.bound_word = resize(self.rec_end >> 4);
        self.rec_bound.offset = resize(self.rec_end);
        self.rec_bound.none = false;
        self.rec_bound.all = !self.recovering;
        self.una_above = self.una_bound.above;
        self.epsn_above = self.epsn_bound.above;
        self.rtx_above = self.rtx_bound.above;
        self.rec_above = self.rec_bound.above;
    }
}
