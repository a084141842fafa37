//! What an ACK says of the time.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;

/// Measures the round trip of the ACK that is next, and says when its packet left in the ticks of `sack_tx`.
///
/// ```text
///  wire_time - ack_timestamp ──► rtt ──► >> prescalers' difference ──► sack_time - it ──► timestamp
/// ```
///
/// An ACK without an RTT is taken for that of the longest one, which proves nothing.
///
/// `heard_valid` rises three edges after the ACK came to the head of its queue. The time is that of the first of them.
#[derive(LogicBlock, Default)]
pub struct Hear {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
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

    measured: DFF<bool>,
    shifted: DFF<bool>,
    heard: DFF<bool>,
    trip: DFF<Bits<16>>,
    then: DFF<Bits<16>>,
    sack_trip: DFF<Bits<16>>,
    sack_then: DFF<Bits<16>>,
    difference: DFF<Bits<5>>,
}

impl Logic for Hear {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module hear: what an ACK says of the time");
        dff_setup!(self, clk, measured, shifted, heard, trip, then, sack_trip, sack_then, difference);
        self.difference.d.next = self.sack_prescale.val() - self.wire_prescale.val();
        if !self.measured.q.val() {
            self.trip.d.next = self.wire_time.val() - self.ack_timestamp.val();
            self.then.d.next = self.sack_time.val();
        }
        self.sack_trip.d.next = self.trip.q.val() >> self.difference.q.val();
        if self.ack_untimed.val() {
            self.sack_trip.d.next = bits::<16>(0xffff);
        }
        self.sack_then.d.next = self.then.q.val() - self.sack_trip.q.val();
        self.measured.d.next = self.ack_valid.val() & !self.taken.val();
        self.shifted.d.next = self.measured.q.val() & !self.taken.val();
        self.heard.d.next = self.shifted.q.val() & !self.taken.val();
        self.heard_valid.next = self.heard.q.val();
        self.rtt.next = self.trip.q.val();
        self.timestamp.next = self.sack_then.q.val();
        if self.rst.val() {
            self.measured.d.next = false;
            self.shifted.d.next = false;
            self.heard.d.next = false;
        }
    }
}
