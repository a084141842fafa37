//! What a walk finds in a word of the acked bitmap, and what it leaves there.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::super::count::CountOnes;
use super::super::encode::FirstSet;
use crate::comment;
use crate::prims::Reg;

/// One word of the walk: mask and register, then count.
///
/// An ACK acknowledges up to its cumulative PSN, where the bits become 0, and what it names above, where they become 1.
#[block(no_reset)]
pub struct Word {
    pub is_init: Signal<In, bool>,
    pub is_next_rtx: Signal<In, bool>,
    /// PSNs that are named, with the address.
    pub named: Signal<In, Bits<16>>,
    /// Word of the acked bitmap, a cycle after the address, with what follows.
    pub stored: Signal<In, Bits<16>>,
    pub una_above: Signal<In, Bits<16>>,
    pub cum_above: Signal<In, Bits<16>>,
    pub rtx_above: Signal<In, Bits<16>>,
    pub rec_above: Signal<In, Bits<16>>,

    /// Two cycles after the address: what is to be stored.
    pub data: Signal<Out, Bits<16>>,
    /// A PSN of it is not acked and to be retransmitted, and the first one. A PSN is not acked and of the range.
    pub found: Signal<Out, bool>,
    pub first: Signal<Out, Bits<4>>,
    pub lacks: Signal<Out, bool>,
    /// Three cycles after the address: PSNs newly acked, and those of them that were in flight.
    pub acked: Signal<Out, Bits<5>>,
    pub landed: Signal<Out, Bits<5>>,

    marks: Reg<Bits<16>>,
    stores: Reg<Bits<16>>,
    newly: Reg<Bits<16>>,
    of_interest: Reg<Bits<16>>,
    acked_sum: Reg<Bits<5>>,
    landed_sum: Reg<Bits<5>>,
    first_set: FirstSet,
    acked_count: CountOnes,
    landed_count: CountOnes,
}

#[block]
impl Word {
    fn update(&mut self) {
        comment!(
            "module word: what a walk finds in a word of the acked bitmap, named or passed, and what it leaves there"
        );
        self.marks = self.named;
        let passed = self.una_above & !self.cum_above;
        let marked = self.marks & self.cum_above;
        self.stores = (self.stored & !passed) | marked;
        if self.is_init {
            self.stores = 0;
        }
        let missing = (passed | marked) & !self.stored;
        self.newly = missing;
        comment!(
            "Claimed for retransmission, and not handed out: those next_rtx looks for, and those not in flight."
        );
        let claimed = self.rtx_above & !self.rec_above;
        self.of_interest = missing & !claimed;
        if self.is_next_rtx {
            self.of_interest = missing & claimed;
        }
        self.data = self.stores;

        self.first_set.flags = self.of_interest;
        self.found = self.first_set.any;
        self.first = self.first_set.place;
        let rest = self.newly & !self.of_interest;
        self.lacks = rest.any();
        self.acked_count.flags = self.newly;
        self.landed_count.flags = self.of_interest;
        self.acked_sum = self.acked_count.count;
        self.landed_sum = self.landed_count.count;
        self.acked = self.acked_sum;
        self.landed = self.landed_sum;
    }
}
