//! The generator of random EVs.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;

/// A linear feedback shift register of 61 bits that advances 16 bits a step:
/// `x[n] = x[n-61] ^ x[n-47] ^ x[n-35] ^ x[n-19]`, of period `2^61 - 1`.
///
/// Four taps, a bit of the seed and `absorb` are the six inputs of one LUT for each of the 16 new bits.
#[derive(LogicBlock, Default)]
pub struct RandomEv {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    /// Mixes `seed` into the steps.
    pub absorb: Signal<In, bool>,
    pub seed: Signal<In, Bits<16>>,
    /// Makes one step.
    pub step: Signal<In, bool>,
    /// The 16 bits that the latest step made.
    pub word: Signal<Out, Bits<16>>,
    /// The last 61 bits, the oldest in bit 0.
    state: DFF<Bits<61>>,
    mixed_in: Signal<Local, Bits<16>>,
    fresh: Signal<Local, Bits<16>>,
}

impl Logic for RandomEv {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module random_ev: linear feedback shift register of 61 bits, 16 bits a step");
        dff_setup!(self, clk, state);
        self.mixed_in.next = 0.into();
        if self.absorb.val() {
            self.mixed_in.next = self.seed.val();
        }
        self.fresh.next = self.state.q.val().get_bits::<16>(0)
            ^ self.state.q.val().get_bits::<16>(14)
            ^ self.state.q.val().get_bits::<16>(26)
            ^ self.state.q.val().get_bits::<16>(42)
            ^ self.mixed_in.val();
        self.word.next = self.state.q.val().get_bits::<16>(45);
        if self.step.val() | self.absorb.val() {
            self.state.d.next = (self.state.q.val() >> 16) | (bit_cast::<61, 16>(self.fresh.val()) << 45);
        }
        if self.rst.val() {
            self.state.d.next = 1.into();
        }
    }
}
