//! Ops on their way to `sack_rx`.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::backlog::Backlog;
use super::words::Op;
use crate::comment;
use crate::prims::bits_of;

/// Gives `sack_rx` its ops: first the op `init` or `close` of a command, then the packets in their order.
///
/// A packet of a connection that there is not takes its turn as if it were an op, so that the result of it, which is made
/// elsewhere, finds its place between those of the others.
#[derive(LogicBlock, Default)]
pub struct Issue<const C: usize, const P: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    /// Takes `item`. There has to be room.
    pub push: Signal<In, bool>,
    pub item: Signal<In, Op<C, P>>,
    /// A packet took its turn.
    pub issued: Signal<Out, bool>,

    pub open_valid: Signal<In, bool>,
    pub close_valid: Signal<In, bool>,
    /// One of the two is taken.
    pub open_ready: Signal<Out, bool>,
    pub open_conn: Signal<In, Bits<C>>,
    pub open_psn: Signal<In, Bits<P>>,

    pub op_valid: Signal<Out, bool>,
    pub op_ready: Signal<In, bool>,
    pub op_kind: Signal<Out, Bits<2>>,
    /// But for the kind and what says that there is no such connection, what the op is.
    pub op: Signal<Out, Op<C, P>>,

    waiting: Backlog<Op<C, P>, 7, 8>,
    is_command: Signal<Local, bool>,
    turn: Signal<Local, bool>,
}

impl<const C: usize, const P: usize> Issue<C, P> {
    /// Without ops.
    pub fn new() -> Self {
        let waiting = Backlog::new("op_ram", "packets that wait for sack_rx");
        Self {
            waiting: waiting.with_votes(bits_of::<Op<C, P>>("is_foreign", "is_foreign")),
            ..Default::default()
        }
    }
}

impl<const C: usize, const P: usize> Logic for Issue<C, P> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module issue: gives sack_rx its ops");
        self.waiting.clk.next = self.clk.val();
        self.waiting.rst.next = self.rst.val();
        self.waiting.push.next = self.push.val();
        self.waiting.item.next = self.item.val();
        self.is_command.next = self.open_valid.val() | self.close_valid.val();
        self.turn.next = self.waiting.valid.val() & self.op_ready.val() & !self.is_command.val();
        self.waiting.pop.next = self.turn.val();
        self.issued.next = self.turn.val();
        self.open_ready.next = self.op_ready.val();
        self.op_valid.next =
            self.is_command.val() | (self.waiting.valid.val() & !self.waiting.head.val().is_foreign);
        self.op_kind.next = 0.into();
        if self.open_valid.val() {
            self.op_kind.next = 1.into();
        }
        if self.close_valid.val() {
            self.op_kind.next = 2.into();
        }
        self.op.next = self.waiting.head.val();
        if self.is_command.val() {
            self.op.next.conn = self.open_conn.val();
            self.op.next.psn = self.open_psn.val();
        }
    }
}
