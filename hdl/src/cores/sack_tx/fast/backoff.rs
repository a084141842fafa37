//! The retransmission timeout of a connection: doubled by each timeout in a row.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::{Reg, resize};

/// Doubles the RTO, and counts timeouts in a row.
///
/// ```text
///  step  1                        2             3            4
///        timeouts, at most most   by 4 times    by 2 times   the limit stands
///        by 16 times
/// ```
///
/// The RTO is doubled as often as there were timeouts in a row, at most `most` times, and only as long as it has 16 bits: one
/// that was cut off would strike too early, and one of all ones would stand for a single tick, which a visit misses. Where a
/// step finds no room for its doublings, the steps behind it fill what room there is.
///
/// Only visits have a use for the limit, but it does no harm to other ops.
#[block(no_reset)]
pub struct Backoff {
    /// An op or a visit begins: the RTO is sampled.
    pub starts: Signal<In, bool>,
    pub step_1: Signal<In, bool>,
    pub step_2: Signal<In, bool>,
    pub step_3: Signal<In, bool>,
    /// In ticks.
    pub rto: Signal<In, Bits<16>>,
    /// Doublings at most.
    pub most: Signal<In, Bits<3>>,
    /// Timeouts in a row, 7 for all above: of the times RAM, at step 1 and where a timeout is written.
    pub timeouts: Signal<In, Bits<3>>,

    /// From step 4 on: the RTO with its doublings.
    pub limit: Signal<Out, Bits<16>>,
    /// The timeouts and one more.
    pub one_more: Signal<Out, Bits<3>>,

    doubled: Reg<Bits<16>>,
    rest: Reg<Bits<2>>,
}

#[block]
impl Backoff {
    fn update(&mut self) {
        comment!(
            "module backoff: the RTO, doubled by each timeout in a row from step 1 on, as long as it has 16 bits"
        );
        let mut doublings = self.timeouts;
        if self.timeouts > self.most {
            doublings = self.most;
        }
        let upper_4 = self.doubled.get_bits::<4>(12).any();
        let upper_2 = self.doubled.get_bits::<2>(14).any();

        comment!(
            "Four doublings, then two, then one. Where there is no room for them, the rest is as many as can be."
        );
        let by_4 = self.step_1 & doublings.get_bit(2);
        let by_2 = self.step_2 & self.rest.get_bit(1);
        let by_1 = self.step_3 & self.rest.get_bit(0);
        if self.step_1 {
            self.rest = resize(doublings);
        }
        if (by_4 & upper_4) | (by_2 & upper_2) {
            self.rest = 3;
        }
        if self.starts {
            self.doubled = self.rto;
        }
        if by_4 & !upper_4 {
            self.doubled = self.doubled << 4;
        }
        if by_2 & !upper_2 {
            self.doubled = self.doubled << 2;
        }
        if by_1 & !self.doubled.get_bit(15) {
            self.doubled = self.doubled << 1;
        }
        self.limit = self.doubled;

        self.one_more = self.timeouts + 1;
        if self.timeouts.all() {
            self.one_more = self.timeouts;
        }
    }
}
