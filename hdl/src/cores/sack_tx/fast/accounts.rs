//! Bytes and times: sums of 16 bits, one a cycle.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::super::state::TimeWord;
use crate::comment;
use crate::prims::{Reg, resize};

/// Adds 16 bits a cycle: counts of bytes in two halves, and times.
///
/// Bytes RAM: word 0 and 1 are the bytes of first transmissions, 2 and 3 the bytes in flight, the lower half first. Times
/// RAM: word 0 is when EPSN last moved, 1 when a SACK was taken or a probe asked for; what is written is always `now`. The RTO comes
/// last in a visit, because it is doubled meanwhile.
///
/// ```text
///  step  sent, next_rtx, read   sack                    visit
///  2                                                    heard + ~now = ~elapsed
///  3     sent low + bytes       sent low - recvd low    ~elapsed + probe_timeout: a carry if elapsed is less
///  4     sent high + carry      sent high - recvd high  progress + ~now = ~elapsed
///  5     flight low + bytes     flight low - left low   ~elapsed + rto
///  6     flight high + carry    flight high - left high
///  9                            flight low
///  10                           flight high
/// ```
///
/// *left* is what was sent less what was received; where it is less than what was in flight it becomes that. Otherwise steps
/// 9 and 10 read what was in flight once more. The round-trip time of a SACK has a subtraction of its own.
#[block(no_reset)]
pub struct Accounts {
    /// Steps 1 to 10 in bits 0 to 9; step 7 of a packet sent; step 7 of a visit.
    pub step: Signal<In, Bits<10>>,
    pub shows: Signal<In, bool>,
    pub shows_visit: Signal<In, bool>,
    /// Kind of the op, from step 4 on until step 3 of what follows.
    pub tail_is_sent: Signal<In, bool>,
    pub tail_is_sack: Signal<In, bool>,
    pub tail_is_init: Signal<In, bool>,
    pub is_sent: Signal<In, bool>,
    pub is_sack: Signal<In, bool>,
    pub is_init: Signal<In, bool>,
    pub is_visit: Signal<In, bool>,
    pub initialised: Signal<In, bool>,
    /// Sent from step 4 on, SACK from step 8 on: it is taken.
    pub ok: Signal<In, bool>,
    /// Nothing is outstanding.
    pub empty: Signal<In, bool>,
    /// EPSN moves.
    pub moved: Signal<In, bool>,
    /// Visit, at steps 6 and 7: everything is lost; a probe is due.
    pub timeout: Signal<In, bool>,
    pub probe_due: Signal<In, bool>,
    pub bytes: Signal<In, Bits<16>>,
    pub bytes_recvd: Signal<In, Bits<32>>,
    pub timestamp: Signal<In, Bits<16>>,
    pub now: Signal<In, Bits<16>>,
    pub probe_timeout: Signal<In, Bits<16>>,
    pub probe_rtt: Signal<In, Bits<16>>,
    /// From step 4 on, with its doublings.
    pub rto: Signal<In, Bits<16>>,
    pub stored_bytes: Signal<In, Bits<16>>,
    pub stored_time: Signal<In, Bits<16>>,
    /// Timeouts in a row, with the one that the visit finds.
    pub timeouts_after: Signal<In, Bits<3>>,

    pub bytes_read: Signal<Out, Bits<2>>,
    pub bytes_write: Signal<Out, bool>,
    pub bytes_written: Signal<Out, Bits<2>>,
    pub bytes_data: Signal<Out, Bits<16>>,
    pub time_read: Signal<Out, Bits<1>>,
    pub time_write: Signal<Out, bool>,
    pub time_written: Signal<Out, Bits<1>>,
    pub time_data: Signal<Out, TimeWord>,
    /// Visit, from step 6 on: no progress for `rto`; nothing heard for `probe_timeout`.
    pub is_stuck: Signal<Out, bool>,
    pub is_silent: Signal<Out, bool>,
    /// SACK, from step 3 on: `rtt` is above `probe_rtt`.
    pub is_slow: Signal<Out, bool>,
    /// Bytes in flight, after the op: of a SACK from step 11 on, else at step 7.
    pub in_flight: Signal<Out, Bits<32>>,
    /// SACK, from step 2 on: the round-trip time.
    pub rtt: Signal<Out, Bits<16>>,
    /// SACK that is taken, from step 9 on: what the bytes in flight fell by.
    pub acked_bytes: Signal<Out, Bits<20>>,

    addend: Reg<Bits<16>>,
    carry: Reg<bool>,
    from_time: Reg<bool>,
    from_last: Reg<bool>,
    last: Reg<Bits<16>>,
    low: Reg<Bits<16>>,
    high: Reg<Bits<16>>,
    silent: Reg<bool>,
    kept: Reg<bool>,
    known: Reg<bool>,
    tail_now: Reg<Bits<16>>,
    slow: Reg<bool>,
    round_trip: Reg<Bits<16>>,
    fallen_low: Reg<Bits<16>>,
    fallen_high: Reg<Bits<4>>,
    newly: Reg<Bits<20>>,
}

