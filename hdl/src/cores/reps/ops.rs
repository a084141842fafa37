//! Ops on their way to the update stage, which of them share a connection, and the clearing after reset.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::state::{Ahead, Op};
use crate::comment;
use crate::prims::{Optional, Param};

/// Takes ops, carries them through the stages read, forward and update, and their connections on to the write stage.
///
/// The connection of an op at the inputs is compared with those of the four ops ahead of it, a stage before the answer
/// is needed, so that forwarding starts from registers. An op up to three places ahead has not written the control
/// RAM yet; the one four places ahead writes it at the very edge at which the op at the inputs reads it.
#[derive(LogicBlock, Default)]
pub struct Ops<const C: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    pub op_valid: Signal<In, bool>,
    pub op_kind: Signal<In, Bits<3>>,
    pub op_conn: Signal<In, Bits<C>>,
    pub op_ev: Signal<In, Bits<16>>,
    pub op_ecn: Signal<In, bool>,
    pub bdp_packets: Signal<In, Bits<8>>,
    /// With parity: an `init` of this connection is taken in the place of what stands at the inputs.
    pub starts_anew: Optional<Signal<In, bool>>,
    pub anew_conn: Optional<Signal<In, Bits<C>>>,

    /// The memories are cleared: ops are taken.
    pub ready: Signal<Out, bool>,
    /// An op stands in the read stage.
    pub read_valid: Signal<Out, bool>,
    /// Read stage: which ops ahead share the connection.
    pub ahead: Signal<Out, Ahead>,
    /// Forward stage: the op is a timeout.
    pub forward_timeout: Signal<Out, bool>,
    /// Forward stage: clear for an op that starts from a connection without a past, which is `init`, and everything while
    /// the memories are cleared.
    pub forward_keeps: Signal<Out, bool>,
    /// Update stage: the op.
    pub update: Signal<Out, Op>,
    /// Write stage: the control RAM is written, at this connection.
    pub write_live: Signal<Out, bool>,
    pub write_conn: Signal<Out, Bits<C>>,

    is_ready: DFF<bool>,
    take: Signal<Local, bool>,
    is_ack: Signal<Local, bool>,
    same_one: Signal<Local, bool>,
    same_two: Signal<Local, bool>,
    same_three: Signal<Local, bool>,
    same_four: Signal<Local, bool>,

    read_op: DFF<Op>,
    read_conn: DFF<Bits<C>>,
    read_keeps: DFF<bool>,
    read_ahead: DFF<Ahead>,

    forward_op: DFF<Op>,
    forward_conn: DFF<Bits<C>>,
    keeps: DFF<bool>,

    update_op: DFF<Op>,
    update_conn: DFF<Bits<C>>,

    live: DFF<bool>,
    conn: DFF<Bits<C>>,
    next_word: Signal<Local, Bits<C>>,

    no_op: Param<Op>,
    none_ahead: Param<Ahead>,
    has_parity: Param<bool>,
}

impl<const C: usize> Ops<C> {
    /// The block with its parameters, which follow from its sizes.
    pub fn new(has_parity: bool) -> Self {
        Self {
            starts_anew: Optional::new(has_parity, Default::default),
            anew_conn: Optional::new(has_parity, Default::default),
            has_parity: Param::new(has_parity),
            no_op: Param::new(Op::default()),
            none_ahead: Param::new(Ahead::default()),
            ..Default::default()
        }
    }
}

