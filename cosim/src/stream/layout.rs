//! Where the ports of a stream core stand in the rows of its model.

use std::cell::RefCell;
use std::convert::Infallible;

use respray_hdl::manifest::Manifest;

use super::beats::Beats;
use super::rules::Sample;
use super::stream_core::{Named, Ports};
use crate::noise::Noise;
use crate::simulators::{Pin, Pins};
use crate::verilator::{Model, ModelError};

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

/// An input.
#[derive(Clone, Debug)]
pub struct InputColumns {
    channel: Channel,
    bus_words: usize,
    /// Column and width.
    sideband: Vec<(usize, u32)>,
    /// Bit of [`Layout::control`], and of the first event.
    pub ready: u32,
    pub events: u32,
    pub event_count: u32,
}

/// An output.
#[derive(Clone, Copy, Debug)]
pub struct OutputColumns {
    channel: Channel,
    bus_words: usize,
    /// Bits of [`Layout::control`].
    pub valid: u32,
    pub last: u32,
    pub user: u32,
}

/// A lane of records.
#[derive(Clone, Debug)]
pub struct RecordColumns {
    fields: Vec<usize>,
    ready_column: usize,
    /// Bit of [`Layout::control`].
    pub valid: u32,
}

/// Columns of all ports.
#[derive(Clone, Debug)]
pub struct Layout {
    pub bus_words: usize,
    rst: usize,
    pub inputs: Vec<InputColumns>,
    pub outputs: Vec<OutputColumns>,
    pub records: Vec<RecordColumns>,
    /// Columns of the outputs of one bit.
    bits: Vec<usize>,
    /// A row of inputs with the settings, all else 0.
    pub idle: Vec<u64>,
    /// Words of a row of outputs.
    pub output_words: usize,
}

/// Finds the columns of ports by name, width and whether they are inputs, and gives outputs of one bit their bits.
struct Finder<F> {
    port: F,
    bus_bits: u32,
    bits: Vec<usize>,
}

impl<E, F: Fn(&str, u32, bool) -> Result<usize, E>> Finder<F> {
    fn channel(&self, prefix: &str, is_input: bool) -> Result<Channel, E> {
        let of = |name: &str, width, is_input| (self.port)(&format!("{prefix}_{name}"), width, is_input);
        Ok(Channel {
            data: of("tdata", self.bus_bits, is_input)?,
            keep: of("tkeep", self.bus_bits / 8, is_input)?,
            valid: of("tvalid", 1, is_input)?,
            last: of("tlast", 1, is_input)?,
            user: of("tuser", 1, is_input)?,
            ready: of("tready", 1, !is_input)?,
        })
    }

    fn named(&self, named: &[Named], is_input: bool) -> Result<Vec<usize>, E> {
        named.iter().map(|(name, width)| (self.port)(name, *width, is_input)).collect()
    }

    /// The first bit of these columns.
    fn add(&mut self, columns: &[usize]) -> u32 {
        self.bits.extend_from_slice(columns);
        (self.bits.len() - columns.len()) as u32
    }
}

impl Layout {
    /// Finds the ports of a core of `manifest` in its model.
    ///
    /// # Errors
    /// [`ModelError::MissingPort`], [`ModelError::Width`].
    ///
    /// # Panics
    /// On a core with more than 64 outputs of one bit.
    pub fn new(model: &Model, manifest: &Manifest, ports: &Ports) -> Result<Self, ModelError> {
        model.input("clk", 1)?;
        let port = |name: &str, width, is_input| {
            let port = if is_input { model.input(name, width) } else { model.output(name, width) };
            Ok(port?.column())
        };
        Layout::of(manifest, ports, port, || model.design().row_words())
    }

    /// The ports one after the other, for the golden side alone.
    ///
    /// # Panics
    /// On a core with more than 64 outputs of one bit.
    pub fn plain(manifest: &Manifest, ports: &Ports) -> Self {
        Layout::with_pins(manifest, ports).0
    }

