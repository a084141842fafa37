//! Ops on their way to `sack_rx`.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::backlog::Backlog;
use super::words::{Op, TypedOp};
use crate::comment;
use crate::prims::{Optional, Param, Reg, bits_of};

/// Gives `sack_rx` its ops: first the op `init` or `close` of a command, then the packets in their order.
///
/// A packet of a connection that there is not takes its turn as if it were an op, so that the result of it, which is made
/// elsewhere, finds its place between those of the others.
#[block]
pub struct Issue<const C: usize, const P: usize> {
    /// Takes `item`. There has to be room.
    pub push: Signal<In, bool>,
    pub item: Signal<In, Op<C, P>>,
    /// With `is_late`, two cycles behind the push: `sack_rx` is not asked about it.
    pub is_refused: Optional<Signal<In, bool>>,
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

    // Of Ultra Ethernet: the host has a packet with SYN taken, of the PSN of a command. It waits until no packet is in work, and none is
    // issued until its result is there.
    pub accept_valid: Optional<Signal<In, bool>>,
    pub accept_conn: Optional<Signal<In, Bits<C>>>,
    pub accept_bytes: Optional<Signal<In, Bits<16>>>,
    pub accept_flags: Optional<Signal<In, Bits<3>>>,
    pub is_idle: Optional<Signal<In, bool>>,
    pub res_valid: Optional<Signal<In, bool>>,
    /// It is the op; `sack_rx` takes it in this cycle; its result is to come.
    pub accept_taken: Optional<Signal<Out, bool>>,
    pub accepts: Optional<Signal<Out, bool>>,
    pub accept_is_next: Optional<Signal<Out, bool>>,
    awaits: Optional<Reg<bool>>,
    /// What else a packet is, and what else the op is.
    pub typed_item: Optional<Signal<In, TypedOp>>,
    pub typed_op: Optional<Signal<Out, TypedOp>>,

    waiting: Backlog<Op<C, P>, 7, 8>,
    typed: Optional<Backlog<TypedOp, 7, 8>>,
    typed_1: Optional<Reg<TypedOp>>,
    typed_2: Optional<Reg<TypedOp>>,
    has_types: Param<bool>,
    push_1: Optional<Reg<bool>>,
    push_2: Optional<Reg<bool>>,
    item_1: Optional<Reg<Op<C, P>>>,
    item_2: Optional<Reg<Op<C, P>>>,
    is_late: Param<bool>,
}

#[block]
impl<const C: usize, const P: usize> Issue<C, P> {
    /// Without ops. If `is_late`, it is known two cycles behind a push whether a packet is refused, and that is when it goes in.
    /// With types, where they are those of Ultra Ethernet, which is late.
    pub fn new(is_late: bool, has_types: bool) -> Self {
        let waiting = Backlog::new("op_ram", "packets that wait for sack_rx");
        Self {
            waiting: waiting.with_votes(bits_of::<Op<C, P>>("is_foreign", "is_foreign")),
            is_refused: Optional::new(is_late, Default::default),
            push_1: Optional::new(is_late, Default::default),
            push_2: Optional::new(is_late, Default::default),
            item_1: Optional::new(is_late, Default::default),
            item_2: Optional::new(is_late, Default::default),
            is_late: Param::new(is_late),
            typed_item: Optional::new(has_types, Default::default),
            typed_op: Optional::new(has_types, Default::default),
            typed: Optional::new(has_types, || {
                Backlog::new("typed_op_ram", "what else packets are that wait for sack_rx")
            }),
            typed_1: Optional::new(has_types, Default::default),
            typed_2: Optional::new(has_types, Default::default),
            has_types: Param::new(has_types),
            accept_valid: Optional::new(has_types, Default::default),
            accept_conn: Optional::new(has_types, Default::default),
            accept_bytes: Optional::new(has_types, Default::default),
            accept_flags: Optional::new(has_types, Default::default),
            is_idle: Optional::new(has_types, Default::default),
            res_valid: Optional::new(has_types, Default::default),
            accept_taken: Optional::new(has_types, Default::default),
            accepts: Optional::new(has_types, Default::default),
            accept_is_next: Optional::new(has_types, Default::default),
            awaits: Optional::new(has_types, Default::default),
            ..Default::default()
        }
    }

    fn update(&mut self) {
        comment!("module issue: gives sack_rx its ops");
        self.waiting.push = self.push;
        self.waiting.item = self.item;
        if self.is_late {
            self.push_1 = self.push;
            self.push_2 = self.push_1;
            self.item_1 = self.item;
            self.item_2 = self.item_1;
            self.waiting.push = self.push_2;
            if self.rst {
                self.push_1 = false;
                self.push_2 = false;
            }
            self.waiting.item = self.item_2;
            self.waiting.item.is_foreign = self.item_2.is_foreign | self.is_refused;
        }
        let is_command = self.open_valid | self.close_valid;
        let turn = self.waiting.valid & self.op_ready & !is_command;
        self.waiting.pop = turn;
        self.issued = turn;
        self.open_ready = self.op_ready;
        self.op_valid = is_command | (self.waiting.valid & !self.waiting.head.is_foreign);
        self.op_kind = 0;
        if self.open_valid {
            self.op_kind = 1;
        }
        if self.close_valid {
            self.op_kind = 2;
        }
        self.op = self.waiting.head;
        if is_command {
            self.op.packet.conn = self.open_conn;
            self.op.packet.psn = self.open_psn;
        }
        if self.has_types {
            self.typed_1 = self.typed_item;
            self.typed_2 = self.typed_1;
            self.typed.push = self.push_2;
            self.typed.item = self.typed_2;
            self.typed.pop = turn & !self.accept_valid & !self.awaits;
            self.waiting.pop = turn & !self.accept_valid & !self.awaits;
            self.issued = turn & !self.accept_valid & !self.awaits;
            self.typed_op = self.typed.head;
            if is_command {
                self.typed_op.kind = 2;
                self.typed_op.host = false;
                if self.open_valid {
                    self.typed_op.kind = 1;
                }
            }
            comment!("A packet that the host has taken in. Its ACK is the host's.");
            self.accept_is_next = self.accept_valid & self.is_idle & !self.awaits & !is_command;
            self.accept_taken = self.accept_is_next & self.op_ready;
            if self.accept_valid | self.awaits {
                self.op_valid = is_command | self.accept_is_next;
            }
            if self.accept_is_next {
                self.op.packet.conn = self.accept_conn;
                self.op.packet.psn = self.open_psn;
                self.op.packet.bytes = self.accept_bytes;
                self.op.packet.ecn = false;
                self.op.packet.ack_request = self.accept_flags.get_bit(0);
                self.typed_op.kind = 0;
                self.typed_op.retransmit = self.accept_flags.get_bit(1);
                self.typed_op.control = self.accept_flags.get_bit(2);
                self.typed_op.host = true;
            }
            self.accepts = self.awaits;
            if self.awaits & self.res_valid {
                self.awaits = false;
            }
            if self.accept_taken {
                self.awaits = true;
            }
            if self.rst {
                self.awaits = false;
            }
        }
    }
}
