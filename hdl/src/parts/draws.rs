//! Random EVs for the update stage.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::{Param, RandomEv};

/// Gives the EV that the next draw takes: `ev_base + random(2^ev_bits)`.
///
/// The generator is one step ahead of the draws, so that the EV comes out of registers and can go into a connection's state in
/// the cycle of the draw: it makes the first step when the seed is absorbed, and one at each draw.
#[derive(LogicBlock, Default)]
pub struct Draws {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    /// The seed is absorbed; the first draw may come a cycle later.
    pub ready: Signal<In, bool>,
    pub seed: Signal<In, Bits<16>>,
    /// The EV is taken.
    pub draw: Signal<In, bool>,
    pub ev: Signal<Out, Bits<16>>,

    random: RandomEv,
    is_ahead: DFF<bool>,
    ev_base: Param<Bits<16>>,
    ev_mask: Param<Bits<16>>,
}

impl Draws {
    /// EVs are `ev_base + random(2^ev_bits)`.
    pub fn new(ev_base: u32, ev_bits: u32) -> Self {
        Self {
            ev_base: Param::new(u64::from(ev_base).into()),
            ev_mask: Param::new(((1u64 << ev_bits) - 1).into()),
            ..Default::default()
        }
    }
}

impl Logic for Draws {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module draws: the EV that the next draw takes");
        dff_setup!(self, clk, is_ahead);
        self.is_ahead.d.next = self.ready.val();
        self.random.clk.next = self.clk.val();
        self.random.rst.next = self.rst.val();
        self.random.absorb.next = !self.ready.val();
        self.random.seed.next = self.seed.val();
        self.random.step.next = self.draw.val() | !self.is_ahead.q.val();
        self.ev.next = (self.random.word.val() & self.ev_mask.val()) | self.ev_base.val();
        if self.rst.val() {
            self.is_ahead.d.next = false;
        }
    }
}
