//! A connection leaves its EV after congested rounds in a row, or after a timeout: PLB as 001 compares REPS with it.

use respray_hdl_macros::{block, hdl_gen};
use rust_hdl::prelude::*;

use super::GenerateError;
use super::selector::{self, NOW, SELECTOR, ticks, time_bits};
use super::sizes::{TimedSizes, boxed_engine, by_sizes};
use crate::config::Config;
use crate::contract::{self, Contract, Group, Value, bits, flag, sized};
use crate::engine::Engine;
use crate::manifest::Memory;
use crate::parts::top::selector;
use crate::parts::{EventOnItsWay, Pipeline, Since};
use crate::prims::{Optional, Param, Reg, resize};
use crate::{comment, signal_struct};

/// What the core promises.
pub const CONTRACT: Contract = Contract {
    core: "plb",
    about: "PLB: another random EV after congested rounds in a row, or a timeout.",
    source: |_| "001 (REPS) section 4.1, PLB",
    sizes: |config| {
        selector::sizes(&format!("selector.time_bits = {}, ", config.selector.time_bits), config)
    },
    keys: &["connections", "selector.ev_base", "selector.ev_bits", "selector.time_bits", "protect"],
    settings: Group {
        heading: selector::SETTINGS,
        fields: &[
            NOW,
            sized(time_bits, "a round is closed by feedback more ticks than this after the round before")
                .is(Value::Limit)
                .set_by_driver("TICKS", "length of a round", contract::Default::Sized(|c| ticks(12_000, c)))
                .at("round_ticks"),
            sized(time_bits, "a timeout draws an EV more ticks than this after the one that did before")
                .is(Value::Limit)
                .set_by_driver("TICKS", "time between timeouts that count", contract::Default::Sized(|c| ticks(70_000, c)))
                .at("rto"),
            bits(8, "a round is congested if more packets than this of 256 are marked: 0 as 001 ran it, 64 as it was meant")
                .is(Value::Limit)
                .set_by_driver("N", "marked packets of 256 that a congested round has more of", contract::Default::Fixed(0))
                .at("mark_threshold"),
            bits(4, "a send draws an EV after more congested rounds in a row than this; with 15 none does")
                .is(Value::Limit)
                .set_by_driver("N", "congested rounds in a row that an EV may have", contract::Default::Fixed(1))
                .at("congested_rounds"),
        ],
    },
    shown: &[
        selector::results!(RESULTS, CONNECTION_OF_EVENTS, "0 explore (random EV), 2 replay (the connection's EV)"),
        Group {
            heading: selector::EVENTS,
            fields: &[
                flag("a random EV took the place of another").expected_as("path_moved").at("path_moved"),
                flag("the ACK or NACK closed a congested round")
                    .expected_as("round_congested")
                    .at("round_congested"),
                selector::STATE_LOST,
            ],
        },
    ],
    memories: |config| {
        let control = "the EV of a connection, excess marks, congested rounds, flags";
        let times = "when the round of a connection began, or a timeout drew its EV, at {connection, which}";
        vec![
            Memory::block("plb_control_ram", config.connections, selector::stored_bits(40, config), control),
            Memory::block(
                "plb_time_ram",
                2 * config.connections,
                selector::stored_bits(config.selector.time_bits, config),
                times,
            ),
        ]
    },
    ..SELECTOR
};

signal_struct! {
    /// State of a connection beside its times: 40 bits.
    pub struct Path {
        pub ev: Bits<16>,
        /// An EV was drawn.
        pub drawn: bool,
        /// The time of a round was set.
        pub in_round: bool,
        /// The time of a timeout was set.
        pub timed_out: bool,
        /// What the marks of the round exceed the threshold by, in 256ths of a packet: a number with sign.
        pub sum: Bits<17>,
        /// Congested rounds in a row, up to 15.
        pub rounds: Bits<4>,
    }
}

