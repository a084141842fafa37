//! First and last bit that is set, of sixteen.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::resize;

/// Place of the first bit of four that is set; 3 if none of the first three is.
#[block(no_clock)]
pub struct FirstOfFour {
    pub flags: Signal<In, Bits<3>>,
    pub place: Signal<Out, Bits<2>>,
}

#[block]
impl FirstOfFour {
    fn update(&mut self) {
        comment!("module first_of_four: place of the first bit of four that is set");
        let upper = !self.flags.get_bit(0) & !self.flags.get_bit(1);
        let odd = !self.flags.get_bit(0) & (self.flags.get_bit(1) | !self.flags.get_bit(2));
        self.place = (bit_cast::<2, 1>(upper.into()) << 1) | bit_cast::<2, 1>(odd.into());
    }
}

/// Place of the first bit of sixteen that is set, in two levels of four.
#[block(no_clock)]
pub struct FirstSet {
    pub flags: Signal<In, Bits<16>>,
    pub any: Signal<Out, bool>,
    pub place: Signal<Out, Bits<4>>,
    which: FirstOfFour,
    inner: FirstOfFour,
}

#[block]
impl FirstSet {
    fn update(&mut self) {
        comment!("module first_set: place of the first bit of sixteen that is set");
        let mut fours: Bits<4> = 0;
        fours = fours.replace_bit(0, self.flags.get_bits::<4>(0).any());
        fours = fours.replace_bit(1, self.flags.get_bits::<4>(4).any());
        fours = fours.replace_bit(2, self.flags.get_bits::<4>(8).any());
        fours = fours.replace_bit(3, self.flags.get_bits::<4>(12).any());
        self.which.flags = resize(fours);
        let mut four = self.flags.get_bits::<4>(0);
        if self.which.place == 1 {
            four = self.flags.get_bits::<4>(4);
        }
        if self.which.place == 2 {
            four = self.flags.get_bits::<4>(8);
        }
        if self.which.place == 3 {
            four = self.flags.get_bits::<4>(12);
        }
        self.inner.flags = resize(four);
        self.any = fours.any();
        self.place = (bit_cast::<4, 2>(self.which.place) << 2) | bit_cast::<4, 2>(self.inner.place);
    }
}

/// Place of the last bit of sixteen that is set: the first one of the bits in reverse, counted from the end.
#[block(no_clock)]
pub struct LastSet {
    pub flags: Signal<In, Bits<16>>,
    pub any: Signal<Out, bool>,
    pub place: Signal<Out, Bits<4>>,
    first: FirstSet,
}

#[block]
impl LastSet {
    fn update(&mut self) {
        comment!("module last_set: place of the last bit of sixteen that is set");
        let mut reversed: Bits<16> = 0;
        for i in 0..16 {
            reversed = reversed.replace_bit(15 - i, self.flags.get_bit(i));
        }
        self.first.flags = reversed;
        self.any = self.first.any;
        self.place = !self.first.place;
    }
}
