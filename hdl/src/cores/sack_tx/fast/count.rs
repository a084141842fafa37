//! Number of bits that are set, of thirty-two.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::super::count::CountOnes;
use crate::comment;

/// Number of set bits of a word: two halves.
#[block(no_clock)]
pub struct CountWord {
    pub flags: Signal<In, Bits<32>>,
    pub count: Signal<Out, Bits<6>>,
    halves: [CountOnes; 2],
}

#[block]
impl CountWord {
    fn update(&mut self) {
        comment!("module count_word: number of bits of a word that are set");
        for i in 0..2 {
            self.halves[i].flags = self.flags.get_bits::<16>(16 * i);
        }
        self.count = bit_cast::<6, 5>(self.halves[0].count) + bit_cast::<6, 5>(self.halves[1].count);
    }
}
