//! `nic_plain`: the block with registers at its streams, for a shell of one's own.

use rust_hdl::prelude::*;

use super::wiring::{Wiring, pin};
use crate::config::Config;
use crate::cores::GenerateError;
use crate::join::Source;
use crate::manifest::{Direction, Generated, Port};
use crate::prims::SkidBuffer;

/// Name of the module.
pub const NAME: &str = "nic_plain";

/// Bits of what stands beside a frame on `rx_out`.
const META_BITS: u32 = 115;

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
        188 => of::<188>(),
        260 => of::<260>(),
        404 => of::<404>(),
        692 => of::<692>(),
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

/// The block `nic` with a register in each stream, for `valid` and `ready` alike. Its ports are those of the block.
///
/// # Errors
/// An error of these wires.
pub fn plain(config: &Config, header: &str, nic: &Generated) -> Result<String, GenerateError> {
    let ports = &nic.manifest.ports;
    let mut wiring = Wiring::with_ports(NAME, header, ports);
    wiring.nic("The block.", nic);
    let is_shared =
        |port: &&Port| ["clk", "rst"].contains(&port.name.as_str()) || port.name.starts_with("s_axil_");
    for port in ports.iter().filter(is_shared) {
        let (own, inner) = (port.name.clone(), format!("nic.{}", port.name));
        match port.direction {
            Direction::Input => wiring.wires(&[(&inner, &own)]),
            Direction::Output => wiring.wires(&[(&own, &inner)]),
        }
    }
    for stream in STREAMS {
        through(&mut wiring, config, ports, &stream)?;
    }
    wiring.verilog()
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
        "rx_out" => config.bus_bits + config.bus_bits / 8 + 1 + META_BITS,
        _ => config.bus_bits + config.bus_bits / 8 + 2,
    };
    assert_eq!(bits, expected, "{name} carries what the block's ports are");
    let instance = format!("{name}_slice");
    wiring.part(&instance, &format!("{NAME}_slice_{bits}"), about, slice(bits).as_ref())?;
    let (from, to) = if is_inwards { ("", "nic.") } else { ("nic.", "") };
    wiring.wires(&[
        (&format!("{instance}.clk"), "clk"),
        (&format!("{instance}.rst"), "rst"),
        (&format!("{instance}.in_valid"), &format!("{from}{valid}")),
        (&format!("{from_ready}{ready}", from_ready = from), &format!("{instance}.in_ready")),
        (&format!("{to}{valid}"), &format!("{instance}.out_valid")),
        (&format!("{instance}.out_ready"), &format!("{to}{ready}")),
    ]);
    let joined = payload.iter().rev().map(|port| Source::Whole(pin(&format!("{from}{}", port.name))));
    wiring.drive(&format!("{instance}.in_data"), Source::Joined(joined.collect()));
    let mut low = 0;
    for port in payload {
        let high = low + port.width - 1;
        let source = Source::Slice { pin: pin(&format!("{instance}.out_data")), high, low };
        wiring.drive(&format!("{to}{}", port.name), source);
        low = high + 1;
    }
    Ok(())
}
