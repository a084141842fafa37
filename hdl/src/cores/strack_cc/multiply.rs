//! The multiplier.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;

/// One multiplier of 16 x 16 bits between registers, for all products: two cycles from the operands to the product.
///
/// ```text
///  step 6 ─► 8     alpha * (target_qdelay - delay)
///  cut 1 ─► 3      gamma * quotient
///  cut 3 ─► 5      cwnd, bits 15:0, * fraction
///  cut 4 ─► 6      cwnd, bits 25:16, * fraction
/// ```
#[derive(LogicBlock, Default)]
pub struct Multiply {
    pub clk: Signal<In, Clock>,
    /// Steps cut 1 to cut 6 in bits 0 to 5.
    pub cut: Signal<In, Bits<6>>,
    pub alpha: Signal<In, Bits<16>>,
    pub gamma: Signal<In, Bits<16>>,
    pub below_target: Signal<In, Bits<16>>,
    pub quotient: Signal<In, Bits<16>>,
    pub cwnd: Signal<In, Bits<26>>,

    pub product: Signal<Out, Bits<32>>,

    a: DFF<Bits<16>>,
    b: DFF<Bits<16>>,
    result: DFF<Bits<32>>,
}

impl Logic for Multiply {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module multiply: one multiplier for all products");
        dff_setup!(self, clk, a, b, result);
        self.a.d.next = self.alpha.val();
        if self.cut.val().get_bit(0) {
            self.a.d.next = self.gamma.val();
        }
        if self.cut.val().get_bit(2) {
            self.a.d.next = self.cwnd.val().get_bits::<16>(0);
        }
        if self.cut.val().get_bit(3) {
            self.a.d.next = bit_cast::<16, 10>(self.cwnd.val().get_bits::<10>(16));
        }
        comment!("The fraction that is cut off: half at most.");
        if !self.cut.val().get_bit(3) {
            self.b.d.next = self.below_target.val();
        }
        if self.cut.val().get_bit(0) {
            self.b.d.next = self.quotient.val();
        }
        if self.cut.val().get_bit(2) {
            self.b.d.next = self.result.q.val().get_bits::<16>(16);
            if self.result.q.val().get_bit(31) {
                self.b.d.next = 0x8000.into();
            }
        }
        self.result.d.next = self.a.q.val() * self.b.q.val();
        self.product.next = self.result.q.val();
    }
}