    /// The same, and the ports in their order.
    pub(super) fn with_pins(manifest: &Manifest, ports: &Ports) -> (Self, Pins) {
        let pins = RefCell::new(Pins::default());
        let port = |name: &str, width, is_input| {
            let Pins { inputs, outputs } = &mut *pins.borrow_mut();
            let side = if is_input { inputs } else { outputs };
            let column = side.iter().map(Pin::words).sum();
            side.push(Pin { name: name.to_string(), width });
            Ok::<_, Infallible>(column)
        };
        let Ok(layout) = Layout::of(manifest, ports, port, || pins.borrow().words());
        (layout, pins.into_inner())
    }

    /// The columns that `port` gives; `row_words` are those of a row of inputs and of outputs once all are given.
    fn of<E>(
        manifest: &Manifest,
        ports: &Ports,
        port: impl Fn(&str, u32, bool) -> Result<usize, E>,
        row_words: impl FnOnce() -> (usize, usize),
    ) -> Result<Self, E> {
        let bus_bits = manifest.config.bus_bits;
        let bus_words = bus_bits as usize / 64;
        let mut find = Finder { port, bus_bits, bits: Vec::new() };
        let (mut inputs, mut outputs, mut records) = (Vec::new(), Vec::new(), Vec::new());
        for lane in &ports.inputs {
            let channel = find.channel(lane.prefix, true)?;
            let columns = find.named(&lane.sideband, true)?;
            let widths = lane.sideband.iter().map(|(_, width)| *width);
            let events = find.named(&lane.events, false)?;
            inputs.push(InputColumns {
                channel,
                bus_words,
                sideband: columns.into_iter().zip(widths).collect(),
                ready: find.add(&[channel.ready]),
                events: find.add(&events),
                event_count: events.len() as u32,
            });
        }
        for lane in &ports.outputs {
            let channel = find.channel(lane.prefix, false)?;
            let valid = find.add(&[channel.valid, channel.last, channel.user]);
            outputs.push(OutputColumns { channel, bus_words, valid, last: valid + 1, user: valid + 2 });
        }
        for lane in &ports.records {
            let valid = (find.port)(&format!("{}_valid", lane.prefix), 1, false)?;
            records.push(RecordColumns {
                fields: find.named(&lane.fields, false)?,
                ready_column: (find.port)(&format!("{}_ready", lane.prefix), 1, true)?,
                valid: find.add(&[valid]),
            });
        }
        let rst = (find.port)("rst", 1, true)?;
        let settings = ports
            .settings
            .iter()
            .map(|(name, width, value)| (find.port)(name, *width, true).map(|column| (column, *value)));
        let settings = settings.collect::<Result<Vec<_>, E>>()?;
        let (input_words, output_words) = row_words();
        let mut idle = vec![0; input_words];
        settings.into_iter().for_each(|(column, value)| idle[column] = value);
        let bits = find.bits;
        assert!(bits.len() <= 64, "{} outputs of one bit fit no word", bits.len());
        Ok(Layout { bus_words, rst, inputs, outputs, records, bits, idle, output_words })
    }

    #[inline(always)]
    pub fn set_rst(&self, row: &mut [u64], rst: bool) {
        row[self.rst] = rst.into();
    }

    #[inline(always)]
    pub fn is_reset(&self, row: &[u64]) -> bool {
        row[self.rst] != 0
    }

    /// The ports of the outputs of one bit, in the order of [`Layout::control`].
    pub fn control_ports(ports: &Ports) -> Vec<String> {
        let mut names = Vec::new();
        for lane in &ports.inputs {
            names.push(format!("{}_tready", lane.prefix));
            names.extend(lane.events.iter().map(|(event, _)| event.to_string()));
        }
        let of_output = |prefix| ["tvalid", "tlast", "tuser"].map(|name| format!("{prefix}_{name}"));
        names.extend(ports.outputs.iter().flat_map(|lane| of_output(lane.prefix)));
        names.extend(ports.records.iter().map(|lane| format!("{}_valid", lane.prefix)));
        names
    }

    /// The outputs of one bit: every lane says which bits are its own.
    #[inline(always)]
    pub fn control(&self, seen: &[u64]) -> u64 {
        self.bits.iter().rev().fold(0, |bits, column| bits << 1 | seen[*column])
    }
}

