//! The window in work.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::{Reg, resize};

/// Takes the window from the RAM, adds to it and subtracts from it, and keeps it within its bounds.
#[block(no_reset)]
pub struct Window {
    pub step_2: Signal<In, bool>,
    pub step_3: Signal<In, bool>,
    pub take: Signal<In, bool>,
    pub grow: Signal<In, bool>,
    pub cut_5: Signal<In, bool>,
    pub cut_6: Signal<In, bool>,
    pub fair: Signal<In, bool>,
    pub clamp: Signal<In, bool>,
    pub is_init: Signal<In, bool>,
    /// Step 3: the result shows nothing.
    pub refused: Signal<In, bool>,
    /// Step 2.
    pub stored: Signal<In, Bits<26>>,
    pub is_less: Signal<In, bool>,
    pub achieved_cwnd: Signal<In, Bits<26>>,
    pub quotient: Signal<In, Bits<24>>,
    pub product: Signal<In, Bits<32>>,
    pub can_fair: Signal<In, bool>,
    pub eta: Signal<In, Bits<16>>,
    /// Largest window in packets.
    pub most: Signal<In, Bits<10>>,

    pub cwnd: Signal<Out, Bits<26>>,
    /// The window is as large as it may be.
    pub is_full: Signal<Out, bool>,

    value: Reg<Bits<27>>,
}

#[block]
impl Window {
    fn update(&mut self) {
        comment!("module window: the window in work");
        let packets = self.value.get_bits::<11>(16);
        let full = packets >= bit_cast::<11, 10>(self.most);

        comment!("One adder. What is subtracted is inverted, and a bit below the lowest makes the carry.");
        let subtracts = self.cut_5 | self.cut_6;
        let mut operand: Bits<27> = resize(self.quotient);
        if self.cut_5 {
            operand = !bit_cast::<27, 16>(self.product.get_bits::<16>(16));
        }
        if self.cut_6 {
            operand = !bit_cast::<27, 26>(self.product.get_bits::<26>(0));
        }
        if self.fair {
            operand = bit_cast::<27, 16>(self.eta) << 4;
        }
        let one: Bits<1> = subtracts.into();
        let wide = ((bit_cast::<28, 27>(self.value) << 1) | 1)
            + ((bit_cast::<28, 27>(operand) << 1) | bit_cast::<28, 1>(one));
        let adds = self.grow | subtracts | (self.fair & self.can_fair);

        if adds {
            self.value = wide.get_bits::<27>(1);
        }
        if self.take & self.is_less {
            self.value = resize(self.achieved_cwnd);
        }
        if self.step_2 {
            self.value = resize(self.stored);
        }
        comment!("One packet at least, and at most what the setting says.");
        if self.clamp {
            if !packets.any() {
                self.value = 0x1_0000;
            }
            if full | self.is_init {
                self.value = bit_cast::<27, 10>(self.most) << 16;
            }
        }
        if self.step_3 & self.refused {
            self.value = 0;
        }
        self.cwnd = self.value.get_bits::<26>(0);
        self.is_full = full;
    }
}
