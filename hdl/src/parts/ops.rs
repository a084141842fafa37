//! Ops on their way to the write stage, and the clearing after reset.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::{Param, Reg, Word};

/// Takes ops, and carries them through the stages read, forward and update, their connections on to the write stage.
///
/// `X` is what the selector's update stage wants to know of an op: flags of its kind, fields, settings. It is all zero where
/// no op was taken.
#[block]
pub struct Ops<const C: usize, X: Word> {
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

    #[reset = false]
    is_ready: Reg<bool>,

    #[reset = false]
    in_read: Reg<bool>,
    #[reset = no_op]
    read_op: Reg<X>,
    #[reset = 0]
    conn_in_read: Reg<Bits<C>>,
    #[reset = false]
    read_keeps: Reg<bool>,

    #[reset = false]
    in_forward: Reg<bool>,
    #[reset = no_op]
    forward_op: Reg<X>,
    #[reset = 0]
    conn_in_forward: Reg<Bits<C>>,
    #[reset = false]
    keeps: Reg<bool>,

    #[reset = false]
    in_update: Reg<bool>,
    #[reset = no_op]
    update_op: Reg<X>,
    #[reset = 0]
    conn_in_update: Reg<Bits<C>>,

    #[reset = true]
    live: Reg<bool>,
    #[reset = 0]
    conn: Reg<Bits<C>>,

    no_op: Param<X>,
}

#[block]
impl<const C: usize, X: Word> Ops<C, X> {
    /// With its parameters.
    pub fn new() -> Self {
        Self { no_op: Param::new(X::default()), ..Default::default() }
    }

    fn update(&mut self) {
        comment!("module ops: ops on their way to the write stage, and the clearing after reset");
        let take = self.op_valid & self.is_ready;

        comment!("Inputs: an op is taken.");
        self.in_read = take;
        self.read_op = self.no_op;
        if take {
            self.read_op = self.op;
        }
        self.conn_in_read = self.op_conn;
        self.read_keeps = take & (self.op_kind != 4);

        comment!("Read, forward, update.");
        self.in_forward = self.in_read;
        self.forward_op = self.read_op;
        self.conn_in_forward = self.conn_in_read;
        self.keeps = self.read_keeps;
        self.in_update = self.in_forward;
        self.update_op = self.forward_op;
        self.conn_in_update = self.conn_in_forward;

        comment!(
            "Write: every op writes its connection back. After reset this stage clears the control RAM, a word a cycle."
        );
        self.live = self.in_update | !self.is_ready;
        let mut base = self.conn;
        if self.is_ready {
            base = self.conn_in_update;
        }
        self.conn = base + !self.is_ready;
        self.is_ready = self.is_ready | self.conn.all();

        self.ready = self.is_ready;
        self.read_valid = self.in_read;
        self.read_conn = self.conn_in_read;
        self.forward_valid = self.in_forward;
        self.forward_conn = self.conn_in_forward;
        self.update_valid = self.in_update;
        self.update_conn = self.conn_in_update;
        self.forward_keeps = self.keeps;
        self.forward = self.forward_op;
        self.update = self.update_op;
        self.write_live = self.live;
        self.write_conn = self.conn;
    }
}
