//! Oblivious packet spraying: each EV at random, or all paths of a connection once, in an order that is drawn anew each time.

use respray_hdl_macros::{block, hdl_gen};
use rust_hdl::prelude::*;

use super::GenerateError;
use super::selector::{self, SELECTOR};
use super::sizes::{OpsSizes, SelectorSizes, boxed_engine, by_sizes};
use crate::config::{Config, Order};
use crate::contract::{Contract, Group};
use crate::engine::Engine;
use crate::manifest::Memory;
use crate::parts::top::selector;
use crate::parts::{Pipeline, Stateless};
use crate::{comment, signal_struct};

/// What the core promises.
pub const CONTRACT: Contract = Contract {
    core: "ops",
    about: "oblivious packet spraying. Chooses the EV of each packet sent without regard to feedback.",
    source: |config| match config.ops.order {
        Order::Random => "001 (REPS) section 2.2",
        Order::Permuted => "the public Ultra Ethernet simulator model, UecMpOblivious",
    },
    sizes: |config| match config.ops.order {
        Order::Random => selector::sizes("ops.order = random, ", config),
        Order::Permuted => {
            selector::sizes(&format!("ops.order = permuted, ops.paths = {}, ", config.ops.paths), config)
        }
    },
    keys: &["connections", "ops.order", "ops.paths", "selector.ev_base", "selector.ev_bits", "protect"],
    shown: &[
        selector::results!(RESULTS, CONNECTION, "0 explore"),
        Group {
            heading: selector::EVENTS,
            fields: &[selector::state_lost(|config| {
                (config.has_parity() && config.ops.order == Order::Permuted).into()
            })],
        },
    ],
    memories: |config| match config.ops.order {
        Order::Random => Vec::new(),
        Order::Permuted => vec![Memory::block(
            "ops_control_ram",
            config.connections,
            selector::stored_bits(17 + config.ops.paths.trailing_zeros(), config),
            "place in the order of paths, x and upper bits, whether they were drawn",
        )],
    },
    ..SELECTOR
};

selector! {
    /// The `ops` core with `ops.order = random`: every send draws. `C = clog2(connections)`.
    pub struct Random<C> { pipeline: Stateless<C, bool> }
    #[hdl_gen]
    fn update(&mut self) {
        self.pipeline.op.next = self.op_kind.val() == 0;
        self.pipeline.draw.next = self.pipeline.update_op.val();
        self.pipeline.sent.next = self.pipeline.update_op.val();
        self.pipeline.kind.next = 0.into();
        self.pipeline.ev.next = self.pipeline.fresh_ev.val();
    }
}

signal_struct! {
    /// State of a connection whose paths are `2^P`: `17 + P` bits.
    pub struct Permutation<const P: usize> {
        /// Sends since the latest draw of an order.
        pub index: Bits<P>,
        /// The upper bits of every EV, and in the low `P` the x that gives the order: path `index ^ x`.
        pub word: Bits<16>,
        /// The word was drawn.
        pub drawn: bool,
    }
}

/// What an op does to its connection. Combinational.
#[block(no_clock)]
pub struct Update<const P: usize> {
    /// The connection before the op. All zero stands for a connection after `init`.
    pub state: Signal<In, Permutation<P>>,
    pub send: Signal<In, bool>,
    /// The EV that a draw takes.
    pub fresh_ev: Signal<In, Bits<16>>,
    /// The connection after the op.
    pub after: Signal<Out, Permutation<P>>,
    pub draw: Signal<Out, bool>,
    pub ev: Signal<Out, Bits<16>>,
}

#[block]
impl<const P: usize> Update<P> {
    fn update(&mut self) {
        comment!("module update: what an op does to its connection");
        comment!("The first send draws the word, the last of each order the x of the next one.");
        self.draw = self.send & (!self.state.drawn | self.state.index.all());
        let mut word = self.state.word;
        if self.send & !self.state.drawn {
            word = self.fresh_ev;
        }
        self.ev = word ^ bit_cast::<16, P>(self.state.index);
        // In which bits the x of the next order differs.
        let turned: Bits<P> = bit_cast::<P, 16>(word) ^ bit_cast::<P, 16>(self.fresh_ev);
        self.after.index = self.state.index + self.send;
        self.after.drawn = self.state.drawn | self.send;
        self.after.word = word;
        if self.draw {
            self.after.word = word ^ bit_cast::<16, P>(turned);
        }
    }
}

selector! {
    /// The `ops` core with `ops.order = permuted`. `C = clog2(connections)`, `P = log2(ops.paths)`.
    pub struct Permuted<C, P> {
        pipeline: Pipeline<C, Permutation<P>, bool>, update: Update<P>;
        if has_parity out state_lost
    }
    #[hdl_gen]
    fn update(&mut self) {
        self.pipeline.op.next = self.op_kind.val() == 0;
        self.update.state.next = self.pipeline.before.val();
        self.update.send.next = self.pipeline.update_op.val();
        self.update.fresh_ev.next = self.pipeline.fresh_ev.val();
        self.pipeline.after.next = self.update.after.val();
        self.pipeline.draw.next = self.update.draw.val();
        self.pipeline.sent.next = self.pipeline.update_op.val();
        self.pipeline.kind.next = 0.into();
        self.pipeline.ev.next = self.update.ev.val();
    }
}

/// The engine with its sizes as types.
///
/// # Errors
/// A size off the menu, which `Config::load` refuses already.
pub fn engine(config: &Config) -> Result<Box<dyn Engine>, GenerateError> {
    Ok(match config.ops.order {
        Order::Random => by_sizes!("ops", config, S: SelectorSizes(connections) => boxed_engine(|| {
            Random::<{ S.conn }>::new(Stateless::new(config))
        })),
        Order::Permuted => by_sizes!("ops", config, S: OpsSizes(connections, ops.paths) => boxed_engine(|| {
            Permuted::<{ S.conn }, { S.path }>::new(Pipeline::new(config), Update::default())
        })),
    })
}
