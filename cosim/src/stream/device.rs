//! A Verilated stream core: its ports found by name, its rows driven and sampled.

use std::path::{Path, PathBuf};

use respray_hdl::manifest::Manifest;

use super::beats::Beats;
use super::core::Ports;
use super::rules::Sample;
use crate::traffic::frames::mix;
use crate::verilator::{Model, ModelError};

/// A Verilated model with the ports of a stream core. Inputs that a user's Verilog has beyond them are held at 0.
pub struct StreamDevice {
    model: Model,
    bus_words: usize,
    columns: Columns,
    inputs: Box<[u64]>,
    outputs: Box<[u64]>,
    /// The inputs of every cycle, if they are kept.
    rows: Option<Vec<u64>>,
    /// Cycle from which waves are recorded, and where.
    wave: Option<(u64, PathBuf)>,
    error: Option<ModelError>,
}

/// Columns of one AXI4-Stream channel.
#[derive(Clone, Copy, Debug)]
struct Channel {
    data: usize,
    keep: usize,
    valid: usize,
    last: usize,
    user: usize,
    ready: usize,
}

struct Columns {
    rst: usize,
    input: Channel,
    output: Channel,
    /// Column and width.
    sideband: Vec<(usize, u32)>,
    events: Vec<usize>,
    record: Vec<usize>,
    meta_valid: Option<usize>,
    meta_ready: Option<usize>,
}

