//! What a run must know of a stream core: its ports beside the two streams, and what becomes of a frame.

use respray_hdl::manifest::{Inside, Manifest};

use crate::traffic::frames::Frame;

/// Words that hold any core's record.
pub const RECORD_FIELDS: usize = 24;

/// Words that hold any core's sideband.
pub const SIDEBAND_FIELDS: usize = 3;

/// A port beside the streams: name and width in bits, at most 64.
pub type Named = (&'static str, u32);

/// Ports of a core beside `s_axis_*` and `m_axis_*`.
#[derive(Clone, Debug, Default)]
pub struct Ports {
    /// Inputs that stay as they are: with the value.
    pub settings: Vec<(&'static str, u32, u64)>,
    /// Inputs sampled with a packet's first beat.
    pub sideband: Vec<Named>,
    /// Outputs that pulse, a packet's own all in one cycle, in packet order.
    pub events: Vec<Named>,
    /// Outputs of the record, offered with `meta_valid` and taken with `meta_ready`; none: there are no records.
    pub record: Vec<Named>,
}

/// What becomes of a frame.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Other bytes leave than came.
    pub is_changed: bool,
    /// Bit i: the i-th event pulses.
    pub events: u64,
    /// Fields of the record in the order of the ports.
    pub record: [u64; RECORD_FIELDS],
    /// The frame's first beat waits for the beat with this byte, counted from 1, or for its last; `None`: for nothing.
    pub decided_by: Option<usize>,
}

/// The golden side of a stream core.
pub trait StreamCore: Sync {
    /// The core's one word.
    fn name(&self) -> &'static str;

    fn ports(&self) -> &Ports;

    /// Values of the sideband for a frame, in the order of the ports.
    fn sideband(&self, frame: &Frame) -> [u64; SIDEBAND_FIELDS];

    /// What becomes of a frame, whose bytes become those that leave.
    fn answer(&self, frame: &mut Frame) -> Answer;

    /// Adds a frame and its answer to the counts, which are in the order of [`StreamCore::count_names`].
    fn count(&self, answer: &Answer, counts: &mut [u64]);

    /// What is counted beside frames, beats and bytes.
    fn count_names(&self) -> &'static [&'static str];

    /// The settings in words, as the command line takes them.
    fn setting_arguments(&self) -> Vec<String>;
}

/// Run-time settings of the rewriters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// UDP destination port of the profile; `None`: the profile's own.
    pub udp_port: Option<u16>,
    /// `rewrite_tx`: the EV goes into the IPv6 flow label as well.
    pub flow_label: bool,
}

/// Clock edges and fills that the manifest states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// Edges with `rst` low until `s_axis_tready` is high.
    pub reset: u32,
    /// From the edge that takes a beat to the first at which it can be taken from the output.
    pub beat: u32,
    /// From the edge that takes a packet's deciding beat to the first at which its first beat can be taken.
    pub decided: u32,
    /// From the edge that takes the deciding beat, or the last where nothing is decided, to the packet's event.
    pub event: u32,
    /// From the edge that takes a packet's last beat to the first at which its record can be taken.
    pub record: u32,
    /// Beats inside at which the input pauses, and so many edges later.
    pub beats: usize,
    pub ready: u32,
    /// Records inside at which the input pauses, and so many edges later.
    pub records: usize,
    pub record_ready: u32,
    /// A record is inside from so many edges before it can be taken.
    pub record_ahead: u32,
}

impl Timing {
    /// # Panics
    /// On a manifest that does not state them: the generator's error.
    pub fn of(manifest: &Manifest) -> Timing {
        let fixed = |class: &str| manifest.latency_cycles.get(class).and_then(|cycles| cycles.fixed());
        let stated = |class: &str| fixed(class).expect("the manifest states the latency");
        let pause = |of| manifest.pauses.iter().find(|pause| pause.of == of);
        let beats = pause(Inside::Beats).expect("the manifest states when the input pauses");
        let records = pause(Inside::Records);
        Timing {
            reset: manifest.reset_cycles,
            beat: stated("beat"),
            decided: fixed("decided").unwrap_or(0),
            event: stated("event"),
            record: fixed("meta").unwrap_or(0),
            beats: beats.fill as usize,
            ready: beats.ready_cycles,
            records: records.map_or(usize::MAX, |pause| pause.fill as usize),
            record_ready: records.map_or(1, |pause| pause.ready_cycles),
            record_ahead: records.and_then(|pause| pause.ahead_cycles).unwrap_or(0),
        }
    }
}
