//! The retransmission timeout of a connection: doubled by each timeout in a row.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;

/// Doubles the RTO, and counts timeouts in a row.
///
/// ```text
///  step  2                        3             4            5
///        timeouts, at most most   by 4 times    by 2 times   the limit stands
///        by 16 times
/// ```
///
/// The RTO is doubled as often as there were timeouts in a row, at most `most` times, and only as long as it has 16 bits: one
/// that was cut off would strike too early, and one of all ones would stand for a single tick, which a visit misses. Where a
/// step finds no room for its doublings, the steps behind it fill what room there is.
///
/// Only visits have a use for the limit, but it does no harm to other ops.
#[derive(LogicBlock, Default)]
pub struct Backoff {
    pub clk: Signal<In, Clock>,
    /// An op or a visit begins: the RTO is sampled.
    pub starts: Signal<In, bool>,
    pub step_2: Signal<In, bool>,
    pub step_3: Signal<In, bool>,
    pub step_4: Signal<In, bool>,
    /// In ticks.
    pub rto: Signal<In, Bits<16>>,
    /// Doublings at most.
    pub most: Signal<In, Bits<3>>,
    /// Timeouts in a row, 7 for all above: of the times RAM, at step 2 and where a timeout is written.
    pub timeouts: Signal<In, Bits<3>>,

    /// From step 5 on: the RTO with its doublings.
    pub limit: Signal<Out, Bits<16>>,
    /// The timeouts and one more.
    pub one_more: Signal<Out, Bits<3>>,

    doublings: Signal<Local, Bits<3>>,
    upper_4: Signal<Local, bool>,
    upper_2: Signal<Local, bool>,
    by_4: Signal<Local, bool>,
    by_2: Signal<Local, bool>,
    by_1: Signal<Local, bool>,
    doubled: DFF<Bits<16>>,
    rest: DFF<Bits<2>>,
}

impl Logic for Backoff {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module backoff: the RTO, doubled by each timeout in a row as long as it has 16 bits");
        dff_setup!(self, clk, doubled, rest);
        self.doublings.next = self.timeouts.val();
        if self.timeouts.val() > self.most.val() {
            self.doublings.next = self.most.val();
        }
        self.upper_4.next = self.doubled.q.val().get_bits::<4>(12).any();
        self.upper_2.next = self.doubled.q.val().get_bits::<2>(14).any();

        comment!(
            "Four doublings, then two, then one. Where there is no room for them, the rest is as many as can be."
        );
        self.by_4.next = self.step_2.val() & self.doublings.val().get_bit(2);
        self.by_2.next = self.step_3.val() & self.rest.q.val().get_bit(1);
        self.by_1.next = self.step_4.val() & self.rest.q.val().get_bit(0);
        if self.step_2.val() {
            self.rest.d.next = bit_cast::<2, 3>(self.doublings.val());
        }
        if (self.by_4.val() & self.upper_4.val()) | (self.by_2.val() & self.upper_2.val()) {
            self.rest.d.next = 3.into();
        }
        if self.starts.val() {
            self.doubled.d.next = self.rto.val();
        }
        if self.by_4.val() & !self.upper_4.val() {
            self.doubled.d.next = self.doubled.q.val() << 4;
        }
        if self.by_2.val() & !self.upper_2.val() {
            self.doubled.d.next = self.doubled.q.val() << 2;
        }
        if self.by_1.val() & !self.doubled.q.val().get_bit(15) {
            self.doubled.d.next = self.doubled.q.val() << 1;
        }
        self.limit.next = self.doubled.q.val();

        self.one_more.next = self.timeouts.val() + 1;
        if self.timeouts.val().all() {
            self.one_more.next = self.timeouts.val();
        }
    }
}
