//! `ecpix5_lights`: what the four LEDs of the board show.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;

/// Each LED is red in bit 0, green in bit 1, blue in bit 2, and lit where the bit is 0.
#[derive(LogicBlock, Default)]
pub struct Lights {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    pub running: Signal<In, bool>,
    pub passed: Signal<In, bool>,
    pub timed_out: Signal<In, bool>,
    pub disagrees: Signal<In, bool>,
    pub found_wrong: Signal<In, bool>,
    pub taken: Signal<In, Bits<32>>,
    pub dropped: Signal<In, Bits<32>>,
    pub marked: Signal<In, Bits<32>>,
    pub led_verdict: Signal<Out, Bits<3>>,
    pub led_cause: Signal<Out, Bits<3>>,
    pub led_packets: Signal<Out, Bits<3>>,
    pub led_faults: Signal<Out, Bits<3>>,
    /// Its top bit changes after a third of a second.
    elapsed: DFF<Bits<26>>,
    loses: Signal<Local, bool>,
    marks: Signal<Local, bool>,
    verdict: DFF<Bits<3>>,
    cause: DFF<Bits<3>>,
    packets: DFF<Bits<3>>,
    faults: DFF<Bits<3>>,
}

impl Logic for Lights {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("What the four LEDs of the board show.");
        dff_setup!(self, clk, elapsed, verdict, cause, packets, faults);
        self.elapsed.d.next = self.elapsed.q.val() + 1;
        comment!(
            "Blue and blinking while the test runs; green when it has passed, and red when it has failed."
        );
        self.verdict.d.next = 6.into();
        if self.passed.val() {
            self.verdict.d.next = 5.into();
        }
        if self.running.val() {
            self.verdict.d.next = 7.into();
            if self.elapsed.q.val().get_bit(25) {
                self.verdict.d.next = 3.into();
            }
        }
        comment!(
            "Why it has failed: red, the time ran out; green, a packet is wrong; blue, counters disagree."
        );
        self.cause.d.next = 7.into();
        if self.timed_out.val() {
            self.cause.d.next = 6.into();
        }
        if self.found_wrong.val() {
            self.cause.d.next = 5.into();
        }
        if self.disagrees.val() {
            self.cause.d.next = 3.into();
        }
        comment!("Green flashes with every 2^18 packets that arrive.");
        self.packets.d.next = 7.into();
        if self.running.val() & self.taken.val().get_bit(17) {
            self.packets.d.next = 5.into();
        }
        comment!(
            "Red flashes with every 2^13 frames that the network loses, blue with every 2^16 that it marks."
        );
        self.faults.d.next = 7.into();
        self.loses.next = self.running.val() & self.dropped.val().get_bit(12);
        self.marks.next = self.running.val() & self.marked.val().get_bit(15);
        if self.loses.val() {
            self.faults.d.next = 6.into();
        }
        if self.marks.val() {
            self.faults.d.next = 3.into();
        }
        if self.loses.val() & self.marks.val() {
            self.faults.d.next = 2.into();
        }
        self.led_verdict.next = self.verdict.q.val();
        self.led_cause.next = self.cause.q.val();
        self.led_packets.next = self.packets.q.val();
        self.led_faults.next = self.faults.q.val();
        if self.rst.val() {
            self.elapsed.d.next = 0.into();
        }
    }
}
