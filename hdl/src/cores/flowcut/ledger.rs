//! The algorithm: what one op does to its connection. Combinational.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::state::{Flags, Op};
use crate::comment;
use crate::prims::Param;

/// 002 section II-D, in the update stage: what an op may change, and the flags after it, as if the average were not hot.
///
/// At most one of `send`, `ack`, `timeout` and `init` is set. Whether the average of the op one place ahead is hot, and so whether the
/// connection drains, is known last: all else is made ready for both answers.
#[block(no_clock)]
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

    is_new: Signal<Local, bool>,
    is_sticky: Param<bool>,
}

#[block]
impl Ledger {
    /// The algorithm of variant `sticky`, or of the paper.
    pub fn new(is_sticky: bool) -> Self {
        Self { is_sticky: Param::new(is_sticky), ..Default::default() }
    }

    fn update(&mut self) {
        comment!("module ledger: what an op does to its connection, 002 II-D");
        comment!("An ACK of bytes on their way.");
        let is_believed = self.op.ack & self.reaches;
        self.takes_ack = is_believed;
        self.ack_refused = self.op.ack & !self.reaches;
        let empties = is_believed & self.is_all;
        self.moves = is_believed | self.op.init;
        self.accepts = is_believed & self.sample;

        comment!("A send waits while its connection drains, or where the circle of counts has no room.");
        let is_first = self.op.send & !self.op.uncounted;
        let leaves_if_cool = is_first & !(self.op.hold & self.drains_if_cool);
        let leaves_if_hot = is_first & !(self.op.hold & self.drains_if_hot);
        comment!(
            "Of an op that changes the bytes on their way the two are 10 if it is an ACK, and 01 or 11 if it is a send."
        );
        let mut takes_bytes = (leaves_if_hot | self.op.ack) & self.reaches;
        if leaves_if_cool {
            takes_bytes = (leaves_if_hot | !self.is_hot) & !self.reaches;
        }
        self.takes = takes_bytes;
        let is_held = is_first & !takes_bytes;
        self.waits = is_held;
        if self.is_sticky {
            self.is_new = self.op.send & !self.flags.placed;
        } else {
            self.is_new = self.op.send & (!self.flags.placed | (!self.occupied & !self.op.uncounted));
        }
        let is_drawn = self.is_new & !is_held;
        self.draws = is_drawn;
        self.drains = self.op.send & self.flags.draining;
        if self.is_sticky {
            self.forgets = false;
        } else {
            self.forgets = is_drawn;
        }

        comment!("Flags.");
        self.flags_after.draining = self.flags.draining & !empties & !self.op.timeout;
        self.flags_after.placed = self.flags.placed | is_drawn;
        if (empties & self.flags.draining) | (self.op.timeout & self.op.reroutes & self.occupied) {
            self.flags_after.placed = false;
        }
        if self.op.init {
            self.flags_after.draining = false;
            self.flags_after.placed = false;
        }
        let any_average = self.has_average | self.sample;
        self.may_start = is_believed & !self.is_all & any_average & !self.flags.draining;
        if self.is_sticky {
            self.may_unplace = empties & any_average;
        } else {
            self.may_unplace = false;
        }

        comment!("Events.");
        self.drain_done = empties & self.flags.draining;
        self.drain_given_up = self.op.timeout & self.flags.draining;
        self.order_risk = (is_drawn | self.op.init) & self.occupied;
    }
}
