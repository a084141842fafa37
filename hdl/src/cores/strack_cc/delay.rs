//! The round-trip time, the smallest one seen, and the queuing delay above it. 004 Algorithm 1, lines 5 to 8.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;

/// Makes a queuing delay of two times, and compares it with what is aimed at.
#[derive(LogicBlock, Default)]
pub struct Delay {
    pub clk: Signal<In, Clock>,
    pub step_1: Signal<In, bool>,
    pub step_3: Signal<In, bool>,
    pub step_4: Signal<In, bool>,
    pub is_init: Signal<In, bool>,
    pub now: Signal<In, Bits<16>>,
    pub timestamp: Signal<In, Bits<16>>,
    pub net_base_rtt: Signal<In, Bits<16>>,
    pub min_base_rtt: Signal<In, Bits<16>>,
    pub target_qdelay: Signal<In, Bits<16>>,
    pub target_qhigh: Signal<In, Bits<16>>,
    /// Step 3.
    pub stored_base_rtt: Signal<In, Bits<16>>,

    /// From step 5 on.
    pub base_rtt: Signal<Out, Bits<16>>,
    /// From step 5 on: the queuing delay, 0 before.
    pub queuing_delay: Signal<Out, Bits<16>>,
    /// From step 6 on: `base_rtt + target_qdelay`.
    pub period: Signal<Out, Bits<17>>,
    /// From step 6 on: how far the delay is below the target.
    pub below_target: Signal<Out, Bits<16>>,
    /// From step 6 on: the delay is below the target; above it; above `target_qhigh`.
    pub is_low: Signal<Out, bool>,
    pub is_above: Signal<Out, bool>,
    pub is_high: Signal<Out, bool>,

    beyond_base: Signal<Local, Bits<17>>,
    lowers: Signal<Local, bool>,

    rtt: DFF<Bits<16>>,
    is_sample: DFF<bool>,
    base: DFF<Bits<16>>,
    queuing: DFF<Bits<16>>,
    base_and_target: DFF<Bits<17>>,
    to_target: DFF<Bits<17>>,
    high: DFF<bool>,
}

impl Logic for Delay {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module delay: round-trip time, the smallest one seen, and the queuing delay above it");
        dff_setup!(self, clk, rtt, is_sample, base, queuing, base_and_target, to_target, high);
        self.rtt.d.next = self.now.val() - self.timestamp.val();
        self.is_sample.d.next = self.rtt.q.val() >= self.min_base_rtt.val();

        comment!("A round-trip time below the base becomes the base, and then nothing is queued.");
        self.beyond_base.next = bit_cast::<17, 16>(self.rtt.q.val()) - bit_cast::<17, 16>(self.base.q.val());
        self.lowers.next = self.beyond_base.val().get_bit(16) & self.is_sample.q.val();
        if self.step_3.val() {
            self.base.d.next = self.stored_base_rtt.val();
            if self.is_init.val() {
                self.base.d.next = self.net_base_rtt.val();
            }
        }
        if self.step_4.val() {
            self.queuing.d.next = self.beyond_base.val().get_bits::<16>(0);
            if self.lowers.val() {
                self.base.d.next = self.rtt.q.val();
            }
        }
        if self.step_1.val() | (self.step_4.val() & self.lowers.val()) {
            self.queuing.d.next = 0.into();
        }
        self.base_and_target.d.next =
            bit_cast::<17, 16>(self.base.q.val()) + bit_cast::<17, 16>(self.target_qdelay.val());
        self.to_target.d.next =
            bit_cast::<17, 16>(self.target_qdelay.val()) - bit_cast::<17, 16>(self.queuing.q.val());
        self.high.d.next = self.queuing.q.val() > self.target_qhigh.val();

        self.base_rtt.next = self.base.q.val();
        self.queuing_delay.next = self.queuing.q.val();
        self.period.next = self.base_and_target.q.val();
        self.below_target.next = self.to_target.q.val().get_bits::<16>(0);
        self.is_above.next = self.to_target.q.val().get_bit(16);
        self.is_low.next = !self.to_target.q.val().get_bit(16) & self.to_target.q.val().any();
        self.is_high.next = self.high.q.val();
    }
}
