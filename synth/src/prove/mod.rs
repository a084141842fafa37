//! Properties of the cores that are proved, and not only tested: rules in Verilog beside the generated modules, a solver that shows
//! that no input breaks them, and for each of them a design with a fault in which the solver finds how it is broken.
//!
//! A rule speaks of one connection, whichever it is, so that what is shown of it is shown of all. The memories are free in an unbounded
//! proof: of what one gives is taken for given that it keeps the words that are not written, and no more. So a proof depends neither on
//! the number of connections nor on what was before.

mod axis;
mod caver;
mod flowcut;
mod flowcut_switch;
mod forwarding;
pub mod nic;
mod page;
mod reps;
mod reps_specification;
mod rewriters;
mod run;
mod sack_rx;
mod sack_rx_fast;
mod sack_tx;
mod sack_tx_fast;
mod selectors;
mod shims;
pub mod solver;
mod strack_cc;
mod streams;
mod walking;

use std::ops::Range;

use respray_hdl::cores::GenerateError;
use serde::Serialize;

pub use page::Proved;
pub use run::{Finding, Outcome, broken, prove, put_at_end, text};

/// All proofs, in the order of the cores, and those of blocks that are no core behind them.
pub static PROOFS: &[&Proof] = &[
    &reps::PROOF,
    &reps_specification::PROOF,
    &selectors::OPS_RANDOM,
    &selectors::OPS_PERMUTED,
    &selectors::ECMP,
    &selectors::SUBFLOWS,
    &selectors::MPRDMA,
    &selectors::FLOWLET,
    &selectors::PLB,
    &walking::STRACK,
    &walking::BITMAP,
    &walking::MIXED,
    &flowcut::PROOF,
    &flowcut_switch::PROOF,
    &caver::PROOF,
    &strack_cc::PROOF,
    &sack_rx::PROOF,
    &sack_rx_fast::PROOF,
    &sack_tx::PROOF,
    &sack_tx::IN_FLIGHT,
    &sack_tx_fast::PROOF,
    &rewriters::TX,
    &rewriters::TX_PACKETS,
    &rewriters::RX,
    &shims::PUSH,
    &shims::PUSH_PACKETS,
    &shims::POP,
    &shims::POP_PACKETS,
    &nic::TO_MAC,
    &nic::TO_DRIVER,
    &nic::TO_HOST,
    &nic::TO_HOST_FRAMES,
    &nic::FROM_MAC,
    &nic::CREDIT,
    &nic::EVENT_FRAMES,
    &nic::REGISTERS,
    &nic::CLOSING,
    &streams::FIFO,
    &streams::SKID_BUFFER,
];

/// Rules about a core that are proved together.
#[derive(Debug)]
pub struct Proof {
    /// The core, or the block that is none by itself.
    pub core: &'static str,
    /// The Verilog of such a block, whose top has the name above.
    pub block: Option<fn() -> Result<String, GenerateError>>,
    /// Keys of the configuration in which it is proved; of a block its sizes.
    pub sets: &'static [&'static str],
    pub rules: fn() -> Rules,
    pub method: Method,
    /// What is claimed. A rule whose name begins with `lemma_` is proved with them and is no claim.
    pub claims: &'static [Claim],
    /// Clock edges from power-up, or from an op's first step, within which the faults have to be found. The solver looks at none before the
    /// first of them, by which it saves the time to show that a core which is still being cleared breaks nothing.
    pub fault_edges: Range<u32>,
    /// Lines of the Verilog and of the rules that a search for a fault has in place of others. After a reset a core clears its memories, a
    /// word a cycle; a search is quicker where only the first few are cleared, and one of those is watched. Of all others nothing is taken for
    /// given, neither in it nor in the proof.
    pub shortened: &'static [(&'static str, &'static str)],
}

/// The text of rules.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// The module at whose end they stand, without the core's name before it, and their text. An empty name is the top.
    pub texts: Vec<(&'static str, String)>,
    /// Wires of different modules that are one, by their paths from the top: the first one takes the value of the second one.
    pub joins: Vec<(String, String)>,
    /// Modules that stand behind those of the core, and that rules instantiate.
    pub modules: Vec<&'static str>,
    /// Paths of memories that are whole: of each nothing is taken for given but what it is, all its words in registers. Those of a bounded
    /// proof alone can be so, and small ones.
    pub whole: Vec<&'static str>,
}

