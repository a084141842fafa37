//! Bytes and times: sums of 16 bits, one a cycle.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::super::state::TimeWord;
use crate::comment;

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
#[derive(LogicBlock, Default)]
pub struct Accounts {
    pub clk: Signal<In, Clock>,
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

    limit: Signal<Local, Bits<16>>,
    part: Signal<Local, Bits<16>>,
    operand: Signal<Local, Bits<16>>,
    adds: Signal<Local, bool>,
    early: Signal<Local, bool>,
    subtracts_now: Signal<Local, bool>,
    adds_limit: Signal<Local, bool>,
    reads_flight: Signal<Local, bool>,
    taken: Signal<Local, bool>,
    left: Signal<Local, Bits<16>>,
    right: Signal<Local, Bits<16>>,
    carry_in: Signal<Local, Bits<1>>,
    wide: Signal<Local, Bits<18>>,
    sum: Signal<Local, Bits<16>>,
    carry_out: Signal<Local, bool>,
    loads_low: Signal<Local, bool>,
    loads_high: Signal<Local, bool>,
    fell_far: Signal<Local, bool>,

    addend: DFF<Bits<16>>,
    carry: DFF<bool>,
    from_time: DFF<bool>,
    from_last: DFF<bool>,
    last: DFF<Bits<16>>,
    low: DFF<Bits<16>>,
    high: DFF<Bits<16>>,
    silent: DFF<bool>,
    kept: DFF<bool>,
    known: DFF<bool>,
    tail_now: DFF<Bits<16>>,
    slow: DFF<bool>,
    round_trip: DFF<Bits<16>>,
    fallen_low: DFF<Bits<16>>,
    fallen_high: DFF<Bits<4>>,
    newly: DFF<Bits<20>>,
}

impl Logic for Accounts {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module accounts: bytes and times, 16 bits a cycle");
        dff_setup!(self, clk, fallen_low, fallen_high, newly, round_trip, known, tail_now);
        dff_setup!(self, clk, addend, carry, from_time, from_last, last, low, high, silent, kept, slow);

        comment!("What is added in the next step.");
        self.subtracts_now.next = self.step.val().get_bit(0) | self.step.val().get_bit(2);
        self.adds_limit.next = self.step.val().get_bit(1) | self.step.val().get_bit(3);
        self.early.next = self.step.val().get_bit(1)
            | self.step.val().get_bit(2)
            | self.step.val().get_bit(3)
            | self.step.val().get_bit(4);
        self.adds.next = (self.is_sent.val()
            & (self.step.val().get_bit(1) | (self.step.val().get_bit(3) & self.ok.val())))
            | (self.is_sack.val() & self.early.val())
            | (self.is_visit.val() & (self.subtracts_now.val() | self.adds_limit.val()));
        self.limit.next = self.bytes.val();
        if self.is_visit.val() {
            self.limit.next = self.rto.val();
            if self.step.val().get_bit(1) {
                self.limit.next = self.probe_timeout.val();
            }
            if self.subtracts_now.val() {
                self.limit.next = !self.now.val();
            }
        }
        self.part.next = !self.bytes_recvd.val().get_bits::<16>(0);
        if self.step.val().get_bit(2) {
            self.part.next = !self.bytes_recvd.val().get_bits::<16>(16);
        }
        if self.step.val().get_bit(3) {
            self.part.next = !self.low.q.val();
        }
        if self.step.val().get_bit(4) {
            self.part.next = !self.high.q.val();
        }
        self.operand.next = self.limit.val();
        if self.is_sack.val() {
            self.operand.next = self.part.val();
        }
        self.addend.d.next = 0.into();
        if self.adds.val() {
            self.addend.d.next = self.operand.val();
        }
        self.from_time.d.next = self.is_visit.val() & self.subtracts_now.val();
        self.from_last.d.next = self.is_visit.val() & self.adds_limit.val();

        comment!("The sum. A bit below the lowest makes the carry.");
        self.left.next = self.stored_bytes.val();
        if self.from_time.q.val() {
            self.left.next = self.stored_time.val();
        }
        if self.from_last.q.val() {
            self.left.next = self.last.q.val();
        }
        self.right.next = self.addend.q.val();
        self.carry_in.next = self.carry.q.val().into();
        self.wide.next = ((bit_cast::<18, 16>(self.left.val()) << 1) | 1)
            + ((bit_cast::<18, 16>(self.right.val()) << 1) | bit_cast::<18, 1>(self.carry_in.val()));
        self.sum.next = self.wide.val().get_bits::<16>(1);
        self.carry_out.next = self.wide.val().get_bit(17);
        self.carry.d.next = (self.is_sack.val() & (self.step.val().get_bit(1) | self.step.val().get_bit(3)))
            | (self.carry_out.val()
                & !self.is_visit.val()
                & (self.step.val().get_bit(2) | self.step.val().get_bit(4)));
        comment!("At step 1 the sum is one of the op before.");
        self.last.d.next = self.sum.val();
        if self.is_init.val() & !self.step.val().get_bit(0) {
            self.last.d.next = 0.into();
        }
        if self.step.val().get_bit(2) {
            self.silent.d.next = !self.carry_out.val();
        }
        if (self.is_visit.val() & self.step.val().get_bit(4))
            | (self.is_sack.val() & self.step.val().get_bit(5))
        {
            self.kept.d.next = !self.carry_out.val();
        }
        self.round_trip.d.next = self.now.val() - self.timestamp.val();
        self.slow.d.next = self.round_trip.q.val() > self.probe_rtt.val();
        self.is_silent.next = self.silent.q.val();
        self.is_stuck.next = self.kept.q.val();
        self.is_slow.next = self.slow.q.val();
        self.rtt.next = self.round_trip.q.val();

