//! First and last bit that is set, of sixteen.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;

/// Place of the first bit of four that is set; 3 if none of the first three is.
#[derive(LogicBlock, Default)]
pub struct FirstOfFour {
    pub flags: Signal<In, Bits<3>>,
    pub place: Signal<Out, Bits<2>>,
    upper: Signal<Local, bool>,
    odd: Signal<Local, bool>,
}

impl Logic for FirstOfFour {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module first_of_four: place of the first bit of four that is set");
        self.upper.next = !self.flags.val().get_bit(0) & !self.flags.val().get_bit(1);
        self.odd.next =
            !self.flags.val().get_bit(0) & (self.flags.val().get_bit(1) | !self.flags.val().get_bit(2));
        self.place.next =
            (bit_cast::<2, 1>(self.upper.val().into()) << 1) | bit_cast::<2, 1>(self.odd.val().into());
    }
}

/// Place of the first bit of sixteen that is set, in two levels of four.
#[derive(LogicBlock, Default)]
pub struct FirstSet {
    pub flags: Signal<In, Bits<16>>,
    pub any: Signal<Out, bool>,
    pub place: Signal<Out, Bits<4>>,
    fours: Signal<Local, Bits<4>>,
    four: Signal<Local, Bits<4>>,
    which: FirstOfFour,
    inner: FirstOfFour,
}

impl Logic for FirstSet {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module first_set: place of the first bit of sixteen that is set");
        self.fours.next = 0.into();
        self.fours.next = self.fours.val().replace_bit(0, self.flags.val().get_bits::<4>(0).any());
        self.fours.next = self.fours.val().replace_bit(1, self.flags.val().get_bits::<4>(4).any());
        self.fours.next = self.fours.val().replace_bit(2, self.flags.val().get_bits::<4>(8).any());
        self.fours.next = self.fours.val().replace_bit(3, self.flags.val().get_bits::<4>(12).any());
        self.which.flags.next = bit_cast::<3, 4>(self.fours.val());
        self.four.next = self.flags.val().get_bits::<4>(0);
        if self.which.place.val() == 1 {
            self.four.next = self.flags.val().get_bits::<4>(4);
        }
        if self.which.place.val() == 2 {
            self.four.next = self.flags.val().get_bits::<4>(8);
        }
        if self.which.place.val() == 3 {
            self.four.next = self.flags.val().get_bits::<4>(12);
        }
        self.inner.flags.next = bit_cast::<3, 4>(self.four.val());
        self.any.next = self.fours.val().any();
        self.place.next =
            (bit_cast::<4, 2>(self.which.place.val()) << 2) | bit_cast::<4, 2>(self.inner.place.val());
    }
}

/// Place of the last bit of sixteen that is set: the first one of the bits in reverse, counted from the end.
#[derive(LogicBlock, Default)]
pub struct LastSet {
    pub flags: Signal<In, Bits<16>>,
    pub any: Signal<Out, bool>,
    pub place: Signal<Out, Bits<4>>,
    reversed: Signal<Local, Bits<16>>,
    first: FirstSet,
}

impl Logic for LastSet {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module last_set: place of the last bit of sixteen that is set");
        self.reversed.next = 0.into();
        for i in 0..16 {
            self.reversed.next = self.reversed.val().replace_bit(15 - i, self.flags.val().get_bit(i));
        }
        self.first.flags.next = self.reversed.val();
        self.any.next = self.first.any.val();
        self.place.next = !self.first.place.val();
    }
}
