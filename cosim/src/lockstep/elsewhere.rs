//! A simulator beside Verilator as a device of the lockstep.

use respray_hdl::config::Config;
use respray_hdl::contract::{Contract, SEED_BITS};

use super::rows::{Device, Layout};
use crate::simulators::{Pin, Pins, Process};

/// The pins of a core, in the order of [`Layout::plain`].
pub(super) fn pins(contract: &Contract, config: &Config) -> Pins {
    let pin = |name: &str, width| Pin { name: name.to_string(), width };
    let op = contract.op_fields().map(|field| pin(field.port, field.width.bits(config)));
    let seed = contract.seed.map(|_| pin("seed", SEED_BITS));
    let shown = contract.shown_in(config).map(|field| pin(field.port, field.width.bits(config)));
    Pins {
        inputs: [pin("rst", 1), pin("op_valid", 1)].into_iter().chain(op).chain(seed).collect(),
        outputs: [pin("op_ready", 1)].into_iter().chain(shown).collect(),
    }
}

/// A core in another simulator.
pub(super) struct Elsewhere {
    process: Process,
    layout: Layout,
}

impl Elsewhere {
    pub fn new(process: Process, contract: &Contract, config: &Config) -> Elsewhere {
        Elsewhere { process, layout: Layout::plain(contract, config) }
    }

    /// The simulation.
    pub fn into_process(self) -> Process {
        self.process
    }
}

impl Device for Elsewhere {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn cycles(&mut self, inputs: &[u64], outputs: &mut [u64]) -> usize {
        self.process.cycles(inputs, outputs)
    }
}
