//! The retransmission timeout of a connection: doubled by each timeout in a row, until there were too many.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::{Reg, resize};

/// Doubles the RTO, and counts timeouts in a row.
///
/// ```text
///  step  2                        3             4            5
///        timeouts, at most most   by 4 times    by 2 times   the limit stands
///        by 16 times
/// ```
///
/// The RTO is doubled as often as there were timeouts in a row, at most `most` times, and only as long as it has 16 bits. Where a
/// step finds no room for its doublings, the steps behind it fill what room there is.
#[block(no_reset)]
pub struct Backoff {
    /// An op or a visit begins: the RTO is sampled.
    pub starts: Signal<In, bool>,
    pub step_2: Signal<In, bool>,
    pub step_3: Signal<In, bool>,
    pub step_4: Signal<In, bool>,
    /// In ticks.
    pub rto: Signal<In, Bits<16>>,
    /// Doublings at most, and timeouts in a row that are borne; 15: any number.
    pub most: Signal<In, Bits<3>>,
    pub borne: Signal<In, Bits<4>>,
    /// Timeouts in a row, 15 for all above: of the times RAM, at step 2 and where a timeout is written.
    pub timeouts: Signal<In, Bits<4>>,

    /// At step 1: the RTO; from step 5 on with its doublings.
    pub limit: Signal<Out, Bits<16>>,
    /// The timeouts and one more.
    pub one_more: Signal<Out, Bits<4>>,
    /// From step 3 on: as many were borne as can be; more were.
    pub is_last: Signal<Out, bool>,
    pub is_dead: Signal<Out, bool>,

    doubled: Reg<Bits<16>>,
    rest: Reg<Bits<2>>,
    last: Reg<bool>,
    dead: Reg<bool>,
}

#[block]
impl Backoff {
    fn update(&mut self) {
        comment!(
            "module backoff: the RTO, doubled by each timeout in a row as long as it has 16 bits, until there were too many"
        );
        let mut doublings: Bits<3> = resize(self.timeouts);
        if self.timeouts > bit_cast::<4, 3>(self.most) {
            doublings = self.most;
        }
        let upper_4 = self.doubled.get_bits::<4>(12).any();
        let upper_2 = self.doubled.get_bits::<2>(14).any();

        comment!(
            "Four doublings, then two, then one. Where there is no room for them, the rest is as many as can be."
        );
        let by_4 = self.step_2 & doublings.get_bit(2);
        let by_2 = self.step_3 & self.rest.get_bit(1);
        let by_1 = self.step_4 & self.rest.get_bit(0);
        if self.step_2 {
            self.rest = resize(doublings);
            self.last = (self.timeouts == self.borne) & !self.borne.all();
            self.dead = self.timeouts > self.borne;
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
        self.is_last = self.last;
        self.is_dead = self.dead;

        self.one_more = self.timeouts + 1;
        if self.timeouts.all() {
            self.one_more = self.timeouts;
        }
    }
}