#[block]
impl Accounts {
    fn update(&mut self) {
        comment!("module accounts: bytes and times, 16 bits a cycle");

        comment!("What is added in the next step.");
        let subtracts_now = self.step.get_bit(0) | self.step.get_bit(2);
        let adds_limit = self.step.get_bit(1) | self.step.get_bit(3);
        let early = self.step.get_bit(1) | self.step.get_bit(2) | self.step.get_bit(3) | self.step.get_bit(4);
        let adds = (self.is_sent & (self.step.get_bit(1) | (self.step.get_bit(3) & self.ok)))
            | (self.is_sack & early)
            | (self.is_visit & (subtracts_now | adds_limit));
        let mut limit = self.bytes;
        if self.is_visit {
            limit = self.rto;
            if self.step.get_bit(1) {
                limit = self.probe_timeout;
            }
            if subtracts_now {
                limit = !self.now;
            }
        }
        let mut part = !self.bytes_recvd.get_bits::<16>(0);
        if self.step.get_bit(2) {
            part = !self.bytes_recvd.get_bits::<16>(16);
        }
        if self.step.get_bit(3) {
            part = !self.low;
        }
        if self.step.get_bit(4) {
            part = !self.high;
        }
        let mut operand = limit;
        if self.is_sack {
            operand = part;
        }
        self.addend = 0;
        if adds {
            self.addend = operand;
        }
        self.from_time = self.is_visit & subtracts_now;
        self.from_last = self.is_visit & adds_limit;

        comment!("The sum. A bit below the lowest makes the carry.");
        let mut left = self.stored_bytes;
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
        self.carry = (self.is_sack & (self.step.get_bit(1) | self.step.get_bit(3)))
            | (carry_out & !self.is_visit & (self.step.get_bit(2) | self.step.get_bit(4)));
        comment!("At step 1 the sum is one of the op before.");
        self.last = sum;
        if self.is_init & !self.step.get_bit(0) {
            self.last = 0;
        }
        if self.step.get_bit(2) {
            self.silent = !carry_out;
        }
        if (self.is_visit & self.step.get_bit(4)) | (self.is_sack & self.step.get_bit(5)) {
            self.kept = !carry_out;
        }
        self.round_trip = self.now - self.timestamp;
        self.slow = self.round_trip > self.probe_rtt;
        self.is_silent = self.silent;
        self.is_stuck = self.kept;
        self.is_slow = self.slow;
        self.rtt = self.round_trip;

        comment!(
            "The halves: of a SACK first what is left, then what was in flight if that is less, or the SACK refused."
        );
        if self.step.get_bit(1) {
            self.known = self.initialised;
        }
        let reads_flight = self.kept | !self.ok;
        let loads_low = (self.is_sack & self.step.get_bit(2))
            | (!self.is_sack & self.step.get_bit(4))
            | (reads_flight & self.step.get_bit(8));
        let loads_high = (self.is_sack & self.step.get_bit(3))
            | (!self.tail_is_sack & self.step.get_bit(5))
            | (reads_flight & self.step.get_bit(9));
        if loads_low {
            self.low = sum;
            if !self.known {
                self.low = 0;
            }
        }
        if loads_high {
            self.high = sum;
            if !self.known {
                self.high = 0;
            }
        }
        self.in_flight = (bit_cast::<32, 16>(self.high) << 16) | bit_cast::<32, 16>(self.low);

        comment!(
            "What was in flight less what is left: at step 6 its lower half, at step 7 the rest, or all ones."
        );
        if self.step.get_bit(5) {
            self.fallen_low = self.last;
        }
        if self.step.get_bit(6) {
            self.fallen_high = resize(self.last);
        }
        let fell_far = self.step.get_bit(6) & self.last.get_bits::<12>(4).any();
        if fell_far {
            self.fallen_low = 0xffff;
            self.fallen_high = 15;
        }
        self.newly = (bit_cast::<20, 4>(self.fallen_high) << 16) | bit_cast::<20, 16>(self.fallen_low);
        if self.kept {
            self.newly = 0;
        }
        self.acked_bytes = self.newly;

        comment!("Addresses; a word is written the step after its sum.");
        self.bytes_read = 0;
        self.bytes_read = self
            .bytes_read
            .replace_bit(0, self.step.get_bit(2) | self.step.get_bit(4) | self.step.get_bit(8));
        self.bytes_read = self.bytes_read.replace_bit(
            1,
            self.step.get_bit(3) | self.step.get_bit(4) | self.step.get_bit(7) | self.step.get_bit(8),
        );
        let taken = self.tail_is_init | (self.tail_is_sent & self.ok);
        self.bytes_write = (taken
            & (self.step.get_bit(3)
                | self.step.get_bit(4)
                | self.step.get_bit(5)
                | self.step.get_bit(6)
                | self.shows))
            | (!reads_flight & (self.step.get_bit(8) | self.step.get_bit(9)));
        self.bytes_written = 0;
        self.bytes_written = self
            .bytes_written
            .replace_bit(0, self.step.get_bit(4) | self.step.get_bit(6) | self.shows | self.step.get_bit(9));
        self.bytes_written =
            self.bytes_written.replace_bit(1, !(self.step.get_bit(3) | self.step.get_bit(4)));
        self.bytes_data = self.last;
        if self.step.get_bit(8) {
            self.bytes_data = self.low;
        }
        if self.step.get_bit(9) {
            self.bytes_data = self.high;
        }
        self.time_read = self.step.get_bit(0).into();
        self.time_write = ((self.tail_is_init | (self.tail_is_sent & self.ok & self.empty))
            & (self.step.get_bit(3) | self.step.get_bit(4)))
            | (self.ok & ((self.step.get_bit(7) & self.moved) | self.step.get_bit(8)))
            | (self.step.get_bit(5) & self.timeout)
            | (self.shows_visit & (self.timeout | self.probe_due));
        self.time_written = (self.step.get_bit(4) | self.step.get_bit(8) | self.shows_visit).into();
        self.tail_now = self.now;
        comment!("Progress ends the row of timeouts, and so does whatever else starts the timer anew.");
        self.time_data.time = self.tail_now;
        self.time_data.timeouts = 0;
        if self.timeout {
            self.time_data.timeouts = self.timeouts_after;
        }
    }
}
