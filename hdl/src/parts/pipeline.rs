//! The parts of a selector's pipeline and the wires between them.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::{Draws, EvOnItsWay, Guard, Hazards, Newest, Ops, Results};
use crate::comment;
use crate::config::Config;
use crate::manifest::MemoryKind;
use crate::prims::{Guarded, Optional, Param, SimpleDualPort, Word};

/// A pipeline around an update stage that stands outside: `C = clog2(connections)`, a state `S` a connection, ops as `X`.
///
/// What the update stage says follows from `op`, `before` and `fresh_ev` within the cycle.
#[derive(LogicBlock, Default)]
pub struct Pipeline<const C: usize, S: Word, X: Word> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    pub op_valid: Signal<In, bool>,
    pub op_kind: Signal<In, Bits<3>>,
    pub op_conn: Signal<In, Bits<C>>,
    /// The op at the inputs, as `X` says it.
    pub op: Signal<In, X>,
    pub seed: Signal<In, Bits<16>>,
    pub op_ready: Signal<Out, bool>,

    /// Forward stage: the op, and its connection before it, late in the cycle.
    pub forward_op: Signal<Out, X>,
    pub arriving: Signal<Out, S>,
    /// Update stage: the op, its connection before it, and the EV that a draw takes.
    pub update_op: Signal<Out, X>,
    pub before: Signal<Out, S>,
    pub fresh_ev: Signal<Out, Bits<16>>,
    /// Update stage: the connection after the op, and whether the op draws.
    pub after: Signal<In, S>,
    pub draw: Signal<In, bool>,
    /// Update stage: the op is a send, its kind and its EV.
    pub sent: Signal<In, bool>,
    pub kind: Signal<In, Bits<2>>,
    pub ev: Signal<In, Bits<16>>,

    pub res_valid: Signal<Out, bool>,
    pub res_conn: Signal<Out, Bits<C>>,
    pub res_kind: Signal<Out, Bits<2>>,
    pub res_ev: Signal<Out, Bits<16>>,
    /// With parity: the op that leaves read a word with a flipped bit, and its connection started anew.
    pub state_lost: Optional<Signal<Out, bool>>,

    ops: Ops<C, X>,
    hazards: Hazards<C>,
    /// The memory without parity, or with it.
    control_ram: Optional<SimpleDualPort<Bits<C>, S>>,
    guarded_ram: Optional<SimpleDualPort<Bits<C>, Guarded<S>>>,
    guard: Optional<Guard<S>>,
    has_parity: Param<bool>,
    newest: Newest<S>,
    draws: Draws,
    ev_on_its_way: EvOnItsWay,
    results: Results<C>,
}

impl<const C: usize, S: Word, X: Word> Pipeline<C, S, X> {
    /// The pipeline of a configuration whose connections are `2^C`.
    pub fn new(config: &Config) -> Self {
        let (name, about) = ("control_ram", "state of every connection");
        let has_parity = config.has_parity();
        Self {
            state_lost: Optional::new(has_parity, Default::default),
            control_ram: Optional::new(!has_parity, || SimpleDualPort::new(name, about, MemoryKind::Block)),
            guarded_ram: Optional::new(has_parity, || SimpleDualPort::new(name, about, MemoryKind::Block)),
            guard: Optional::new(has_parity, || Guard::new(true)),
            has_parity: Param::new(has_parity),
            ops: Ops::new(),
            hazards: Hazards::new(),
            newest: Newest::new(),
            draws: Draws::new(config.selector.ev_base, config.selector.ev_bits),
            ..Default::default()
        }
    }
}

impl<const C: usize, S: Word, X: Word> Logic for Pipeline<C, S, X> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module pipeline: ops in every cycle around an update stage that stands outside");
        self.ops.clk.next = self.clk.val();
        self.ops.rst.next = self.rst.val();
        self.ops.op_valid.next = self.op_valid.val();
        self.ops.op_kind.next = self.op_kind.val();
        self.ops.op_conn.next = self.op_conn.val();
        self.ops.op.next = self.op.val();
        self.op_ready.next = self.ops.ready.val();
        self.forward_op.next = self.ops.forward.val();
        self.update_op.next = self.ops.update.val();

        self.hazards.clk.next = self.clk.val();
        self.hazards.rst.next = self.rst.val();
        self.hazards.op_conn.next = self.op_conn.val();
        self.hazards.read_valid.next = self.ops.read_valid.val();
        self.hazards.read_conn.next = self.ops.read_conn.val();
        self.hazards.forward_valid.next = self.ops.forward_valid.val();
        self.hazards.forward_conn.next = self.ops.forward_conn.val();
        self.hazards.update_valid.next = self.ops.update_valid.val();
        self.hazards.update_conn.next = self.ops.update_conn.val();
        self.hazards.write_live.next = self.ops.write_live.val();
        self.hazards.write_conn.next = self.ops.write_conn.val();

        if self.has_parity.val() {
            self.guarded_ram.clk.next = self.clk.val();
            self.guarded_ram.read_address.next = self.op_conn.val();
            self.guarded_ram.write_enable.next = self.ops.write_live.val();
            self.guarded_ram.write_address.next = self.ops.write_conn.val();
            self.guarded_ram.write_data.next.word = self.newest.written.val();
            self.guarded_ram.write_data.next.parity = self.guard.parity.val();
            self.guard.clk.next = self.clk.val();
            self.guard.rst.next = self.rst.val();
            self.guard.written.next = self.newest.written.val();
            self.guard.stored.next = self.guarded_ram.read_data.val();
            self.guard.read_valid.next = self.ops.read_valid.val();
            self.guard.one_ahead.next = self.hazards.ahead.val().one;
            self.guard.two_ahead.next = self.hazards.ahead.val().two;
            self.guard.older_ahead.next = self.hazards.ahead.val().older;
            self.guard.forward_keeps.next = self.ops.forward_keeps.val();
            self.state_lost.next = self.guard.state_lost.val();
            self.newest.stored.next = self.guarded_ram.read_data.val().word;
            self.newest.forward_keeps.next = self.guard.keeps.val();
        } else {
            self.control_ram.clk.next = self.clk.val();
            self.control_ram.read_address.next = self.op_conn.val();
            self.control_ram.write_enable.next = self.ops.write_live.val();
            self.control_ram.write_address.next = self.ops.write_conn.val();
            self.control_ram.write_data.next = self.newest.written.val();
            self.newest.stored.next = self.control_ram.read_data.val();
            self.newest.forward_keeps.next = self.ops.forward_keeps.val();
        }

        self.newest.clk.next = self.clk.val();
        self.newest.rst.next = self.rst.val();
        self.newest.ahead.next = self.hazards.ahead.val();
        self.arriving.next = self.newest.arriving.val();
        self.before.next = self.newest.before.val();
        self.newest.after.next = self.after.val();

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