impl InputColumns {
    #[inline(always)]
    pub fn set_beat(&self, row: &mut [u64], beats: &Beats, at: usize) {
        let channel = self.channel;
        let (data, keep, is_last) = beats.beat(at);
        row[channel.data..channel.data + self.bus_words].copy_from_slice(data);
        row[channel.keep] = keep;
        row[channel.last] = is_last.into();
        row[channel.user] = beats.user(at);
    }

    #[inline(always)]
    pub fn set_valid(&self, row: &mut [u64], valid: bool) {
        row[self.channel.valid] = valid.into();
    }

    /// `tlast` of the beat that is offered; `None`: none is.
    pub fn offered(&self, row: &[u64]) -> Option<bool> {
        (row[self.channel.valid] != 0).then(|| row[self.channel.last] != 0)
    }

    /// Values of the sideband.
    pub fn sideband(&self, row: &[u64]) -> impl Iterator<Item = u64> {
        self.sideband.iter().map(|(column, _)| row[*column])
    }

    pub fn set_sideband(&self, row: &mut [u64], values: &[u64]) {
        for ((column, _), value) in self.sideband.iter().zip(values) {
            row[*column] = *value;
        }
    }

    /// What must not be looked at behind the first beat.
    #[inline(always)]
    pub fn set_sideband_noise(&self, row: &mut [u64], noise: Noise) {
        for (column, width) in &self.sideband {
            row[*column] = noise.bits(*column, *width);
        }
    }

    /// What must not be looked at where no beat is offered.
    #[inline(always)]
    pub fn set_noise(&self, row: &mut [u64], noise: Noise) {
        let Channel { data, keep, last, user, .. } = self.channel;
        let words = row[data..data + self.bus_words].iter_mut();
        words.enumerate().for_each(|(at, word)| *word = noise.bits(data + at, u64::BITS));
        row[keep] = noise.bits(keep, 8 * self.bus_words as u32);
        row[last] = noise.bits(last, 1);
        row[user] = noise.bits(user, 1);
        self.set_sideband_noise(row, noise);
    }
}

impl OutputColumns {
    #[inline(always)]
    pub fn set_ready(&self, row: &mut [u64], ready: bool) {
        row[self.channel.ready] = ready.into();
    }

    /// Whether the receiver takes what is offered.
    pub fn is_ready(&self, row: &[u64]) -> bool {
        row[self.channel.ready] != 0
    }

    /// `tdata`, lowest word first.
    #[inline(always)]
    pub fn data<'a>(&self, seen: &'a [u64]) -> &'a [u64] {
        &seen[self.channel.data..self.channel.data + self.bus_words]
    }

    /// `tkeep`.
    #[inline(always)]
    pub fn keep(&self, seen: &[u64]) -> u64 {
        seen[self.channel.keep]
    }

    /// The channel as the checker of its rules takes it.
    pub fn sample<'a>(&self, seen: &'a [u64], ready: bool) -> Sample<'a> {
        let Channel { valid, last, user, .. } = self.channel;
        Sample {
            valid: seen[valid] != 0,
            ready,
            data: self.data(seen),
            keep: self.keep(seen),
            last: seen[last] != 0,
            user: seen[user],
        }
    }
}

impl RecordColumns {
    #[inline(always)]
    pub fn set_ready(&self, row: &mut [u64], ready: bool) {
        row[self.ready_column] = ready.into();
    }

    /// Whether the receiver takes what is offered.
    pub fn is_ready(&self, row: &[u64]) -> bool {
        row[self.ready_column] != 0
    }

    /// Whether the record has these fields; there may be words behind them.
    #[inline(always)]
    pub fn is_record(&self, seen: &[u64], fields: &[u64]) -> bool {
        self.fields.iter().zip(fields).fold(0, |wrong, (column, field)| wrong | (seen[*column] ^ field)) == 0
    }

    /// A field of the record.
    pub fn field(&self, seen: &[u64], field: usize) -> u64 {
        seen[self.fields[field]]
    }
}
