//! The parts of a selector's pipeline and the wires between them.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::{Draws, EvOnItsWay, Guard, Hazards, Newest, Ops, Results};
use crate::comment;
use crate::config::Config;
use crate::manifest::MemoryKind;
use crate::prims::{Optional, Param, SimpleDualPort, Word};

/// A pipeline around an update stage that stands outside: `C = clog2(connections)`, a state `S` a connection, ops as `X`.
///
/// What the update stage says follows from `op`, `before` and `fresh_ev` within the cycle.
#[block]
pub struct Pipeline<const C: usize, S: Word, X: Word> {
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

#[block]
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
            guard: Optional::new(has_parity, || Guard::new(has_beside)),
            has_parity: Param::new(has_parity),
            has_beside: Param::new(has_beside),
            ops: Ops::new(),
            hazards: Hazards::new(),
            newest: Newest::new(),
            draws: Draws::new(config.selector.ev_base, config.selector.ev_bits),
            ..Default::default()
        }
    }

    fn update(&mut self) {
        comment!("module pipeline: ops in every cycle around an update stage that stands outside");
        self.ops.op_valid = self.op_valid;
        self.ops.op_kind = self.op_kind;
        self.ops.op_conn = self.op_conn;
        self.ops.op = self.op;
        self.op_ready = self.ops.ready;
        self.forward_op = self.ops.forward;
        self.update_op = self.ops.update;
        self.hazards.op_conn = self.op_conn;
        self.hazards.read_valid = self.ops.read_valid;
        self.hazards.read_conn = self.ops.read_conn;
        self.hazards.forward_valid = self.ops.forward_valid;
        self.hazards.forward_conn = self.ops.forward_conn;
        self.hazards.update_valid = self.ops.update_valid;
        self.hazards.update_conn = self.ops.update_conn;
        self.hazards.write_live = self.ops.write_live;
        self.hazards.write_conn = self.ops.write_conn;
        self.control_ram.read_address = self.op_conn;
        self.control_ram.write_enable = self.ops.write_live;
        self.control_ram.write_address = self.ops.write_conn;
        self.control_ram.write_data = self.newest.written;
        self.newest.stored = self.control_ram.read_data;
        if self.has_parity {
            self.guard.stored = self.control_ram.read_data;
            self.guard.parity = self.control_ram.read_parity;
            self.guard.read_valid = self.ops.read_valid;
            self.guard.one_ahead = self.hazards.ahead.one;
            self.guard.two_ahead = self.hazards.ahead.two;
            self.guard.older_ahead = self.hazards.ahead.older;
            self.guard.forward_keeps = self.ops.forward_keeps;
            self.state_lost = self.guard.state_lost;
            self.newest.forward_keeps = self.guard.keeps;
            if self.has_beside {
                self.guard.beside = self.beside & self.ops.forward_valid;
                self.lost = self.guard.lost;
            }
        } else {
            self.newest.forward_keeps = self.ops.forward_keeps;
        }
        self.newest.ahead = self.hazards.ahead;
        self.arriving = self.newest.arriving;
        self.before = self.newest.before;
        self.newest.after = self.after;
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
