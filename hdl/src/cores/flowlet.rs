//! A connection keeps its EV until a gap is long enough that no packet overtakes those before it.

use respray_hdl_macros::{block, hdl_gen};
use rust_hdl::prelude::*;

use super::GenerateError;
use super::selector::{self, NOW, SELECTOR, ticks, time_bits};
use super::sizes::{TimedSizes, boxed_engine, by_sizes};
use crate::config::{self, Config};
use crate::contract::{self, Contract, Group, Value, flag, sized};
use crate::engine::Engine;
use crate::manifest::Memory;
use crate::parts::top::selector;
use crate::parts::{EventOnItsWay, Pipeline, Since};
use crate::prims::{Optional, Param, Reg};
use crate::{comment, signal_struct};

/// What the core promises.
pub const CONTRACT: Contract = Contract {
    core: "flowlet",
    about: "flowlet switching: another random EV after a gap.",
    source: |config| match config.flowlet.since {
        config::Since::Send => "001 (REPS) reference 59, flowlet switching",
        config::Since::Ack => "001 (REPS) section 4.1, flowlet",
    },
    sizes: |config| {
        let since = match config.flowlet.since {
            config::Since::Send => "send",
            config::Since::Ack => "ack",
        };
        let time_bits = config.selector.time_bits;
        selector::sizes(&format!("flowlet.since = {since}, selector.time_bits = {time_bits}, "), config)
    },
    keys: &[
        "connections",
        "flowlet.since",
        "selector.ev_base",
        "selector.ev_bits",
        "selector.time_bits",
        "protect",
    ],
    settings: Group {
        heading: selector::SETTINGS,
        fields: &[
            NOW,
            sized(time_bits, "a flowlet ends after a gap of more ticks than this")
                .is(Value::Limit)
                .set_by_driver(
                    "TICKS",
                    "longest gap within a flowlet",
                    contract::Default::Sized(|c| ticks(6_000, c)),
                )
                .at("gap"),
            sized(
                time_bits,
                "an EV stays for this many ticks at least; only looked at with flowlet.since = ack",
            )
            .is(Value::Limit)
            .set_by_driver(
                "TICKS",
                "time that an EV stays at least",
                contract::Default::Sized(|c| ticks(70_000, c)),
            )
            .at("hold"),
        ],
    },
    shown: &[
        selector::results!(
            RESULTS,
            CONNECTION_OF_EVENTS,
            "0 explore (random EV), 2 replay (the flowlet's EV)"
        ),
        Group {
            heading: selector::EVENTS,
            fields: &[
                flag("a random EV took the place of another").expected_as("path_moved").at("path_moved"),
                selector::STATE_LOST,
            ],
        },
    ],
    memories: |config| {
        let words = config.connections;
        let bits = |bits| selector::stored_bits(bits, config);
        let time_bits = bits(config.selector.time_bits);
        let control = "the EV of a connection, whether it was drawn, whether feedback was heard";
        let mut memories = vec![
            Memory::block("flowlet_control_ram", words, bits(18), control),
            Memory::block("flowlet_last_ram", words, time_bits, "when the gap of a connection began"),
        ];
        if config.flowlet.since == config::Since::Ack {
            let meaning = "when the EV of a connection was drawn";
            memories.push(Memory::block("flowlet_moved_ram", words, time_bits, meaning));
        }
        memories
    },
    ..SELECTOR
};

signal_struct! {
    /// State of a connection beside its times: 18 bits.
    pub struct Path {
        pub ev: Bits<16>,
        /// The EV was drawn.
        pub drawn: bool,
        /// An ACK or a NACK came.
        pub heard: bool,
    }
}

signal_struct! {
    /// An op on its way to the update stage.
    pub struct Op {
        pub send: bool,
        /// With `flowlet.since = ack`: an ACK or a NACK.
        pub feedback: bool,
    }
}

