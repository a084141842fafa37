//! EVs of good ACKs first, and else the counters of `bitmap`: the default of the public Ultra Ethernet simulator model.

use respray_hdl_macros::{block, hdl_gen};
use rust_hdl::prelude::*;

use super::GenerateError;
use super::bitmap::inputs::Inputs;
use super::bitmap::rounds::Rounds;
use super::bitmap::{EVENTS, OPS, counters, counters_ram, sizes, timing};
use super::selector::{self, WALKING};
use super::sizes::{WordSizes, boxed_engine, by_sizes};
use crate::config::Config;
use crate::contract::Contract;
use crate::engine::Engine;
use crate::manifest::{Memory, MemoryKind};
use crate::parts::top::selector;
use crate::parts::{Walk, WordAddress, WordParity};
use crate::prims::{Optional, Param, Reg, SimpleDualPort, Word};
use crate::{comment, signal_struct};

/// What the core promises: that of `bitmap`, with one class of op more.
pub const CONTRACT: Contract = Contract {
    core: "mixed",
    about: "EVs of good ACKs, the oldest first, and without one the paths whose counters are 0.",
    source: |_| "the public Ultra Ethernet simulator model, UecMpMixed",
    sizes: |config| {
        let depth = format!("mixed.depth = {}, ", config.mixed.depth);
        sizes(&depth, "one that recycles or feedback 6 cycles", config)
    },
    keys: &[
        "connections",
        "bitmap.paths",
        "bitmap.timeout",
        "mixed.depth",
        "selector.ev_base",
        "selector.ev_bits",
        "protect",
    ],
    ops: OPS,
    shown: &[
        selector::results!(
            RESULTS_WHEN_DONE,
            CONNECTION_OF_EVENTS,
            "0 explore (the next path in turn whose counter is 0), 1 recycle (the oldest EV of the list)"
        ),
        EVENTS,
    ],
    classes: &["idle", "feedback", "send_recycle", "send"],
    counts: &["words"],
    timing: |config| timing(&[("send_recycle", 6)], config),
    memories: |config| {
        let control = "a connection's place in its round, the word that gives the order, which words of counters are written, \
                       and where its list stands";
        let bits = |bits| selector::stored_bits(bits, config);
        vec![
            Memory::block("mixed_control_ram", config.connections, bits(Listed::BITS as u32), control),
            counters(config, "mixed"),
            Memory::block(
                "mixed_list_ram",
                config.connections * config.mixed.depth,
                bits(16),
                "EVs of good ACKs, at {slot, connection}",
            ),
        ]
    },
    ..WALKING
};

signal_struct! {
    /// State of a connection beside its counters and the EVs of its list: 54 bits.
    pub struct Listed {
        /// As of [`Round`](super::bitmap::rounds::Round).
        pub index: Bits<8>,
        pub word: Bits<16>,
        pub drawn: bool,
        pub live: Bits<16>,
        /// Slot of the oldest EV, the slot behind the newest, and whether these are the same because the list is full.
        pub oldest: Bits<6>,
        pub free: Bits<6>,
        pub is_full: bool,
    }
}

/// What an op does to the list of its connection.
#[block(no_clock)]
pub struct List {
    pub state: Signal<In, Listed>,
    pub send: Signal<In, bool>,
    /// A good ACK.
    pub good: Signal<In, bool>,
    /// A send finds an EV in the list.
    pub recycles: Signal<Out, bool>,
    pub oldest: Signal<Out, Bits<6>>,
    pub free: Signal<Out, Bits<6>>,
    pub is_full: Signal<Out, bool>,
    last_slot: Param<Bits<6>>,
}

#[block]
impl List {
    /// The block for lists of `depth` EVs.
    pub fn new(depth: u32) -> Self {
        Self { last_slot: Param::new(u64::from(depth - 1).into()), ..Default::default() }
    }

