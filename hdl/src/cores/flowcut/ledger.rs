//! The algorithm: what one op does to its connection. Combinational.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::state::{Flags, Op};
use crate::comment;
use crate::prims::Param;

/// 002 section II-D, in the update stage: what an op may change, and the flags after it, as if the average were not hot.
///
/// At most one of `send`, `ack`, `timeout` and `init` is set. Whether the average of the op one place ahead is hot, and so whether the
/// connection drains, is known last: all else is made ready for both answers.
#[derive(LogicBlock, Default)]
pub struct Ledger {
    pub op: Signal<In, Op>,
    /// The connection before the op, and whether it drains by either answer; the answer.
    pub flags: Signal<In, Flags>,
    pub drains_if_cool: Signal<In, bool>,
    pub drains_if_hot: Signal<In, bool>,
    pub is_hot: Signal<In, bool>,
    /// Bytes are on their way; with those of the op they come to 2^24, that is, a send has no room, and an ACK is one of bytes on their
    /// way; with the op none are left.
    pub occupied: Signal<In, bool>,
    pub reaches: Signal<In, bool>,
    pub is_all: Signal<In, bool>,
    /// The op's RTT is a sample; there is an average.
    pub sample: Signal<In, bool>,
    pub has_average: Signal<In, bool>,

    /// The op changes the bytes on their way; it brings a new count of bytes received; its sample counts; the average is forgotten.
    pub takes: Signal<Out, bool>,
    pub moves: Signal<Out, bool>,
    pub takes_ack: Signal<Out, bool>,
    pub accepts: Signal<Out, bool>,
    pub forgets: Signal<Out, bool>,
    pub flags_after: Signal<Out, Flags>,
    /// If its average is hot, the op starts a drain, or takes the EV away.
    pub may_start: Signal<Out, bool>,
    pub may_unplace: Signal<Out, bool>,
    /// A send gets a new EV, or waits.
    pub draws: Signal<Out, bool>,
    pub waits: Signal<Out, bool>,
    /// Events, and a draining connection's send.
    pub drain_done: Signal<Out, bool>,
    pub drain_given_up: Signal<Out, bool>,
    pub order_risk: Signal<Out, bool>,
    pub ack_refused: Signal<Out, bool>,
    pub drains: Signal<Out, bool>,

    is_believed: Signal<Local, bool>,
    empties: Signal<Local, bool>,
    is_first: Signal<Local, bool>,
    leaves_if_cool: Signal<Local, bool>,
    leaves_if_hot: Signal<Local, bool>,
    takes_bytes: Signal<Local, bool>,
    is_held: Signal<Local, bool>,
    is_new: Signal<Local, bool>,
    is_drawn: Signal<Local, bool>,
    any_average: Signal<Local, bool>,
    is_sticky: Param<bool>,
}

impl Ledger {
    /// The algorithm of variant `sticky`, or of the paper.
    pub fn new(is_sticky: bool) -> Self {
        Self { is_sticky: Param::new(is_sticky), ..Default::default() }
    }
}

impl Logic for Ledger {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module ledger: what an op does to its connection, 002 II-D");
        comment!("An ACK of bytes on their way.");
        self.is_believed.next = self.op.val().ack & self.reaches.val();
        self.takes_ack.next = self.is_believed.val();
        self.ack_refused.next = self.op.val().ack & !self.reaches.val();
        self.empties.next = self.is_believed.val() & self.is_all.val();
        self.moves.next = self.is_believed.val() | self.op.val().init;
        self.accepts.next = self.is_believed.val() & self.sample.val();

        comment!("A send waits while its connection drains, or where the circle of counts has no room.");
        self.is_first.next = self.op.val().send & !self.op.val().uncounted;
        self.leaves_if_cool.next = self.is_first.val() & !(self.op.val().hold & self.drains_if_cool.val());
        self.leaves_if_hot.next = self.is_first.val() & !(self.op.val().hold & self.drains_if_hot.val());
        comment!(
            "Of an op that changes the bytes on their way the two are 10 if it is an ACK, and 01 or 11 if it is a send."
        );
        self.takes_bytes.next = (self.leaves_if_hot.val() | self.op.val().ack) & self.reaches.val();
        if self.leaves_if_cool.val() {
            self.takes_bytes.next = (self.leaves_if_hot.val() | !self.is_hot.val()) & !self.reaches.val();
        }
        self.takes.next = self.takes_bytes.val();
        self.is_held.next = self.is_first.val() & !self.takes_bytes.val();
        self.waits.next = self.is_held.val();
        if self.is_sticky.val() {
            self.is_new.next = self.op.val().send & !self.flags.val().placed;
        } else {
            self.is_new.next = self.op.val().send
                & (!self.flags.val().placed | (!self.occupied.val() & !self.op.val().uncounted));
        }
        self.is_drawn.next = self.is_new.val() & !self.is_held.val();
        self.draws.next = self.is_drawn.val();
        self.drains.next = self.op.val().send & self.flags.val().draining;
        if self.is_sticky.val() {
            self.forgets.next = false;
        } else {
            self.forgets.next = self.is_drawn.val();
        }

        comment!("Flags.");
        self.flags_after.next.draining =
            self.flags.val().draining & !self.empties.val() & !self.op.val().timeout;
        self.flags_after.next.placed = self.flags.val().placed | self.is_drawn.val();
        if (self.empties.val() & self.flags.val().draining)
            | (self.op.val().timeout & self.op.val().reroutes & self.occupied.val())
        {
            self.flags_after.next.placed = false;
        }
        if self.op.val().init {
            self.flags_after.next.draining = false;
            self.flags_after.next.placed = false;
        }
        self.any_average.next = self.has_average.val() | self.sample.val();
        self.may_start.next =
            self.is_believed.val() & !self.is_all.val() & self.any_average.val() & !self.flags.val().draining;
        if self.is_sticky.val() {
            self.may_unplace.next = self.empties.val() & self.any_average.val();
        } else {
            self.may_unplace.next = false;
        }

        comment!("Events.");
        self.drain_done.next = self.empties.val() & self.flags.val().draining;
        self.drain_given_up.next = self.op.val().timeout & self.flags.val().draining;
        self.order_risk.next = (self.is_drawn.val() | self.op.val().init) & self.occupied.val();
    }
}
