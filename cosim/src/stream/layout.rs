//! Where the ports of a stream core stand in the rows of its model.

use respray_hdl::manifest::Manifest;

use super::beats::Beats;
use super::core::{Ports, SIDEBAND_FIELDS};
use super::rules::Sample;
use crate::traffic::frames::mix;
use crate::verilator::{Model, ModelError};

/// Bits of [`Layout::control`]; events follow from bit `EVENTS` on.
pub const READY: u32 = 1;
pub const VALID: u32 = 1 << 1;
pub const LAST: u32 = 1 << 2;
pub const USER: u32 = 1 << 3;
pub const META_VALID: u32 = 1 << 4;
pub const EVENTS: u32 = 5;

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

/// Columns of all ports.
#[derive(Clone, Debug)]
pub struct Layout {
    pub bus_words: usize,
    rst: usize,
    input: Channel,
    output: Channel,
    /// Column and width.
    sideband: Vec<(usize, u32)>,
    events: Vec<usize>,
    record: Vec<usize>,
    meta_valid: Option<usize>,
    meta_ready: Option<usize>,
    /// A row of inputs with the settings, all else 0.
    pub idle: Vec<u64>,
    /// Words of a row of outputs.
    pub output_words: usize,
}

impl Layout {
    /// Finds the ports of a core of `manifest`.
    ///
    /// # Errors
    /// [`ModelError::MissingPort`], [`ModelError::Width`].
    pub fn new(model: &Model, manifest: &Manifest, ports: &Ports) -> Result<Self, ModelError> {
        model.input("clk", 1)?;
        let bits = manifest.config.bus_bits;
        let input = |name: &str, width| Ok::<_, ModelError>(model.input(name, width)?.column());
        let output = |name: &str, width| Ok::<_, ModelError>(model.output(name, width)?.column());
        let all = |named: &[(&'static str, u32)]| {
            named.iter().map(|(name, width)| output(name, *width)).collect::<Result<Vec<_>, _>>()
        };
        let has_records = !ports.record.is_empty();
        let (input_words, output_words) = model.design().row_words();
        let mut layout = Layout {
            bus_words: bits as usize / 64,
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
            idle: vec![0; input_words],
            output_words,
        };
        for (name, width, value) in &ports.settings {
            layout.idle[model.input(name, *width)?.column()] = *value;
        }
        Ok(layout)
    }

    #[inline(always)]
    pub fn set_beat(&self, row: &mut [u64], beats: &Beats, at: usize) {
        let channel = self.input;
        let (data, keep, is_last) = beats.beat(at);
        row[channel.data..channel.data + self.bus_words].copy_from_slice(data);
        row[channel.keep] = keep;
        row[channel.last] = is_last.into();
        row[channel.user] = beats.user(at);
    }

    pub fn set_sideband(&self, row: &mut [u64], values: &[u64; SIDEBAND_FIELDS]) {
        for ((column, _), value) in self.sideband.iter().zip(values) {
            row[*column] = *value;
        }
    }

    /// What must not be looked at.
    pub fn set_sideband_noise(&self, row: &mut [u64], tag: u64) {
        for (index, (column, width)) in self.sideband.iter().enumerate() {
            row[*column] = mix(tag ^ index as u64) & (u64::MAX >> (64 - width));
        }
    }

    #[inline(always)]
    pub fn set_control(&self, row: &mut [u64], rst: bool, valid: bool, ready: bool, meta_ready: bool) {
        row[self.rst] = rst.into();
        row[self.input.valid] = valid.into();
        row[self.output.ready] = ready.into();
        if let Some(column) = self.meta_ready {
            row[column] = meta_ready.into();
        }
    }

    /// The outputs of one bit: `s_axis_tready`, those of `m_axis`, `meta_valid`, events.
    #[inline(always)]
    pub fn control(&self, seen: &[u64]) -> u32 {
        let Channel { valid, last, user, .. } = self.output;
        let bit = |column: usize| seen[column] as u32;
        let events = self.events.iter().rev().fold(0, |events, column| events << 1 | bit(*column));
        let meta_valid = self.meta_valid.map_or(0, bit);
        bit(self.input.ready)
            | bit(valid) << 1
            | bit(last) << 2
            | bit(user) << 3
            | meta_valid << 4
            | events << EVENTS
    }

    /// `m_axis_tdata`, lowest word first.
    #[inline(always)]
    pub fn data<'a>(&self, seen: &'a [u64]) -> &'a [u64] {
        &seen[self.output.data..self.output.data + self.bus_words]
    }

    /// `m_axis_tkeep`.
    #[inline(always)]
    pub fn keep(&self, seen: &[u64]) -> u64 {
        seen[self.output.keep]
    }

    /// Whether the record has these fields.
    #[inline(always)]
    pub fn is_record(&self, seen: &[u64], fields: &[u64]) -> bool {
        self.record.iter().zip(fields).fold(0, |wrong, (column, field)| wrong | (seen[*column] ^ field)) == 0
    }

    /// A field of the record.
    pub fn field(&self, seen: &[u64], field: usize) -> u64 {
        seen[self.record[field]]
    }

    /// `m_axis` as the checker of its rules takes it.
    pub fn sample<'a>(&self, seen: &'a [u64], ready: bool) -> Sample<'a> {
        let control = self.control(seen);
        Sample {
            valid: control & VALID != 0,
            ready,
            data: self.data(seen),
            keep: self.keep(seen),
            last: control & LAST != 0,
            user: u64::from(control & USER != 0),
        }
    }
}
