//! Whose slot it is: an op's, or the core's own, for the walker or for a port's sum to lose its share.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::Param;

/// Gives every 16th cycle in which the core could begin something to itself, and counts the periods of the ports' sums.
///
/// `W` is the width of a place in the larger table, `P` that of a port's number. After reset the walker's place counts both tables, which
/// are cleared.
#[derive(LogicBlock, Default)]
pub struct Slots<const W: usize, const P: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
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
    pub place: Signal<Out, Bits<W>>,
    pub decays: Signal<Out, bool>,
    pub port: Signal<Out, Bits<P>>,

    is_clearing: DFF<bool>,
    slot: DFF<Bits<4>>,
    is_last: DFF<bool>,
    walk: DFF<Bits<W>>,
    cycles: DFF<Bits<24>>,
    is_due: DFF<bool>,
    next_port: DFF<Bits<P>>,
    is_on: Signal<Local, bool>,
    is_own: Signal<Local, bool>,
    is_visit: Signal<Local, bool>,
    is_decay: Signal<Local, bool>,
    left: Signal<Local, Bits<25>>,
    ends: Signal<Local, bool>,
    port_bits: Param<Bits<5>>,
}

impl<const W: usize, const P: usize> Slots<W, P> {
    /// With its parameters.
    pub fn new() -> Self {
        Self { port_bits: Param::new((P as u64).into()), ..Default::default() }
    }
}

impl<const W: usize, const P: usize> Logic for Slots<W, P> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module slots: whose slot it is, an op's or the core's own");
        dff_setup!(self, clk, is_clearing, slot, is_last, walk, cycles, is_due, next_port);
        self.is_on.next = self.is_free.val() & !self.is_clearing.q.val();
        self.slot.d.next = self.slot.q.val() + self.is_on.val();
        comment!(
            "The 16th slot is known from its first cycle on, as the interlock compares what stands in it."
        );
        self.is_last.d.next = self.is_last.q.val();
        if self.is_on.val() {
            self.is_last.d.next = self.slot.q.val() == 14;
        }
        self.is_own.next = self.is_on.val() & self.is_last.q.val();
        self.is_decay.next = self.is_own.val() & self.is_due.q.val();
        self.is_visit.next = self.is_own.val() & !self.is_due.q.val();
        self.op_ready.next = self.is_on.val() & !self.is_last.q.val();

        comment!("The walker's place goes around, first to clear both tables.");
        self.walk.d.next = self.walk.q.val() + (self.is_visit.val() | self.is_clearing.q.val());
        self.is_clearing.d.next = self.is_clearing.q.val() & !self.walk.q.val().all();

        comment!("A port's turn comes once in a period's share, and waits for the next slot of the core.");
        comment!(
            "The present cycle is counted already, so that a sum and a comparison stand beside each other."
        );
        self.left.next = bit_cast::<25, 24>(self.cycles.q.val())
            - bit_cast::<25, 24>(self.dre_period.val() >> self.port_bits.val());
        self.ends.next = !self.left.val().get_bit(24);
        self.cycles.d.next = self.cycles.q.val() + 1;
        if self.ends.val() {
            self.cycles.d.next = 1.into();
        }
        self.is_due.d.next = self.ends.val() | (self.is_due.q.val() & !self.is_decay.val());
        self.next_port.d.next = self.next_port.q.val() + self.is_decay.val();

        self.clears.next = self.is_clearing.q.val();
        self.visits.next = self.is_visit.val();
        self.place.next = self.walk.q.val();
        self.decays.next = self.is_decay.val();
        self.port.next = self.next_port.q.val();
        if self.rst.val() {
            self.is_clearing.d.next = true;
            self.slot.d.next = 0.into();
            self.is_last.d.next = false;
            self.walk.d.next = 0.into();
            self.cycles.d.next = 1.into();
            self.is_due.d.next = false;
            self.next_port.d.next = 0.into();
        }
    }
}
