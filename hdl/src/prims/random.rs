//! The generator of random EVs.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::Reg;
use crate::comment;

/// A linear feedback shift register of 61 bits that advances 16 bits a step:
/// `x[n] = x[n-61] ^ x[n-47] ^ x[n-35] ^ x[n-19]`, of period `2^61 - 1`.
///
/// Four taps, a bit of the seed and `absorb` are the six inputs of one LUT for each of the 16 new bits.
#[block]
pub struct RandomEv {
    /// Mixes `seed` into the steps.
    pub absorb: Signal<In, bool>,
    pub seed: Signal<In, Bits<16>>,
    /// Makes one step.
    pub step: Signal<In, bool>,
    /// The 16 bits that the latest step made.
    pub word: Signal<Out, Bits<16>>,
    /// The last 61 bits, the oldest in bit 0.
    #[reset = 1]
    state: Reg<Bits<61>>,
}

#[block]
impl RandomEv {
    fn update(&mut self) {
        comment!("module random_ev: linear feedback shift register of 61 bits, 16 bits a step");
        let mut mixed_in: Bits<16> = 0;
        if self.absorb {
            mixed_in = self.seed;
        }
        let fresh = self.state.get_bits::<16>(0)
            ^ self.state.get_bits::<16>(14)
            ^ self.state.get_bits::<16>(26)
            ^ self.state.get_bits::<16>(42)
            ^ mixed_in;
        self.word = self.state.get_bits::<16>(45);
        if self.step | self.absorb {
            self.state = (self.state >> 16) | (bit_cast::<61, 16>(fresh) << 45);
        }
    }
}
