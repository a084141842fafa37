//! The parts of a selector's pipeline and the wires between them.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::{Draws, EvOnItsWay, Guard, Hazards, Newest, Ops, Results};
use crate::comment;
use crate::config::Config;
use crate::manifest::MemoryKind;
use crate::prims::{Optional, Param, SimpleDualPort, Word};

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
    /// With parity and words beside the state, forward stage: the op looks at one of these with a flipped bit, and whether its connection
    /// starts anew, be it for that or for its state.
    pub beside: Optional<Signal<In, bool>>,
    pub lost: Optional<Signal<Out, bool>>,

    ops: Ops<C, X>,
    hazards: Hazards<C>,
    control_ram: SimpleDualPort<Bits<C>, S>,
    guard: Optional<Guard<S>>,
    has_parity: Param<bool>,
    has_beside: Param<bool>,
    newest: Newest<S>,
    draws: Draws,
    ev_on_its_way: EvOnItsWay,
    results: Results<C>,
}

impl<const C: usize, S: Word, X: Word> Pipeline<C, S, X> {
    /// The pipeline of a configuration whose connections are `2^C`.
    pub fn new(config: &Config) -> Self {
        Self::guarded(config, false)
    }

    /// The pipeline of a selector that keeps something in words beside the states.
    pub fn with_words_beside(config: &Config) -> Self {
        Self::guarded(config, config.has_parity())
    }

    fn guarded(config: &Config, has_beside: bool) -> Self {
        let has_parity = config.has_parity();
        let ram = SimpleDualPort::new("control_ram", "state of every connection", MemoryKind::Block);
        Self {
            state_lost: Optional::new(has_parity, Default::default),
            beside: Optional::new(has_beside, Default::default),
            lost: Optional::new(has_beside, Default::default),
            control_ram: ram.with_parity(has_parity),
            guard: Optional::new(has_parity, || Guard::new(true, has_beside)),
            has_parity: Param::new(has_parity),
            has_beside: Param::new(has_beside),
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

        self.control_ram.clk.next = self.clk.val();
        self.control_ram.read_address.next = self.op_conn.val();
        self.control_ram.write_enable.next = self.ops.write_live.val();
        self.control_ram.write_address.next = self.ops.write_conn.val();
        self.control_ram.write_data.next = self.newest.written.val();
        self.newest.stored.next = self.control_ram.read_data.val();
        if self.has_parity.val() {
            self.guard.clk.next = self.clk.val();
            self.guard.rst.next = self.rst.val();
            self.guard.stored.next = self.control_ram.read_data.val();
            self.guard.parity.next = self.control_ram.read_parity.val();
            self.guard.read_valid.next = self.ops.read_valid.val();
            self.guard.one_ahead.next = self.hazards.ahead.val().one;
            self.guard.two_ahead.next = self.hazards.ahead.val().two;
            self.guard.older_ahead.next = self.hazards.ahead.val().older;
            self.guard.forward_keeps.next = self.ops.forward_keeps.val();
            self.state_lost.next = self.guard.state_lost.val();
            self.newest.forward_keeps.next = self.guard.keeps.val();
            if self.has_beside.val() {
                self.guard.beside.next = self.beside.val() & self.ops.forward_valid.val();
                self.lost.next = self.guard.lost.val();
            }
        } else {
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
