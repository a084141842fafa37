//! Find-first-zero of eight bits.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::resize;
use crate::comment;

/// Place of the first bit that is clear. Of eight: where the seven given are all set, it is the eighth.
#[block(no_clock)]
pub struct FirstClear {
    /// Bits 0 to 6.
    pub flags: Signal<In, Bits<7>>,
    pub place: Signal<Out, Bits<3>>,
}

#[block]
impl FirstClear {
    fn update(&mut self) {
        comment!("module first_clear: place of the first bit of eight that is clear");
        let upper: bool = bit_cast::<4, 7>(self.flags).all();
        let mut half: Bits<3> = resize(self.flags);
        if upper {
            half = self.flags.get_bits::<3>(4);
        }
        let upper_pair: bool = bit_cast::<2, 3>(half).all();
        let mut last = half.get_bit(0);
        if upper_pair {
            last = half.get_bit(2);
        }
        let mut result: Bits<3> = 0;
        result = result.replace_bit(0, last);
        result = result.replace_bit(1, upper_pair);
        result = result.replace_bit(2, upper);
        self.place = result;
    }
}
