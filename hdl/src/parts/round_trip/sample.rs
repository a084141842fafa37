//! What an op says of times: the RTT of an ACK and whether it is a sample, and what goes into the average.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::Param;

/// From the ports to the update stage. `T` is the width of a time, `U = T + 1`, `A = T + 5` the width of an average.
///
/// An RTT of a sample is at least `op_serial` plus `rtt_floor`, so that `rtt - op_serial` never borrows where it counts.
#[derive(LogicBlock, Default)]
pub struct Rtt<const T: usize, const U: usize, const A: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
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

    read_ack: DFF<bool>,
    read_rtt: DFF<Bits<T>>,
    read_serial: DFF<Bits<T>>,
    read_floor: DFF<Bits<T>>,
    read_weight: DFF<Bits<3>>,

    forward_ack: DFF<bool>,
    rtt_in_forward: DFF<Bits<T>>,
    corrected: DFF<Bits<U>>,
    forward_floor: DFF<Bits<T>>,
    serial_in_forward: DFF<Bits<T>>,
    forward_weight: DFF<Bits<3>>,
    without_serial: Signal<Local, Bits<T>>,
    is_sample: Signal<Local, bool>,
    wide: Signal<Local, Bits<A>>,

    update_sample: DFF<bool>,
    update_rtt: DFF<Bits<T>>,
    update_step: DFF<Bits<A>>,
    update_weight: DFF<Bits<3>>,
    update_below: DFF<Bits<4>>,

    sign: Param<Bits<5>>,
}

impl<const T: usize, const U: usize, const A: usize> Rtt<T, U, A> {
    /// With its parameters.
    pub fn new() -> Self {
        Self { sign: Param::new((T as u64).into()), ..Default::default() }
    }
}

impl<const T: usize, const U: usize, const A: usize> Logic for Rtt<T, U, A> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!(
            "module round_trip: the RTT of an ACK, whether it is a sample, and what goes into the average"
        );
        dff_setup!(self, clk, read_ack, read_rtt, read_serial, read_floor, read_weight, forward_ack);
        dff_setup!(self, clk, rtt_in_forward, corrected, forward_floor, serial_in_forward, forward_weight);
        dff_setup!(self, clk, update_sample, update_rtt, update_step, update_weight, update_below);

        comment!(
            "Inputs: the RTT, or the time that is given. An alpha of 0 is taken as 1, and one above 5 as 5."
        );
        self.read_ack.d.next = self.is_ack.val();
        self.read_rtt.d.next = self.now.val() - self.timestamp.val();
        self.read_serial.d.next = self.serial.val();
        if self.is_given.val() {
            self.read_rtt.d.next = self.timestamp.val();
            self.read_serial.d.next = 0.into();
        }
        self.read_floor.d.next = self.rtt_floor.val();
        self.read_weight.d.next = self.alpha.val() - 1;
        if !self.alpha.val().any() {
            self.read_weight.d.next = 0.into();
        }
        if self.alpha.val() > 5 {
            self.read_weight.d.next = 4.into();
        }

        comment!("Read: the RTT without the packet's own serialisation, and a sign.");
        self.forward_ack.d.next = self.read_ack.q.val();
        self.rtt_in_forward.d.next = self.read_rtt.q.val();
        self.corrected.d.next =
            bit_cast::<U, T>(self.read_rtt.q.val()) - bit_cast::<U, T>(self.read_serial.q.val());
        self.forward_floor.d.next = self.read_floor.q.val();
        self.serial_in_forward.d.next = self.read_serial.q.val();
        self.forward_weight.d.next = self.read_weight.q.val();

        comment!("Forward.");
        self.forward_serial.next = self.serial_in_forward.q.val();
        self.forward_rtt.next = self.rtt_in_forward.q.val();
        self.without_serial.next = bit_cast::<T, U>(self.corrected.q.val());
        self.forward_corrected.next = self.without_serial.val();
        self.is_sample.next = self.forward_ack.q.val()
            & !self.corrected.q.val().get_bit(self.sign.val().index())
            & (self.without_serial.val() >= self.forward_floor.q.val());
        self.forward_sample.next = self.is_sample.val();
        self.update_sample.d.next = self.is_sample.val();
        self.update_rtt.d.next = self.rtt_in_forward.q.val();
        self.update_weight.d.next = self.forward_weight.q.val();
        self.wide.next = bit_cast::<A, T>(self.rtt_in_forward.q.val());
        if self.forward_weight.q.val().get_bit(2) {
            self.update_step.d.next = self.wide.val();
            self.update_below.d.next = 15.into();
        } else if self.forward_weight.q.val().get_bit(1) {
            self.update_step.d.next = self.wide.val() << 2;
            self.update_below.d.next = 3.into();
            if self.forward_weight.q.val().get_bit(0) {
                self.update_step.d.next = self.wide.val() << 1;
                self.update_below.d.next = 7.into();
            }
        } else {
            self.update_step.d.next = self.wide.val() << 4;
            self.update_below.d.next = 0.into();
            if self.forward_weight.q.val().get_bit(0) {
                self.update_step.d.next = self.wide.val() << 3;
                self.update_below.d.next = 1.into();
            }
        }

        comment!("Update.");
        self.sample.next = self.update_sample.q.val();
        self.rtt.next = self.update_rtt.q.val();
        self.step.next = self.update_step.q.val();
        self.weight.next = self.update_weight.q.val();
        self.below_share.next = self.update_below.q.val();
        if self.rst.val() {
            self.read_ack.d.next = false;
            self.forward_ack.d.next = false;
            self.update_sample.d.next = false;
        }
    }
}
