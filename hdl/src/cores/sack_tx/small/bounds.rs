//! Which bits of a word lie at or above a place.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::Reg;

/// A bound against the word that is walked over; the bits come a cycle later, with the word itself.
#[block(no_reset)]
pub struct Bound<const WORDS: usize> {
    pub word: Signal<In, Bits<WORDS>>,
    /// The bound's place: its word, and the bit in it.
    pub bound_word: Signal<In, Bits<WORDS>>,
    pub offset: Signal<In, Bits<4>>,
    /// Nothing is above; everything is.
    pub none: Signal<In, bool>,
    pub all: Signal<In, bool>,
    pub above: Signal<Out, Bits<16>>,
    bits: Signal<Local, Bits<16>>,
    is_after: Reg<bool>,
    is_in: Reg<bool>,
}

#[block]
impl<const WORDS: usize> Bound<WORDS> {
    fn update(&mut self) {
        comment!("module bound: which bits of a word lie at or above a place");
        self.is_after = ((self.word > self.bound_word) & !self.none) | self.all;
        self.is_in = (self.word == self.bound_word) & !self.none;
        self.bits = 0;
        if self.is_in {
            self.bits = bits::<16>(0xFFFF) << self.offset;
        }
        if self.is_after {
            self.bits = 0xFFFF;
        }
        self.above = self.bits;
    }
}
