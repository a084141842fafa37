//! The divider, whose remainder also is where a count of bytes becomes a count of packets.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::{Reg, resize};

/// Restoring division, a bit of the quotient a cycle.
///
/// The dividend's upper bits are the remainder to begin with, so that only the bits of the quotient are made:
///
/// ```text
///  increase    (u << 16) / cwnd               u = alpha * below_target >> 2, or beta << 8: 24 bits
///  cut         (excess << 16) / avg8          16 bits; all ones where excess is avg8
/// ```
///
/// From step 7 to 13 the remainder holds what was achieved, in bytes, and shifts it: by `16 - mtu_log2` bits it is packets with 16
/// bits of fraction. The shift of the last cycle is that of the subtraction, which compares it with the window.
#[block(no_reset)]
pub struct Divide {
    pub step_7: Signal<In, bool>,
    pub step_8: Signal<In, bool>,
    pub step_13: Signal<In, bool>,
    /// Step 8: the window grows.
    pub grows: Signal<In, bool>,
    pub is_additive: Signal<In, bool>,
    pub is_cut: Signal<In, bool>,
    pub load: Signal<In, bool>,
    pub runs: Signal<In, bool>,
    pub mtu_log2: Signal<In, Bits<4>>,
    /// Step 7, in bytes.
    pub achieved: Signal<In, Bits<20>>,
    pub beta: Signal<In, Bits<16>>,
    /// Step 8.
    pub product: Signal<In, Bits<32>>,
    pub excess: Signal<In, Bits<19>>,
    pub avg8: Signal<In, Bits<19>>,
    pub cwnd: Signal<In, Bits<26>>,
    /// Largest window in packets.
    pub most: Signal<In, Bits<10>>,

    pub quotient: Signal<Out, Bits<24>>,
    /// From step 13 on: what was achieved, in packets with 16 bits of fraction.
    pub achieved_cwnd: Signal<Out, Bits<26>>,
    /// Step 13: that is less than an eighth of the largest window.
    pub achieved_little: Signal<Out, bool>,
    /// Step 13 on: it is less than the window.
    pub is_less: Signal<Out, bool>,

    remainder: Reg<Bits<27>>,
    digits: Reg<Bits<24>>,
    mtu: Reg<Bits<4>>,
    less: Reg<bool>,
}

#[block]
impl Divide {
    fn update(&mut self) {
        comment!("module divide: quotients a bit a cycle, and bytes made packets");
        let shifted: Bits<28> =
            (bit_cast::<28, 27>(self.remainder) << 1) | bit_cast::<28, 1>(self.digits.get_bit(23).into());
        let mut divisor: Bits<28> = resize(self.cwnd);
        if self.is_cut {
            divisor = resize(self.avg8);
        }
        let difference: Bits<29> = bit_cast::<29, 28>(shifted) - bit_cast::<29, 28>(divisor);
        let fits = !difference.get_bit(28);

        comment!("The numerator of an increase: 24 bits, or all ones where the product has more.");
        let mut increase = self.product.get_bits::<24>(2);
        if self.product.get_bits::<6>(26).any() {
            increase = 0xff_ffff;
        }
        if self.is_additive {
            increase = bit_cast::<24, 16>(self.beta) << 8;
        }

        let shifts = self.mtu != 13;
        if shifts {
            self.mtu = self.mtu + 1;
        }
        if self.step_7 {
            self.mtu = self.mtu_log2;
        }
        if shifts | self.runs {
            self.remainder = shifted.get_bits::<27>(0);
        }
        if self.runs {
            if fits {
                self.remainder = difference.get_bits::<27>(0);
            }
            self.digits = (self.digits << 1) | bit_cast::<24, 1>(fits.into());
        }
        if self.step_7 {
            self.remainder = bit_cast::<27, 20>(self.achieved) << 2;
        }
        if self.step_8 & self.grows {
            self.remainder = resize(increase.get_bits::<16>(8));
            self.digits = bit_cast::<24, 8>(increase.get_bits::<8>(0)) << 16;
        }
        if self.load {
            self.remainder = resize(self.excess);
        }
        if self.step_7 | self.load {
            self.digits = 0;
        }
        if self.step_13 {
            self.less = !fits;
        }
        self.quotient = self.digits;
        self.achieved_cwnd = shifted.get_bits::<26>(0);
        self.achieved_little = shifted.get_bits::<15>(13) < bit_cast::<15, 10>(self.most);
        self.is_less = self.less;
    }
}
