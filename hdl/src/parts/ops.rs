//! Ops on their way to the write stage, and the clearing after reset.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::{Param, Word};

/// Takes ops, and carries them through the stages read, forward and update, their connections on to the write stage.
///
/// `X` is what the selector's update stage wants to know of an op: flags of its kind, fields, settings. It is all zero where
/// no op was taken.
#[derive(LogicBlock, Default)]
pub struct Ops<const C: usize, X: Word> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    pub op_valid: Signal<In, bool>,
    pub op_kind: Signal<In, Bits<3>>,
    pub op_conn: Signal<In, Bits<C>>,
    /// The op at the inputs, as `X` says it.
    pub op: Signal<In, X>,

    /// The memories are cleared: ops are taken.
    pub ready: Signal<Out, bool>,
    /// An op stands in the stage, and its connection.
    pub read_valid: Signal<Out, bool>,
    pub read_conn: Signal<Out, Bits<C>>,
    pub forward_valid: Signal<Out, bool>,
    pub forward_conn: Signal<Out, Bits<C>>,
    pub update_valid: Signal<Out, bool>,
    pub update_conn: Signal<Out, Bits<C>>,
    /// Forward stage: clear for an op that starts from a connection without a past, which is `init`, and where no op
    /// stands, as while the memories are cleared.
    pub forward_keeps: Signal<Out, bool>,
    /// Forward stage: the op.
    pub forward: Signal<Out, X>,
    /// Update stage: the op.
    pub update: Signal<Out, X>,
    /// Write stage: the control RAM is written, at this connection.
    pub write_live: Signal<Out, bool>,
    pub write_conn: Signal<Out, Bits<C>>,

    is_ready: DFF<bool>,
    take: Signal<Local, bool>,

    in_read: DFF<bool>,
    read_op: DFF<X>,
    conn_in_read: DFF<Bits<C>>,
    read_keeps: DFF<bool>,

    in_forward: DFF<bool>,
    forward_op: DFF<X>,
    conn_in_forward: DFF<Bits<C>>,
    keeps: DFF<bool>,

    in_update: DFF<bool>,
    update_op: DFF<X>,
    conn_in_update: DFF<Bits<C>>,

    live: DFF<bool>,
    conn: DFF<Bits<C>>,
    base: Signal<Local, Bits<C>>,

    no_op: Param<X>,
}

impl<const C: usize, X: Word> Ops<C, X> {
    /// With its parameters.
    pub fn new() -> Self {
        Self { no_op: Param::new(X::default()), ..Default::default() }
    }
}

impl<const C: usize, X: Word> Logic for Ops<C, X> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module ops: ops on their way to the write stage, and the clearing after reset");
        dff_setup!(self, clk, is_ready, in_read, read_op, conn_in_read, read_keeps);
        dff_setup!(self, clk, in_forward, forward_op, conn_in_forward, keeps);
        dff_setup!(self, clk, in_update, update_op, conn_in_update, live, conn);
        self.take.next = self.op_valid.val() & self.is_ready.q.val();

        comment!("Inputs: an op is taken.");
        self.in_read.d.next = self.take.val();
        self.read_op.d.next = self.no_op.val();
        if self.take.val() {
            self.read_op.d.next = self.op.val();
        }
        self.conn_in_read.d.next = self.op_conn.val();
        self.read_keeps.d.next = self.take.val() & (self.op_kind.val() != 4);

        comment!("Read, forward, update.");
        self.in_forward.d.next = self.in_read.q.val();
        self.forward_op.d.next = self.read_op.q.val();
        self.conn_in_forward.d.next = self.conn_in_read.q.val();
        self.keeps.d.next = self.read_keeps.q.val();
        self.in_update.d.next = self.in_forward.q.val();
        self.update_op.d.next = self.forward_op.q.val();
        self.conn_in_update.d.next = self.conn_in_forward.q.val();

        comment!(
            "Write: every op writes its connection back. After reset this stage clears the control RAM, a word a cycle."
        );
        self.live.d.next = self.in_update.q.val() | !self.is_ready.q.val();
        self.base.next = self.conn.q.val();
        if self.is_ready.q.val() {
            self.base.next = self.conn_in_update.q.val();
        }
        self.conn.d.next = self.base.val() + !self.is_ready.q.val();
        self.is_ready.d.next = self.is_ready.q.val() | self.conn.q.val().all();

        self.ready.next = self.is_ready.q.val();
        self.read_valid.next = self.in_read.q.val();
        self.read_conn.next = self.conn_in_read.q.val();
        self.forward_valid.next = self.in_forward.q.val();
        self.forward_conn.next = self.conn_in_forward.q.val();
        self.update_valid.next = self.in_update.q.val();
        self.update_conn.next = self.conn_in_update.q.val();
        self.forward_keeps.next = self.keeps.q.val();
        self.forward.next = self.forward_op.q.val();
        self.update.next = self.update_op.q.val();
        self.write_live.next = self.live.q.val();
        self.write_conn.next = self.conn.q.val();

        if self.rst.val() {
            self.is_ready.d.next = false;
            self.in_read.d.next = false;
            self.read_op.d.next = self.no_op.val();
            self.conn_in_read.d.next = 0.into();
            self.read_keeps.d.next = false;
            self.in_forward.d.next = false;
            self.forward_op.d.next = self.no_op.val();
            self.conn_in_forward.d.next = 0.into();
            self.keeps.d.next = false;
            self.in_update.d.next = false;
            self.update_op.d.next = self.no_op.val();
            self.conn_in_update.d.next = 0.into();
            self.live.d.next = true;
            self.conn.d.next = 0.into();
        }
    }
}