signal_struct! {
    /// An op on its way to the update stage.
    pub struct Op {
        pub send: bool,
        pub timeout: bool,
        /// An ACK or a NACK.
        pub feedback: bool,
        /// A NACK or a marked ACK.
        pub marked: bool,
        /// Of feedback; 0 of other ops, which leave the sum as it is.
        pub threshold: Bits<8>,
        pub rounds: Bits<4>,
    }
}

/// What an op does to its connection. It is decided in the forward stage whether the op's time is set.
#[block]
pub struct Update {
    /// Forward stage: the op, its connection before it, and whether its limit went by since the time was set.
    pub forward_op: Signal<In, Op>,
    pub arriving: Signal<In, Path>,
    pub past: Signal<In, bool>,
    /// With parity, forward stage: the op's time was set before; and the connection starts anew, as a bit of a word of it had flipped.
    pub has_time: Optional<Signal<Out, bool>>,
    pub lost: Optional<Signal<In, bool>>,
    /// Forward stage: the op closes a round, or is a timeout that counts.
    pub sets: Signal<Out, bool>,
    /// Update stage: the connection before the op. All zero stands for a connection after `init`.
    pub state: Signal<In, Path>,
    pub op: Signal<In, Op>,
    /// The EV that a draw takes.
    pub fresh_ev: Signal<In, Bits<16>>,
    /// The connection after the op.
    pub after: Signal<Out, Path>,
    pub draw: Signal<Out, bool>,
    pub kind: Signal<Out, Bits<2>>,
    pub path_moved: Signal<Out, bool>,
    pub round_congested: Signal<Out, bool>,
    #[reset = false]
    counts: Reg<bool>,
    sign: Param<Bits<18>>,
    mark: Param<Bits<18>>,
    least: Param<Bits<17>>,
    most: Param<Bits<17>>,
    has_parity: Param<bool>,
}

#[block]
impl Update {
    /// The block of a configuration.
    pub fn new(config: &Config) -> Self {
        let has_parity = config.has_parity();
        Self {
            has_time: Optional::new(has_parity, Default::default),
            lost: Optional::new(has_parity, Default::default),
            has_parity: Param::new(has_parity),
            sign: Param::new(0x2_0000u64.into()),
            mark: Param::new(0x3_ff00u64.into()),
            least: Param::new(0x1_0000u64.into()),
            most: Param::new(0x0_ffffu64.into()),
            ..Default::default()
        }
    }

    fn update(&mut self) {
        comment!("module update: what an op does to its connection");
        comment!(
            "Forward: feedback closes a round, and a timeout counts, if its time is past or was never set."
        );
        let mut is_set = self.arriving.in_round;
        if self.forward_op.timeout {
            is_set = self.arriving.timed_out;
        }
        if self.has_parity {
            self.has_time = is_set;
            self.sets =
                (self.forward_op.feedback | self.forward_op.timeout) & (self.past | !is_set | self.lost);
        } else {
            self.sets = (self.forward_op.feedback | self.forward_op.timeout) & (self.past | !is_set);
        }
        self.counts = self.sets;
        let closes = self.counts & self.op.feedback;

        comment!(
            "Feedback takes the threshold from the sum, less 256 if it is marked. More than 0 is congested; the sum saturates."
        );
        let mut sum: Bits<18> = resize(self.state.sum);
        if self.state.sum.get_bit(16) {
            sum = bit_cast::<18, 17>(self.state.sum) | self.sign;
        }
        let mut less: Bits<18> = resize(self.op.threshold);
        if self.op.marked {
            less = bit_cast::<18, 8>(self.op.threshold) | self.mark;
        }
        let difference = sum - less;
        let is_low = difference.get_bit(17);
        let is_congested = !is_low & (sum != less);

        comment!("A send draws after too many congested rounds.");
        self.draw = (self.op.send & (!self.state.drawn | (self.state.rounds > self.op.rounds)))
            | (self.counts & self.op.timeout);
        self.kind = 2;
        self.after.ev = self.state.ev;
        self.after.drawn = self.state.drawn;
        self.after.rounds = self.state.rounds;
        self.after.in_round = self.state.in_round | self.op.feedback;
        self.after.timed_out = self.state.timed_out | self.op.timeout;
        if self.draw {
            self.kind = 0;
            self.after.ev = self.fresh_ev;
            self.after.drawn = true;
            self.after.rounds = 0;
        }
        self.after.sum = difference.get_bits::<17>(0);
        if is_low & !difference.get_bit(16) {
            self.after.sum = self.least;
        }
        if !is_low & difference.get_bit(16) {
            self.after.sum = self.most;
        }
        if closes {
            self.after.sum = 0;
            self.after.rounds = 0;
            if is_congested {
                self.after.rounds = self.state.rounds + !self.state.rounds.all();
            }
        }
        self.path_moved = self.draw & self.state.drawn;
        self.round_congested = closes & is_congested;
    }
}

