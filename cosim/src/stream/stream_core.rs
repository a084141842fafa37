//! What a run must know of a stream core: its lanes, its other ports, and what becomes of a frame.

use std::ops::Range;

use respray_golden::rewrite::{Carried, Trimmed};

use crate::traffic::capture::Profile;
use crate::traffic::frames::Frame;

/// A port beside the streams: name and width in bits, at most 64.
pub type Named = (&'static str, u32);

/// Ports of a core beside `clk` and `rst`. Lanes are counted from 0, inputs, outputs and records each for themselves.
#[derive(Clone, Debug, Default)]
pub struct Ports {
    /// Inputs that stay as they are: with the value.
    pub settings: Vec<(&'static str, u32, u64)>,
    pub inputs: Vec<InputLane>,
    pub outputs: Vec<OutputLane>,
    pub records: Vec<RecordLane>,
}

/// A stream of packets that comes in.
#[derive(Clone, Debug, Default)]
pub struct InputLane {
    /// Of the ports' names: `s_axis` of `s_axis_tdata`.
    pub prefix: &'static str,
    /// Inputs sampled with a packet's first beat.
    pub sideband: Vec<Named>,
    /// Outputs that pulse, a packet's own all in one cycle, in packet order.
    pub events: Vec<Named>,
    /// Latency in the manifest from the beat that decides, or the last where nothing is decided, to the events.
    pub event_latency: &'static str,
}

/// A stream of packets that leaves.
#[derive(Clone, Debug, Default)]
pub struct OutputLane {
    /// Of the ports' names: `m_axis` of `m_axis_tdata`.
    pub prefix: &'static str,
    /// The input whose packets leave here.
    pub from: usize,
    /// Latency in the manifest of a beat.
    pub latency: &'static str,
    /// Latency in the manifest from the beat that decides to the packet's first beat, where packets wait for one.
    pub decided_latency: Option<&'static str>,
    /// Bytes of a beat that `tkeep` does not name are 0; otherwise they are as they came in.
    pub unnamed_are_zero: bool,
    /// Class in the manifest that says for how many beats behind it a beat waits, where it waits for any: until they have come, or
    /// their packet's last and a cycle for each that it lacks.
    pub ahead: Option<&'static str>,
}

/// Records, offered with `<prefix>_valid` and taken with `<prefix>_ready`.
#[derive(Clone, Debug, Default)]
pub struct RecordLane {
    pub prefix: &'static str,
    /// The input whose packets the records are of.
    pub from: usize,
    /// Latency in the manifest from a packet's last beat to its record.
    pub latency: &'static str,
    /// All of its ports, by their whole names.
    pub fields: Vec<Named>,
}

/// What becomes of a frame.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Output by which it leaves; `None`: the core keeps it.
    pub leaves_by: Option<usize>,
    /// Other bytes leave than came.
    pub is_changed: bool,
    /// Bit i: the i-th event of its input pulses.
    pub events: u64,
    /// The frame's first beat waits for the beat with this byte, counted from 1, or for its last; `None`: for nothing.
    pub decided_by: Option<usize>,
    /// Clock edges for which its input pauses behind its last beat.
    pub pause: u64,
    /// Lanes of its records, and where their fields stand.
    records: Vec<(usize, Range<usize>)>,
    fields: Vec<u64>,
}

impl Answer {
    /// The frame gives a record on this lane, with fields in the order of the ports.
    pub fn add_record(&mut self, lane: usize, fields: &[u64]) {
        let begin = self.fields.len();
        self.fields.extend_from_slice(fields);
        self.records.push((lane, begin..self.fields.len()));
    }

    /// Lanes and fields of its records.
    pub fn records(&self) -> impl Iterator<Item = (usize, &[u64])> {
        self.records.iter().map(|(lane, fields)| (*lane, &self.fields[fields.clone()]))
    }

    /// Nothing becomes of the frame. The memory stays for the next answer.
    pub fn clear(&mut self) {
        (self.leaves_by, self.is_changed, self.events, self.decided_by) = (None, false, 0, None);
        self.pause = 0;
        self.records.clear();
        self.fields.clear();
    }
}

/// The golden side of a stream core.
pub trait StreamCore: Send + Sync {
    /// The core's one word.
    fn name(&self) -> &'static str;

    fn ports(&self) -> &Ports;

    /// The profile that it looks for, if it does.
    fn profile(&self) -> Option<Profile> {
        None
    }

    /// Adds the values of the sideband for a frame of its input, in the order of the ports.
    fn sideband(&self, frame: &Frame, values: &mut Vec<u64>);

    /// What becomes of a frame, whose bytes become those that leave. The answer that is given is cleared.
    fn answer(&self, frame: &mut Frame, answer: &mut Answer);

    /// Adds a frame of an input and its answer to the counts, which are in the order of [`StreamCore::count_names`].
    fn count(&self, input: usize, answer: &Answer, counts: &mut [u64]);

    /// What is counted beside frames, beats and bytes.
    fn count_names(&self) -> &'static [&'static str];

    /// The settings in words, as the command line takes them.
    fn setting_arguments(&self) -> Vec<String>;
}

/// Run-time settings of the rewriters and of the cores of shims.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RewriterSettings {
    /// UDP destination port of the profile; `None`: the profile's own.
    pub udp_port: Option<u16>,
    /// The rewriters with `uet`: what carries the profile's headers.
    pub carried: Carried,
    /// `rewrite_rx` with `uet`: DSCPs of trimmed packets.
    pub trimmed: Trimmed,
    /// `rewrite_tx`: the EV goes into the IPv6 flow label as well.
    pub flow_label: bool,
    /// Cores of shims: EtherType of the shim; `None`: 0x88B5.
    pub ethertype: Option<u16>,
}
