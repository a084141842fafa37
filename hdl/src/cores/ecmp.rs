//! One EV a connection: its first send draws it, all later ones use it again. What 001 compares REPS with.

use rust_hdl::prelude::*;

use super::GenerateError;
use crate::config::Config;
use crate::manifest::Generated;
use crate::parts::Pipeline;
use crate::parts::describe::{About, by_connections, generated};
use crate::{block, comment, signal_struct};

signal_struct! {
    /// State of a connection: 17 bits.
    pub struct Path {
        pub ev: Bits<16>,
        /// The EV was drawn.
        pub drawn: bool,
    }
}

/// What an op does to its connection. Combinational.
#[derive(LogicBlock, Default)]
pub struct Update {
    /// The connection before the op. All zero stands for a connection after `init`.
    pub state: Signal<In, Path>,
    pub send: Signal<In, bool>,
    /// The EV that a draw takes.
    pub fresh_ev: Signal<In, Bits<16>>,
    /// The connection after the op.
    pub after: Signal<Out, Path>,
    pub draw: Signal<Out, bool>,
    pub kind: Signal<Out, Bits<2>>,
}

impl Logic for Update {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module update: what an op does to its connection");
        comment!("The first send explores, later ones replay.");
        self.kind.next = 0.into();
        if self.state.val().drawn {
            self.kind.next = 2.into();
        }
        self.draw.next = self.send.val() & !self.state.val().drawn;
        self.after.next = self.state.val();
        if self.draw.val() {
            self.after.next.ev = self.fresh_ev.val();
            self.after.next.drawn = true;
        }
    }
}

/// The `ecmp` core. `C = clog2(connections)`.
#[derive(LogicBlock)]
pub struct Ecmp<const C: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    pub op_valid: Signal<In, bool>,
    pub op_ready: Signal<Out, bool>,
    pub op_kind: Signal<In, Bits<3>>,
    pub op_conn: Signal<In, Bits<C>>,
    pub op_ev: Signal<In, Bits<16>>,
    pub op_ecn: Signal<In, bool>,
    pub seed: Signal<In, Bits<16>>,
    pub res_valid: Signal<Out, bool>,
    pub res_conn: Signal<Out, Bits<C>>,
    pub res_kind: Signal<Out, Bits<2>>,
    pub res_ev: Signal<Out, Bits<16>>,

    pipeline: Pipeline<C, Path, bool>,
    update: Update,
}

impl<const C: usize> Ecmp<C> {
    /// The engine of a configuration whose connections are `2^C`.
    pub fn new(config: &Config) -> Self {
        let mut ecmp = block!(
            Ecmp { pipeline: Pipeline::new(config) };
            clk, rst, op_valid, op_ready, op_kind, op_conn, op_ev, op_ecn, seed, res_valid, res_conn, res_kind, res_ev,
            update,
        );
        ecmp.connect_all();
        ecmp
    }
}

impl<const C: usize> Logic for Ecmp<C> {
    #[hdl_gen]
    fn update(&mut self) {
        self.pipeline.clk.next = self.clk.val();
        self.pipeline.rst.next = self.rst.val();
        self.pipeline.op_valid.next = self.op_valid.val();
        self.pipeline.op_kind.next = self.op_kind.val();
        self.pipeline.op_conn.next = self.op_conn.val();
        self.pipeline.op.next = self.op_kind.val() == 0;
        self.pipeline.seed.next = self.seed.val();
        self.op_ready.next = self.pipeline.op_ready.val();

        self.update.state.next = self.pipeline.before.val();
        self.update.send.next = self.pipeline.update_op.val();
        self.update.fresh_ev.next = self.pipeline.fresh_ev.val();
        self.pipeline.after.next = self.update.after.val();
        self.pipeline.draw.next = self.update.draw.val();
        self.pipeline.sent.next = self.pipeline.update_op.val();
        self.pipeline.kind.next = self.update.kind.val();
        self.pipeline.ev.next = self.update.after.val().ev;

        self.res_valid.next = self.pipeline.res_valid.val();
        self.res_conn.next = self.pipeline.res_conn.val();
        self.res_kind.next = self.pipeline.res_kind.val();
        self.res_ev.next = self.pipeline.res_ev.val();
    }
}

/// Verilog and manifest of the core.
///
/// # Errors
/// A size off the menu, which `Config::load` refuses already.
pub fn generate(config: &Config) -> Result<Generated, GenerateError> {
    let engine = by_connections!("ecmp", config, C => Ecmp::<C>::new(config))?;
    let about = About {
        name: "ecmp",
        does: "one EV a connection, drawn by its first send.",
        source: "001 (REPS) section 4.1, ECMP",
        keys: String::new(),
        kinds: "0 explore (the first send, random EV), 2 replay (that EV again)",
        state: Some((17, "the EV of a connection, and whether it was drawn")),
    };
    generated(config, &about, engine.as_ref())
}
