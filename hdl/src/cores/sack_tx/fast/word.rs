//! What a walk finds in a word of the acked bitmap, and what it leaves there.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::count::CountWord;
use super::encode::FirstOfWord;
use crate::comment;

/// One word of the walk: mask and store, then count.
///
/// A SACK acknowledges up to EPSN, where the bits become 0, and what its bitmap shows from EPSN on, where they become 1.
#[derive(LogicBlock, Default)]
pub struct Word {
    pub clk: Signal<In, Clock>,
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

    touched: Signal<Local, Bits<32>>,
    missing: Signal<Local, Bits<32>>,
    claimed: Signal<Local, Bits<32>>,
    sack: DFF<Bits<32>>,
    stores: Signal<Local, Bits<32>>,
    newly: DFF<Bits<32>>,
    of_interest: DFF<Bits<32>>,
    acked_sum: DFF<Bits<6>>,
    landed_sum: DFF<Bits<6>>,
    first_of_word: FirstOfWord,
    acked_count: CountWord,
    landed_count: CountWord,
}

impl Logic for Word {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module word: what a walk finds in 32 bits of the acked bitmap, and what it leaves there");
        dff_setup!(self, clk, sack, newly, of_interest, acked_sum, landed_sum);
        self.sack.d.next = self.sack_bits.val();
        self.touched.next = self.una_above.val() & !self.epsn_above.val();
        self.stores.next = self.stored.val() & !self.touched.val();
        if self.in_base.val() {
            self.touched.next = self.sack.q.val() & self.epsn_above.val();
            self.stores.next = self.stored.val() | self.touched.val();
        }
        if self.is_init.val() {
            self.stores.next = 0.into();
        }
        self.missing.next = self.touched.val() & !self.stored.val();
        self.newly.d.next = self.missing.val();
        comment!(
            "Claimed for retransmission, and not handed out: those next_rtx looks for, and those not in flight."
        );
        self.claimed.next = self.rtx_above.val() & !self.rec_above.val();
        self.of_interest.d.next = self.missing.val() & !self.claimed.val();
        if self.is_next_rtx.val() {
            self.of_interest.d.next = self.missing.val() & self.claimed.val();
        }
        self.data.next = self.stores.val();

        self.first_of_word.flags.next = self.of_interest.q.val();
        self.found.next = self.first_of_word.any.val();
        self.first.next = self.first_of_word.place.val();
        self.acked_count.flags.next = self.newly.q.val();
        self.landed_count.flags.next = self.of_interest.q.val();
        self.acked_sum.d.next = self.acked_count.count.val();
        self.landed_sum.d.next = self.landed_count.count.val();
        self.acked.next = self.acked_sum.q.val();
        self.landed.next = self.landed_sum.q.val();
    }
}
