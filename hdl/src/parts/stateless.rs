//! The pipeline of a selector that keeps nothing of a connection.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::{Draws, EvOnItsWay, Ops, Results};
use crate::comment;
use crate::config::Config;
use crate::prims::Word;

/// A [`Pipeline`](super::Pipeline) without states, and so without a control RAM. It takes as long to start, as the seed is
/// absorbed meanwhile.
#[block]
pub struct Stateless<const C: usize, X: Word> {
    pub op_valid: Signal<In, bool>,
    pub op_kind: Signal<In, Bits<3>>,
    pub op_conn: Signal<In, Bits<C>>,
    /// The op at the inputs, as `X` says it.
    pub op: Signal<In, X>,
    pub seed: Signal<In, Bits<16>>,
    pub op_ready: Signal<Out, bool>,

    /// Update stage: the op, and the EV that a draw takes.
    pub update_op: Signal<Out, X>,
    pub fresh_ev: Signal<Out, Bits<16>>,
    /// Update stage: the op draws.
    pub draw: Signal<In, bool>,
    /// Update stage: the op is a send, its kind and its EV.
    pub sent: Signal<In, bool>,
    pub kind: Signal<In, Bits<2>>,
    pub ev: Signal<In, Bits<16>>,

    pub res_valid: Signal<Out, bool>,
    pub res_conn: Signal<Out, Bits<C>>,
    pub res_kind: Signal<Out, Bits<2>>,
    pub res_ev: Signal<Out, Bits<16>>,

    ops: Ops<C, X>,
    draws: Draws,
    ev_on_its_way: EvOnItsWay,
    results: Results<C>,
}

#[block]
impl<const C: usize, X: Word> Stateless<C, X> {
    /// The pipeline of a configuration whose connections are `2^C`.
    pub fn new(config: &Config) -> Self {
        Self {
            ops: Ops::new(),
            draws: Draws::new(config.selector.ev_base, config.selector.ev_bits),
            ..Default::default()
        }
    }

    fn update(&mut self) {
        comment!(
            "module pipeline: ops in every cycle around an update stage that stands outside and keeps no state"
        );
        self.ops.op_valid = self.op_valid;
        self.ops.op_kind = self.op_kind;
        self.ops.op_conn = self.op_conn;
        self.ops.op = self.op;
        self.op_ready = self.ops.ready;
        self.update_op = self.ops.update;
        self.draws.ready = self.ops.ready;
        self.draws.seed = self.seed;
        self.draws.draw = self.draw;
        self.fresh_ev = self.draws.ev;
        self.ev_on_its_way.update_ev = self.ev;
        self.results.sent = self.sent;
        self.results.kind = self.kind;
        self.results.conn = self.ops.write_conn;
        self.results.ev = self.ev_on_its_way.fetch_ev;
        self.res_valid = self.results.res_valid;
        self.res_conn = self.results.res_conn;
        self.res_kind = self.results.res_kind;
        self.res_ev = self.results.res_ev;
    }
}
