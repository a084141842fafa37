//! Find-first-zero of eight bits.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;

/// Place of the first bit that is clear. Of eight: where the seven given are all set, it is the eighth.
#[derive(LogicBlock, Default)]
pub struct FirstClear {
    /// Bits 0 to 6.
    pub flags: Signal<In, Bits<7>>,
    pub place: Signal<Out, Bits<3>>,
    upper: Signal<Local, bool>,
    half: Signal<Local, Bits<3>>,
    upper_pair: Signal<Local, bool>,
    last: Signal<Local, bool>,
    result: Signal<Local, Bits<3>>,
}

impl Logic for FirstClear {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module first_clear: place of the first bit of eight that is clear");
        self.upper.next = bit_cast::<4, 7>(self.flags.val()).all();
        self.half.next = bit_cast::<3, 7>(self.flags.val());
        if self.upper.val() {
            self.half.next = self.flags.val().get_bits::<3>(4);
        }
        self.upper_pair.next = bit_cast::<2, 3>(self.half.val()).all();
        self.last.next = self.half.val().get_bit(0);
        if self.upper_pair.val() {
            self.last.next = self.half.val().get_bit(2);
        }
        self.result.next = 0.into();
        self.result.next = self.result.val().replace_bit(0, self.last.val());
        self.result.next = self.result.val().replace_bit(1, self.upper_pair.val());
        self.result.next = self.result.val().replace_bit(2, self.upper.val());
        self.place.next = self.result.val();
    }
}
