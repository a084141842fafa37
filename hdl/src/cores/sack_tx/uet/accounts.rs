//! Bytes and times: sums of 16 bits, one a cycle.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::state::TimeWord;
use crate::comment;
use crate::prims::Reg;

/// Adds 16 bits a cycle: counts of bytes in two halves, and times.
///
/// Bytes RAM: word 0 and 1 are the bytes that the receiver counted, 2 and 3 those that were sent less these, the lower half first. The
/// receiver rounds up, so that the difference may be below 0. Times RAM: word 0 is when the cumulative PSN last moved, 1 when an
/// ACK was taken or a probe asked for; what is written is always `now`.
///
/// ```text
///  step  sent, next_rtx, read   ack                     visit
///  3                            rcvd low - stored low   heard + ~now = ~elapsed
///  4                            rcvd high - stored high ~elapsed + probe_timeout: a carry if elapsed is less
///  5     rest low + bytes                               progress + ~now = ~elapsed
///  6     rest high + carry      rest low - growth low   ~elapsed + rto
///  7                            rest high - growth high
///  9                            rest low, if refused
///  10                           rest high, if refused
///  11                           now - timestamp = rtt
///  12                           rtt + ~probe_rtt: a carry if rtt > probe_rtt
/// ```
///
/// A growth of 2^31 bytes or more is none: the count is older than the one before. The `now` of step 11 is the one just written.
#[block(no_reset)]
pub struct Accounts {
    /// Steps 1 to 13 in bits 0 to 12.
    pub step: Signal<In, Bits<13>>,
    pub done: Signal<In, bool>,
    pub is_sent: Signal<In, bool>,
    pub is_ack: Signal<In, bool>,
    pub is_init: Signal<In, bool>,
    pub is_visit: Signal<In, bool>,
    pub initialised: Signal<In, bool>,
    /// Sent from step 4 on, ACK from step 9 on: it is taken.
    pub ok: Signal<In, bool>,
    /// Nothing is outstanding.
    pub empty: Signal<In, bool>,
    /// The cumulative PSN moves.
    pub moves: Signal<In, bool>,
    /// Visit, from step 7 on: the RTO is over; a probe is due.
    pub is_over: Signal<In, bool>,
    pub probe_due: Signal<In, bool>,
    pub bytes: Signal<In, Bits<16>>,
    pub has_state: Signal<In, bool>,
    pub rcvd: Signal<In, Bits<24>>,
    pub timestamp: Signal<In, Bits<16>>,
    pub now: Signal<In, Bits<16>>,
    pub probe_timeout: Signal<In, Bits<16>>,
    pub probe_rtt: Signal<In, Bits<16>>,
    /// From step 5 on, with its doublings.
    pub rto: Signal<In, Bits<16>>,
    pub stored_bytes: Signal<In, Bits<16>>,
    pub stored_time: Signal<In, Bits<16>>,
    /// Timeouts in a row, with the one that the visit finds.
    pub timeouts_after: Signal<In, Bits<4>>,

    pub bytes_read: Signal<Out, Bits<2>>,
    pub bytes_write: Signal<Out, bool>,
    pub bytes_written: Signal<Out, Bits<2>>,
    pub bytes_data: Signal<Out, Bits<16>>,
    pub time_read: Signal<Out, Bits<1>>,
    pub time_write: Signal<Out, bool>,
    pub time_written: Signal<Out, Bits<1>>,
    pub time_data: Signal<Out, TimeWord>,
    /// Visit, from step 7 on: no progress for `rto`; nothing heard for `probe_timeout`.
    pub is_stuck: Signal<Out, bool>,
    pub is_silent: Signal<Out, bool>,
    /// ACK, from step 13 on: `rtt` is above `probe_rtt`.
    pub is_slow: Signal<Out, bool>,
    /// Bytes in flight, after the op.
    pub in_flight: Signal<Out, Bits<32>>,
    /// ACK, from step 12 on: the round-trip time.
    pub rtt: Signal<Out, Bits<16>>,
    /// ACK that is taken, from step 6 on: what the receiver's count grew by.
    pub acked_bytes: Signal<Out, Bits<32>>,

