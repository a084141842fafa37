//! The best one of four paths.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;

/// The lowest one of four ranks, among equals the first, and the congestion that goes with it. Each is compared with each at the same
/// time, so that there is one comparison in a row. Combinational.
#[derive(LogicBlock, Default)]
pub struct LeastOfFour {
    pub rank_0: Signal<In, Bits<10>>,
    pub rank_1: Signal<In, Bits<10>>,
    pub rank_2: Signal<In, Bits<10>>,
    pub rank_3: Signal<In, Bits<10>>,
    pub ce_0: Signal<In, Bits<8>>,
    pub ce_1: Signal<In, Bits<8>>,
    pub ce_2: Signal<In, Bits<8>>,
    pub ce_3: Signal<In, Bits<8>>,

    pub number: Signal<Out, Bits<2>>,
    pub rank: Signal<Out, Bits<10>>,
    pub ce: Signal<Out, Bits<8>>,

    first_of_lower: Signal<Local, bool>,
    first_of_upper: Signal<Local, bool>,
    is_upper: Signal<Local, bool>,
    is_odd: Signal<Local, bool>,
}

impl Logic for LeastOfFour {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module least_of_four: the lowest one of four ranks, among equals the first");
        self.first_of_lower.next = self.rank_0.val() <= self.rank_1.val();
        self.first_of_upper.next = self.rank_2.val() <= self.rank_3.val();
        comment!("The better ones of both pairs are compared beforehand, whichever they are.");
        self.is_upper.next =
            (self.first_of_lower.val() & self.first_of_upper.val() & (self.rank_0.val() > self.rank_2.val()))
                | (self.first_of_lower.val()
                    & !self.first_of_upper.val()
                    & (self.rank_0.val() > self.rank_3.val()))
                | (!self.first_of_lower.val()
                    & self.first_of_upper.val()
                    & (self.rank_1.val() > self.rank_2.val()))
                | (!self.first_of_lower.val()
                    & !self.first_of_upper.val()
                    & (self.rank_1.val() > self.rank_3.val()));
        self.is_odd.next = (self.is_upper.val() & !self.first_of_upper.val())
            | (!self.is_upper.val() & !self.first_of_lower.val());
        self.number.next =
            (bit_cast::<2, 1>(self.is_upper.val().into()) << 1) | bit_cast::<2, 1>(self.is_odd.val().into());
        self.rank.next = self.rank_0.val();
        self.ce.next = self.ce_0.val();
        if self.is_upper.val() {
            self.rank.next = self.rank_2.val();
            self.ce.next = self.ce_2.val();
            if self.is_odd.val() {
                self.rank.next = self.rank_3.val();
                self.ce.next = self.ce_3.val();
            }
        } else if self.is_odd.val() {
            self.rank.next = self.rank_1.val();
            self.ce.next = self.ce_1.val();
        }
    }
}
