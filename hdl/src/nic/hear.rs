//! What an ACK says of the time.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::Reg;

/// Measures the round trip of the ACK that is next, and says when its packet left in the ticks of `sack_tx`.
///
/// ```text
///  wire_time - ack_timestamp ──► rtt ──► >> prescalers' difference ──► sack_time - it ──► timestamp
/// ```
///
/// An ACK without an RTT is taken for that of the longest one, which proves nothing.
///
/// `heard_valid` rises three edges after the ACK came to the head of its queue. The time is that of the first of them.
#[block]
pub struct Hear {
    /// An ACK is the next one, and its echoed timestamp in ticks of the wire.
    pub ack_valid: Signal<In, bool>,
    pub ack_timestamp: Signal<In, Bits<16>>,
    /// It gives no RTT.
    pub ack_untimed: Signal<In, bool>,
    /// It is taken at this edge.
    pub taken: Signal<In, bool>,
    pub wire_time: Signal<In, Bits<16>>,
    pub sack_time: Signal<In, Bits<16>>,
    /// A tick is `2^n` cycles; a tick of `sack_tx` is not shorter than one of the wire.
    pub wire_prescale: Signal<In, Bits<5>>,
    pub sack_prescale: Signal<In, Bits<5>>,

    pub heard_valid: Signal<Out, bool>,
    /// In ticks of the wire.
    pub rtt: Signal<Out, Bits<16>>,
    /// In ticks of `sack_tx`.
    pub timestamp: Signal<Out, Bits<16>>,

    #[reset = false]
    measured: Reg<bool>,
    #[reset = false]
    shifted: Reg<bool>,
    #[reset = false]
    heard: Reg<bool>,
    trip: Reg<Bits<16>>,
    then: Reg<Bits<16>>,
    sack_trip: Reg<Bits<16>>,
    sack_then: Reg<Bits<16>>,
    difference: Reg<Bits<5>>,
}

#[block]
impl Hear {
    fn update(&mut self) {
        comment!("module hear: what an ACK says of the time");
        self.difference = self.sack_prescale - self.wire_prescale;
        if !self.measured {
            self.trip = self.wire_time - self.ack_timestamp;
            self.then = self.sack_time;
        }
        self.sack_trip = self.trip >> self.difference;
        if self.ack_untimed {
            self.sack_trip = 0xffff;
        }
        self.sack_then = self.then - self.sack_trip;
        self.measured = self.ack_valid & !self.taken;
        self.shifted = self.measured & !self.taken;
        self.heard = self.shifted & !self.taken;
        self.heard_valid = self.heard;
        self.rtt = self.trip;
        self.timestamp = self.sack_then;
    }
}
