//! The block as a shell's wrapper holds it: the same instances and wires, and outputs that say what becomes of each frame.

use super::pin;
use crate::config::{Config, Events, RxCredit};
use crate::cores::GenerateError;
use crate::cores::prefix::Prefix;
use crate::manifest::{Direction, Generated, Port};

/// Name of the module.
pub const NAME: &str = "nic_shell";

const GROUP: &str = "For a shell: what becomes of each frame";

/// Name, source within the block, bits, meaning.
const OUTPUTS: [(&str, &str, &str); 14] = [
    ("engine_rst", "commands.engine_rst", "all frames inside are forgotten, by `rst` or the command reset"),
    ("tx_rewritten", "sender.pkt_rewritten", "one of these four for each frame from the host, in order"),
    ("tx_passed", "sender.pkt_passed", "it leaves unchanged"),
    ("tx_malformed", "sender.pkt_malformed", "it is malformed, and leaves unchanged"),
    ("tx_dropped", "sender.pkt_dropped", "it is not sent"),
    (
        "rx_judged_tvalid",
        "rewrite_rx.m_axis_tvalid",
        "a beat of a frame from the MAC, to be judged with its record",
    ),
    ("rx_judged_tlast", "rewrite_rx.m_axis_tlast", "last beat of the frame"),
    ("rx_judged_tready", "receiver.s_axis_tready", "it is taken"),
    ("rx_judged_tuser", "rewrite_rx.m_axis_tuser", "the MAC found the frame bad"),
    ("rx_judged_kind", "rewrite_rx.meta_kind", "of its record"),
    ("rx_judged_bytes", "rewrite_rx.meta_bytes", "of its record"),
    ("rx_judged_ack_request", "rewrite_rx.meta_ack_request", "of its record"),
    (
        "rx_dropped_host",
        "receiver.rx_dropped_host",
        "two cycles later: the host has no room for it, or has not granted it",
    ),
    ("rx_dropped_engine", "receiver.rx_dropped_engine", "two cycles later: `sack_rx` has no room for it"),
];

/// The one of a block whose events go in frames.
pub const HOST_GETS_EVENTS: &str = "host_gets_events";
const OF_EVENTS: (&str, &str, &str) = (
    HOST_GETS_EVENTS,
    "event_frames.m_is_events",
    "the frame on `rx_out` is one of events, which came from nowhere",
);

/// Verilog and manifest of the block with the outputs beside its own.
///
/// # Errors
/// A size off the menu, which `Config::load` refuses already.
pub fn in_shell(config: &Config, prefix: &Prefix) -> Result<Generated, GenerateError> {
    let (mut top, source) = super::top_named(NAME, config, prefix)?;
    let mut ports = top.ports[0].1.clone();
    let of_events = (config.nic.events == Events::Frames).then_some(OF_EVENTS);
    for (name, path, meaning) in OUTPUTS.into_iter().chain(of_events) {
        let path = match config.nic.rx_credit {
            // for want of room, or of credit
            RxCredit::Frames if path == "receiver.rx_dropped_host" => "receiver.rx_held_back",
            _ => path,
        };
        let width = top.find(path).expect("a port of a part");
        let port = Port {
            name: name.to_string(),
            direction: Direction::Output,
            width,
            group: GROUP.to_string(),
            meaning: meaning.to_string(),
        };
        ports.push(port.clone());
        top.netlist.add_port(port);
        top.netlist.close(&pin(path));
        top.netlist.connect(pin(name), pin(path));
    }
    let verilog = top.netlist.verilog()?;
    let memories = top.netlist.memories()?;
    let manifest = super::describe::manifest(config, prefix, source, ports, memories);
    Ok(Generated { verilog, manifest: crate::manifest::Manifest { module: prefix.name(NAME), ..manifest } })
}
