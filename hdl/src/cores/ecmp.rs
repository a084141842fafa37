//! One EV a connection: its first send draws it, all later ones use it again. What 001 compares REPS with.

use respray_hdl_macros::{block, hdl_gen};
use rust_hdl::prelude::*;

use super::GenerateError;
use super::selector::{self, SELECTOR};
use super::sizes::{SelectorSizes, boxed_engine, by_sizes};
use crate::config::Config;
use crate::contract::Contract;
use crate::engine::Engine;
use crate::manifest::Memory;
use crate::parts::Pipeline;
use crate::parts::top::selector;
use crate::{comment, signal_struct};

/// What the core promises.
pub const CONTRACT: Contract = Contract {
    core: "ecmp",
    about: "one EV a connection, drawn by its first send.",
    source: |_| "001 (REPS) section 4.1, ECMP",
    sizes: |config| selector::sizes("", config),
    shown: &[
        selector::results!(
            RESULTS,
            CONNECTION,
            "0 explore (the first send, random EV), 2 replay (that EV again)"
        ),
        selector::LOSS,
    ],
    memories: |config| {
        let meaning = "the EV of a connection, and whether it was drawn";
        let bits = selector::stored_bits(17, config);
        vec![Memory::block("ecmp_control_ram", config.connections, bits, meaning)]
    },
    ..SELECTOR
};

signal_struct! {
    /// State of a connection: 17 bits.
    pub struct Path {
        pub ev: Bits<16>,
        /// The EV was drawn.
        pub drawn: bool,
    }
}

/// What an op does to its connection. Combinational.
#[block(no_clock)]
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

#[block]
impl Update {
    fn update(&mut self) {
        comment!("module update: what an op does to its connection");
        comment!("The first send explores, later ones replay.");
        self.kind = 0;
        if self.state.drawn {
            self.kind = 2;
        }
        self.draw = self.send & !self.state.drawn;
        self.after = self.state;
        if self.draw {
            self.after.ev = self.fresh_ev;
            self.after.drawn = true;
        }
    }
}

selector! {
    /// The `ecmp` core. `C = clog2(connections)`.
    pub struct Ecmp<C> { pipeline: Pipeline<C, Path, bool>, update: Update; if has_parity out state_lost }
    #[hdl_gen]
    fn update(&mut self) {
        self.pipeline.op.next = self.op_kind.val() == 0;
        self.update.state.next = self.pipeline.before.val();
        self.update.send.next = self.pipeline.update_op.val();
        self.update.fresh_ev.next = self.pipeline.fresh_ev.val();
        self.pipeline.after.next = self.update.after.val();
        self.pipeline.draw.next = self.update.draw.val();
        self.pipeline.sent.next = self.pipeline.update_op.val();
        self.pipeline.kind.next = self.update.kind.val();
        self.pipeline.ev.next = self.update.after.val().ev;
    }
}

/// The engine with its sizes as types.
///
/// # Errors
/// A size off the menu, which `Config::load` refuses already.
pub fn engine(config: &Config) -> Result<Box<dyn Engine>, GenerateError> {
    Ok(by_sizes!("ecmp", config, S: SelectorSizes(connections) => boxed_engine(|| {
        Ecmp::<{ S.conn }>::new(Pipeline::new(config), Update::default())
    })))
}
