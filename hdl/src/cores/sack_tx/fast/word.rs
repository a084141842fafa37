//! What a walk finds in a word of the acked bitmap, and what it leaves there.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::count::CountWord;
use super::encode::FirstOfWord;
use crate::comment;
use crate::prims::Reg;

/// One word of the walk: mask and store, then count.
///
/// A SACK acknowledges up to EPSN, where the bits become 0, and what its bitmap shows from EPSN on, where they become 1.
#[block(no_reset)]
pub struct Word {
    pub is_init: Signal<In, bool>,
    pub is_next_rtx: Signal<In, bool>,
    /// Bits of the SACK, with the address.
    pub sack_bits: Signal<In, Bits<32>>,
    /// Word of the acked bitmap, a cycle after the address, with what follows.
    pub stored: Signal<In, Bits<32>>,
    pub in_base: Signal<In, bool>,
    pub una_above: Signal<In, Bits<32>>,
    pub epsn_above: Signal<In, Bits<32>>,
    pub rtx_above: Signal<In, Bits<32>>,
    pub rec_above: Signal<In, Bits<32>>,

    /// What is to be stored, with the stored word: where a walk comes to a word again two cycles later it finds this.
    pub data: Signal<Out, Bits<32>>,
    /// Two cycles after the address: a PSN of it is not acked and to be retransmitted, and the first one.
    pub found: Signal<Out, bool>,
    pub first: Signal<Out, Bits<5>>,
    /// Three cycles after the address: PSNs newly acked, and those of them that were in flight.
    pub acked: Signal<Out, Bits<6>>,
    pub landed: Signal<Out, Bits<6>>,

    sack: Reg<Bits<32>>,
    newly: Reg<Bits<32>>,
    of_interest: Reg<Bits<32>>,
    acked_sum: Reg<Bits<6>>,
    landed_sum: Reg<Bits<6>>,
    first_of_word: FirstOfWord,
    acked_count: CountWord,
    landed_count: CountWord,
}

#[block]
impl Word {
    fn update(&mut self) {
        comment!("module word: what a walk finds in 32 bits of the acked bitmap, and what it leaves there");
        self.sack = self.sack_bits;
        let mut touched = self.una_above & !self.epsn_above;
        let mut stores = self.stored & !touched;
        if self.in_base {
            touched = self.sack & self.epsn_above;
            stores = self.stored | touched;
        }
        if self.is_init {
            stores = 0;
        }
        let missing = touched & !self.stored;
        self.newly = missing;
        comment!(
            "Claimed for retransmission, and not handed out: those next_rtx looks for, and those not in flight."
        );
        let claimed = self.rtx_above & !self.rec_above;
        self.of_interest = missing & !claimed;
        if self.is_next_rtx {
            self.of_interest = missing & claimed;
        }
        self.data = stores;

        self.first_of_word.flags = self.of_interest;
        self.found = self.first_of_word.any;
        self.first = self.first_of_word.place;
        self.acked_count.flags = self.newly;
        self.landed_count.flags = self.of_interest;
        self.acked_sum = self.acked_count.count;
        self.landed_sum = self.landed_count.count;
        self.acked = self.acked_sum;
        self.landed = self.landed_sum;
    }
}
