//! The word of counters that an op changes.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;

/// Keeps a word of 16 counters, and shows it a cycle later with one of them changed.
#[derive(LogicBlock, Default)]
pub struct Nibbles {
    pub clk: Signal<In, Clock>,
    pub load: Signal<In, bool>,
    pub word: Signal<In, Bits<64>>,
    /// Which counter, and whether it is lowered by 1 or raised by the penalty, to 15 at most.
    pub place: Signal<In, Bits<4>>,
    pub lowers: Signal<In, bool>,
    pub penalty: Signal<In, Bits<4>>,
    pub changed: Signal<Out, Bits<64>>,
    /// The counter as it was: above 0, 1, and whether the penalty raises it.
    pub is_above: Signal<Out, bool>,
    pub is_one: Signal<Out, bool>,
    pub rises: Signal<Out, bool>,
    offset: Signal<Local, Bits<6>>,
    counter: Signal<Local, Bits<4>>,
    sum: Signal<Local, Bits<5>>,
    count_after: Signal<Local, Bits<4>>,
    is_it: Signal<Local, Bits<16>>,
    nibble: Signal<Local, Bits<4>>,
    result: Signal<Local, Bits<64>>,
    held: DFF<Bits<64>>,
    count: DFF<Bits<4>>,
}

impl Logic for Nibbles {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module nibbles: the word of counters that an op changes");
        dff_setup!(self, clk, held, count);
        if self.load.val() {
            self.held.d.next = self.word.val();
        }
        self.offset.next = bit_cast::<6, 4>(self.place.val()) << 2;
        self.counter.next = self.held.q.val().get_bits::<4>(self.offset.val().index());
        self.sum.next = bit_cast::<5, 4>(self.counter.val()) + bit_cast::<5, 4>(self.penalty.val());
        self.count_after.next = bit_cast::<4, 5>(self.sum.val());
        if self.sum.val().get_bit(4) {
            self.count_after.next = 15.into();
        }
        if self.lowers.val() {
            self.count_after.next = self.counter.val() - 1;
        }
        self.count.d.next = self.count_after.val();
        self.is_it.next = bits::<16>(1) << self.place.val();
        self.result.next = 0.into();
        for i in 0..16 {
            self.nibble.next = self.held.q.val().get_bits::<4>(4 * i);
            if self.is_it.val().get_bit(i) {
                self.nibble.next = self.count.q.val();
            }
            self.result.next = (self.result.val() >> 4) | (bit_cast::<64, 4>(self.nibble.val()) << 60);
        }
        self.changed.next = self.result.val();
        self.is_above.next = self.counter.val().any();
        self.is_one.next = self.counter.val() == 1;
        self.rises.next = self.penalty.val().any() & !self.counter.val().all();
    }
}
