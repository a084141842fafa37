//! The pipeline of a selector that keeps nothing of a connection.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::{Draws, EvOnItsWay, Ops, Results};
use crate::comment;
use crate::config::Config;
use crate::prims::Word;

/// A [`Pipeline`](super::Pipeline) without states, and so without a control RAM. It takes as long to start, as the seed is
/// absorbed meanwhile.
#[derive(LogicBlock, Default)]
pub struct Stateless<const C: usize, X: Word> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
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

impl<const C: usize, X: Word> Stateless<C, X> {
    /// The pipeline of a configuration whose connections are `2^C`.
    pub fn new(config: &Config) -> Self {
        Self {
            ops: Ops::new(),
            draws: Draws::new(config.selector.ev_base, config.selector.ev_bits),
            ..Default::default()
        }
    }
}

impl<const C: usize, X: Word> Logic for Stateless<C, X> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!(
            "module pipeline: ops in every cycle around an update stage that stands outside and keeps no state"
        );
        self.ops.clk.next = self.clk.val();
        self.ops.rst.next = self.rst.val();
        self.ops.op_valid.next = self.op_valid.val();
        self.ops.op_kind.next = self.op_kind.val();
        self.ops.op_conn.next = self.op_conn.val();
        self.ops.op.next = self.op.val();
        self.op_ready.next = self.ops.ready.val();
        self.update_op.next = self.ops.update.val();

        self.draws.clk.next = self.clk.val();
        self.draws.rst.next = self.rst.val();
        self.draws.ready.next = self.ops.ready.val();
        self.draws.seed.next = self.seed.val();
        self.draws.draw.next = self.draw.val();
        self.fresh_ev.next = self.draws.ev.val();

        self.ev_on_its_way.clk.next = self.clk.val();
        self.ev_on_its_way.rst.next = self.rst.val();
        self.ev_on_its_way.update_ev.next = self.ev.val();
        self.results.clk.next = self.clk.val();
        self.results.rst.next = self.rst.val();
        self.results.sent.next = self.sent.val();
        self.results.kind.next = self.kind.val();
        self.results.conn.next = self.ops.write_conn.val();
        self.results.ev.next = self.ev_on_its_way.fetch_ev.val();
        self.res_valid.next = self.results.res_valid.val();
        self.res_conn.next = self.results.res_conn.val();
        self.res_kind.next = self.results.res_kind.val();
        self.res_ev.next = self.results.res_ev.val();
    }
}