    fn update(&mut self) {
        comment!("module list: what an op does to the list of its connection");
        comment!(
            "A send takes the oldest EV. A good ACK appends its own, in place of the oldest where the list is full."
        );
        let meet = self.state.oldest == self.state.free;
        self.recycles = self.send & (self.state.is_full | !meet);
        let slot_behind = (self.state.oldest + 1) & self.last_slot;
        let slot_after = (self.state.free + 1) & self.last_slot;
        self.oldest = self.state.oldest;
        self.free = self.state.free;
        self.is_full = self.state.is_full;
        if self.recycles {
            self.oldest = slot_behind;
            self.is_full = false;
        }
        if self.good {
            self.free = slot_after;
            if self.state.is_full {
                self.oldest = slot_behind;
            }
            self.is_full = self.state.is_full | (slot_after == self.state.oldest);
        }
    }
}

signal_struct! {
    /// The op that is being worked on: as of [`bitmap`](super::bitmap::rounds::Op), with its EV.
    pub struct EvOp {
        pub send: bool,
        pub feedback: bool,
        pub penalty: Bits<4>,
        pub path: Bits<8>,
        /// A good ACK.
        pub good: bool,
        pub ev: Bits<16>,
    }
}

/// The EV of the list that a send takes, with parity: a cycle behind its memory, and whether a bit of it flipped. Such an EV is not sent:
/// the next random one goes out in its place, as that of an explore.
#[block]
pub struct Oldest {
    pub word: Signal<In, Bits<16>>,
    pub parity: Signal<In, bool>,
    pub ev: Signal<Out, Bits<16>>,
    pub has_flip: Signal<Out, bool>,
    of_word: WordParity<Bits<16>>,
    held: Reg<Bits<16>>,
}

#[block]
impl Oldest {
    fn update(&mut self) {
        comment!("module oldest: the EV of the list that a send takes, and whether a bit of it flipped");
        self.of_word.load = true;
        self.of_word.word = self.word;
        self.of_word.parity = self.parity;
        self.has_flip = self.of_word.has_flip;
        self.held = self.word;
        self.ev = self.held;
    }
}

