//! What an op says of times: the RTT of an ACK and whether it is a sample, and what goes into the average.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::{Param, Reg, resize};

/// From the ports to the update stage. `T` is the width of a time, `U = T + 1`, `A = T + 5` the width of an average.
///
/// An RTT of a sample is at least `op_serial` plus `rtt_floor`, so that `rtt - op_serial` never borrows where it counts.
#[block]
pub struct Rtt<const T: usize, const U: usize, const A: usize> {
    /// Inputs.
    pub is_ack: Signal<In, bool>,
    /// The op has a time of its own in place of an RTT: `init` and `set_min`.
    pub is_given: Signal<In, bool>,
    pub now: Signal<In, Bits<T>>,
    pub timestamp: Signal<In, Bits<T>>,
    pub serial: Signal<In, Bits<T>>,
    pub rtt_floor: Signal<In, Bits<T>>,
    pub alpha: Signal<In, Bits<3>>,

    /// Forward stage: ticks of the packet's own serialisation; the RTT, and the RTT without them, or the time that is given; the op
    /// is a sample if it is not refused.
    pub forward_serial: Signal<Out, Bits<T>>,
    pub forward_rtt: Signal<Out, Bits<T>>,
    pub forward_corrected: Signal<Out, Bits<T>>,
    pub forward_sample: Signal<Out, bool>,
    /// Update stage: the op is a sample if it is not refused; its RTT, or the time that is given.
    pub sample: Signal<Out, bool>,
    pub rtt: Signal<Out, Bits<T>>,
    /// Update stage: the part of `32 rtt` that goes into the average, `32 rtt / 2^alpha`.
    pub step: Signal<Out, Bits<A>>,
    /// Update stage: `alpha - 1`, 0 to 4, as a number and as so many ones.
    pub weight: Signal<Out, Bits<3>>,
    pub below_share: Signal<Out, Bits<4>>,

    #[reset = false]
    read_ack: Reg<bool>,
    read_rtt: Reg<Bits<T>>,
    read_serial: Reg<Bits<T>>,
    read_floor: Reg<Bits<T>>,
    read_weight: Reg<Bits<3>>,

    #[reset = false]
    forward_ack: Reg<bool>,
    rtt_in_forward: Reg<Bits<T>>,
    corrected: Reg<Bits<U>>,
    forward_floor: Reg<Bits<T>>,
    serial_in_forward: Reg<Bits<T>>,
    forward_weight: Reg<Bits<3>>,

    #[reset = false]
    update_sample: Reg<bool>,
    update_rtt: Reg<Bits<T>>,
    update_step: Reg<Bits<A>>,
    update_weight: Reg<Bits<3>>,
    update_below: Reg<Bits<4>>,

    sign: Param<Bits<5>>,
}

#[block]
impl<const T: usize, const U: usize, const A: usize> Rtt<T, U, A> {
    /// With its parameters.
    pub fn new() -> Self {
        Self { sign: Param::new((T as u64).into()), ..Default::default() }
    }

    fn update(&mut self) {
        comment!(
            "module round_trip: the RTT of an ACK, whether it is a sample, and what goes into the average"
        );

        comment!(
            "Inputs: the RTT, or the time that is given. An alpha of 0 is taken as 1, and one above 5 as 5."
        );
        self.read_ack = self.is_ack;
        self.read_rtt = self.now - self.timestamp;
        self.read_serial = self.serial;
        if self.is_given {
            self.read_rtt = self.timestamp;
            self.read_serial = 0;
        }
        self.read_floor = self.rtt_floor;
        self.read_weight = self.alpha - 1;
        if !self.alpha.any() {
            self.read_weight = 0;
        }
        if self.alpha > 5 {
            self.read_weight = 4;
        }

        comment!("Read: the RTT without the packet's own serialisation, and a sign.");
        self.forward_ack = self.read_ack;
        self.rtt_in_forward = self.read_rtt;
        self.corrected = bit_cast::<U, T>(self.read_rtt) - bit_cast::<U, T>(self.read_serial);
        self.forward_floor = self.read_floor;
        self.serial_in_forward = self.read_serial;
        self.forward_weight = self.read_weight;

        comment!("Forward.");
        self.forward_serial = self.serial_in_forward;
        self.forward_rtt = self.rtt_in_forward;
        let without_serial: Bits<T> = resize(self.corrected);
        self.forward_corrected = without_serial;
        let is_sample = self.forward_ack
            & !self.corrected.get_bit(self.sign.index())
            & (without_serial >= self.forward_floor);
        self.forward_sample = is_sample;
        self.update_sample = is_sample;
        self.update_rtt = self.rtt_in_forward;
        self.update_weight = self.forward_weight;
        let wide: Bits<A> = resize(self.rtt_in_forward);
        if self.forward_weight.get_bit(2) {
            self.update_step = wide;
            self.update_below = 15;
        } else if self.forward_weight.get_bit(1) {
            self.update_step = wide << 2;
            self.update_below = 3;
            if self.forward_weight.get_bit(0) {
                self.update_step = wide << 1;
                self.update_below = 7;
            }
        } else {
            self.update_step = wide << 4;
            self.update_below = 0;
            if self.forward_weight.get_bit(0) {
                self.update_step = wide << 3;
                self.update_below = 1;
            }
        }

        comment!("Update.");
        self.sample = self.update_sample;
        self.rtt = self.update_rtt;
        self.step = self.update_step;
        self.weight = self.update_weight;
        self.below_share = self.update_below;
    }
}
