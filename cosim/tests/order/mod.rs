//! Order, packet by packet, with Verilog at the senders.

mod nic;

use respray_cosim::lockstep::device::PortDevice;
use respray_cosim::lockstep::produce::RESET_EDGES;
use respray_cosim::lockstep::rows::{Device, Layout};
use respray_hdl::contract::{Contract, Words};
use respray_hdl::manifest::Generated;

/// A Verilated core that is given one op after the other, and waits for what comes of each.
struct Verilog {
    device: PortDevice,
    layout: Layout,
    contract: &'static Contract,
    inputs: Vec<u64>,
    outputs: Vec<u64>,
    /// Edges from the one that takes an op to the one at which its result can be sampled.
    latency: u32,
}

impl Verilog {
    /// The core behind its reset.
    fn new(core: &Generated, contract: &'static Contract, seed: u16) -> Verilog {
        let device = PortDevice::of(core, contract, 1, 100_000_000).unwrap();
        let layout = device.layout().clone();
        let (inputs, outputs) = (vec![0; layout.words.0], vec![0; layout.words.1]);
        let latency = core.manifest.latency_cycles.values().next().expect("a latency");
        let latency = latency.fixed().expect("one latency for all");
        let mut verilog = Verilog { device, layout, contract, inputs, outputs, latency };
        verilog.inputs[verilog.layout.rst] = 1;
        if let Some(column) = verilog.layout.seed {
            verilog.inputs[column] = seed.into();
        }
        (0..RESET_EDGES).for_each(|_| verilog.clock());
        verilog.inputs[verilog.layout.rst] = 0;
        while !verilog.is_ready() {
            verilog.clock();
        }
        verilog
    }

    fn clock(&mut self) {
        assert_eq!(self.device.cycles(&self.inputs, &mut self.outputs), 1);
    }

    fn is_ready(&self) -> bool {
        self.outputs[self.layout.op_ready] != 0
    }

    /// Executes an op, until its result stands at the outputs.
    fn execute(&mut self, op: &impl Words) {
        self.inputs[self.layout.op_valid] = 1;
        op.each(|place, word| {
            if let Some(&column) = self.layout.op.get(place) {
                self.inputs[column] = word;
            }
        });
        loop {
            self.clock();
            // what was shown before the edge
            if self.is_ready() {
                break;
            }
        }
        self.inputs[self.layout.op_valid] = 0;
        (0..self.latency).for_each(|_| self.clock());
    }

    /// What a port shows.
    fn shown(&self, port: &str) -> u64 {
        let place = self.contract.shown_fields().position(|field| field.port == port).expect("a port");
        self.outputs[self.layout.shown[place]]
    }
}
