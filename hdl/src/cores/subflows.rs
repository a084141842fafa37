//! A few EVs a connection, neighbours in the EV set, in turn: MPTCP as 001 compares REPS with it.

use respray_hdl_macros::{block, hdl_gen};
use rust_hdl::prelude::*;

use super::GenerateError;
use super::selector::{self, SELECTOR};
use super::sizes::{SelectorSizes, boxed_engine, by_sizes};
use crate::config::Config;
use crate::contract::{self, Contract, Group, Value, bits};
use crate::engine::Engine;
use crate::manifest::Memory;
use crate::parts::Pipeline;
use crate::parts::top::selector;
use crate::prims::Param;
use crate::{comment, signal_struct};

/// What the core promises.
pub const CONTRACT: Contract = Contract {
    core: "subflows",
    about: "a few EVs a connection in turn, the first of them drawn by its first send.",
    source: |_| "001 (REPS) section 4.1, MPTCP",
    sizes: |config| selector::sizes("", config),
    settings: Group {
        heading: selector::SETTINGS,
        fields: &[bits(5, "EVs that a connection has: 1 to 16; 0 is 1, more is 16")
            .is(Value::Limit)
            .set_by_driver("N", "EVs that a connection has", contract::Default::Fixed(8))
            .at("subflow_count")],
    },
    shown: &[selector::results!(RESULTS, CONNECTION, "0 explore (the next EV in turn)"), selector::LOSS],
    memories: |config| {
        let meaning = "the first EV of a connection, whether it was drawn, and whose turn it is";
        let bits = selector::stored_bits(21, config);
        vec![Memory::block("subflows_control_ram", config.connections, bits, meaning)]
    },
    ..SELECTOR
};

signal_struct! {
    /// State of a connection: 21 bits.
    pub struct Rotation {
        pub base: Bits<16>,
        /// The first EV was drawn.
        pub drawn: bool,
        /// The next send takes the EV so far behind the first one.
        pub place: Bits<4>,
    }
}

signal_struct! {
    /// An op on its way to the update stage.
    pub struct Op {
        pub send: bool,
        pub count: Bits<5>,
    }
}

/// What an op does to its connection. Combinational.
#[block(no_clock)]
pub struct Update {
    /// The connection before the op. All zero stands for a connection after `init`.
    pub state: Signal<In, Rotation>,
    pub op: Signal<In, Op>,
    /// The EV that a draw takes.
    pub fresh_ev: Signal<In, Bits<16>>,
    /// The connection after the op.
    pub after: Signal<Out, Rotation>,
    pub draw: Signal<Out, bool>,
    pub ev: Signal<Out, Bits<16>>,
    ev_base: Param<Bits<16>>,
    ev_mask: Param<Bits<16>>,
}

#[block]
impl Update {
    /// EVs are `ev_base + random(2^ev_bits)`.
    pub fn new(config: &Config) -> Self {
        Self {
            ev_base: Param::new(u64::from(config.selector.ev_base).into()),
            ev_mask: Param::new(((1u64 << config.selector.ev_bits) - 1).into()),
            ..Default::default()
        }
    }

    fn update(&mut self) {
        comment!("module update: what an op does to its connection");
        comment!("The first send draws the first EV. Each send takes the EV whose turn it is.");
        self.draw = self.op.send & !self.state.drawn;
        let mut base = self.state.base;
        if self.draw {
            base = self.fresh_ev;
        }
        self.ev = ((base + bit_cast::<16, 4>(self.state.place)) & self.ev_mask) | self.ev_base;
        let following: Bits<5> = bit_cast::<5, 4>(self.state.place) + 1;
        self.after.base = base;
        self.after.drawn = self.state.drawn | self.op.send;
        self.after.place = self.state.place;
        if self.op.send {
            self.after.place = following.get_bits::<4>(0);
            if following >= self.op.count {
                self.after.place = 0;
            }
        }
    }
}

selector! {
    /// The `subflows` core. `C = clog2(connections)`.
    pub struct Subflows<C> {
        pipeline: Pipeline<C, Rotation, Op>, update: Update;
        in subflow_count: Bits<5>;
        if has_parity out state_lost
    }
    #[hdl_gen]
    fn update(&mut self) {
        self.pipeline.op.next.send = self.op_kind.val() == 0;
        self.pipeline.op.next.count = self.subflow_count.val();
        self.update.state.next = self.pipeline.before.val();
        self.update.op.next = self.pipeline.update_op.val();
        self.update.fresh_ev.next = self.pipeline.fresh_ev.val();
        self.pipeline.after.next = self.update.after.val();
        self.pipeline.draw.next = self.update.draw.val();
        self.pipeline.sent.next = self.pipeline.update_op.val().send;
        self.pipeline.kind.next = 0.into();
        self.pipeline.ev.next = self.update.ev.val();
    }
}

/// The engine with its sizes as types.
///
/// # Errors
/// A size off the menu, which `Config::load` refuses already.
pub fn engine(config: &Config) -> Result<Box<dyn Engine>, GenerateError> {
    Ok(by_sizes!("subflows", config, S: SelectorSizes(connections) => boxed_engine(|| {
        Subflows::<{ S.conn }>::new(Pipeline::new(config), Update::new(config))
    })))
}
