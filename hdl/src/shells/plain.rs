//! `nic_plain`: the block with registers at its streams, for a shell of one's own.

use rust_hdl::prelude::*;

use super::lane::{ABOUT_GATE, ABOUT_HOST_GATE, FATES};
use super::wiring::{Wiring, pin};
use super::{Ender, Gate, HostGate};
use crate::config::{Config, Events};
use crate::cores::GenerateError;
use crate::cores::rewrite::describe::port;
use crate::join::Source;
use crate::manifest::{Direction, Generated, Port};
use crate::nic::top::HOST_GETS_EVENTS;
use crate::prims::SkidBuffer;

/// Name of the module.
pub const NAME: &str = "nic_plain";

/// Bits of what stands beside a frame on `rx_out`.
const META_BITS: u32 = 115;

/// The port that the block does not have: a frame on `rx_out` ends because the command `reset` cut it.
const RX_MARK: &str = "rx_out_tuser";

/// A register for `bits` bits in a stream.
fn slice(bits: u32) -> Box<dyn Block> {
    fn of<const N: usize>() -> Box<dyn Block> {
        let mut block = SkidBuffer::<Bits<N>>::default();
        block.connect_all();
        Box::new(block)
    }
    match bits {
        74 => of::<74>(),
        146 => of::<146>(),
        290 => of::<290>(),
        578 => of::<578>(),
        189 => of::<189>(),
        261 => of::<261>(),
        405 => of::<405>(),
        693 => of::<693>(),
        128 => of::<128>(),
        _ => unreachable!("the streams of the menu of bus_bits have other widths than {bits}"),
    }
}

/// A stream that goes through a register: what carries it, and whether it goes into the block.
struct Stream {
    name: &'static str,
    about: &'static str,
    /// Beginnings of the names of its payload.
    payload: &'static [&'static str],
    is_inwards: bool,
}

const STREAMS: [Stream; 5] = [
    Stream { name: "tx_in", about: "Frames from the host.", payload: &["tx_in_"], is_inwards: true },
    Stream { name: "tx_out", about: "Frames to the MAC.", payload: &["tx_out_"], is_inwards: false },
    Stream { name: "rx_in", about: "Frames from the MAC.", payload: &["rx_in_"], is_inwards: true },
    Stream { name: "rx_out", about: "Frames to the host.", payload: &["rx_out_", "rx_"], is_inwards: false },
    Stream { name: "event", about: "Events.", payload: &["event_"], is_inwards: false },
];

/// Pins that take the place of those of the block at the registers of the streams: port of the block, pin.
const INSTEAD: [(&str, &str); 9] = [
    ("tx_in_tvalid", "host_gate.s_axis_tvalid"),
    ("tx_in_tready", "host_gate.s_axis_tready"),
    ("rx_in_tvalid", "gate.s_axis_tvalid"),
    ("rx_in_tlast", "gate.s_axis_tlast"),
    ("rx_in_tuser", "gate.s_axis_tuser"),
    ("rx_out_tvalid", "ender.m_axis_tvalid"),
    ("rx_out_tlast", "ender.m_axis_tlast"),
    ("rx_out_tready", "ender.m_axis_tready"),
    (RX_MARK, "ender.m_axis_tuser"),
];

/// The block `nic` with a register in each stream, for `valid` and `ready` alike. Its ports are those of the block, and `rx_out_tuser`.
/// `nic` is the block as [`in_shell`](crate::nic::top::in_shell) gives it.
///
/// # Errors
/// An error of these wires.
pub fn plain(config: &Config, header: &str, nic: &Generated) -> Result<String, GenerateError> {
    let is_for_shells = |port: &&Port| {
        ["engine_rst", HOST_GETS_EVENTS].contains(&port.name.as_str()) || FATES.contains(&port.name.as_str())
    };
    let has_event_frames = config.nic.events == Events::Frames;
    let mut ports: Vec<Port> =
        nic.manifest.ports.iter().filter(|port| !is_for_shells(port)).cloned().collect();
    let ready = ports.iter().position(|port| port.name == "rx_out_tready").expect("a port of the block");
    let group = ports[ready].group.clone();
    ports.insert(ready, port(RX_MARK, Direction::Output, 1, &group, ""));
    let mut wiring = Wiring::with_ports(NAME, header, &ports);
    wiring.nic("The block.", nic);
    wiring.open(&FATES.map(|field| format!("nic.{field}")).each_ref().map(String::as_str));
    if has_event_frames {
        wiring.open(&[&format!("nic.{HOST_GETS_EVENTS}")]);
    }
    let is_shared =
        |port: &&Port| ["clk", "rst"].contains(&port.name.as_str()) || port.name.starts_with("s_axil_");
    for port in ports.iter().filter(is_shared) {
        let (own, inner) = (port.name.clone(), format!("nic.{}", port.name));
        match port.direction {
            Direction::Input => wiring.wires(&[(&inner, &own)]),
            Direction::Output => wiring.wires(&[(&own, &inner)]),
        }
    }
    gates(&mut wiring)?;
    // events have a stream, or go in frames
    for stream in STREAMS.iter().filter(|stream| stream.name != "event" || !has_event_frames) {
        through(&mut wiring, config, &ports, stream)?;
    }
    wiring.verilog()
}

