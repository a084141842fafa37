//! First bit that is set, of thirty-two.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::super::encode::FirstSet;
use crate::comment;
use crate::prims::resize;

/// Place of the first bit of a word that is set: in the lower half, else in the upper one.
#[block(no_clock)]
pub struct FirstOfWord {
    pub flags: Signal<In, Bits<32>>,
    pub any: Signal<Out, bool>,
    pub place: Signal<Out, Bits<5>>,
    lower: FirstSet,
    upper: FirstSet,
}

#[block]
impl FirstOfWord {
    fn update(&mut self) {
        comment!("module first_of_word: place of the first bit of a word that is set");
        self.lower.flags = self.flags.get_bits::<16>(0);
        self.upper.flags = self.flags.get_bits::<16>(16);
        self.any = self.lower.any | self.upper.any;
        self.place = bit_cast::<5, 4>(self.upper.place) | 16;
        if self.lower.any {
            self.place = resize(self.lower.place);
        }
    }
}
