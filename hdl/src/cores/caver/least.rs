//! The best one of four paths.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;

/// The lowest one of four ranks, among equals the first, and the congestion that goes with it. Each is compared with each at the same
/// time, so that there is one comparison in a row. Combinational.
#[block(no_clock)]
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
}

#[block]
impl LeastOfFour {
    fn update(&mut self) {
        comment!("module least_of_four: the lowest one of four ranks, among equals the first");
        let first_of_lower = self.rank_0 <= self.rank_1;
        let first_of_upper = self.rank_2 <= self.rank_3;
        comment!("The better ones of both pairs are compared beforehand, whichever they are.");
        let is_upper = (first_of_lower & first_of_upper & (self.rank_0 > self.rank_2))
            | (first_of_lower & !first_of_upper & (self.rank_0 > self.rank_3))
            | (!first_of_lower & first_of_upper & (self.rank_1 > self.rank_2))
            | (!first_of_lower & !first_of_upper & (self.rank_1 > self.rank_3));
        let is_odd = (is_upper & !first_of_upper) | (!is_upper & !first_of_lower);
        self.number = (bit_cast::<2, 1>(is_upper.into()) << 1) | bit_cast::<2, 1>(is_odd.into());
        self.rank = self.rank_0;
        self.ce = self.ce_0;
        if is_upper {
            self.rank = self.rank_2;
            self.ce = self.ce_2;
            if is_odd {
                self.rank = self.rank_3;
                self.ce = self.ce_3;
            }
        } else if is_odd {
            self.rank = self.rank_1;
            self.ce = self.ce_1;
        }
    }
}
