//! Which bits of a word lie at or above a place.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;

/// A bound against the word that is walked over; the bits come a cycle later, with the word itself.
#[derive(LogicBlock, Default)]
pub struct Bound<const K: usize> {
    pub clk: Signal<In, Clock>,
    pub word: Signal<In, Bits<K>>,
    /// The bound's place: its word, and the bit in it.
    pub bound_word: Signal<In, Bits<K>>,
    pub offset: Signal<In, Bits<4>>,
    /// Nothing is above; everything is.
    pub none: Signal<In, bool>,
    pub all: Signal<In, bool>,
    pub above: Signal<Out, Bits<16>>,
    bits: Signal<Local, Bits<16>>,
    is_after: DFF<bool>,
    is_in: DFF<bool>,
}

impl<const K: usize> Logic for Bound<K> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module bound: which bits of a word lie at or above a place");
        dff_setup!(self, clk, is_after, is_in);
        self.is_after.d.next =
            ((self.word.val() > self.bound_word.val()) & !self.none.val()) | self.all.val();
        self.is_in.d.next = (self.word.val() == self.bound_word.val()) & !self.none.val();
        self.bits.next = 0.into();
        if self.is_in.q.val() {
            self.bits.next = bits::<16>(0xFFFF) << self.offset.val();
        }
        if self.is_after.q.val() {
            self.bits.next = 0xFFFF.into();
        }
        self.above.next = self.bits.val();
    }
}
