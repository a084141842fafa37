//! A Verilated core that a network drives: one op after the other, each of which waits for what comes of it.

use respray_hdl::contract::{Contract, Shown, Words};
use respray_hdl::manifest::Generated;

use super::device::PortDevice;
use super::produce::RESET_EDGES;
use super::rows::{Device, Layout};
use super::unseen::{Seen, Unseen};
use crate::verilator::ModelError;

/// The core and the words at its ports.
pub struct Single {
    device: PortDevice,
    layout: Layout,
    contract: &'static Contract,
    inputs: Vec<u64>,
    outputs: Vec<u64>,
    unseen: Unseen,
    /// Clock edges so far.
    cycle: u64,
    latency: u32,
}

impl Single {
    /// The core behind its reset, with this value at the port `seed` if it has one. The model is compiled for long runs or, in less
    /// time, for short ones.
    ///
    /// # Errors
    /// [`ModelError`] if the model cannot be built.
    ///
    /// # Panics
    /// On a core whose classes of op differ in latency.
    pub fn new(
        core: &Generated,
        contract: &'static Contract,
        seed: u16,
        is_long: bool,
    ) -> Result<Self, ModelError> {
        let device = PortDevice::of(core, contract, 1, if is_long { u64::MAX } else { 0 })?;
        let layout = device.layout().clone();
        let (inputs, outputs) = (vec![0; layout.words.0], vec![0; layout.words.1]);
        let latency = core.manifest.latency_cycles.values().next().expect("a latency");
        let latency = latency.fixed().expect("one latency for all");
        let unseen = Unseen::new(contract, &layout, &core.manifest.config, seed);
        let mut single = Single { device, layout, contract, inputs, outputs, unseen, cycle: 0, latency };
        single.inputs[single.layout.rst] = 1;
        if let Some(column) = single.layout.seed {
            single.inputs[column] = seed.into();
        }
        (0..RESET_EDGES).for_each(|_| _ = single.clock());
        single.inputs[single.layout.rst] = 0;
        Ok(single)
    }

    /// Clock edges from the one that takes an op to the one at which its result can be sampled, if the op does not wait.
    pub const fn latency(&self) -> u32 {
        self.latency
    }

    /// Puts an op at the inputs: offered, or for its settings alone.
    pub fn put(&mut self, op: &impl Words, is_offered: bool) {
        self.inputs[self.layout.op_valid] = is_offered.into();
        op.each(|place, word| {
            if let Some(&column) = self.layout.op.get(place) {
                self.inputs[column] = word;
            }
        });
    }

    /// Lets a clock edge pass. The outputs are then those before it; returns `op_ready` of them.
    pub fn clock(&mut self) -> bool {
        if self.inputs[self.layout.op_valid] == 0 {
            self.unseen.stir(&mut self.inputs, self.cycle, Seen::ALL_BUT_OP);
        }
        self.cycle += 1;
        assert_eq!(
            self.device.cycles(&self.inputs, &mut self.outputs),
            1,
            "the Verilog has ended its simulation"
        );
        self.outputs[self.layout.op_ready] != 0
    }

    /// Offers an op until it is taken.
    pub fn take(&mut self, op: &impl Words) {
        self.put(op, true);
        while !self.clock() {}
        self.inputs[self.layout.op_valid] = 0;
    }

    /// Executes an op, until its result stands at the outputs of a core whose ops do not wait.
    pub fn execute(&mut self, op: &impl Words) {
        self.take(op);
        (0..self.latency).for_each(|_| _ = self.clock());
    }

    /// What all outputs show.
    pub fn seen<S: Shown>(&self) -> S {
        S::seen(|place| self.layout.shown.get(place).map_or(0, |column| self.outputs[*column]))
    }

    /// What a port shows.
    pub fn shown(&self, port: &str) -> u64 {
        let place = self.contract.shown_fields().position(|field| field.port == port).expect("a port");
        self.outputs[self.layout.shown[place]]
    }
}
