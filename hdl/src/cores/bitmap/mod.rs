//! Packets go round all paths in a random order, past those that feedback penalised: BitMap as 001 compares REPS with it.

pub mod inputs;
pub mod nibbles;
pub mod rounds;

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use self::inputs::Inputs;
use self::rounds::{Op, Round, Rounds};
use super::GenerateError;
use super::selector::{self, ACK, NACK, SELECTOR, TIMEOUT, WALKING};
use super::sizes::{WordSizes, boxed_engine, by_sizes};
use crate::config::{self, Config, Timeout};
use crate::contract::{Contract, Field, Group, Timing, bits, flag};
use crate::cycles::Cycles;
use crate::engine::Engine;
use crate::manifest::{Memory, MemoryKind};
use crate::parts::top::selector;
use crate::parts::{Walk, WordAddress};
use crate::prims::{SimpleDualPort, Word};

/// What the core promises: a selector that works on one op at a time.
pub const CONTRACT: Contract = Contract {
    core: "bitmap",
    about: "a counter a path that bad feedback raises; packets go round the paths whose counters are 0.",
    source: |_| "001 (REPS) section 4.1, BitMap; the public Ultra Ethernet simulator model, UecMpBitmap",
    sizes: |config| sizes("", "an op without a search 6 cycles at most", config),
    keys: &[
        "connections",
        "bitmap.paths",
        "bitmap.timeout",
        "selector.ev_base",
        "selector.ev_bits",
        "protect",
    ],
    ops: OPS,
    shown: &[
        selector::results!(
            RESULTS_WHEN_DONE,
            CONNECTION_OF_EVENTS,
            "0 explore (the next path in turn whose counter is 0)"
        ),
        EVENTS,
    ],
    classes: &["idle", "feedback", "send"],
    counts: &["words"],
    timing: |config| timing(&[], config),
    memories: |config| {
        let control = "a connection's place in its round, the word that gives the order, which words of counters are written";
        vec![
            Memory::block(
                "bitmap_control_ram",
                config.connections,
                selector::stored_bits(Round::BITS as u32, config),
                control,
            ),
            counters(config, "bitmap"),
        ]
    },
    ..WALKING
};

/// The op: as of any selector, but that a timeout may name its EV.
pub(super) const OPS: &[Group] = &[Group {
    heading: SELECTOR.ops[0].heading,
    fields: &[
        SELECTOR.ops[0].fields[0],
        SELECTOR.ops[0].fields[1],
        EV_OF_FEEDBACK,
        SELECTOR.ops[0].fields[3],
    ],
}];

const EV_OF_FEEDBACK: Field = bits(
    16,
    "EV that the ACK or NACK returns; of a timeout, with `bitmap.timeout = ev`, that of the lost packet",
)
.needed_by(1 << ACK | 1 << NACK)
.used_by(1 << ACK | 1 << NACK | 1 << TIMEOUT)
.named("op_ev", "ev");

/// The events.
pub(super) const EVENTS: Group = Group {
    heading: selector::EVENTS,
    fields: &[
        flag("feedback raised the counter of its path").expected_as("path_penalised").at("path_penalised"),
        flag("a send lowered the counter of the path whose turn it was")
            .expected_as("path_forgiven")
            .at("path_forgiven"),
        flag("a send met more counters above 0 than there are paths").expected_as("gave_up").at("gave_up"),
        selector::STATE_LOST,
    ],
};

/// The last lines at the head of the Verilog; `keys` are more keys and their values, each followed by a comma and a space.
pub(super) fn sizes(keys: &str, others: &str, config: &Config) -> String {
    let config::Selector { ev_base, ev_bits, .. } = config.selector;
    let timeout = match config.bitmap.timeout {
        Timeout::Ignore => "ignore",
        Timeout::Ev => "ev",
    };
    let parity = selector::parity(config);
    format!(
        "connections = {}, bitmap.paths = {}, bitmap.timeout = {timeout}, {keys}{parity}EVs {ev_base} + random(2^{ev_bits})
One op at a time: a send that searches {} cycles, {others}. Ready {} clock edges after reset.",
        config.connections,
        config.bitmap.paths,
        search(),
        config.connections,
    )
}

/// Cycles of a send that searches.
fn search() -> Cycles {
    Cycles::growing(7, 1, "words")
}

