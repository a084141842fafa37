//! Which bits of a word lie at or above a place.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;

/// A bound against the word that is walked over; the bits come a cycle later, with the word itself.
///
/// Each half of the word is compared for itself, so that both share the bits of one decoded offset.
#[derive(LogicBlock, Default)]
pub struct Bound<const K: usize> {
    pub clk: Signal<In, Clock>,
    pub word: Signal<In, Bits<K>>,
    /// The bound's place: its word, and the bit in it.
    pub bound_word: Signal<In, Bits<K>>,
    pub offset: Signal<In, Bits<5>>,
    /// Nothing is above; everything is.
    pub none: Signal<In, bool>,
    pub all: Signal<In, bool>,
    pub above: Signal<Out, Bits<32>>,
    starts_after: Signal<Local, bool>,
    starts_in: Signal<Local, bool>,
    in_upper_half: Signal<Local, bool>,
    from_offset: Signal<Local, Bits<16>>,
    lower: Signal<Local, Bits<16>>,
    upper: Signal<Local, Bits<16>>,
    lower_after: DFF<bool>,
    lower_in: DFF<bool>,
    upper_after: DFF<bool>,
    upper_in: DFF<bool>,
}

impl<const K: usize> Logic for Bound<K> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module bound: which bits of a word lie at or above a place");
        dff_setup!(self, clk, lower_after, lower_in, upper_after, upper_in);
        self.starts_after.next =
            ((self.word.val() > self.bound_word.val()) & !self.none.val()) | self.all.val();
        self.starts_in.next = (self.word.val() == self.bound_word.val()) & !self.none.val();
        self.in_upper_half.next = self.offset.val().get_bit(4);
        self.lower_after.d.next = self.starts_after.val();
        self.lower_in.d.next = self.starts_in.val() & !self.in_upper_half.val();
        self.upper_after.d.next =
            self.starts_after.val() | (self.starts_in.val() & !self.in_upper_half.val());
        self.upper_in.d.next = self.starts_in.val() & self.in_upper_half.val();

        comment!("The bits of a half.");
        self.from_offset.next = bits::<16>(0xFFFF) << bit_cast::<4, 5>(self.offset.val());
        self.lower.next = 0.into();
        if self.lower_in.q.val() {
            self.lower.next = self.from_offset.val();
        }
        if self.lower_after.q.val() {
            self.lower.next = 0xFFFF.into();
        }
        self.upper.next = 0.into();
        if self.upper_in.q.val() {
            self.upper.next = self.from_offset.val();
        }
        if self.upper_after.q.val() {
            self.upper.next = 0xFFFF.into();
        }
        self.above.next = (bit_cast::<32, 16>(self.upper.val()) << 16) | bit_cast::<32, 16>(self.lower.val());
    }
}
