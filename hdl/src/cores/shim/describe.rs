//! What the manifests and headers of the two cores have in common.

use crate::config::Config;
use crate::cores::rewrite::describe::{Unnamed, beat_memory, port, stream_ports};
use crate::manifest::{Direction, Memory, Pause, Port};

/// Configuration keys that change a core of shims.
pub const KEYS: &[&str] = &["bus_bits"];

/// Where the header stands.
pub const SOURCE: &str = "002 (Flowcut) III-A1, 003 (CAVER) section 2";

/// Beats inside at which the input pauses, and from the edge after which there are as many to `s_axis_tready`.
const FULL_BEATS: u32 = 21;
const READY_CYCLES: u32 = 2;
/// A beat enters the queue so many edges before it can be taken.
const BEAT_AHEAD_CYCLES: u32 = 2;

/// Entries of the queue of beats at which the input pauses.
pub const QUEUE_LIMIT: u64 = FULL_BEATS as u64 - 1;

/// From the edge that takes the last beat that a beat waits for to the one at which it can leave.
pub const BEAT_CYCLES: u32 = 4;

/// Beats of its frame, counted from its own, that a beat waits for.
pub fn beats_ahead(config: &Config) -> u32 {
    super::window(config.bus_bits as usize / 8) as u32 - 2
}

/// From the edge that takes a frame's last beat to its events.
pub fn event_cycles(config: &Config) -> u32 {
    beats_ahead(config) + 3
}

/// The pause that the queue of beats makes.
pub fn beat_pause() -> Pause {
    Pause::of_settled_beats("s_axis", "m_axis", FULL_BEATS, READY_CYCLES, BEAT_AHEAD_CYCLES)
}

/// How long a beat waits in the window.
pub fn waits(config: &Config) -> String {
    format!(
        "a beat waits until {} more beats of its packet have come, or until its packet has ended and as many cycles have passed as it lacks beats",
        beats_ahead(config)
    )
}

/// The queue of beats.
pub fn memory(core: &str, config: &Config) -> Memory {
    beat_memory(core, config)
}

/// The packets that come in, or go out.
pub fn packets(config: &Config, is_input: bool) -> Vec<Port> {
    let unnamed = if is_input { Unnamed::Anything } else { Unnamed::Zero };
    let mut ports = stream_ports(config, unnamed);
    let user = ports.iter_mut().find(|port| port.name.ends_with("tuser")).expect("a stream has it");
    user.meaning = "carried, of no meaning to the core: the i-th beat's stays with the i-th beat, the last one's with the last".into();
    ports
}

/// The EtherType.
pub fn ethertype() -> Port {
    let meaning = "EtherType of the shim: 0x88B5 where the operator has chosen no other";
    port("ethertype", Direction::Input, 16, "Settings, static while packets flow", meaning)
}

/// Ports of the fields of a shim: name without its prefix, bits, meaning.
pub const FIELDS: [(&str, u32, &str); 11] = [
    ("hops", 4, "flowcut: hops of the data packet"),
    ("epoch", 4, "flowcut: epoch of the flowcut"),
    ("timestamp", 16, "flowcut: when the data packet was sent"),
    ("hash", 16, "flowcut: hash of the flow"),
    ("bytes", 24, "flowcut ACK: bytes acknowledged"),
    ("enable", 1, "caver data: the route counts"),
    ("hop", 2, "caver data: hop of the route that brought the packet here"),
    ("path", 32, "caver: data: the route, ACK: the path; byte i (bits 8i+7:8i) is the i-th port"),
    ("len", 2, "caver ACK: ports of the path"),
    ("ce", 8, "caver ACK: congestion of the path"),
    ("dst", 16, "caver ACK of another host: its number"),
];
