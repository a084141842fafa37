//! Number of bits that are set, of sixteen.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;

/// Number of set bits of six: a LUT a bit.
#[block(no_clock)]
pub struct CountSix {
    pub flags: Signal<In, Bits<6>>,
    pub count: Signal<Out, Bits<3>>,
    sum: Signal<Local, Bits<3>>,
}

#[block]
impl CountSix {
    fn update(&mut self) {
        comment!("module count_six: number of bits of six that are set");
        self.sum = 0;
        for i in 0..6 {
            self.sum = self.sum + bit_cast::<3, 1>(self.flags.get_bits::<1>(i));
        }
        self.count = self.sum;
    }
}

/// Number of set bits of sixteen: six, six and four. One sum of three numbers takes less than one of sums.
#[block(no_clock)]
pub struct CountOnes {
    pub flags: Signal<In, Bits<16>>,
    pub count: Signal<Out, Bits<5>>,
    sixes: [CountSix; 3],
    sum: Signal<Local, Bits<5>>,
}

#[block]
impl CountOnes {
    fn update(&mut self) {
        comment!("module count_ones: number of bits of sixteen that are set");
        for i in 0..2 {
            self.sixes[i].flags = self.flags.get_bits::<6>(6 * i);
        }
        let last: Bits<4> = self.flags.get_bits::<4>(12);
        self.sixes[2].flags = bit_cast::<6, 4>(last);
        self.sum = 0;
        for i in 0..3 {
            self.sum = self.sum + bit_cast::<5, 3>(self.sixes[i].count);
        }
        self.count = self.sum;
    }
}
