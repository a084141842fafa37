//! Which bits of a word lie at or above a place.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::Reg;

/// A bound against the word that is walked over; the bits come a cycle later, with the word itself.
///
/// Each half of the word is compared for itself, so that both share the bits of one decoded offset.
#[block(no_reset)]
pub struct Bound<const WIDE_WORDS: usize> {
    pub word: Signal<In, Bits<WIDE_WORDS>>,
    /// The bound's place: its word, and the bit in it.
    pub bound_word: Signal<In, Bits<WIDE_WORDS>>,
    pub offset: Signal<In, Bits<5>>,
    /// Nothing is above; everything is.
    pub none: Signal<In, bool>,
    pub all: Signal<In, bool>,
    pub above: Signal<Out, Bits<32>>,
    lower_after: Reg<bool>,
    lower_in: Reg<bool>,
    upper_after: Reg<bool>,
    upper_in: Reg<bool>,
}

#[block]
impl<const WIDE_WORDS: usize> Bound<WIDE_WORDS> {
    fn update(&mut self) {
        comment!("module bound: which bits of a word lie at or above a place");
        let starts_after = ((self.word > self.bound_word) & !self.none) | self.all;
        let starts_in = (self.word == self.bound_word) & !self.none;
        let in_upper_half = self.offset.get_bit(4);
        self.lower_after = starts_after;
        self.lower_in = starts_in & !in_upper_half;
        self.upper_after = starts_after | (starts_in & !in_upper_half);
        self.upper_in = starts_in & in_upper_half;

        comment!("The bits of a half.");
        let from_offset = bits::<16>(0xFFFF) << bit_cast::<4, 5>(self.offset);
        let mut lower: Bits<16> = 0;
        if self.lower_in {
            lower = from_offset;
        }
        if self.lower_after {
            lower = 0xFFFF;
        }
        let mut upper: Bits<16> = 0;
        if self.upper_in {
            upper = from_offset;
        }
        if self.upper_after {
            upper = 0xFFFF;
        }
        self.above = (bit_cast::<32, 16>(upper) << 16) | bit_cast::<32, 16>(lower);
    }
}
