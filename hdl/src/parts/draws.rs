//! Random EVs for the update stage.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::{Param, RandomEv, Reg};

/// Gives the EV that the next draw takes: `ev_base + random(2^ev_bits)`.
///
/// The generator is one step ahead of the draws, so that the EV comes out of registers and can go into a connection's state in
/// the cycle of the draw: it makes the first step when the seed is absorbed, and one at each draw.
#[block]
pub struct Draws {
    /// The seed is absorbed; the first draw may come a cycle later.
    pub ready: Signal<In, bool>,
    pub seed: Signal<In, Bits<16>>,
    /// The EV is taken.
    pub draw: Signal<In, bool>,
    pub ev: Signal<Out, Bits<16>>,

    random: RandomEv,
    #[reset = false]
    is_ahead: Reg<bool>,
    ev_base: Param<Bits<16>>,
    ev_mask: Param<Bits<16>>,
}

#[block]
impl Draws {
    /// EVs are `ev_base + random(2^ev_bits)`.
    pub fn new(ev_base: u32, ev_bits: u32) -> Self {
        Self {
            ev_base: Param::new(u64::from(ev_base).into()),
            ev_mask: Param::new(((1u64 << ev_bits) - 1).into()),
            ..Default::default()
        }
    }

    fn update(&mut self) {
        comment!("module draws: the EV that the next draw takes");
        self.is_ahead = self.ready;
        self.random.absorb = !self.ready;
        self.random.seed = self.seed;
        self.random.step = self.draw | !self.is_ahead;
        self.ev = (self.random.word & self.ev_mask) | self.ev_base;
    }
}
