//! Number of bits that are set, of sixteen.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;

/// Number of set bits of five: a LUT a bit.
#[derive(LogicBlock, Default)]
pub struct CountFive {
    pub flags: Signal<In, Bits<5>>,
    pub count: Signal<Out, Bits<3>>,
    sum: Signal<Local, Bits<3>>,
    one: Signal<Local, Bits<1>>,
}

impl Logic for CountFive {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module count_five: number of bits of five that are set");
        self.sum.next = 0.into();
        for i in 0..5 {
            self.one.next = self.flags.val().get_bit(i).into();
            self.sum.next = self.sum.val() + bit_cast::<3, 1>(self.one.val());
        }
        self.count.next = self.sum.val();
    }
}

/// Number of set bits of sixteen: three times five, and one.
#[derive(LogicBlock, Default)]
pub struct CountOnes {
    pub flags: Signal<In, Bits<16>>,
    pub count: Signal<Out, Bits<5>>,
    fives: [CountFive; 3],
    pair: Signal<Local, Bits<4>>,
    rest: Signal<Local, Bits<4>>,
    sum: Signal<Local, Bits<5>>,
    last: Signal<Local, Bits<1>>,
}

impl Logic for CountOnes {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module count_ones: number of bits of sixteen that are set");
        for i in 0..3 {
            self.fives[i].flags.next = self.flags.val().get_bits::<5>(5 * i);
        }
        self.last.next = self.flags.val().get_bit(15).into();
        self.pair.next =
            bit_cast::<4, 3>(self.fives[0].count.val()) + bit_cast::<4, 3>(self.fives[1].count.val());
        self.rest.next = bit_cast::<4, 3>(self.fives[2].count.val()) + bit_cast::<4, 1>(self.last.val());
        self.sum.next = bit_cast::<5, 4>(self.pair.val()) + bit_cast::<5, 4>(self.rest.val());
        self.count.next = self.sum.val();
    }
}
