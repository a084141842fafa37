//! A Verilated core as a device of the lockstep.

use respray_hdl::contract::Contract;
use respray_hdl::manifest::{Generated, Manifest};

use super::rows::{Device, Layout};
use crate::runner::design_for;
use crate::verilator::{BuildOptions, Model, ModelError, Source};

/// A Verilated model with the ports of a contract. Inputs that a user's Verilog has beyond them are held at 0.
pub struct PortDevice {
    model: Model,
    layout: Layout,
}

impl PortDevice {
    /// A model of a generated core for a run of about so many cycles, with random state from `seed` before its reset.
    ///
    /// # Errors
    /// [`ModelError`] if it cannot be built.
    pub fn of(
        generated: &Generated,
        contract: &Contract,
        seed: u32,
        cycles: u64,
    ) -> Result<Self, ModelError> {
        let manifest = &generated.manifest;
        let source = Source::new(&manifest.module, generated.verilog.as_str());
        let design = design_for(&source, BuildOptions::default(), cycles)?;
        PortDevice::new(design.model(seed)?, contract, manifest)
    }

    /// Finds the ports of a generated core in a model.
    ///
    /// # Errors
    /// [`ModelError::MissingPort`], [`ModelError::Width`].
    pub fn new(model: Model, contract: &Contract, manifest: &Manifest) -> Result<Self, ModelError> {
        let config = &manifest.config;
        let input = |name, width| Ok::<_, ModelError>(model.input(name, width)?.column());
        let output = |name, width| Ok::<_, ModelError>(model.output(name, width)?.column());
        model.input("clk", 1)?;
        let layout = Layout {
            words: model.design().row_words(),
            rst: input("rst", 1)?,
            op_valid: input("op_valid", 1)?,
            op_ready: output("op_ready", 1)?,
            op: contract
                .op_fields()
                .map(|field| input(field.port, field.width.bits(config)))
                .collect::<Result<_, _>>()?,
            seed: contract.seed.map(|_| input("seed", respray_hdl::contract::SEED_BITS)).transpose()?,
            shown: contract
                .shown_in(config)
                .map(|field| output(field.port, field.width.bits(config)))
                .collect::<Result<_, _>>()?,
        };
        Ok(PortDevice { model, layout })
    }

    /// The model, for its trace and its coverage.
    pub fn model(&mut self) -> &mut Model {
        &mut self.model
    }
}

impl Device for PortDevice {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn cycles(&mut self, inputs: &[u64], outputs: &mut [u64]) -> usize {
        // where the Verilog has ended its simulation, there is nothing more to compare
        if self.model.finished() { 0 } else { self.model.cycles(inputs, outputs) }
    }
}
