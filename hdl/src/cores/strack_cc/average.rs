//! The average queuing delay. 004 Algorithm 4, line 5.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::{Reg, resize};

/// Eight times the average, where a new delay counts one eighth, and how far it is above eight targets.
#[block(no_reset)]
pub struct Average {
    pub step_3: Signal<In, bool>,
    pub step_5: Signal<In, bool>,
    pub step_7: Signal<In, bool>,
    /// Step 5.
    pub stored: Signal<In, Bits<19>>,
    /// From step 5 on.
    pub delay: Signal<In, Bits<16>>,
    pub target_qdelay: Signal<In, Bits<16>>,

    /// From step 8 on: after the op.
    pub avg8: Signal<Out, Bits<19>>,
    /// From step 9 on: the average is above the target; by this, eight times.
    pub is_above: Signal<Out, bool>,
    pub excess: Signal<Out, Bits<19>>,

    average: Reg<Bits<19>>,
    change: Reg<Bits<17>>,
    beyond: Reg<Bits<20>>,
}

#[block]
impl Average {
    fn update(&mut self) {
        comment!("module average: eight times the average queuing delay");
        comment!("An eighth of it goes, and the new delay comes: the difference first, with its sign.");
        self.change = bit_cast::<17, 19>(self.average >> 3) - bit_cast::<17, 16>(self.delay);
        let mut falls: Bits<19> = resize(self.change);
        if self.change.get_bit(16) {
            falls = bit_cast::<19, 17>(self.change) | 0x6_0000;
        }
        if self.step_5 {
            self.average = self.stored;
        }
        if self.step_7 {
            self.average = self.average - falls;
        }
        if self.step_3 {
            self.average = 0;
        }
        self.beyond = bit_cast::<20, 19>(self.average) - (bit_cast::<20, 16>(self.target_qdelay) << 3);
        self.avg8 = self.average;
        self.is_above = !self.beyond.get_bit(19) & self.beyond.any();
        self.excess = self.beyond.get_bits::<19>(0);
    }
}
