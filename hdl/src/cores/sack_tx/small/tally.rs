//! The two counts of packets.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;

/// Packets newly acknowledged, and packets in flight.
///
/// In flight goes down by what a SACK acknowledges and recovery did not claim. Entering recovery claims whatever is not
/// acknowledged below its end; above lies nothing acknowledged, so that the rest is a difference of places.
#[derive(LogicBlock, Default)]
pub struct Tally<const N: usize> {
    pub clk: Signal<In, Clock>,
    pub step_1: Signal<In, bool>,
    pub step_2: Signal<In, bool>,
    pub step_4: Signal<In, bool>,
    pub step_7: Signal<In, bool>,
    pub settle: Signal<In, bool>,
    pub is_sent: Signal<In, bool>,
    pub is_sack: Signal<In, bool>,
    pub is_next_rtx: Signal<In, bool>,
    pub is_init: Signal<In, bool>,
    pub initialised: Signal<In, bool>,
    pub ok: Signal<In, bool>,
    /// `next_rtx`: a PSN is handed out.
    pub found: Signal<In, bool>,
    pub enters: Signal<In, bool>,
    /// Visit: everything is lost.
    pub timeout: Signal<In, bool>,
    /// A word of the walk is counted: newly acked, and of these in flight.
    pub counted: Signal<In, bool>,
    pub newly: Signal<In, Bits<5>>,
    pub landed: Signal<In, Bits<5>>,
    pub stored: Signal<In, Bits<N>>,
    /// Packets after the end of the range.
    pub after_mark: Signal<In, Bits<N>>,

    pub acked: Signal<Out, Bits<N>>,
    pub in_flight: Signal<Out, Bits<N>>,

    less: Signal<Local, Bits<N>>,
    rest: Signal<Local, Bits<N>>,
    counts: Signal<Local, bool>,
    acked_sum: DFF<Bits<N>>,
    flying: DFF<Bits<N>>,
}

impl<const N: usize> Logic for Tally<N> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module tally: packets newly acknowledged, and packets in flight");
        dff_setup!(self, clk, acked_sum, flying);
        self.counts.next = self.counted.val() & self.is_sack.val() & self.ok.val();
        if self.counts.val() {
            self.acked_sum.d.next = self.acked_sum.q.val() + bit_cast::<N, 5>(self.newly.val());
        }
        if self.step_1.val() {
            self.acked_sum.d.next = 0.into();
        }

        comment!("One more is all ones less.");
        self.less.next = !bits::<N>(0);
        if self.is_sack.val() {
            self.less.next = bit_cast::<N, 5>(self.landed.val());
        }
        self.rest.next = self.flying.q.val() - self.less.val();
        if self.counts.val()
            | (self.step_4.val() & self.is_sent.val() & self.ok.val())
            | (self.settle.val() & self.is_next_rtx.val() & self.found.val())
        {
            self.flying.d.next = self.rest.val();
        }
        if self.settle.val() & self.enters.val() {
            self.flying.d.next = self.after_mark.val();
        }
        if self.step_2.val() {
            self.flying.d.next = self.stored.val();
        }
        if (self.step_2.val() & (!self.initialised.val() | self.is_init.val()))
            | (self.step_7.val() & self.timeout.val())
        {
            self.flying.d.next = 0.into();
        }
        self.acked.next = self.acked_sum.q.val();
        self.in_flight.next = self.flying.q.val();
    }
}
