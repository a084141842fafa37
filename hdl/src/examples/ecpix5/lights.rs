//! `ecpix5_lights`: what the four LEDs of the board show.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::Reg;

/// Each LED is red in bit 0, green in bit 1, blue in bit 2, and lit where the bit is 0.
#[block]
pub struct Lights {
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
    #[reset = 0]
    elapsed: Reg<Bits<26>>,
    verdict: Reg<Bits<3>>,
    cause: Reg<Bits<3>>,
    packets: Reg<Bits<3>>,
    faults: Reg<Bits<3>>,
}

#[block]
impl Lights {
    fn update(&mut self) {
        comment!("What the four LEDs of the board show.");
        self.elapsed = self.elapsed + 1;
        comment!(
            "Blue and blinking while the test runs; green when it has passed, and red when it has failed."
        );
        self.verdict = 6;
        if self.passed {
            self.verdict = 5;
        }
        if self.running {
            self.verdict = 7;
            if self.elapsed.get_bit(25) {
                self.verdict = 3;
            }
        }
        comment!(
            "Why it has failed: red, the time ran out; green, a packet is wrong; blue, counters disagree."
        );
        self.cause = 7;
        if self.timed_out {
            self.cause = 6;
        }
        if self.found_wrong {
            self.cause = 5;
        }
        if self.disagrees {
            self.cause = 3;
        }
        comment!("Green flashes with every 2^18 packets that arrive.");
        self.packets = 7;
        if self.running & self.taken.get_bit(17) {
            self.packets = 5;
        }
        comment!(
            "Red flashes with every 2^13 frames that the network loses, blue with every 2^16 that it marks."
        );
        self.faults = 7;
        let loses = self.running & self.dropped.get_bit(12);
        let marks = self.running & self.marked.get_bit(15);
        if loses {
            self.faults = 6;
        }
        if marks {
            self.faults = 3;
        }
        if loses & marks {
            self.faults = 2;
        }
        self.led_verdict = self.verdict;
        self.led_cause = self.cause;
        self.led_packets = self.packets;
        self.led_faults = self.faults;
    }
}
