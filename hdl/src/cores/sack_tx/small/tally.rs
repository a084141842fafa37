//! The two counts of packets.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::{Reg, resize};

/// Packets newly acknowledged, and packets in flight.
///
/// In flight goes down by what a SACK acknowledges and recovery did not claim. Entering recovery claims whatever is not
/// acknowledged below its end; above lies nothing acknowledged, so that the rest is a difference of places.
#[block(no_reset)]
pub struct Tally<const PACKETS: usize> {
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
    pub stored: Signal<In, Bits<PACKETS>>,
    /// Packets after the end of the range.
    pub after_mark: Signal<In, Bits<PACKETS>>,

    pub acked: Signal<Out, Bits<PACKETS>>,
    pub in_flight: Signal<Out, Bits<PACKETS>>,

    acked_sum: Reg<Bits<PACKETS>>,
    flying: Reg<Bits<PACKETS>>,
}

#[block]
impl<const PACKETS: usize> Tally<PACKETS> {
    fn update(&mut self) {
        comment!("module tally: packets newly acknowledged, and packets in flight");
        let counts = self.counted & self.is_sack & self.ok;
        if counts {
            self.acked_sum = self.acked_sum + bit_cast::<PACKETS, 5>(self.newly);
        }
        if self.step_1 {
            self.acked_sum = 0;
        }

        comment!("One more is all ones less.");
        let mut less = !bits::<PACKETS>(0);
        if self.is_sack {
            less = resize(self.landed);
        }
        let rest = self.flying - less;
        if counts | (self.step_4 & self.is_sent & self.ok) | (self.settle & self.is_next_rtx & self.found) {
            self.flying = rest;
        }
        if self.settle & self.enters {
            self.flying = self.after_mark;
        }
        if self.step_2 {
            self.flying = self.stored;
        }
        if (self.step_2 & (!self.initialised | self.is_init)) | (self.step_7 & self.timeout) {
            self.flying = 0;
        }
        self.acked = self.acked_sum;
        self.in_flight = self.flying;
    }
}
