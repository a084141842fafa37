//! The packet that an ACK lets go takes the EV of that ACK: MP-RDMA as 001 compares REPS with it.

use respray_hdl_macros::{block, hdl_gen};
use rust_hdl::prelude::*;

use super::GenerateError;
use super::selector::{self, ACK, NACK, SELECTOR};
use super::sizes::{SelectorSizes, boxed_engine, by_sizes};
use crate::config::Config;
use crate::contract::{Contract, Group, TraceForm, bits, flag};
use crate::engine::Engine;
use crate::manifest::Memory;
use crate::parts::Pipeline;
use crate::parts::top::selector;
use crate::{comment, signal_struct};

/// What the core promises: a selector whose ACKs have one more field.
pub const CONTRACT: Contract = Contract {
    core: "mprdma",
    about: "the EV of the latest ACK while the window lets packets go, else a random one.",
    source: |_| "001 (REPS) section 4.1, MPRDMA",
    sizes: |config| selector::sizes("", config),
    ops: &[Group {
        heading: SELECTOR.ops[0].heading,
        fields: &[
            SELECTOR.ops[0].fields[0],
            SELECTOR.ops[0].fields[1],
            bits(16, "EV that the ACK or NACK returns")
                .needed_by(1 << ACK)
                .used_by(1 << ACK | 1 << NACK)
                .named("op_ev", "ev"),
            SELECTOR.ops[0].fields[3],
            flag("of an ACK: the window lets a packet go").used_by(1 << ACK).named("op_room", "room"),
        ],
    }],
    shown: &[
        selector::results!(
            RESULTS,
            CONNECTION,
            "0 explore (random EV), 1 recycle (EV of the latest ACK or NACK)"
        ),
        selector::LOSS,
    ],
    memories: |config| {
        let meaning = "the EV that a connection heard last, and whether its window has room";
        let bits = selector::stored_bits(17, config);
        vec![Memory::block("mprdma_control_ram", config.connections, bits, meaning)]
    },
    trace: TraceForm { written: SELECTOR.trace.written + 1, ..SELECTOR.trace },
    ..SELECTOR
};

signal_struct! {
    /// State of a connection: 17 bits. Room is found by an ACK, so that with room there is an EV.
    pub struct Heard {
        pub ev: Bits<16>,
        pub room: bool,
    }
}

signal_struct! {
    /// An op on its way to the update stage.
    pub struct Op {
        pub send: bool,
        pub ack: bool,
        /// An ACK or a NACK: it names an EV.
        pub names: bool,
        pub room: bool,
        pub ev: Bits<16>,
    }
}

/// What an op does to its connection. Combinational.
#[block(no_clock)]
pub struct Update {
    /// The connection before the op. All zero stands for a connection after `init`.
    pub state: Signal<In, Heard>,
    pub op: Signal<In, Op>,
    /// The EV that a draw takes.
    pub fresh_ev: Signal<In, Bits<16>>,
    /// The connection after the op.
    pub after: Signal<Out, Heard>,
    pub draw: Signal<Out, bool>,
    pub ev: Signal<Out, Bits<16>>,
}

#[block]
impl Update {
    fn update(&mut self) {
        comment!("module update: what an op does to its connection");
        comment!(
            "Feedback leaves its EV; without room that does not matter, as the next ACK with room has another."
        );
        self.after = self.state;
        if self.op.names {
            self.after.ev = self.op.ev;
        }
        if self.op.ack {
            self.after.room = self.op.room;
        }
        comment!("With room a send takes that EV, else a random one.");
        self.draw = self.op.send & !self.state.room;
        self.ev = self.state.ev;
        if self.draw {
            self.ev = self.fresh_ev;
        }
    }
}

selector! {
    /// The `mprdma` core. `C = clog2(connections)`.
    pub struct Mprdma<C> { pipeline: Pipeline<C, Heard, Op>, update: Update; in op_room: bool; if has_parity out state_lost }
    #[hdl_gen]
    fn update(&mut self) {
        self.pipeline.op.next.send = self.op_kind.val() == 0;
        self.pipeline.op.next.ack = self.op_kind.val() == 1;
        self.pipeline.op.next.names = (self.op_kind.val() == 1) | (self.op_kind.val() == 2);
        self.pipeline.op.next.room = self.op_room.val();
        self.pipeline.op.next.ev = self.op_ev.val();
        self.update.state.next = self.pipeline.before.val();
        self.update.op.next = self.pipeline.update_op.val();
        self.update.fresh_ev.next = self.pipeline.fresh_ev.val();
        self.pipeline.after.next = self.update.after.val();
        self.pipeline.draw.next = self.update.draw.val();
        self.pipeline.sent.next = self.pipeline.update_op.val().send;
        self.pipeline.kind.next = bit_cast::<2, 1>((!self.update.draw.val()).into());
        self.pipeline.ev.next = self.update.ev.val();
    }
}

/// The engine with its sizes as types.
///
/// # Errors
/// A size off the menu, which `Config::load` refuses already.
pub fn engine(config: &Config) -> Result<Box<dyn Engine>, GenerateError> {
    Ok(by_sizes!("mprdma", config, S: SelectorSizes(connections) => boxed_engine(|| {
        Mprdma::<{ S.conn }>::new(Pipeline::new(config), Update::default())
    })))
}