    addend: Reg<Bits<16>>,
    carry: Reg<bool>,
    from_time: Reg<bool>,
    from_last: Reg<bool>,
    inverted: Reg<bool>,
    last: Reg<Bits<16>>,
    low: Reg<Bits<16>>,
    high: Reg<Bits<16>>,
    silent: Reg<bool>,
    kept: Reg<bool>,
    grows: Reg<bool>,
    slow: Reg<bool>,
    round_trip: Reg<Bits<16>>,
    growth: Reg<Bits<24>>,
}

#[block]
impl Accounts {
    fn update(&mut self) {
        comment!("module accounts: growths of bytes, and times, 16 bits a cycle");
        let count_low: Bits<16> = bit_cast::<16, 8>(self.rcvd.get_bits::<8>(0)) << 8;
        let count_high = self.rcvd.get_bits::<16>(8);
        let has_grown = self.has_state & !self.high.get_bit(15);

        comment!("What is added in the next step.");
        let of_visit =
            self.step.get_bit(1) | self.step.get_bit(2) | self.step.get_bit(3) | self.step.get_bit(4);
        let of_ack = self.step.get_bit(1)
            | self.step.get_bit(2)
            | ((self.step.get_bit(4) | self.step.get_bit(5)) & has_grown);
        let adds = (self.is_sent & self.step.get_bit(3) & self.ok)
            | (self.is_ack & (of_ack | (self.step.get_bit(5) & self.grows)))
            | (self.is_visit & of_visit)
            | self.step.get_bit(9)
            | self.step.get_bit(10);
        let mut limit = self.bytes;
        if self.step.get_bit(2) {
            limit = self.probe_timeout;
        }
        if self.step.get_bit(4) {
            limit = self.rto;
        }
        if self.step.get_bit(10) {
            limit = !self.probe_rtt;
        }
        let mut part = count_low;
        if self.step.get_bit(2) {
            part = count_high;
        }
        if self.step.get_bit(4) {
            part = !self.low;
        }
        if self.step.get_bit(5) {
            part = !self.high;
        }
        let mut operand = limit;
        if self.is_visit & (self.step.get_bit(1) | self.step.get_bit(3)) {
            operand = !self.now;
        }
        if self.is_ack & !self.step.get_bit(9) & !self.step.get_bit(10) {
            operand = part;
        }
        if self.step.get_bit(9) {
            operand = !self.timestamp;
        }
        self.addend = 0;
        if adds {
            self.addend = operand;
        }
        self.from_time =
            (self.is_visit & (self.step.get_bit(1) | self.step.get_bit(3))) | self.step.get_bit(9);
        self.from_last =
            (self.is_visit & (self.step.get_bit(2) | self.step.get_bit(4))) | self.step.get_bit(10);
        self.inverted = self.is_ack & (self.step.get_bit(1) | self.step.get_bit(2));

        comment!("The sum. A bit below the lowest makes the carry.");
        let mut left = self.stored_bytes;
        if self.inverted {
            left = !self.stored_bytes;
        }
        if self.from_time {
            left = self.stored_time;
        }
        if self.from_last {
            left = self.last;
        }
        let right = self.addend;
        let carry_in: Bits<1> = self.carry.into();
        let wide = ((bit_cast::<18, 16>(left) << 1) | 1)
            + ((bit_cast::<18, 16>(right) << 1) | bit_cast::<18, 1>(carry_in));
        let sum = wide.get_bits::<16>(1);
        let carry_out = wide.get_bit(17);
        self.carry = (self.is_ack & (self.step.get_bit(1) | (self.step.get_bit(4) & has_grown)))
            | (carry_out & self.is_ack & (self.step.get_bit(2) | self.step.get_bit(5)))
            | (carry_out & self.is_sent & self.step.get_bit(4))
            | self.step.get_bit(9);
        self.last = sum;
        if self.is_init {
            self.last = 0;
        }
        if self.step.get_bit(3) {
            self.silent = !carry_out;
        }
        if self.step.get_bit(5) {
            self.kept = !carry_out;
        }
        if self.step.get_bit(10) {
            self.round_trip = sum;
        }
        if self.step.get_bit(11) {
            self.slow = carry_out;
        }
        self.is_silent = self.silent;
        self.is_stuck = self.kept;
        self.is_slow = self.slow;
        self.rtt = self.round_trip;

        comment!(
            "The halves: of an ACK first the growth, then what is left, or what was there if it is refused."
        );
        let again = self.is_ack & !self.ok;
        let loads_low = (self.is_ack & (self.step.get_bit(2) | self.step.get_bit(5)))
            | (!self.is_ack & self.step.get_bit(4))
            | (again & self.step.get_bit(8));
        let loads_high = (self.is_ack & (self.step.get_bit(3) | self.step.get_bit(6)))
            | (!self.is_ack & self.step.get_bit(5))
            | (again & self.step.get_bit(9));
        if loads_low {
            self.low = sum;
            if !self.initialised {
                self.low = 0;
            }
        }
        if loads_high {
            self.high = sum;
            if !self.initialised {
                self.high = 0;
            }
        }
        self.in_flight = (bit_cast::<32, 16>(self.high) << 16) | bit_cast::<32, 16>(self.low);
        if self.high.get_bit(15) {
            self.in_flight = 0;
        }
        if self.step.get_bit(4) {
            self.grows = has_grown;
            self.growth = (bit_cast::<24, 16>(self.high) << 8) | bit_cast::<24, 8>(self.low.get_bits::<8>(8));
            if !has_grown {
                self.growth = 0;
            }
        }
        self.acked_bytes = bit_cast::<32, 24>(self.growth) << 8;

        comment!("Addresses; a word is written the step after its sum.");
        self.bytes_read = 0;
        let reads_upper = self.step.get_bit(2)
            | (!self.is_ack & self.step.get_bit(4))
            | self.step.get_bit(5)
            | self.step.get_bit(8);
        self.bytes_read = self.bytes_read.replace_bit(0, reads_upper);
        let reads_rest = self.step.get_bit(3)
            | self.step.get_bit(4)
            | self.step.get_bit(5)
            | self.step.get_bit(7)
            | self.step.get_bit(8);
        self.bytes_read = self.bytes_read.replace_bit(1, reads_rest);
        let is_taken = self.is_ack & self.ok;
        self.bytes_write = (self.is_init & (self.step.get_bit(3) | self.step.get_bit(4)))
            | ((self.is_init | (self.is_sent & self.ok)) & (self.step.get_bit(5) | self.step.get_bit(6)))
            | (is_taken & (self.step.get_bit(8) | self.step.get_bit(9)))
            | (is_taken & self.grows & (self.step.get_bit(10) | self.step.get_bit(11)));
        self.bytes_written = 0;
        let writes_upper =
            self.step.get_bit(4) | self.step.get_bit(6) | self.step.get_bit(9) | self.step.get_bit(11);
        self.bytes_written = self.bytes_written.replace_bit(0, writes_upper);
        let writes_count =
            self.step.get_bit(3) | self.step.get_bit(4) | self.step.get_bit(10) | self.step.get_bit(11);
        self.bytes_written = self.bytes_written.replace_bit(1, !writes_count);
        self.bytes_data = self.last;
        if self.step.get_bit(8) {
            self.bytes_data = self.low;
        }
        if self.step.get_bit(9) {
            self.bytes_data = self.high;
        }
        if self.step.get_bit(10) {
            self.bytes_data = count_low;
        }
        if self.step.get_bit(11) {
            self.bytes_data = count_high;
        }
        self.time_read = (self.step.get_bit(1) | self.step.get_bit(9)).into();
        self.time_write = (self.is_init & (self.step.get_bit(3) | self.step.get_bit(4)))
            | (self.is_sent & self.ok & self.empty & (self.step.get_bit(3) | self.step.get_bit(4)))
            | (is_taken & (self.step.get_bit(8) | (self.step.get_bit(9) & self.moves)))
            | (self.is_visit
                & ((self.step.get_bit(6) & self.is_over) | (self.done & (self.is_over | self.probe_due))));
        self.time_written = (self.step.get_bit(4) | self.step.get_bit(8) | self.done).into();
        comment!("Progress ends the row of timeouts, and so does whatever else starts the timer anew.");
        self.time_data.time = self.now;
        self.time_data.timeouts = 0;
        if self.is_over {
            self.time_data.timeouts = self.timeouts_after;
        }
    }
}