selector! {
    /// The `plb` core. `C = clog2(connections)`, `K = C + 1`, `T` is the width of a time.
    pub struct Plb<C, K, T> {
        pipeline: Pipeline<C, Path, Op>, since: Since<K, T>, update: Update,
        path_moved_on_its_way: EventOnItsWay, round_congested_on_its_way: EventOnItsWay;
        in now: Bits<T>, round_ticks: Bits<T>, rto: Bits<T>, mark_threshold: Bits<8>, congested_rounds: Bits<4>;
        out path_moved, round_congested;
        if has_parity out state_lost
    }
    #[hdl_gen]
    fn update(&mut self) {
        self.pipeline.op.next.send = self.op_kind.val() == 0;
        self.pipeline.op.next.timeout = self.op_kind.val() == 3;
        self.pipeline.op.next.feedback = (self.op_kind.val() == 1) | (self.op_kind.val() == 2);
        self.pipeline.op.next.marked =
            (self.op_kind.val() == 2) | ((self.op_kind.val() == 1) & self.op_ecn.val());
        self.pipeline.op.next.threshold = 0.into();
        if (self.op_kind.val() == 1) | (self.op_kind.val() == 2) {
            self.pipeline.op.next.threshold = self.mark_threshold.val();
        }
        self.pipeline.op.next.rounds = self.congested_rounds.val();
        self.since.clk.next = self.clk.val();
        self.since.rst.next = self.rst.val();
        self.since.key.next = (bit_cast::<K, C>(self.op_conn.val()) << 1).replace_bit(0, self.op_kind.val() == 3);
        self.since.now.next = self.now.val();
        self.since.limit.next = self.round_ticks.val();
        if self.op_kind.val() == 3 {
            self.since.limit.next = self.rto.val();
        }
        self.since.sets.next = self.update.sets.val();
        self.update.past.next = self.since.past.val();
        if self.has_parity.val() {
            self.pipeline.beside.next = self.since.has_flip.val() & self.update.has_time.val();
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
        self.round_congested_on_its_way.clk.next = self.clk.val();
        self.round_congested_on_its_way.rst.next = self.rst.val();
        self.round_congested_on_its_way.update.next = self.update.round_congested.val();
        self.round_congested.next = self.round_congested_on_its_way.shown.val();
    }
}

/// The engine with its sizes as types.
///
/// # Errors
/// A size off the menu, which `Config::load` refuses already.
pub fn engine(config: &Config) -> Result<Box<dyn Engine>, GenerateError> {
    let times = "when a round of every connection began, and when a timeout drew its EV";
    Ok(by_sizes!("plb", config, S: TimedSizes(connections, selector.time_bits) => boxed_engine(|| {
        Plb::<{ S.conn }, { S.time_key }, { S.time }>::new(
            Pipeline::with_words_beside(config), Since::new("time_ram", times, config.has_parity()), Update::new(config),
            EventOnItsWay::default(), EventOnItsWay::default(),
        )
    })))
}
