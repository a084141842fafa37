//! A stream core as a device of the lockstep: a block of rows in, a block of rows out.

use respray_hdl::manifest::Manifest;

use super::layout::Layout;
use super::stream_core::Ports;
use crate::simulators::{Pins, Process};
use crate::verilator::{Model, ModelError};

/// Something with a stream core's ports and a clock.
pub trait Device {
    fn layout(&self) -> &Layout;

    /// A clock edge for each row of `inputs`; rows of `outputs` become the outputs before these. Returns how many it had: fewer than
    /// there are if it has ended.
    fn run(&mut self, inputs: &[u64], outputs: &mut [u64]) -> usize;

    /// Rows that may run before they are compared: all, or one where nothing may run behind the first difference.
    fn rows_at_once(&self, rows: usize) -> usize {
        rows
    }

    /// The first difference is in this cycle: what the device did after it is not looked at.
    fn ends_in(&mut self, _cycle: u64) {}
}

/// A Verilated model with the ports of a stream core. Inputs that a user's Verilog has beyond them are held at 0.
pub struct StreamDevice {
    model: Model,
    layout: Layout,
    /// The inputs of every cycle, if they are kept.
    rows: Option<Vec<u64>>,
    /// Its rows are run one by one, so that counted lines end where the run does.
    is_stepped: bool,
    /// Cycle in which the Verilog ended its simulation.
    ended_in: Option<u64>,
    /// Last cycle that counts: the run's first difference was in it.
    end: Option<u64>,
}

impl StreamDevice {
    /// Takes a model of a core of `manifest`.
    ///
    /// # Errors
    /// [`ModelError::MissingPort`], [`ModelError::Width`].
    pub fn new(model: Model, manifest: &Manifest, ports: &Ports) -> Result<Self, ModelError> {
        let layout = Layout::new(&model, manifest, ports)?;
        let is_stepped = model.counts_lines();
        Ok(StreamDevice { model, layout, rows: None, is_stepped, ended_in: None, end: None })
    }

    /// The model, for its trace and its coverage.
    pub fn model(&mut self) -> &mut Model {
        &mut self.model
    }

    /// After how many cycles the Verilog ended its simulation, and why, if it did before the run ended.
    pub fn stopped(&self) -> Option<(u64, String)> {
        let ended = self.ended_in?;
        let is_behind = self.end.is_some_and(|end| ended > end);
        if is_behind { None } else { Some((ended + 1, self.model.ended()?)) }
    }

    /// Keeps the inputs of every cycle from now on.
    pub fn keep_rows(&mut self) {
        self.rows = Some(Vec::new());
    }

    /// The rows that were kept, one after the other, as [`Model::cycle`] takes them.
    pub fn rows(&self) -> &[u64] {
        self.rows.as_deref().unwrap_or_default()
    }
}

impl Device for StreamDevice {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn rows_at_once(&self, rows: usize) -> usize {
        if self.is_stepped { rows.min(1) } else { rows }
    }

    fn run(&mut self, inputs: &[u64], outputs: &mut [u64]) -> usize {
        if let Some(rows) = &mut self.rows {
            rows.extend_from_slice(inputs);
        }
        let (input_words, output_words) = (self.layout.idle.len(), self.layout.output_words);
        let rows = inputs.len() / input_words;
        let mut done = 0;
        while done < rows {
            let rest = &mut outputs[done * output_words..rows * output_words];
            done += self.model.cycles(&inputs[done * input_words..], rest);
            if self.ended_in.is_none() && self.model.finished() {
                self.ended_in = Some(self.model.cycle_count() - 1);
            }
        }
        rows
    }

    fn ends_in(&mut self, cycle: u64) {
        self.end = Some(cycle);
    }
}

/// The pins of a core, in the order of [`Layout::plain`].
pub(super) fn pins(manifest: &Manifest, ports: &Ports) -> Pins {
    Layout::with_pins(manifest, ports).1
}

/// A core in another simulator.
pub(super) struct Elsewhere {
    process: Process,
    layout: Layout,
}

impl Elsewhere {
    pub fn new(process: Process, manifest: &Manifest, ports: &Ports) -> Elsewhere {
        Elsewhere { process, layout: Layout::plain(manifest, ports) }
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

    fn run(&mut self, inputs: &[u64], outputs: &mut [u64]) -> usize {
        self.process.cycles(inputs, outputs)
    }
}
