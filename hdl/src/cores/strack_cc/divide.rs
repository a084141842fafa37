//! The divider, whose remainder also is where a count of bytes becomes a count of packets.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;

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
#[derive(LogicBlock, Default)]
pub struct Divide {
    pub clk: Signal<In, Clock>,
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

    shifts: Signal<Local, bool>,
    increase: Signal<Local, Bits<24>>,
    shifted: Signal<Local, Bits<28>>,
    divisor: Signal<Local, Bits<28>>,
    difference: Signal<Local, Bits<29>>,
    fits: Signal<Local, bool>,

    remainder: DFF<Bits<27>>,
    digits: DFF<Bits<24>>,
    mtu: DFF<Bits<4>>,
    less: DFF<bool>,
}

impl Logic for Divide {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module divide: quotients a bit a cycle, and bytes made packets");
        dff_setup!(self, clk, remainder, digits, mtu, less);
        self.shifted.next = (bit_cast::<28, 27>(self.remainder.q.val()) << 1)
            | bit_cast::<28, 1>(self.digits.q.val().get_bit(23).into());
        self.divisor.next = bit_cast::<28, 26>(self.cwnd.val());
        if self.is_cut.val() {
            self.divisor.next = bit_cast::<28, 19>(self.avg8.val());
        }
        self.difference.next =
            bit_cast::<29, 28>(self.shifted.val()) - bit_cast::<29, 28>(self.divisor.val());
        self.fits.next = !self.difference.val().get_bit(28);

        comment!("The numerator of an increase: 24 bits, or all ones where the product has more.");
        self.increase.next = self.product.val().get_bits::<24>(2);
        if self.product.val().get_bits::<6>(26).any() {
            self.increase.next = 0xff_ffff.into();
        }
        if self.is_additive.val() {
            self.increase.next = bit_cast::<24, 16>(self.beta.val()) << 8;
        }

        self.shifts.next = self.mtu.q.val() != 13;
        if self.shifts.val() {
            self.mtu.d.next = self.mtu.q.val() + 1;
        }
        if self.step_7.val() {
            self.mtu.d.next = self.mtu_log2.val();
        }
        if self.shifts.val() | self.runs.val() {
            self.remainder.d.next = self.shifted.val().get_bits::<27>(0);
        }
        if self.runs.val() {
            if self.fits.val() {
                self.remainder.d.next = self.difference.val().get_bits::<27>(0);
            }
            self.digits.d.next = (self.digits.q.val() << 1) | bit_cast::<24, 1>(self.fits.val().into());
        }
        if self.step_7.val() {
            self.remainder.d.next = bit_cast::<27, 20>(self.achieved.val()) << 2;
        }
        if self.step_8.val() & self.grows.val() {
            self.remainder.d.next = bit_cast::<27, 16>(self.increase.val().get_bits::<16>(8));
            self.digits.d.next = bit_cast::<24, 8>(self.increase.val().get_bits::<8>(0)) << 16;
        }
        if self.load.val() {
            self.remainder.d.next = bit_cast::<27, 19>(self.excess.val());
        }
        if self.step_7.val() | self.load.val() {
            self.digits.d.next = 0.into();
        }
        if self.step_13.val() {
            self.less.d.next = !self.fits.val();
        }
        self.quotient.next = self.digits.q.val();
        self.achieved_cwnd.next = self.shifted.val().get_bits::<26>(0);
        self.achieved_little.next =
            self.shifted.val().get_bits::<15>(13) < bit_cast::<15, 10>(self.most.val());
        self.is_less.next = self.less.q.val();
    }
}
