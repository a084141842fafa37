//! The word of counters that an op changes.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::{Reg, resize};

/// Keeps a word of 16 counters, and shows it a cycle later with one of them changed.
#[block(no_reset)]
pub struct Nibbles {
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
    nibble: Signal<Local, Bits<4>>,
    held: Reg<Bits<64>>,
    count: Reg<Bits<4>>,
}

#[block]
impl Nibbles {
    fn update(&mut self) {
        comment!("module nibbles: the word of counters that an op changes");
        if self.load {
            self.held = self.word;
        }
        let offset: Bits<6> = bit_cast::<6, 4>(self.place) << 2;
        let counter = self.held.get_bits::<4>(offset.index());
        let sum: Bits<5> = bit_cast::<5, 4>(counter) + bit_cast::<5, 4>(self.penalty);
        let mut count_after: Bits<4> = resize(sum);
        if sum.get_bit(4) {
            count_after = 15;
        }
        if self.lowers {
            count_after = counter - 1;
        }
        self.count = count_after;
        let is_it = bits::<16>(1) << self.place;
        let mut result: Bits<64> = 0;
        for i in 0..16 {
            self.nibble = self.held.get_bits::<4>(4 * i);
            if is_it.get_bit(i) {
                self.nibble = self.count;
            }
            result = (result >> 4) | (bit_cast::<64, 4>(self.nibble) << 60);
        }
        self.changed = result;
        self.is_above = counter.any();
        self.is_one = counter == 1;
        self.rises = self.penalty.any() & !counter.all();
    }
}
