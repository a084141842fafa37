//! Number of bits that are set, of sixteen.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;

/// Number of set bits of five: a LUT a bit.
#[block(no_clock)]
pub struct CountFive {
    pub flags: Signal<In, Bits<5>>,
    pub count: Signal<Out, Bits<3>>,
    sum: Signal<Local, Bits<3>>,
    one: Signal<Local, Bits<1>>,
}

#[block]
impl CountFive {
    fn update(&mut self) {
        comment!("module count_five: number of bits of five that are set");
        self.sum = 0;
        for i in 0..5 {
            self.one = self.flags.get_bit(i).into();
            self.sum = self.sum + bit_cast::<3, 1>(self.one);
        }
        self.count = self.sum;
    }
}

/// Number of set bits of sixteen: three times five, and one.
#[block(no_clock)]
pub struct CountOnes {
    pub flags: Signal<In, Bits<16>>,
    pub count: Signal<Out, Bits<5>>,
    fives: [CountFive; 3],
    sum: Signal<Local, Bits<5>>,
}

#[block]
impl CountOnes {
    fn update(&mut self) {
        comment!("module count_ones: number of bits of sixteen that are set");
        for i in 0..3 {
            self.fives[i].flags = self.flags.get_bits::<5>(5 * i);
        }
        let last: Bits<1> = self.flags.get_bit(15).into();
        let pair: Bits<4> = bit_cast::<4, 3>(self.fives[0].count) + bit_cast::<4, 3>(self.fives[1].count);
        let rest: Bits<4> = bit_cast::<4, 3>(self.fives[2].count) + bit_cast::<4, 1>(last);
        self.sum = bit_cast::<5, 4>(pair) + bit_cast::<5, 4>(rest);
        self.count = self.sum;
    }
}
