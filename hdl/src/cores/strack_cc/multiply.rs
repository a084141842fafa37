//! The multiplier.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::{Reg, resize};

/// One multiplier of 16 x 16 bits between registers, for all products: two cycles from the operands to the product.
///
/// ```text
///  step 6 ─► 8     alpha * (target_qdelay - delay)
///  cut 1 ─► 3      gamma * quotient
///  cut 3 ─► 5      cwnd, bits 15:0, * fraction
///  cut 4 ─► 6      cwnd, bits 25:16, * fraction
/// ```
#[block(no_reset)]
pub struct Multiply {
    /// Steps cut 1 to cut 6 in bits 0 to 5.
    pub cut: Signal<In, Bits<6>>,
    pub alpha: Signal<In, Bits<16>>,
    pub gamma: Signal<In, Bits<16>>,
    pub below_target: Signal<In, Bits<16>>,
    pub quotient: Signal<In, Bits<16>>,
    pub cwnd: Signal<In, Bits<26>>,

    pub product: Signal<Out, Bits<32>>,

    a: Reg<Bits<16>>,
    b: Reg<Bits<16>>,
    result: Reg<Bits<32>>,
}

#[block]
impl Multiply {
    fn update(&mut self) {
        comment!("module multiply: one multiplier for all products");
        self.a = self.alpha;
        if self.cut.get_bit(0) {
            self.a = self.gamma;
        }
        if self.cut.get_bit(2) {
            self.a = self.cwnd.get_bits::<16>(0);
        }
        if self.cut.get_bit(3) {
            self.a = resize(self.cwnd.get_bits::<10>(16));
        }
        comment!("The fraction that is cut off: half at most.");
        if !self.cut.get_bit(3) {
            self.b = self.below_target;
        }
        if self.cut.get_bit(0) {
            self.b = self.quotient;
        }
        if self.cut.get_bit(2) {
            self.b = self.result.get_bits::<16>(16);
            if self.result.get_bit(31) {
                self.b = 0x8000;
            }
        }
        self.result = self.a * self.b;
        self.product = self.result;
    }
}