impl Rules {
    /// Rules at the end of one module.
    pub fn of(module: &'static str, text: String) -> Rules {
        Rules { texts: vec![(module, text)], ..Rules::default() }
    }

    /// And those of another module.
    pub fn and(mut self, module: &'static str, text: &str) -> Rules {
        self.texts.push((module, text.to_string()));
        self
    }

    /// And a module of its own.
    pub fn beside(mut self, module: &'static str) -> Rules {
        self.modules.push(module);
        self
    }

    /// And a wire that takes the value of another one, both by their paths.
    pub fn joining(mut self, to: &str, from: &str) -> Rules {
        self.joins.push((to.to_string(), from.to_string()));
        self
    }

    /// And a memory that is whole, by its path.
    pub fn remembering(mut self, memory: &'static str) -> Rules {
        self.whole.push(memory);
        self
    }

    /// And a memory, by its module and the path of its instance, of which one word is watched: that at the address which the wire
    /// `address` says. Its content is that of the wire `content`. The wires are given by their paths, and drive nothing else.
    pub fn watching(self, module: &'static str, instance: &str, address: &str, content: &str) -> Rules {
        self.watched(module, &include_str!("memory.v").replace("READS", "1'b1"), instance, address, content)
    }

    /// The same of a memory that is read at edges at which its port `read_enable` is high.
    pub fn watching_enabled(
        self,
        module: &'static str,
        instance: &str,
        address: &str,
        content: &str,
    ) -> Rules {
        let rules = include_str!("memory.v").replace("READS", "read_enable");
        self.watched(module, &rules, instance, address, content)
    }

    /// The same of a memory that is read within the cycle.
    pub fn watching_at_once(
        self,
        module: &'static str,
        instance: &str,
        address: &str,
        content: &str,
    ) -> Rules {
        self.watched(module, include_str!("memory_at_once.v"), instance, address, content)
    }

    fn watched(
        self,
        module: &'static str,
        rules: &str,
        instance: &str,
        address: &str,
        content: &str,
    ) -> Rules {
        self.and(module, rules)
            .joining(&format!("{instance}.watched"), address)
            .joining(content, &format!("{instance}.content"))
    }
}

/// How rules are proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// For all time: by induction over so many clock edges, whatever the memories give.
    Unbounded(u32),
    /// From power-up on for so many clock edges, whatever the memories give.
    Bounded(u32),
    /// For all time: by induction over ops, from the first step of one, in any state in which there can be one, to that of the next, which is
    /// reached within so many clock edges.
    EachOp(u32),
}

/// A property.
#[derive(Debug)]
pub struct Claim {
    /// Name of the rule in the Verilog.
    pub rule: &'static str,
    /// Where the property is stated, e.g. `F1`.
    pub source: &'static str,
    /// The property in a sentence.
    pub says: &'static str,
    pub fault: Fault,
}

/// A line of the generated Verilog, and what stands in its place in a design that breaks a rule.
#[derive(Clone, Copy, Debug)]
pub enum Fault {
    /// The rule is broken within the edges of the proof's [`Proof::fault_edges`].
    Shown(&'static str, &'static str),
    /// The rule is broken so many edges from power-up that no search comes there: it cannot be shown by induction, though all other rules are
    /// taken for given.
    Deep(&'static str, &'static str),
}

/// What is claimed of these cores.
pub fn proofs_of<'a>(cores: &'a [String]) -> impl Iterator<Item = &'static Proof> + use<'a> {
    PROOFS.iter().copied().filter(|proof| cores.is_empty() || cores.iter().any(|core| core == proof.core))
}

impl Proof {
    /// The name of its folder: the core, and behind that its number where the core has several proofs.
    pub fn folder(&self) -> String {
        let of_core = PROOFS.iter().filter(|proof| proof.core == self.core);
        match of_core.take_while(|proof| !std::ptr::eq(**proof, self)).count() {
            0 => self.core.to_string(),
            before => format!("{}_{}", self.core, before + 1),
        }
    }
}

/// The cores and blocks of which something is proved, each once.
pub fn cores() -> Vec<&'static str> {
    let mut cores: Vec<&str> = PROOFS.iter().map(|proof| proof.core).collect();
    cores.dedup();
    cores
}