/// What the command `reset` cuts: the rest of a frame from host or MAC goes no further, and a frame to the host is ended.
fn gates(wiring: &mut Wiring) -> Result<(), GenerateError> {
    wiring.part("host_gate", "shell_host_gate", ABOUT_HOST_GATE, &HostGate::new())?;
    wiring.part("gate", "shell_gate", ABOUT_GATE, &Gate::new(None))?;
    wiring.part("ender", "shell_ender", "Frames to the host: each has an end.", &Ender::new())?;
    for part in ["host_gate", "gate", "ender"] {
        wiring.wires(&[
            (&format!("{part}.clk"), "clk"),
            (&format!("{part}.rst"), "rst"),
            (&format!("{part}.cut"), "nic.engine_rst"),
        ]);
    }
    wiring.wires(&[
        ("nic.tx_in_tvalid", "host_gate.m_axis_tvalid"),
        ("host_gate.m_axis_tready", "nic.tx_in_tready"),
        ("gate.m_axis_tready", "nic.rx_in_tready"),
        ("ender.s_axis_tvalid", "nic.rx_out_tvalid"),
        ("ender.s_axis_tlast", "nic.rx_out_tlast"),
        ("nic.rx_out_tready", "ender.s_axis_tready"),
    ]);
    wiring.same("nic.rx_in_", "gate.m_axis_", &["tvalid", "tlast", "tuser"]);
    // the gate takes all that comes
    wiring.constant("rx_in_slice.out_ready", 1, 1);
    wiring.open(&["gate.begins"]);
    Ok(())
}

/// Wires one stream through its register.
fn through(
    wiring: &mut Wiring,
    config: &Config,
    ports: &[Port],
    stream: &Stream,
) -> Result<(), GenerateError> {
    let Stream { name, about, is_inwards, .. } = *stream;
    let (valid, ready) = (format!("{name}_tvalid"), format!("{name}_tready"));
    let others = ["tx_in_", "tx_out_", "rx_in_", "rx_out_"];
    let is_of = |port: &&Port| {
        let of = |begin: &&str| {
            port.name.starts_with(*begin)
                && (*begin != "rx_" || !others.iter().any(|of| port.name.starts_with(of)))
        };
        stream.payload.iter().any(of) && port.name != valid && port.name != ready
    };
    let payload: Vec<&Port> = ports.iter().filter(is_of).collect();
    let bits: u32 = payload.iter().map(|port| port.width).sum();
    let expected = match name {
        "event" => 128,
        "rx_out" => config.bus_bits + config.bus_bits / 8 + 2 + META_BITS,
        _ => config.bus_bits + config.bus_bits / 8 + 2,
    };
    assert_eq!(bits, expected, "{name} carries what the block's ports are");
    let instance = format!("{name}_slice");
    wiring.part(&instance, &format!("{NAME}_slice_{bits}"), about, slice(bits).as_ref())?;
    let inner = |port: &str| {
        let instead = INSTEAD.iter().find(|(of, _)| *of == port);
        instead.map_or_else(|| format!("nic.{port}"), |(_, pin)| pin.to_string())
    };
    let from = |port: &str| if is_inwards { port.to_string() } else { inner(port) };
    let to = |port: &str| if is_inwards { inner(port) } else { port.to_string() };
    wiring.wires(&[
        (&format!("{instance}.clk"), "clk"),
        (&format!("{instance}.rst"), "rst"),
        (&format!("{instance}.in_valid"), &from(&valid)),
        (&from(&ready), &format!("{instance}.in_ready")),
        (&to(&valid), &format!("{instance}.out_valid")),
    ]);
    if name != "rx_in" {
        wiring.wires(&[(&format!("{instance}.out_ready"), &to(&ready))]);
    }
    let joined = payload.iter().rev().map(|port| Source::Whole(pin(&from(&port.name))));
    wiring.drive(&format!("{instance}.in_data"), Source::Joined(joined.collect()));
    let mut low = 0;
    for port in payload {
        let high = low + port.width - 1;
        let source = Source::Slice { pin: pin(&format!("{instance}.out_data")), high, low };
        if port.name == "tx_in_tlast" {
            wiring.drive("host_gate.s_axis_tlast", source.clone());
        }
        wiring.drive(&to(&port.name), source);
        low = high + 1;
    }
    Ok(())
}
