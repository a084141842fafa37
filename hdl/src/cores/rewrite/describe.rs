//! What the manifests and headers of the two rewriters have in common.

use crate::config::{Config, Wire};
use crate::manifest::{Direction, Memory, MemoryKind, Port};

/// Configuration keys that change a rewriter.
pub const KEYS: &[&str] = &["bus_bits", "wire", "uet.crc"];

/// A port of a rewriter.
pub fn port(name: &str, direction: Direction, width: u32, group: &str, meaning: &str) -> Port {
    Port { name: name.into(), direction, width, group: group.into(), meaning: meaning.into() }
}

/// Clock and reset.
pub fn clock_ports() -> Vec<Port> {
    use Direction::Input;
    let group = "Clock and reset";
    vec![
        port("clk", Input, 1, group, "everything happens at its rising edge"),
        port("rst", Input, 1, group, "synchronous, active high; packets inside are lost"),
    ]
}

/// `tkeep` of a stream of packets.
pub const KEEP: &str = "all ones but in the last beat, where it is contiguous from bit 0";

/// What stands in `tdata` where `tkeep` names no byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unnamed {
    /// At an input: nobody looks at it.
    Anything,
    /// At an output.
    Zero,
    /// At an output whose beats are those of the input, one for one.
    AsItCame,
}

impl Unnamed {
    /// The meaning of such a `tdata`.
    pub fn data(self) -> String {
        let unnamed = match self {
            Unnamed::Anything => "may be anything",
            Unnamed::Zero => "is 0",
            Unnamed::AsItCame => "is as it came in",
        };
        format!("first byte on the wire in bits 7:0; a byte that tkeep does not name {unnamed}")
    }
}

/// The packets that come in, or go out with what is promised of them.
pub fn stream_ports(config: &Config, unnamed: Unnamed) -> Vec<Port> {
    use Direction::{Input, Output};
    let is_input = unnamed == Unnamed::Anything;
    let (prefix, group, forward, back) = if is_input {
        ("s_axis", "Input packets, AXI4-Stream", Input, Output)
    } else {
        ("m_axis", "Output packets, AXI4-Stream", Output, Input)
    };
    let bytes = config.bus_bits / 8;
    let of = |name: &str, direction, width, meaning: &str| {
        port(&format!("{prefix}_{name}"), direction, width, group, meaning)
    };
    let ready =
        of("tready", back, 1, if is_input { "from a register" } else { "the receiver takes the beat" });
    let mut ports = vec![
        of("tdata", forward, config.bus_bits, &unnamed.data()),
        of("tkeep", forward, bytes, KEEP),
        of("tvalid", forward, 1, "a beat is offered"),
        of("tlast", forward, 1, "last beat of the packet"),
        of("tuser", forward, 1, "carried beat for beat, of no meaning to the core"),
    ];
    ports.push(ready);
    ports
}

/// The UDP port of the profile.
pub fn udp_port(group: &str) -> Port {
    let meaning = format!("UDP destination port of the profile: {}", Wire::udp_ports());
    port("udp_port", Direction::Input, 16, group, &meaning)
}

/// What carries the profile's header.
pub fn ip_proto(group: &str) -> Port {
    let meaning =
        "IP protocol of the entropy header that carries the profile in place of UDP, 253 as a rule; 0: UDP";
    port("ip_proto", Direction::Input, 8, group, meaning)
}

/// The queue of beats.
pub fn beat_memory(core: &str, config: &Config) -> Memory {
    Memory {
        name: format!("{core}_beat_memory"),
        words: 32,
        bits: config.bus_bits + config.bus_bits / 8 + 1,
        kind: beat_kind(config),
        meaning: "a beat: tdata, tkeep with tlast in place of its lowest bit, tuser".into(),
    }
}

/// A wide queue in LUTs would cost more than all else.
pub fn beat_kind(config: &Config) -> MemoryKind {
    if config.bus_bits >= 512 { MemoryKind::Block } else { MemoryKind::Distributed }
}

/// The profile's name.
pub fn profile(config: &Config) -> &'static str {
    config.wire.name()
}

/// What the header of the Verilog says of the configuration.
pub fn sizes(config: &Config) -> String {
    let trailer = if config.has_crc() { ", uet.crc = on" } else { "" };
    format!("bus_bits = {}, wire = {}{trailer}", config.bus_bits, profile(config))
}

/// Where the algorithm stands.
pub fn source(config: &Config) -> String {
    let trailer = if config.has_crc() { ", RFC 9260 appendix A" } else { "" };
    format!("RFC 1071, RFC 1624, RFC 3168, RFC 6935{trailer}; {}", config.wire.source())
}
