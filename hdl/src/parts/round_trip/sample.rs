//! What an op says of times: the RTT of an ACK and whether it is a sample, and what goes into the average.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;

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

    /// Forward stage: ticks of the packet's own serialisation, and the RTT without them, or the time that is given.
    pub forward_serial: Signal<Out, Bits<T>>,
    pub forward_corrected: Signal<Out, Bits<T>>,
    /// Update stage: the op is a sample if it is not refused; its RTT, or the time that is given.
    pub sample: Signal<Out, bool>,
    pub rtt: Signal<Out, Bits<T>>,
    /// Update stage: the part of `32 rtt` that goes into the average, `32 rtt / 2^alpha`.
    pub step: Signal<Out, Bits<A>>,
    /// Update stage: `alpha - 1`, 0 to 4.
    pub weight: Signal<Out, Bits<3>>,

    read_ack: DFF<bool>,
    read_given: DFF<bool>,
    read_now: DFF<Bits<T>>,
    read_timestamp: DFF<Bits<T>>,
    read_serial: DFF<Bits<T>>,
    read_floor: DFF<Bits<T>>,
    read_weight: DFF<Bits<3>>,
    elapsed: Signal<Local, Bits<T>>,

    forward_ack: DFF<bool>,
    forward_rtt: DFF<Bits<T>>,
    corrected: DFF<Bits<T>>,
    least: DFF<Bits<U>>,
    serial_in_forward: DFF<Bits<T>>,
    forward_weight: DFF<Bits<3>>,
    wide: Signal<Local, Bits<A>>,

    is_sample: DFF<bool>,
    update_rtt: DFF<Bits<T>>,
    update_step: DFF<Bits<A>>,
    update_weight: DFF<Bits<3>>,
}

impl<const T: usize, const U: usize, const A: usize> Logic for Rtt<T, U, A> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!(
            "module round_trip: the RTT of an ACK, whether it is a sample, and what goes into the average"
        );
        dff_setup!(self, clk, read_ack, read_given, read_now, read_timestamp, read_serial, read_floor);
        dff_setup!(self, clk, read_weight, forward_ack, forward_rtt, corrected, least, serial_in_forward);
        dff_setup!(self, clk, forward_weight, is_sample, update_rtt, update_step, update_weight);

        comment!("Inputs. An alpha of 0 is taken as 1, and one above 5 as 5.");
        self.read_ack.d.next = self.is_ack.val();
        self.read_given.d.next = self.is_given.val();
        self.read_now.d.next = self.now.val();
        self.read_timestamp.d.next = self.timestamp.val();
        self.read_serial.d.next = self.serial.val();
        self.read_floor.d.next = self.rtt_floor.val();
        self.read_weight.d.next = self.alpha.val() - 1;
        if !self.alpha.val().any() {
            self.read_weight.d.next = 0.into();
        }
        if self.alpha.val() > 5 {
            self.read_weight.d.next = 4.into();
        }

        comment!("Read: the RTT, and the least one that is a sample.");
        self.elapsed.next = self.read_now.q.val() - self.read_timestamp.q.val();
        self.forward_ack.d.next = self.read_ack.q.val();
        self.forward_rtt.d.next = self.elapsed.val();
        self.corrected.d.next =
            self.read_now.q.val() - self.read_timestamp.q.val() - self.read_serial.q.val();
        if self.read_given.q.val() {
            self.forward_rtt.d.next = self.read_timestamp.q.val();
            self.corrected.d.next = self.read_timestamp.q.val();
        }
        self.least.d.next =
            bit_cast::<U, T>(self.read_serial.q.val()) + bit_cast::<U, T>(self.read_floor.q.val());
        self.serial_in_forward.d.next = self.read_serial.q.val();
        self.forward_weight.d.next = self.read_weight.q.val();
        self.forward_serial.next = self.serial_in_forward.q.val();
        self.forward_corrected.next = self.corrected.q.val();

        comment!("Forward.");
        self.is_sample.d.next =
            self.forward_ack.q.val() & (bit_cast::<U, T>(self.forward_rtt.q.val()) >= self.least.q.val());
        self.update_rtt.d.next = self.forward_rtt.q.val();
        self.update_weight.d.next = self.forward_weight.q.val();
        self.wide.next = bit_cast::<A, T>(self.forward_rtt.q.val());
        if self.forward_weight.q.val().get_bit(2) {
            self.update_step.d.next = self.wide.val();
        } else if self.forward_weight.q.val().get_bit(1) {
            self.update_step.d.next = self.wide.val() << 2;
            if self.forward_weight.q.val().get_bit(0) {
                self.update_step.d.next = self.wide.val() << 1;
            }
        } else {
            self.update_step.d.next = self.wide.val() << 4;
            if self.forward_weight.q.val().get_bit(0) {
                self.update_step.d.next = self.wide.val() << 3;
            }
        }

        comment!("Update.");
        self.sample.next = self.is_sample.q.val();
        self.rtt.next = self.update_rtt.q.val();
        self.step.next = self.update_step.q.val();
        self.weight.next = self.update_weight.q.val();
        if self.rst.val() {
            self.read_ack.d.next = false;
            self.forward_ack.d.next = false;
            self.is_sample.d.next = false;
        }
    }
}
