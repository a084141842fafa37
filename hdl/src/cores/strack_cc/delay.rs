//! The round-trip time, the smallest one seen, and the queuing delay above it. 004 Algorithm 1, lines 5 to 8.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::Reg;

/// Makes a queuing delay of two times, and compares it with what is aimed at.
#[block(no_reset)]
pub struct Delay {
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

    rtt: Reg<Bits<16>>,
    is_sample: Reg<bool>,
    base: Reg<Bits<16>>,
    queuing: Reg<Bits<16>>,
    base_and_target: Reg<Bits<17>>,
    to_target: Reg<Bits<17>>,
    high: Reg<bool>,
}

#[block]
impl Delay {
    fn update(&mut self) {
        comment!("module delay: round-trip time, the smallest one seen, and the queuing delay above it");
        self.rtt = self.now - self.timestamp;
        self.is_sample = self.rtt >= self.min_base_rtt;

        comment!("A round-trip time below the base becomes the base, and then nothing is queued.");
        let beyond_base: Bits<17> = bit_cast::<17, 16>(self.rtt) - bit_cast::<17, 16>(self.base);
        let lowers = beyond_base.get_bit(16) & self.is_sample;
        if self.step_3 {
            self.base = self.stored_base_rtt;
            if self.is_init {
                self.base = self.net_base_rtt;
            }
        }
        if self.step_4 {
            self.queuing = beyond_base.get_bits::<16>(0);
            if lowers {
                self.base = self.rtt;
            }
        }
        if self.step_1 | (self.step_4 & lowers) {
            self.queuing = 0;
        }
        self.base_and_target = bit_cast::<17, 16>(self.base) + bit_cast::<17, 16>(self.target_qdelay);
        self.to_target = bit_cast::<17, 16>(self.target_qdelay) - bit_cast::<17, 16>(self.queuing);
        self.high = self.queuing > self.target_qhigh;

        self.base_rtt = self.base;
        self.queuing_delay = self.queuing;
        self.period = self.base_and_target;
        self.below_target = self.to_target.get_bits::<16>(0);
        self.is_above = self.to_target.get_bit(16);
        self.is_low = !self.to_target.get_bit(16) & self.to_target.any();
        self.is_high = self.high;
    }
}
