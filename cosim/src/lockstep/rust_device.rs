//! A core in rust-hdl's own simulation as a device of the lockstep: the same checks without Verilog, some hundred times
//! slower.

use respray_hdl::config::Config;
use respray_hdl::contract::Contract;
use respray_hdl::cores::{self, GenerateError};
use respray_hdl::engine::Engine;

use super::rows::{Device, Layout};

/// An engine of rust-hdl with the ports of a contract.
pub struct RustDevice {
    engine: Box<dyn Engine>,
    layout: Layout,
    /// Columns of the inputs and of the outputs, by port.
    inputs: Vec<(&'static str, usize)>,
    outputs: Vec<(&'static str, usize)>,
}

impl RustDevice {
    /// The engine of a core in a configuration.
    ///
    /// # Errors
    /// A size off the menu.
    ///
    /// # Panics
    /// On a contract of a core that takes no ops.
    pub fn new(contract: &Contract, config: &Config) -> Result<Self, GenerateError> {
        let engine = cores::engine(contract.core, config).expect("a core that takes ops has an engine")?;
        let layout = Layout::plain(contract, config);
        let mut inputs = vec![("rst", layout.rst), ("op_valid", layout.op_valid)];
        inputs.extend(layout.seed.map(|column| ("seed", column)));
        inputs.extend(contract.op_fields().map(|field| field.port).zip(layout.op.iter().copied()));
        let mut outputs = vec![("op_ready", layout.op_ready)];
        outputs.extend(contract.shown_in(config).map(|field| field.port).zip(layout.shown.iter().copied()));
        Ok(RustDevice { engine, layout, inputs, outputs })
    }
}

/// The column of a port.
fn column(columns: &[(&'static str, usize)], port: &str) -> usize {
    let found = columns.iter().find(|(known, _)| *known == port);
    found.unwrap_or_else(|| panic!("the contract has no port `{port}`")).1
}

impl Device for RustDevice {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn cycles(&mut self, inputs: &[u64], outputs: &mut [u64]) -> usize {
        let (input_words, output_words) = self.layout.words;
        let rows = inputs.chunks_exact(input_words).zip(outputs.chunks_exact_mut(output_words));
        for (given, shown) in rows {
            self.engine.cycle(&mut |port| given[column(&self.inputs, port)], &mut |port, word| {
                shown[column(&self.outputs, port)] = word;
            });
        }
        inputs.len() / input_words
    }
}