impl<const C: usize> Logic for Ops<C> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!(
            "module ops: ops on their way, which of them share a connection, and the clearing after reset"
        );
        dff_setup!(self, clk, is_ready, read_op, read_conn, read_keeps, read_ahead);
        dff_setup!(self, clk, forward_op, forward_conn, keeps, update_op, update_conn, live, conn);

        if self.has_parity.val() {
            self.take.next = self.op_valid.val() & self.is_ready.q.val() & !self.starts_anew.val();
        } else {
            self.take.next = self.op_valid.val() & self.is_ready.q.val();
        }
        self.is_ack.next = self.take.val() & (self.op_kind.val() == 1);
        self.same_one.next = self.read_op.q.val().valid & (self.op_conn.val() == self.read_conn.q.val());
        self.same_two.next =
            self.forward_op.q.val().valid & (self.op_conn.val() == self.forward_conn.q.val());
        self.same_three.next =
            self.update_op.q.val().valid & (self.op_conn.val() == self.update_conn.q.val());
        self.same_four.next = self.live.q.val() & (self.op_conn.val() == self.conn.q.val());

        comment!("Inputs: an op is taken, its kind taken apart. Kinds 5 to 7 have no flag.");
        if self.has_parity.val() {
            self.read_op.d.next.valid = self.take.val() | self.starts_anew.val();
        } else {
            self.read_op.d.next.valid = self.take.val();
        }
        self.read_op.d.next.send = self.take.val() & (self.op_kind.val() == 0);
        self.read_op.d.next.cache = self.is_ack.val() & !self.op_ecn.val();
        self.read_op.d.next.discard = self.is_ack.val() & self.op_ecn.val();
        self.read_op.d.next.timeout = self.take.val() & (self.op_kind.val() == 3);
        self.read_op.d.next.feedback = self.take.val()
            & ((self.op_kind.val() == 1) | (self.op_kind.val() == 2) | (self.op_kind.val() == 3));
        self.read_op.d.next.ev = self.op_ev.val();
        self.read_op.d.next.bdp = self.bdp_packets.val();
        self.read_conn.d.next = self.op_conn.val();
        if self.has_parity.val() {
            if self.starts_anew.val() {
                self.read_conn.d.next = self.anew_conn.val();
            }
            self.read_keeps.d.next = self.is_ready.q.val()
                & !self.starts_anew.val()
                & !(self.op_valid.val() & (self.op_kind.val() == 4));
        } else {
            self.read_keeps.d.next =
                self.is_ready.q.val() & !(self.op_valid.val() & (self.op_kind.val() == 4));
        }
        self.read_ahead.d.next.one = self.same_one.val();
        self.read_ahead.d.next.two = self.same_two.val();
        self.read_ahead.d.next.two_times_out = self.same_two.val() & self.forward_op.q.val().timeout;
        self.read_ahead.d.next.three = self.same_three.val();
        self.read_ahead.d.next.older = self.same_three.val() | self.same_four.val();
        self.read_ahead.d.next.only_four = self.same_four.val() & !self.same_three.val();

        comment!("Read, forward, update.");
        self.forward_op.d.next = self.read_op.q.val();
        self.forward_conn.d.next = self.read_conn.q.val();
        self.keeps.d.next = self.read_keeps.q.val();
        self.update_op.d.next = self.forward_op.q.val();
        self.update_conn.d.next = self.forward_conn.q.val();

        comment!(
            "Write: every op writes its connection back. After reset this stage clears the control RAM, a word a cycle."
        );
        self.next_word.next = self.conn.q.val() + 1;
        self.live.d.next = self.update_op.q.val().valid | !self.is_ready.q.val();
        self.conn.d.next = self.next_word.val();
        if self.is_ready.q.val() {
            self.conn.d.next = self.update_conn.q.val();
        }
        self.is_ready.d.next = self.is_ready.q.val() | self.conn.q.val().all();

        self.ready.next = self.is_ready.q.val();
        self.read_valid.next = self.read_op.q.val().valid;
        self.ahead.next = self.read_ahead.q.val();
        self.forward_timeout.next = self.forward_op.q.val().timeout;
        self.forward_keeps.next = self.keeps.q.val();
        self.update.next = self.update_op.q.val();
        self.write_live.next = self.live.q.val();
        self.write_conn.next = self.conn.q.val();

        if self.rst.val() {
            self.is_ready.d.next = false;
            self.read_op.d.next = self.no_op.val();
            self.read_conn.d.next = 0.into();
            self.read_keeps.d.next = false;
            self.read_ahead.d.next = self.none_ahead.val();
            self.forward_op.d.next = self.no_op.val();
            self.forward_conn.d.next = 0.into();
            self.keeps.d.next = false;
            self.update_op.d.next = self.no_op.val();
            self.update_conn.d.next = 0.into();
            self.live.d.next = true;
            self.conn.d.next = 0.into();
        }
    }
}