        comment!(
            "The halves: of a SACK first what is left, then what was in flight if that is less, or the SACK refused."
        );
        if self.step.val().get_bit(1) {
            self.known.d.next = self.initialised.val();
        }
        self.reads_flight.next = self.kept.q.val() | !self.ok.val();
        self.loads_low.next = (self.is_sack.val() & self.step.val().get_bit(2))
            | (!self.is_sack.val() & self.step.val().get_bit(4))
            | (self.reads_flight.val() & self.step.val().get_bit(8));
        self.loads_high.next = (self.is_sack.val() & self.step.val().get_bit(3))
            | (!self.tail_is_sack.val() & self.step.val().get_bit(5))
            | (self.reads_flight.val() & self.step.val().get_bit(9));
        if self.loads_low.val() {
            self.low.d.next = self.sum.val();
            if !self.known.q.val() {
                self.low.d.next = 0.into();
            }
        }
        if self.loads_high.val() {
            self.high.d.next = self.sum.val();
            if !self.known.q.val() {
                self.high.d.next = 0.into();
            }
        }
        self.in_flight.next =
            (bit_cast::<32, 16>(self.high.q.val()) << 16) | bit_cast::<32, 16>(self.low.q.val());

        comment!(
            "What was in flight less what is left: at step 6 its lower half, at step 7 the rest, or all ones."
        );
        if self.step.val().get_bit(5) {
            self.fallen_low.d.next = self.last.q.val();
        }
        if self.step.val().get_bit(6) {
            self.fallen_high.d.next = bit_cast::<4, 16>(self.last.q.val());
        }
        self.fell_far.next = self.step.val().get_bit(6) & self.last.q.val().get_bits::<12>(4).any();
        if self.fell_far.val() {
            self.fallen_low.d.next = 0xffff.into();
            self.fallen_high.d.next = 15.into();
        }
        self.newly.d.next =
            (bit_cast::<20, 4>(self.fallen_high.q.val()) << 16) | bit_cast::<20, 16>(self.fallen_low.q.val());
        if self.kept.q.val() {
            self.newly.d.next = 0.into();
        }
        self.acked_bytes.next = self.newly.q.val();

        comment!("Addresses; a word is written the step after its sum.");
        self.bytes_read.next = 0.into();
        self.bytes_read.next = self.bytes_read.val().replace_bit(
            0,
            self.step.val().get_bit(2) | self.step.val().get_bit(4) | self.step.val().get_bit(8),
        );
        self.bytes_read.next = self.bytes_read.val().replace_bit(
            1,
            self.step.val().get_bit(3)
                | self.step.val().get_bit(4)
                | self.step.val().get_bit(7)
                | self.step.val().get_bit(8),
        );
        self.taken.next = self.tail_is_init.val() | (self.tail_is_sent.val() & self.ok.val());
        self.bytes_write.next = (self.taken.val()
            & (self.step.val().get_bit(3)
                | self.step.val().get_bit(4)
                | self.step.val().get_bit(5)
                | self.step.val().get_bit(6)
                | self.shows.val()))
            | (!self.reads_flight.val() & (self.step.val().get_bit(8) | self.step.val().get_bit(9)));
        self.bytes_written.next = 0.into();
        self.bytes_written.next = self.bytes_written.val().replace_bit(
            0,
            self.step.val().get_bit(4)
                | self.step.val().get_bit(6)
                | self.shows.val()
                | self.step.val().get_bit(9),
        );
        self.bytes_written.next = self
            .bytes_written
            .val()
            .replace_bit(1, !(self.step.val().get_bit(3) | self.step.val().get_bit(4)));
        self.bytes_data.next = self.last.q.val();
        if self.step.val().get_bit(8) {
            self.bytes_data.next = self.low.q.val();
        }
        if self.step.val().get_bit(9) {
            self.bytes_data.next = self.high.q.val();
        }
        self.time_read.next = self.step.val().get_bit(0).into();
        self.time_write.next = ((self.tail_is_init.val()
            | (self.tail_is_sent.val() & self.ok.val() & self.empty.val()))
            & (self.step.val().get_bit(3) | self.step.val().get_bit(4)))
            | (self.ok.val()
                & ((self.step.val().get_bit(7) & self.moved.val()) | self.step.val().get_bit(8)))
            | (self.step.val().get_bit(5) & self.timeout.val())
            | (self.shows_visit.val() & (self.timeout.val() | self.probe_due.val()));
        self.time_written.next =
            (self.step.val().get_bit(4) | self.step.val().get_bit(8) | self.shows_visit.val()).into();
        self.tail_now.d.next = self.now.val();
        comment!("Progress ends the row of timeouts, and so does whatever else starts the timer anew.");
        self.time_data.next.time = self.tail_now.q.val();
        self.time_data.next.timeouts = 0.into();
        if self.timeout.val() {
            self.time_data.next.timeouts = self.timeouts_after.val();
        }
    }
}
