//! First bit that is set, of thirty-two.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::super::encode::FirstSet;
use crate::comment;

/// Place of the first bit of a word that is set: in the lower half, else in the upper one.
#[derive(LogicBlock, Default)]
pub struct FirstOfWord {
    pub flags: Signal<In, Bits<32>>,
    pub any: Signal<Out, bool>,
    pub place: Signal<Out, Bits<5>>,
    lower: FirstSet,
    upper: FirstSet,
}

impl Logic for FirstOfWord {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module first_of_word: place of the first bit of a word that is set");
        self.lower.flags.next = self.flags.val().get_bits::<16>(0);
        self.upper.flags.next = self.flags.val().get_bits::<16>(16);
        self.any.next = self.lower.any.val() | self.upper.any.val();
        self.place.next = bit_cast::<5, 4>(self.upper.place.val()) | 16;
        if self.lower.any.val() {
            self.place.next = bit_cast::<5, 4>(self.lower.place.val());
        }
    }
}
