//! The Verilog of a core, clocked an edge at a time.

use respray_cosim::lockstep::device::PortDevice;
use respray_cosim::lockstep::op_core::OpCore;
use respray_cosim::lockstep::produce::RESET_EDGES;
use respray_cosim::lockstep::rows::{Device, Layout};
use respray_cosim::lockstep::unseen::{Seen, Unseen};
use respray_files::quote::one_line;

use super::Maker;
use crate::error::FabricError;

/// Clock edges without an op or an answer after which an engine is held for dead: the slowest one searches its paths in some tens.
pub(crate) const PATIENCE: u32 = 100_000;

/// The Verilated engine and the rows that go in and out.
pub(crate) struct Verilog {
    selector: String,
    device: PortDevice,
    pub layout: Layout,
    pub inputs: Vec<u64>,
    pub outputs: Vec<u64>,
    unseen: Unseen,
}

impl Verilog {
    /// One clock edge with the inputs as they are.
    #[inline]
    pub fn clock(&mut self, edges: &mut u64) -> Result<(), FabricError> {
        if self.inputs[self.layout.op_valid] == 0 {
            self.stir(*edges + 1);
        }
        self.clock_still(edges)
    }

    /// Puts noise where an op would stand, which is not to be seen while none is offered.
    pub fn stir(&mut self, edges: u64) {
        self.unseen.stir(&mut self.inputs, edges, Seen::ALL_BUT_OP);
    }

    /// One clock edge with the inputs as they are, without noise.
    #[inline]
    pub fn clock_still(&mut self, edges: &mut u64) -> Result<(), FabricError> {
        *edges += 1;
        match self.device.cycles(&self.inputs, &mut self.outputs) {
            1 => Ok(()),
            _ => Err(self.stopped(*edges, "it ended its simulation")),
        }
    }

    #[cold]
    pub fn stopped(&self, edges: u64, reason: &str) -> FabricError {
        FabricError::Stopped { selector: self.selector.clone(), cycles: edges, reason: reason.to_string() }
    }

    pub fn is_ready(&self) -> bool {
        self.outputs[self.layout.op_ready] != 0
    }

    /// The Verilog behind its reset, ready for an op.
    pub fn reset<C: OpCore>(
        maker: &Maker,
        seed: u16,
        ops: u64,
        edges: &mut u64,
    ) -> Result<Verilog, FabricError> {
        let device = PortDevice::of(&maker.generated, C::CONTRACT, seed.into(), ops).map_err(|error| {
            match &maker.file {
                // a model error names the module, which is not what the user gave
                Some(file) => {
                    let (file, message) =
                        (file.display().to_string(), one_line(&error.to_string()).to_string());
                    FabricError::File { file, message }
                }
                None => error.into(),
            }
        })?;
        let layout = device.layout().clone();
        let (inputs, outputs) = layout.words;
        let mut verilog = Verilog {
            selector: maker.selector.clone(),
            device,
            inputs: vec![0; inputs],
            outputs: vec![0; outputs],
            unseen: Unseen::new(C::CONTRACT, &layout, &maker.generated.manifest.config, seed),
            layout,
        };
        if let Some(port) = verilog.layout.seed {
            verilog.inputs[port] = seed.into();
        }
        verilog.inputs[verilog.layout.rst] = 1;
        for _ in 0..RESET_EDGES {
            verilog.clock(edges)?;
        }
        verilog.inputs[verilog.layout.rst] = 0;
        for _ in 0..=maker.generated.manifest.reset_cycles {
            verilog.clock(edges)?;
            if verilog.is_ready() {
                return Ok(verilog);
            }
        }
        Err(verilog.stopped(*edges, "it does not come out of reset"))
    }
}
