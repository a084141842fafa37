//! Adaptive load balancing of STrack: a good ACK names the path of the next send, else paths come in turn but for those with a mark.

pub mod inputs;
pub mod search;
pub mod target;
pub mod update;

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use self::inputs::Inputs;
use self::update::{Op, Rotation, Update};
use super::GenerateError;
use super::selector::{self, ACK, NACK, SELECTOR, SEND, WALKING};
use super::sizes::{WordSizes, boxed_engine, by_sizes};
use crate::config::Config;
use crate::contract::{Contract, Group, Timing, TraceForm, bits, flag};
use crate::cycles::Cycles;
use crate::engine::Engine;
use crate::manifest::{Memory, MemoryKind};
use crate::parts::top::selector;
use crate::parts::{Walk, WordAddress};
use crate::prims::{SimpleDualPort, Word};

/// What the core promises: a selector that works on one op at a time, whose sends have one more field.
pub const CONTRACT: Contract = Contract {
    core: "strack",
    about: "STrack's load balancing: the path of the latest good ACK, else the next one without a mark.",
    source: |_| "004 (STrack) Algorithm 3",
    sizes: |config| {
        let (cycles, base) = (timing(config).latency, config.selector.ev_base);
        let of = |class| cycles.iter().find(|(name, _)| *name == class).map(|(_, cycles)| cycles).unwrap();
        format!(
            "connections = {}, strack.paths = {paths}, {parity}EVs {base} to {}
One op at a time: a send that recycles or an ACK {} cycles, a send that explores {}. Ready {} clock edges after reset.",
            config.connections,
            base + paths(config) - 1,
            of("send_recycle"),
            of("send_search"),
            config.connections,
            paths = paths(config),
            parity = selector::parity(config),
        )
    },
    keys: &["connections", "selector.ev_base", "strack.paths", "protect"],
    ops: &[Group {
        heading: SELECTOR.ops[0].heading,
        fields: &[
            SELECTOR.ops[0].fields[0],
            SELECTOR.ops[0].fields[1],
            bits(16, "EV that the ACK or NACK returns").needed_by(1 << ACK | 1 << NACK).named("op_ev", "ev"),
            SELECTOR.ops[0].fields[3],
            bits(12, "of a send: the window in whole packets; twice as many paths are explored, 8 at least")
                .needed_by(1 << SEND)
                .named("op_cwnd_packets", "cwnd"),
        ],
    }],
    seed: None,
    shown: &[
        selector::results!(
            RESULTS_WHEN_DONE,
            CONNECTION_OF_EVENTS,
            "0 explore (the next path in turn), 1 recycle (the path of the latest good ACK)"
        ),
        Group {
            heading: selector::EVENTS,
            fields: &[
                flag("a marked ACK or a NACK set a mark").expected_as("path_marked").at("path_marked"),
                flag("a good ACK cleared a mark").expected_as("path_unmarked").at("path_unmarked"),
                flag("a send cleared the mark of the path whose turn it was")
                    .expected_as("mark_forgiven")
                    .at("mark_forgiven"),
                flag("every path explored had a mark").expected_as("all_marked").at("all_marked"),
                selector::STATE_LOST,
            ],
        },
    ],
    classes: &["idle", "feedback", "send_recycle", "send_search"],
    counts: &["words", "folded"],
    timing,
    memories: |config| {
        vec![
            Memory::block(
                "strack_control_ram",
                config.connections,
                selector::stored_bits(Rotation::BITS as u32, config),
                "a connection's latest path, the path of its latest good ACK, and which words of marks are written",
            ),
            Memory::block(
                "strack_marks_ram",
                config.connections * words(config),
                selector::stored_bits(32, config),
                "marks of 32 paths of a connection, at {word, connection}",
            ),
        ]
    },
    trace: TraceForm { seed: None, written: SELECTOR.trace.written + 1, ..SELECTOR.trace },
    ..WALKING
};

/// Paths of the set.
fn paths(config: &Config) -> u32 {
    config.strack.paths
}

/// Words of marks of a connection.
fn words(config: &Config) -> u32 {
    paths(config).div_ceil(32)
}

fn timing(config: &Config) -> Timing {
    let search = Cycles { base: 7, growth: vec![(1, "words".into()), (6, "folded".into())] };
    let cycles =
        vec![("idle", 4.into()), ("feedback", 6.into()), ("send_recycle", 6.into()), ("send_search", search)];
    selector::walking(cycles, config)
}

selector! {
    /// The `strack` core. `C = clog2(connections)`, `A = C + 3` addresses a word of marks.
    pub struct Strack<C, A> walking {
        pipeline: Walk<C, Rotation, Op>, update: Update, inputs: Inputs,
        marks_ram: SimpleDualPort<Bits<A>, Bits<32>>, address: WordAddress<C, 3, A>;
        in op_cwnd_packets: Bits<12>;
        out path_marked, path_unmarked, mark_forgiven, all_marked;
        if has_parity out state_lost
    }
    #[hdl_gen]
    fn update(&mut self) {
        self.inputs.kind.next = self.op_kind.val();
        self.inputs.ev.next = self.op_ev.val();
        self.inputs.ecn.next = self.op_ecn.val();
        self.inputs.cwnd_packets.next = self.op_cwnd_packets.val();
        self.pipeline.op.next = self.inputs.op.val();

        self.update.clk.next = self.clk.val();
        self.update.rst.next = self.rst.val();
        self.update.decide.next = self.pipeline.decide.val();
        self.update.op.next = self.pipeline.taken.val();
        self.update.state.next = self.pipeline.state.val();
        self.update.word.next = self.marks_ram.read_data.val();
        if self.has_parity.val() {
            self.update.parity.next = self.marks_ram.read_parity.val();
            self.pipeline.beside.next = self.update.lost.val();
        }
        self.pipeline.done.next = self.update.done.val();
        self.pipeline.writes.next = self.update.writes.val();
        self.pipeline.after.next = self.update.after.val();
        self.pipeline.sent.next = self.pipeline.taken.val().send;
        self.pipeline.kind.next = self.update.kind.val();
        self.pipeline.ev.next = self.update.ev.val();

        self.address.conn.next = self.pipeline.conn.val();
        self.address.read_number.next = self.update.fetch.val();
        self.address.write_number.next = self.update.write_number.val();
        self.marks_ram.clk.next = self.clk.val();
        self.marks_ram.read_address.next = self.address.read.val();
        self.marks_ram.write_enable.next = self.update.write.val();
        self.marks_ram.write_address.next = self.address.write.val();
        self.marks_ram.write_data.next = self.update.write_word.val();

        self.path_marked.next = self.update.path_marked.val();
        self.path_unmarked.next = self.update.path_unmarked.val();
        self.mark_forgiven.next = self.update.mark_forgiven.val();
        self.all_marked.next = self.update.all_marked.val();
    }
}

/// The memory of marks.
fn marks<A: Word>(config: &Config) -> SimpleDualPort<A, Bits<32>> {
    SimpleDualPort::new("marks_ram", "marks of the paths of every connection", MemoryKind::Block)
        .with_words(config.connections * words(config))
        .with_parity(config.has_parity())
}

/// The engine with its sizes as types.
///
/// # Errors
/// A size off the menu, which `Config::load` refuses already.
pub fn engine(config: &Config) -> Result<Box<dyn Engine>, GenerateError> {
    Ok(by_sizes!("strack", config, S: WordSizes(connections) => boxed_engine(|| {
        Strack::<{ S.conn }, { S.address_of_eight }>::new(
            Walk::new(config), Update::new(config), Inputs::new(config), marks(config), WordAddress::new(),
        )
    })))
}