/// Cycles of each class, with those of `more` classes.
pub(super) fn timing(more: &[(&'static str, u32)], config: &Config) -> Timing {
    let mut cycles = vec![("idle", 4.into()), ("feedback", 6.into())];
    cycles.extend(more.iter().map(|(class, cycles)| (*class, (*cycles).into())));
    cycles.push(("send", search()));
    selector::walking(cycles, config)
}

/// The memory of counters, as the manifest has it.
pub(super) fn counters(config: &Config, core: &str) -> Memory {
    let meaning = "counters of 16 paths of a connection, 4 bits each, at {word, connection}";
    Memory::block(
        &format!("{core}_counters_ram"),
        counter_words(config),
        selector::stored_bits(64, config),
        meaning,
    )
}

/// The memory itself.
pub(super) fn counters_ram<A: Word>(config: &Config) -> SimpleDualPort<A, Bits<64>> {
    SimpleDualPort::new("counters_ram", "counters of the paths of every connection", MemoryKind::Block)
        .with_words(counter_words(config))
        .with_parity(config.has_parity())
}

fn counter_words(config: &Config) -> u32 {
    config.connections * config.bitmap.paths.div_ceil(16)
}

selector! {
    /// The `bitmap` core. `C = clog2(connections)`, `A = C + 4` addresses a word of counters.
    pub struct Bitmap<C, A> walking {
        pipeline: Walk<C, Round, Op>, rounds: Rounds, inputs: Inputs,
        counters_ram: SimpleDualPort<Bits<A>, Bits<64>>, address: WordAddress<C, 4, A>;
        in seed: Bits<16>;
        out path_penalised, path_forgiven, gave_up;
        if has_parity out state_lost
    }
    #[hdl_gen]
    fn update(&mut self) {
        self.inputs.kind.next = self.op_kind.val();
        self.inputs.ev.next = self.op_ev.val();
        self.inputs.ecn.next = self.op_ecn.val();
        self.pipeline.op.next = self.inputs.op.val();

        self.rounds.clk.next = self.clk.val();
        self.rounds.rst.next = self.rst.val();
        self.rounds.ready.next = self.pipeline.cleared.val();
        self.rounds.seed.next = self.seed.val();
        self.rounds.decide.next = self.pipeline.decide.val();
        self.rounds.op.next = self.pipeline.taken.val();
        self.rounds.state.next = self.pipeline.state.val();
        self.rounds.rests.next = false;
        self.rounds.counters.next = self.counters_ram.read_data.val();
        if self.has_parity.val() {
            self.rounds.parity.next = self.counters_ram.read_parity.val();
            self.pipeline.beside.next = self.rounds.lost.val();
        }
        self.pipeline.done.next = self.rounds.done.val();
        self.pipeline.writes.next = self.rounds.writes.val();
        self.pipeline.after.next = self.rounds.after.val();
        self.pipeline.sent.next = self.pipeline.taken.val().send;
        self.pipeline.kind.next = 0.into();
        self.pipeline.ev.next = self.rounds.ev.val();

        self.address.conn.next = self.pipeline.conn.val();
        self.address.read_number.next = self.rounds.fetch.val();
        self.address.write_number.next = self.rounds.write_number.val();
        self.counters_ram.clk.next = self.clk.val();
        self.counters_ram.read_address.next = self.address.read.val();
        self.counters_ram.write_enable.next = self.rounds.write.val();
        self.counters_ram.write_address.next = self.address.write.val();
        self.counters_ram.write_data.next = self.rounds.write_word.val();

        self.path_penalised.next = self.rounds.path_penalised.val();
        self.path_forgiven.next = self.rounds.path_forgiven.val();
        self.gave_up.next = self.rounds.gave_up.val();
    }
}

/// The engine with its sizes as types.
///
/// # Errors
/// A size off the menu, which `Config::load` refuses already.
pub fn engine(config: &Config) -> Result<Box<dyn Engine>, GenerateError> {
    Ok(by_sizes!("bitmap", config, S: WordSizes(connections) => boxed_engine(|| {
        Bitmap::<{ S.conn }, { S.address_of_sixteen }>::new(
            Walk::new(config), Rounds::new(config), Inputs::new(config), counters_ram(config), WordAddress::new(),
        )
    })))
}
