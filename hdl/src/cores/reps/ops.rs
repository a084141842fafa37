//! Ops on their way to the update stage, which of them share a connection, and the clearing after reset.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::state::{Ahead, Op};
use crate::comment;
use crate::prims::{Optional, Param, Reg};

/// Takes ops, carries them through the stages read, forward and update, and their connections on to the write stage.
///
/// The connection of an op at the inputs is compared with those of the four ops ahead of it, a stage before the answer
/// is needed, so that forwarding starts from registers. An op up to three places ahead has not written the control
/// RAM yet; the one four places ahead writes it at the very edge at which the op at the inputs reads it.
#[block]
pub struct Ops<const CONN: usize> {
    pub op_valid: Signal<In, bool>,
    pub op_kind: Signal<In, Bits<3>>,
    pub op_conn: Signal<In, Bits<CONN>>,
    pub op_ev: Signal<In, Bits<16>>,
    pub op_ecn: Signal<In, bool>,
    pub bdp_packets: Signal<In, Bits<8>>,
    /// With parity: an `init` of this connection is taken in the place of what stands at the inputs.
    pub starts_anew: Optional<Signal<In, bool>>,
    pub anew_conn: Optional<Signal<In, Bits<CONN>>>,

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
    pub write_conn: Signal<Out, Bits<CONN>>,

    #[reset = false]
    is_ready: Reg<bool>,
    take: Signal<Local, bool>,

    #[reset = no_op]
    read_op: Reg<Op>,
    #[reset = 0]
    read_conn: Reg<Bits<CONN>>,
    #[reset = false]
    read_keeps: Reg<bool>,
    #[reset = none_ahead]
    read_ahead: Reg<Ahead>,

    #[reset = no_op]
    forward_op: Reg<Op>,
    #[reset = 0]
    forward_conn: Reg<Bits<CONN>>,
    #[reset = false]
    keeps: Reg<bool>,

    #[reset = no_op]
    update_op: Reg<Op>,
    #[reset = 0]
    update_conn: Reg<Bits<CONN>>,

    #[reset = true]
    live: Reg<bool>,
    #[reset = 0]
    conn: Reg<Bits<CONN>>,

    no_op: Param<Op>,
    none_ahead: Param<Ahead>,
    has_parity: Param<bool>,
}

#[block]
impl<const CONN: usize> Ops<CONN> {
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

    fn update(&mut self) {
        comment!(
            "module ops: ops on their way, which of them share a connection, and the clearing after reset"
        );

        if self.has_parity {
            self.take = self.op_valid & self.is_ready & !self.starts_anew;
        } else {
            self.take = self.op_valid & self.is_ready;
        }
        let is_ack = self.take & (self.op_kind == 1);
        let same_one = self.read_op.valid & (self.op_conn == self.read_conn);
        let same_two = self.forward_op.valid & (self.op_conn == self.forward_conn);
        let same_three = self.update_op.valid & (self.op_conn == self.update_conn);
        let same_four = self.live & (self.op_conn == self.conn);

        comment!("Inputs: an op is taken, its kind taken apart. Kinds 5 to 7 have no flag.");
        if self.has_parity {
            self.read_op.valid = self.take | self.starts_anew;
        } else {
            self.read_op.valid = self.take;
        }
        self.read_op.send = self.take & (self.op_kind == 0);
        self.read_op.cache = is_ack & !self.op_ecn;
        self.read_op.discard = is_ack & self.op_ecn;
        self.read_op.timeout = self.take & (self.op_kind == 3);
        self.read_op.feedback = self.take & ((self.op_kind == 1) | (self.op_kind == 2) | (self.op_kind == 3));
        self.read_op.ev = self.op_ev;
        self.read_op.bdp = self.bdp_packets;
        self.read_conn = self.op_conn;
        if self.has_parity {
            if self.starts_anew {
                self.read_conn = self.anew_conn;
            }
            self.read_keeps = self.is_ready & !self.starts_anew & !(self.op_valid & (self.op_kind == 4));
        } else {
            self.read_keeps = self.is_ready & !(self.op_valid & (self.op_kind == 4));
        }
        self.read_ahead.one = same_one;
        self.read_ahead.two = same_two;
        self.read_ahead.two_times_out = same_two & self.forward_op.timeout;
        self.read_ahead.three = same_three;
        self.read_ahead.four = same_four;

        comment!("Read, forward, update.");
        self.forward_op = self.read_op;
        self.forward_conn = self.read_conn;
        self.keeps = self.read_keeps;
        self.update_op = self.forward_op;
        self.update_conn = self.forward_conn;

        comment!(
            "Write: every op writes its connection back. After reset this stage clears the control RAM, a word a cycle."
        );
        let next_word = self.conn + 1;
        self.live = self.update_op.valid | !self.is_ready;
        self.conn = next_word;
        if self.is_ready {
            self.conn = self.update_conn;
        }
        self.is_ready = self.is_ready | self.conn.all();

        self.ready = self.is_ready;
        self.read_valid = self.read_op.valid;
        self.ahead = self.read_ahead;
        self.forward_timeout = self.forward_op.timeout;
        self.forward_keeps = self.keeps;
        self.update = self.update_op;
        self.write_live = self.live;
        self.write_conn = self.conn;
    }
}
