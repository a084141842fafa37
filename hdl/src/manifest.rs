//! What is said of a generated core beside its Verilog: `reps.json`.
//!
//! The lockstep takes latency, initiation interval and stalls from here, so a change of one of them is a change of
//! contract and shows in a diff of `generated/`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::config::Config;
use crate::cycles::Cycles;

/// A generated core: its Verilog and what is said of it.
#[derive(Clone, Debug)]
pub struct Generated {
    /// One Verilog-2005 source, all modules of the core, top last.
    pub verilog: String,
    /// What is said of it.
    pub manifest: Manifest,
}

/// The manifest of one core.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Name of the top module: the core's one word, behind a prefix if it was generated with one.
    pub module: String,
    /// Source of the algorithm, e.g. `001 Algorithms 1 and 2, Table 1`.
    pub source: String,
    /// Version of the generator.
    pub generator: String,
    /// Configuration that it was generated from.
    pub config: Config,
    /// Ports in the order of the module's header.
    pub ports: Vec<Port>,
    /// Cycles from the clock edge that takes an op to the edge at which its result can be sampled, per class of op.
    pub latency_cycles: BTreeMap<String, Cycles>,
    /// Cycles between two ops that the core takes, per class of the earlier one: `op_ready` is low for one less from the op's
    /// start. An op starts where it is taken, unless `same_connection_interval_cycles` makes it wait.
    pub initiation_interval_cycles: BTreeMap<String, Cycles>,
    /// Cycles between the starts of two ops of one connection, per class of the earlier one. An op that comes sooner is
    /// taken, and waits with `op_ready` low until it may start; latency and initiation interval count from there. A class
    /// that is not named makes nobody wait.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub same_connection_interval_cycles: BTreeMap<String, Cycles>,
    /// When the input of a stream pauses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pauses: Vec<Pause>,
    /// What else can make `op_ready` low or hold a stream up, and why.
    pub stalls: Vec<String>,
    /// Clock edges with `rst` low until `op_ready`, or `tready` of every input, is high.
    pub reset_cycles: u32,
    /// Memories in the order of the data path.
    pub memories: Vec<Memory>,
}

impl Manifest {
    /// With other names of its modules.
    pub(crate) fn renamed(self, name: impl Fn(&str) -> String) -> Manifest {
        let memory = |memory: Memory| Memory { name: name(&memory.name), ..memory };
        Manifest {
            module: name(&self.module),
            memories: self.memories.into_iter().map(memory).collect(),
            ..self
        }
    }

    /// The text of `<core>.json`: indented, with a newline at its end.
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("a manifest holds nothing that JSON cannot") + "\n"
    }

    /// All that stalls the core, a sentence each without its full stop: the pauses of each input, and the other stalls.
    pub fn stall_sentences(&self) -> Vec<String> {
        let inputs = self.pauses.chunk_by(|a, b| a.input == b.input);
        let pauses = inputs.map(|pauses| {
            let causes: Vec<String> = pauses.iter().map(Pause::cause).collect();
            format!("{}_tready is low where {}", pauses[0].input, causes.join(", or where "))
        });
        pauses.chain(self.stalls.iter().cloned()).collect()
    }
}

/// The input of a stream pauses where so much was inside some cycles before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pause {
    /// The input, by the prefix of its ports: `s_axis`.
    pub input: String,
    /// The output that what is inside waits for, by the prefix of its ports: `m_axis`, `meta`.
    pub output: String,
    pub of: Inside,
    /// So many, or more.
    pub fill: u32,
    /// Cycles from the clock edge after which there are as many, or no longer, to `tready`.
    pub ready_cycles: u32,
    /// A record counts from so many cycles before it can be taken, and a beat that waits for beats behind it likewise. Another beat
    /// counts from the edge that takes it, and has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ahead_cycles: Option<u32>,
}

/// What is inside a core and waits for an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Inside {
    Beats,
    Records,
}

impl Pause {
    /// `input` pauses `ready_cycles` behind `fill` beats that wait for `output`.
    pub fn of_beats(input: &str, output: &str, fill: u32, ready_cycles: u32) -> Pause {
        let of = Inside::Beats;
        Pause { input: input.into(), output: output.into(), of, fill, ready_cycles, ahead_cycles: None }
    }

    /// `input` pauses `ready_cycles` behind `fill` records, each counted from `ahead_cycles` before it can be taken.
    pub fn of_records(input: &str, output: &str, fill: u32, ready_cycles: u32, ahead_cycles: u32) -> Pause {
        let of = Inside::Records;
        let ahead_cycles = Some(ahead_cycles);
        Pause { input: input.into(), output: output.into(), of, fill, ready_cycles, ahead_cycles }
    }

    /// As [`Pause::of_beats`], each beat counted from `ahead_cycles` before it can be taken.
    pub fn of_settled_beats(
        input: &str,
        output: &str,
        fill: u32,
        ready_cycles: u32,
        ahead_cycles: u32,
    ) -> Pause {
        Pause { ahead_cycles: Some(ahead_cycles), ..Pause::of_beats(input, output, fill, ready_cycles) }
    }

    /// When, in words.
    fn cause(&self) -> String {
        let Pause { fill, ready_cycles, output, .. } = self;
        let what = match self.of {
            Inside::Beats if self.ahead_cycles.is_none() => "beats were inside",
            Inside::Beats => "beats waited",
            Inside::Records => "records waited",
        };
        let ahead = self
            .ahead_cycles
            .map(|ahead| format!(", each counted from {ahead} cycles before it can be taken"))
            .unwrap_or_default();
        format!("{fill} or more {what} for {output} {ready_cycles} cycles before{ahead}")
    }
}

/// A port of the top module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Port {
    /// Name in the Verilog.
    pub name: String,
    /// Seen from the core.
    pub direction: Direction,
    /// Width in bits.
    pub width: u32,
    /// Heading that the port stands under, e.g. `Operations`.
    pub group: String,
    /// What it carries, with unit and range.
    pub meaning: String,
}

/// What writes manifests and Verilog: `respray` and its version.
pub(crate) fn generator() -> String {
    format!("respray {}", env!("CARGO_PKG_VERSION"))
}

/// Direction of a port, seen from the core.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    Input,
    Output,
}

/// A memory of the core.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Memory {
    /// Module name in the Verilog.
    pub name: String,
    /// Words.
    pub words: u32,
    /// Bits of a word.
    pub bits: u32,
    /// What synthesis is asked to make of it.
    pub kind: MemoryKind,
    /// What a word holds.
    pub meaning: String,
}

impl Memory {
    /// A memory in block RAM: its module, words, bits of a word, and what a word holds.
    pub(crate) fn block(name: &str, words: u32, bits: u32, meaning: &str) -> Memory {
        Memory { name: name.into(), words, bits, kind: MemoryKind::Block, meaning: meaning.into() }
    }
}

/// What synthesis is asked to make of a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MemoryKind {
    Block,
    Ultra,
    Distributed,
}