/// What an op does to its connection. It is decided in the forward stage whether a send draws, so that its time can be set.
#[block]
pub struct Update {
    /// Forward stage: the op, its connection before it, and whether a gap that is long enough lies before it.
    pub forward_op: Signal<In, Op>,
    pub arriving: Signal<In, Path>,
    pub is_gap: Signal<In, bool>,
    /// With parity, forward stage: the connection starts anew, as a bit of a word of it had flipped.
    pub lost: Optional<Signal<In, bool>>,
    /// Forward stage: the op draws.
    pub moves: Signal<Out, bool>,
    /// Update stage: the same; the connection before the op. All zero stands for a connection after `init`.
    pub state: Signal<In, Path>,
    pub op: Signal<In, Op>,
    /// The EV that a draw takes.
    pub fresh_ev: Signal<In, Bits<16>>,
    /// The connection after the op.
    pub after: Signal<Out, Path>,
    pub draw: Signal<Out, bool>,
    pub kind: Signal<Out, Bits<2>>,
    pub path_moved: Signal<Out, bool>,
    #[reset = false]
    draws: Reg<bool>,
    has_parity: Param<bool>,
}

#[block]
impl Update {
    /// The block of a configuration.
    pub fn new(config: &Config) -> Self {
        let has_parity = config.has_parity();
        Self {
            lost: Optional::new(has_parity, Default::default),
            has_parity: Param::new(has_parity),
            ..Default::default()
        }
    }

    fn update(&mut self) {
        comment!("module update: what an op does to its connection");
        comment!("Forward: the first send draws, and the first one behind a gap.");
        if self.has_parity {
            self.moves = self.forward_op.send & (self.is_gap | !self.arriving.drawn | self.lost);
        } else {
            self.moves = self.forward_op.send & (self.is_gap | !self.arriving.drawn);
        }
        self.draws = self.moves;
        comment!("Update.");
        self.draw = self.draws;
        self.kind = 2;
        self.after.ev = self.state.ev;
        self.after.drawn = self.state.drawn;
        self.after.heard = self.state.heard | self.op.feedback;
        if self.draws {
            self.kind = 0;
            self.after.ev = self.fresh_ev;
            self.after.drawn = true;
        }
        self.path_moved = self.draws & self.state.drawn;
    }
}

selector! {
    /// The `flowlet` core with `flowlet.since = send`. `C = clog2(connections)`, `T` is the width of a time.
    pub struct SinceSend<C, T> {
        pipeline: Pipeline<C, Path, Op>, last: Since<C, T>, update: Update, path_moved_on_its_way: EventOnItsWay;
        in now: Bits<T>, gap: Bits<T>, hold: Bits<T>;
        out path_moved;
        if has_parity out state_lost
    }
    #[hdl_gen]
    fn update(&mut self) {
        self.pipeline.op.next.send = self.op_kind.val() == 0;
        self.pipeline.op.next.feedback = false;
        self.last.clk.next = self.clk.val();
        self.last.rst.next = self.rst.val();
        self.last.key.next = self.op_conn.val();
        self.last.now.next = self.now.val();
        self.last.limit.next = self.gap.val();
        self.last.sets.next = self.pipeline.forward_op.val().send;
        self.update.is_gap.next = self.last.past.val();
        if self.has_parity.val() {
            self.pipeline.beside.next = self.last.has_flip.val() & self.pipeline.arriving.val().drawn;
            self.update.lost.next = self.pipeline.lost.val();
        }
        self.update.clk.next = self.clk.val();
        self.update.rst.next = self.rst.val();
        self.update.forward_op.next = self.pipeline.forward_op.val();
        self.update.arriving.next = self.pipeline.arriving.val();
        self.update.state.next = self.pipeline.before.val();
        self.update.op.next = self.pipeline.update_op.val();
        self.update.fresh_ev.next = self.pipeline.fresh_ev.val();
        self.pipeline.after.next = self.update.after.val();
        self.pipeline.draw.next = self.update.draw.val();
        self.pipeline.sent.next = self.pipeline.update_op.val().send;
        self.pipeline.kind.next = self.update.kind.val();
        self.pipeline.ev.next = self.update.after.val().ev;
        self.path_moved_on_its_way.clk.next = self.clk.val();
        self.path_moved_on_its_way.rst.next = self.rst.val();
        self.path_moved_on_its_way.update.next = self.update.path_moved.val();
        self.path_moved.next = self.path_moved_on_its_way.shown.val();
    }
}

