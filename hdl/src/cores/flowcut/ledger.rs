//! The algorithm: what one op does to its connection. Combinational.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::state::{Flags, Ledger as State, Op};
use crate::comment;
use crate::prims::Param;

/// 002 section II-D, in the update stage: bytes, average and flags after an op, as if the average were not hot.
///
/// At most one of `send`, `ack`, `timeout` and `init` is set. An ACK is one of bytes on their way if its count lies, on the circle of
/// counts, behind `recvd` and not beyond `sent`: comparisons beside each other, where differences and their comparison would come one
/// after the other.
#[derive(LogicBlock, Default)]
pub struct Ledger<const T: usize, const A: usize> {
    /// The connection before the op.
    pub state: Signal<In, State<A>>,
    pub flags: Signal<In, Flags>,
    pub op: Signal<In, Op>,
    /// The op's RTT is a sample; it, or the time that `init` gives, in ticks.
    pub sample: Signal<In, bool>,
    pub rtt: Signal<In, Bits<T>>,
    /// The average with that sample.
    pub moved_average: Signal<In, Bits<A>>,

    /// The connection after the op.
    pub after: Signal<Out, State<A>>,
    pub flags_after: Signal<Out, Flags>,
    /// If its average is hot, the op starts a drain, or takes the EV away.
    pub may_start: Signal<Out, bool>,
    pub may_unplace: Signal<Out, bool>,
    /// The ACK is not refused, and its RTT is a sample.
    pub accepts: Signal<Out, bool>,
    /// A send gets a new EV, or waits.
    pub draws: Signal<Out, bool>,
    pub waits: Signal<Out, bool>,
    /// Events, and a draining connection's send.
    pub drain_done: Signal<Out, bool>,
    pub drain_given_up: Signal<Out, bool>,
    pub order_risk: Signal<Out, bool>,
    pub ack_refused: Signal<Out, bool>,
    pub drains: Signal<Out, bool>,

    is_empty: Signal<Local, bool>,
    is_newer: Signal<Local, bool>,
    is_sent: Signal<Local, bool>,
    is_all: Signal<Local, bool>,
    is_whole: Signal<Local, bool>,
    is_of_flight: Signal<Local, bool>,
    takes_ack: Signal<Local, bool>,
    empties: Signal<Local, bool>,
    is_first: Signal<Local, bool>,
    more: Signal<Local, Bits<24>>,
    in_flight: Signal<Local, Bits<24>>,
    is_held: Signal<Local, bool>,
    is_new: Signal<Local, bool>,
    has_average: Signal<Local, bool>,
    is_sticky: Param<bool>,
}

impl<const T: usize, const A: usize> Ledger<T, A> {
    /// The algorithm of variant `sticky`, or of the paper.
    pub fn new(is_sticky: bool) -> Self {
        Self { is_sticky: Param::new(is_sticky), ..Default::default() }
    }
}

impl<const T: usize, const A: usize> Logic for Ledger<T, A> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module ledger: what an op does to its connection, 002 II-D");
        comment!("An ACK of bytes on their way. Counts go around: sent may be below recvd.");
        self.is_empty.next = self.state.val().sent == self.state.val().recvd;
        self.is_newer.next = self.op.val().recvd > self.state.val().recvd;
        self.is_sent.next = self.op.val().recvd <= self.state.val().sent;
        self.is_all.next = self.op.val().recvd == self.state.val().sent;
        self.is_whole.next = self.state.val().sent >= self.state.val().recvd;
        self.is_of_flight.next = (self.is_newer.val() & self.is_sent.val())
            | (!self.is_whole.val() & (self.is_newer.val() | self.is_sent.val()));
        self.takes_ack.next = self.op.val().ack & self.is_of_flight.val();
        self.ack_refused.next = self.op.val().ack & !self.is_of_flight.val();
        self.empties.next = self.takes_ack.val() & self.is_all.val();

        comment!("A send waits while its connection drains, or where the circle of counts has no room.");
        self.more.next = self.state.val().sent + bit_cast::<24, 14>(self.op.val().bytes);
        self.in_flight.next = self.more.val() - self.state.val().recvd;
        self.is_first.next = self.op.val().send & !self.op.val().uncounted;
        self.is_held.next =
            (self.flags.val().draining & self.op.val().hold) | self.in_flight.val().get_bit(23);
        self.waits.next = self.is_first.val() & self.is_held.val();
        if self.is_sticky.val() {
            self.is_new.next = self.op.val().send & !self.flags.val().placed;
        } else {
            self.is_new.next = self.op.val().send
                & (!self.flags.val().placed | (self.is_empty.val() & !self.op.val().uncounted));
        }
        self.draws.next = self.is_new.val() & !self.waits.val();
        self.drains.next = self.op.val().send & self.flags.val().draining;

        comment!("Bytes.");
        self.after.next.sent = self.state.val().sent;
        if self.is_first.val() & !self.is_held.val() {
            self.after.next.sent = self.more.val();
        }
        self.after.next.recvd = self.state.val().recvd;
        if self.takes_ack.val() {
            self.after.next.recvd = self.op.val().recvd;
        }

        comment!("The average: of a first sample, and after init, 32 times the time.");
        self.accepts.next = self.takes_ack.val() & self.sample.val();
        self.after.next.average = self.state.val().average;
        if self.accepts.val() {
            self.after.next.average = self.moved_average.val();
        }
        if self.op.val().init | (self.accepts.val() & !self.state.val().has_average) {
            self.after.next.average = bit_cast::<A, T>(self.rtt.val()) << 5;
        }
        self.has_average.next = self.state.val().has_average | self.sample.val();
        if self.is_sticky.val() {
            self.after.next.has_average = self.state.val().has_average | self.accepts.val();
        } else {
            self.after.next.has_average =
                (self.state.val().has_average & !self.draws.val()) | self.accepts.val();
        }

        comment!("Flags.");
        self.flags_after.next.draining =
            self.flags.val().draining & !self.empties.val() & !self.op.val().timeout;
        self.flags_after.next.placed = self.flags.val().placed | self.draws.val();
        if (self.empties.val() & self.flags.val().draining)
            | (self.op.val().timeout & self.op.val().reroutes & !self.is_empty.val())
        {
            self.flags_after.next.placed = false;
        }
        self.may_start.next =
            self.takes_ack.val() & !self.is_all.val() & self.has_average.val() & !self.flags.val().draining;
        if self.is_sticky.val() {
            self.may_unplace.next = self.empties.val() & self.has_average.val();
        } else {
            self.may_unplace.next = false;
        }
        if self.op.val().init {
            self.after.next.sent = self.op.val().recvd;
            self.after.next.recvd = self.op.val().recvd;
            self.after.next.has_average = self.rtt.val().any();
            self.flags_after.next.draining = false;
            self.flags_after.next.placed = false;
        }

        comment!("Events.");
        self.drain_done.next = self.empties.val() & self.flags.val().draining;
        self.drain_given_up.next = self.op.val().timeout & self.flags.val().draining;
        self.order_risk.next = (self.draws.val() | self.op.val().init) & !self.is_empty.val();
    }
}