impl StreamDevice {
    /// Takes a model of a core of `manifest` and sets its settings.
    ///
    /// # Errors
    /// [`ModelError::MissingPort`], [`ModelError::Width`].
    pub fn new(model: Model, manifest: &Manifest, ports: &Ports) -> Result<Self, ModelError> {
        model.input("clk", 1)?;
        let bits = manifest.config.bus_bits;
        let input = |name: &str, width| Ok::<_, ModelError>(model.input(name, width)?.column());
        let output = |name: &str, width| Ok::<_, ModelError>(model.output(name, width)?.column());
        let all = |named: &[(&'static str, u32)]| {
            named.iter().map(|(name, width)| output(name, *width)).collect::<Result<Vec<_>, _>>()
        };
        let has_records = !ports.record.is_empty();
        let columns = Columns {
            rst: input("rst", 1)?,
            input: Channel {
                data: input("s_axis_tdata", bits)?,
                keep: input("s_axis_tkeep", bits / 8)?,
                valid: input("s_axis_tvalid", 1)?,
                last: input("s_axis_tlast", 1)?,
                user: input("s_axis_tuser", 1)?,
                ready: output("s_axis_tready", 1)?,
            },
            output: Channel {
                data: output("m_axis_tdata", bits)?,
                keep: output("m_axis_tkeep", bits / 8)?,
                valid: output("m_axis_tvalid", 1)?,
                last: output("m_axis_tlast", 1)?,
                user: output("m_axis_tuser", 1)?,
                ready: input("m_axis_tready", 1)?,
            },
            sideband: ports
                .sideband
                .iter()
                .map(|(name, width)| Ok((input(name, *width)?, *width)))
                .collect::<Result<_, ModelError>>()?,
            events: all(&ports.events)?,
            record: all(&ports.record)?,
            meta_valid: has_records.then(|| output("meta_valid", 1)).transpose()?,
            meta_ready: has_records.then(|| input("meta_ready", 1)).transpose()?,
        };
        let (inputs, outputs) = model.design().row_words();
        let mut inputs = vec![0; inputs].into_boxed_slice();
        for (name, width, value) in &ports.settings {
            inputs[model.input(name, *width)?.column()] = *value;
        }
        let outputs = vec![0; outputs].into_boxed_slice();
        Ok(StreamDevice {
            model,
            bus_words: bits as usize / 64,
            columns,
            inputs,
            outputs,
            rows: None,
            wave: None,
            error: None,
        })
    }

    /// The model, for its trace and its coverage.
    pub fn model(&mut self) -> &mut Model {
        &mut self.model
    }

    /// Bytes of a beat.
    pub fn bus_bytes(&self) -> usize {
        8 * self.bus_words
    }

    /// One clock edge; what the outputs were before it can be read after.
    #[inline(always)]
    pub(super) fn cycle(&mut self) {
        if self.wave.is_some() {
            self.begin_wave();
        }
        if let Some(rows) = &mut self.rows {
            rows.extend_from_slice(&self.inputs);
        }
        self.model.cycle(&self.inputs, &mut self.outputs);
    }

    /// Waves from this cycle on go to `path`; for a model that is built for it.
    pub(super) fn record_from(&mut self, cycle: u64, path: &Path) {
        self.wave = Some((cycle, path.to_path_buf()));
    }

    #[cold]
    fn begin_wave(&mut self) {
        if let Some((_, path)) = self.wave.take_if(|(from, _)| *from <= self.model.cycle_count()) {
            self.error = self.model.trace_fst(&path).err();
        }
    }

    /// Ends the waves.
    ///
    /// # Errors
    /// If they could not be written.
    pub(super) fn recorded(mut self) -> Result<(), ModelError> {
        self.model.trace_close()?;
        self.error.map_or(Ok(()), Err)
    }

    /// Keeps the inputs of every cycle from now on.
    pub fn keep_rows(&mut self) {
        self.rows = Some(Vec::new());
    }

    /// The rows that were kept, one after the other, as [`Model::cycle`] takes them.
    pub fn rows(&self) -> &[u64] {
        self.rows.as_deref().unwrap_or_default()
    }

    #[inline(always)]
    pub(super) fn set_beat(&mut self, beats: &Beats, at: usize) {
        let channel = self.columns.input;
        self.inputs[channel.data..channel.data + self.bus_words].copy_from_slice(beats.data(at));
        self.inputs[channel.keep] = beats.keep(at);
        self.inputs[channel.last] = beats.is_last(at).into();
        self.inputs[channel.user] = beats.user(at);
    }

    pub(super) fn set_sideband(&mut self, values: &[u64]) {
        for ((column, _), value) in self.columns.sideband.iter().zip(values) {
            self.inputs[*column] = *value;
        }
    }

    /// What must not be looked at.
    pub(super) fn set_sideband_noise(&mut self, tag: u64) {
        for (index, (column, width)) in self.columns.sideband.iter().enumerate() {
            self.inputs[*column] = mix(tag ^ index as u64) & (u64::MAX >> (64 - width));
        }
    }

    #[inline(always)]
    pub(super) fn set_control(&mut self, rst: bool, valid: bool, ready: bool, meta_ready: bool) {
        self.inputs[self.columns.rst] = rst.into();
        self.inputs[self.columns.input.valid] = valid.into();
        self.inputs[self.columns.output.ready] = ready.into();
        if let Some(column) = self.columns.meta_ready {
            self.inputs[column] = meta_ready.into();
        }
    }

    #[inline(always)]
    pub(super) fn input_ready(&self) -> bool {
        self.outputs[self.columns.input.ready] != 0
    }

    #[inline(always)]
    pub(super) fn output(&self) -> Sample<'_> {
        let channel = &self.columns.output;
        Sample {
            valid: self.outputs[channel.valid] != 0,
            ready: self.inputs[channel.ready] != 0,
            data: &self.outputs[channel.data..channel.data + self.bus_words],
            keep: self.outputs[channel.keep],
            last: self.outputs[channel.last] != 0,
            user: self.outputs[channel.user],
        }
    }

    #[inline(always)]
    pub(super) fn meta_valid(&self) -> bool {
        self.columns.meta_valid.is_some_and(|column| self.outputs[column] != 0)
    }

    /// A field of the record.
    #[inline(always)]
    pub(super) fn record(&self, field: usize) -> u64 {
        self.outputs[self.columns.record[field]]
    }

    /// Bit i: the i-th event.
    #[inline(always)]
    pub(super) fn events(&self) -> u64 {
        self.columns.events.iter().rev().fold(0, |events, column| events << 1 | self.outputs[*column])
    }
}