selector! {
    /// The `flowlet` core with `flowlet.since = ack`. `C = clog2(connections)`, `T` is the width of a time.
    pub struct SinceAck<C, T> {
        pipeline: Pipeline<C, Path, Op>, last: Since<C, T>, moved: Since<C, T>, update: Update,
        path_moved_on_its_way: EventOnItsWay;
        in now: Bits<T>, gap: Bits<T>, hold: Bits<T>;
        out path_moved;
        if has_parity out state_lost
    }
    #[hdl_gen]
    fn update(&mut self) {
        self.pipeline.op.next.send = self.op_kind.val() == 0;
        self.pipeline.op.next.feedback = (self.op_kind.val() == 1) | (self.op_kind.val() == 2);
        self.last.clk.next = self.clk.val();
        self.last.rst.next = self.rst.val();
        self.last.key.next = self.op_conn.val();
        self.last.now.next = self.now.val();
        self.last.limit.next = self.gap.val();
        self.last.sets.next = self.pipeline.forward_op.val().feedback;
        self.moved.clk.next = self.clk.val();
        self.moved.rst.next = self.rst.val();
        self.moved.key.next = self.op_conn.val();
        self.moved.now.next = self.now.val();
        self.moved.limit.next = self.hold.val();
        self.moved.sets.next = self.update.moves.val();
        self.update.is_gap.next =
            (self.last.past.val() | !self.pipeline.arriving.val().heard) & self.moved.past.val();
        if self.has_parity.val() {
            self.pipeline.beside.next = (self.last.has_flip.val() & self.pipeline.arriving.val().heard)
                | (self.moved.has_flip.val() & self.pipeline.arriving.val().drawn);
            self.update.lost.next = self.pipeline.lost.val();
        }
        self.update.clk.next = self.clk.val();
        self.update.rst.next = self.rst.val();
        self.update.forward_op.next = self.pipeline.forward_op.val();
        self.update.arriving.next = self.pipeline.arriving.val();
        self.update.state.next = self.pipeline.before.val();
        self.update.op.next = self.pipeline.update_op.val();
        self.update.fresh_ev.next = self.pipeline.fresh_ev.val();
        self.pipeline.after.next = self.update.after.val();
        self.pipeline.draw.next = self.update.draw.val();
        self.pipeline.sent.next = self.pipeline.update_op.val().send;
        self.pipeline.kind.next = self.update.kind.val();
        self.pipeline.ev.next = self.update.after.val().ev;
        self.path_moved_on_its_way.clk.next = self.clk.val();
        self.path_moved_on_its_way.rst.next = self.rst.val();
        self.path_moved_on_its_way.update.next = self.update.path_moved.val();
        self.path_moved.next = self.path_moved_on_its_way.shown.val();
    }
}

/// The engine with its sizes as types.
///
/// # Errors
/// A size off the menu, which `Config::load` refuses already.
pub fn engine(config: &Config) -> Result<Box<dyn Engine>, GenerateError> {
    let last = "when the gap of every connection began";
    let moved = "when the EV of every connection was drawn";
    let has_parity = config.has_parity();
    Ok(match config.flowlet.since {
        config::Since::Send => {
            by_sizes!("flowlet", config, S: TimedSizes(connections, selector.time_bits) => boxed_engine(|| {
                SinceSend::<{ S.conn }, { S.time }>::new(
                    Pipeline::with_words_beside(config), Since::new("last_ram", last, has_parity), Update::new(config),
                    EventOnItsWay::default(),
                )
            }))
        }
        config::Since::Ack => {
            by_sizes!("flowlet", config, S: TimedSizes(connections, selector.time_bits) => boxed_engine(|| {
                SinceAck::<{ S.conn }, { S.time }>::new(
                    Pipeline::with_words_beside(config), Since::new("last_ram", last, has_parity),
                    Since::new("moved_ram", moved, has_parity), Update::new(config), EventOnItsWay::default(),
                )
            }))
        }
    })
}
