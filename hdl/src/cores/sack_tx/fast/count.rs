//! Number of bits that are set, of thirty-two.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::super::count::CountOnes;
use crate::comment;

/// Number of set bits of a word: two halves.
#[derive(LogicBlock, Default)]
pub struct CountWord {
    pub flags: Signal<In, Bits<32>>,
    pub count: Signal<Out, Bits<6>>,
    halves: [CountOnes; 2],
}

impl Logic for CountWord {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module count_word: number of bits of a word that are set");
        for i in 0..2 {
            self.halves[i].flags.next = self.flags.val().get_bits::<16>(16 * i);
        }
        self.count.next =
            bit_cast::<6, 5>(self.halves[0].count.val()) + bit_cast::<6, 5>(self.halves[1].count.val());
    }
}
