//! Whose slot it is: an op's, or the core's own, for the walker or for a port's sum to lose its share.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::{Param, Reg};

/// Gives every 16th cycle in which the core could begin something to itself, and counts the periods of the ports' sums.
///
/// `WALK` is the width of a place in the larger table, `PORT` that of a port's number. After reset the walker's place
/// counts both tables, which are cleared.
#[block]
pub struct Slots<const WALK: usize, const PORT: usize> {
    /// No op waits.
    pub is_free: Signal<In, bool>,
    /// Cycles in which the sum of each port loses its share once.
    pub dre_period: Signal<In, Bits<24>>,

    /// The tables are being cleared, at `place`.
    pub clears: Signal<Out, bool>,
    /// An op is taken if there is one.
    pub op_ready: Signal<Out, bool>,
    /// The walker comes to this place; the sum of this port loses its share.
    pub visits: Signal<Out, bool>,
    pub place: Signal<Out, Bits<WALK>>,
    pub decays: Signal<Out, bool>,
    pub port: Signal<Out, Bits<PORT>>,

    #[reset = true]
    is_clearing: Reg<bool>,
    #[reset = 0]
    slot: Reg<Bits<4>>,
    #[reset = false]
    is_last: Reg<bool>,
    #[reset = 0]
    walk: Reg<Bits<WALK>>,
    #[reset = 1]
    cycles: Reg<Bits<24>>,
    #[reset = false]
    is_due: Reg<bool>,
    #[reset = 0]
    next_port: Reg<Bits<PORT>>,
    port_bits: Param<Bits<5>>,
}

#[block]
impl<const WALK: usize, const PORT: usize> Slots<WALK, PORT> {
    /// With its parameters.
    pub fn new() -> Self {
        Self { port_bits: Param::new((PORT as u64).into()), ..Default::default() }
    }

    fn update(&mut self) {
        comment!("module slots: whose slot it is, an op's or the core's own");
        let is_on = self.is_free & !self.is_clearing;
        self.slot = self.slot + is_on;
        comment!(
            "The 16th slot is known from its first cycle on, as the interlock compares what stands in it."
        );
        if is_on {
            self.is_last = self.slot == 14;
        }
        let is_own = is_on & self.is_last;
        let is_decay = is_own & self.is_due;
        let is_visit = is_own & !self.is_due;
        self.op_ready = is_on & !self.is_last;

        comment!("The walker's place goes around, first to clear both tables.");
        self.walk = self.walk + (is_visit | self.is_clearing);
        self.is_clearing = self.is_clearing & !self.walk.all();

        comment!("A port's turn comes once in a period's share, and waits for the next slot of the core.");
        comment!(
            "The present cycle is counted already, so that a sum and a comparison stand beside each other."
        );
        let left: Bits<25> =
            bit_cast::<25, 24>(self.cycles) - bit_cast::<25, 24>(self.dre_period >> self.port_bits);
        let ends = !left.get_bit(24);
        self.cycles = self.cycles + 1;
        if ends {
            self.cycles = 1;
        }
        self.is_due = ends | (self.is_due & !is_decay);
        self.next_port = self.next_port + is_decay;

        self.clears = self.is_clearing;
        self.visits = is_visit;
        self.place = self.walk;
        self.decays = is_decay;
        self.port = self.next_port;
    }
}