selector! {
    /// The `mixed` core. `C = clog2(connections)`, `A = C + 4` addresses a word of counters, `L = C + 6` an EV of a list.
    pub struct Mixed<C, A, L> walking {
        pipeline: Walk<C, Listed, EvOp>, rounds: Rounds, inputs: Inputs,
        counters_ram: SimpleDualPort<Bits<A>, Bits<64>>, address: WordAddress<C, 4, A>,
        list: List, list_ram: SimpleDualPort<Bits<L>, Bits<16>>, slot: WordAddress<C, 6, L>,
        oldest: Optional<Oldest>;
        in seed: Bits<16>;
        out path_penalised, path_forgiven, gave_up;
        if has_parity out state_lost
    }
    #[hdl_gen]
    fn update(&mut self) {
        self.inputs.kind.next = self.op_kind.val();
        self.inputs.ev.next = self.op_ev.val();
        self.inputs.ecn.next = self.op_ecn.val();
        self.pipeline.op.next.send = self.inputs.op.val().send;
        self.pipeline.op.next.feedback = self.inputs.op.val().feedback;
        self.pipeline.op.next.penalty = self.inputs.op.val().penalty;
        self.pipeline.op.next.path = self.inputs.op.val().path;
        self.pipeline.op.next.good = (self.op_kind.val() == 1) & !self.op_ecn.val();
        self.pipeline.op.next.ev = self.op_ev.val();

        self.rounds.clk.next = self.clk.val();
        self.rounds.rst.next = self.rst.val();
        self.rounds.ready.next = self.pipeline.cleared.val();
        self.rounds.seed.next = self.seed.val();
        self.rounds.decide.next = self.pipeline.decide.val();
        self.rounds.op.next.send = self.pipeline.taken.val().send;
        self.rounds.op.next.feedback = self.pipeline.taken.val().feedback;
        self.rounds.op.next.penalty = self.pipeline.taken.val().penalty;
        self.rounds.op.next.path = self.pipeline.taken.val().path;
        self.rounds.state.next.index = self.pipeline.state.val().index;
        self.rounds.state.next.word = self.pipeline.state.val().word;
        self.rounds.state.next.drawn = self.pipeline.state.val().drawn;
        self.rounds.state.next.live = self.pipeline.state.val().live;
        self.rounds.rests.next = self.list.recycles.val();
        self.rounds.counters.next = self.counters_ram.read_data.val();
        self.address.conn.next = self.pipeline.conn.val();
        self.address.read_number.next = self.rounds.fetch.val();
        self.address.write_number.next = self.rounds.write_number.val();
        self.counters_ram.clk.next = self.clk.val();
        self.counters_ram.read_address.next = self.address.read.val();
        self.counters_ram.write_enable.next = self.rounds.write.val();
        self.counters_ram.write_address.next = self.address.write.val();
        self.counters_ram.write_data.next = self.rounds.write_word.val();

        self.list.state.next = self.pipeline.state.val();
        self.list.send.next = self.pipeline.taken.val().send;
        self.list.good.next = self.pipeline.taken.val().good;
        self.slot.conn.next = self.pipeline.conn.val();
        self.slot.read_number.next = self.pipeline.state.val().oldest;
        self.slot.write_number.next = self.pipeline.state.val().free;
        self.list_ram.clk.next = self.clk.val();
        self.list_ram.read_address.next = self.slot.read.val();
        self.list_ram.write_enable.next = self.rounds.done.val() & self.pipeline.taken.val().good;
        self.list_ram.write_address.next = self.slot.write.val();
        self.list_ram.write_data.next = self.pipeline.taken.val().ev;

        self.pipeline.done.next = self.rounds.done.val();
        self.pipeline.writes.next = self.rounds.writes.val() | self.list.recycles.val();
        self.pipeline.after.next.index = self.rounds.after.val().index;
        self.pipeline.after.next.word = self.rounds.after.val().word;
        self.pipeline.after.next.drawn = self.rounds.after.val().drawn;
        self.pipeline.after.next.live = self.rounds.after.val().live;
        self.pipeline.after.next.oldest = self.list.oldest.val();
        self.pipeline.after.next.free = self.list.free.val();
        self.pipeline.after.next.is_full = self.list.is_full.val();
        self.pipeline.sent.next = self.pipeline.taken.val().send;
        self.pipeline.kind.next = 0.into();
        self.pipeline.ev.next = self.rounds.ev.val();
        if self.list.recycles.val() {
            self.pipeline.kind.next = 1.into();
            if self.has_parity.val() {
                self.pipeline.ev.next = self.oldest.ev.val();
                if self.oldest.has_flip.val() {
                    self.pipeline.kind.next = 0.into();
                    self.pipeline.ev.next = self.rounds.next_ev.val();
                }
            } else {
                self.pipeline.ev.next = self.list_ram.read_data.val();
            }
        }
        if self.has_parity.val() {
            self.oldest.clk.next = self.clk.val();
            self.oldest.rst.next = self.rst.val();
            self.oldest.word.next = self.list_ram.read_data.val();
            self.oldest.parity.next = self.list_ram.read_parity.val();
            self.rounds.parity.next = self.counters_ram.read_parity.val();
            self.pipeline.beside.next =
                self.rounds.lost.val() | (self.list.recycles.val() & self.oldest.has_flip.val());
        }

        self.path_penalised.next = self.rounds.path_penalised.val();
        self.path_forgiven.next = self.rounds.path_forgiven.val();
        self.gave_up.next = self.rounds.gave_up.val();
    }
}

/// The memory of the lists.
fn list_ram<A: Word>(config: &Config) -> SimpleDualPort<A, Bits<16>> {
    SimpleDualPort::new("list_ram", "EVs of good ACKs of every connection", MemoryKind::Block)
        .with_words(config.connections * config.mixed.depth)
        .with_parity(config.has_parity())
}

/// The engine with its sizes as types.
///
/// # Errors
/// A size off the menu, which `Config::load` refuses already.
pub fn engine(config: &Config) -> Result<Box<dyn Engine>, GenerateError> {
    Ok(by_sizes!("mixed", config, S: WordSizes(connections) => boxed_engine(|| {
        Mixed::<{ S.conn }, { S.address_of_sixteen }, { S.address_of_sixty_four }>::new(
            Walk::new(config), Rounds::new(config), Inputs::new(config), counters_ram(config), WordAddress::new(),
            List::new(config.mixed.depth), list_ram(config), WordAddress::new(),
            Optional::new(config.has_parity(), Oldest::default),
        )
    })))
}
