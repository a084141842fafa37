//! The waveform of one packet through a core that packets stream through, as its model has it.

use etherparse::PacketBuilder;
use respray_golden::wire::{Profile, strack};
use respray_hdl::config::Config;
use respray_hdl::cores::{Core, generate};
use respray_hdl::manifest::{Direction, Manifest, Port};

use super::PageError;
use super::wavedrom::{Lane, drawn};
use crate::verilator::{BuildOptions, Model, Source, build};

/// Bytes behind the profile's header: the packet has two beats of 512 bits.
const PAYLOAD_BYTES: usize = 42;

/// Cycles in which everything that a packet does has happened.
const MOST_CYCLES: usize = 32;

/// Cycles with `rst` high.
const RESET_CYCLES: usize = 2;

/// Draws a data packet of `strack`. Inputs with its first beat are given as in `s_ev=77 s_enable=1`; others are 0, but for
/// those that take what the core offers.
pub(super) fn text(core: &Core, given: &str) -> Result<String, PageError> {
    let generated = generate(core.name, &Config::default())?;
    let design = build(&Source::new(core.name, generated.verilog.as_str()), &BuildOptions::default())?;
    let mut given: Vec<(&str, u64)> = given
        .split_whitespace()
        .filter_map(|given| given.split_once('='))
        .filter_map(|(port, value)| Some((port, value.parse().ok()?)))
        .collect();
    given.push(("udp_port", Profile::Strack.udp_port().into()));
    let bench = Bench { manifest: &generated.manifest, model: design.model(1)?, packet: packet(), given };
    Ok(drawn(&bench.run()?))
}

/// Ethernet, IPv4, UDP, the profile's header, zeros.
fn packet() -> Vec<u8> {
    let data =
        strack::Data { connection: 3, ack_request: true, psn: 5, timestamp: 1000, probe: false, hops: 0 };
    let mut payload = data.to_bytes().to_vec();
    payload.resize(payload.len() + PAYLOAD_BYTES, 0);
    let builder = PacketBuilder::ethernet2([2, 0, 0, 0, 0, 1], [2, 0, 0, 0, 0, 2])
        .ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64)
        .udp(0x1234, Profile::Strack.udp_port());
    let mut packet = Vec::new();
    builder.write(&mut packet, &payload).expect("a packet of this size can be written");
    packet
}

/// A model, and what is driven into it.
struct Bench<'a> {
    manifest: &'a Manifest,
    model: Model,
    packet: Vec<u8>,
    given: Vec<(&'a str, u64)>,
}

impl Bench<'_> {
    fn ports(&self, direction: Direction) -> impl Iterator<Item = &Port> {
        self.manifest.ports.iter().filter(move |port| port.direction == direction)
    }

    /// All ports that have something to show, from the cycle before the packet's first beat to the last in which anything
    /// leaves.
    fn run(mut self) -> Result<Vec<Lane>, PageError> {
        let beat_bytes = self.manifest.config.bus_bits as usize / 8;
        let beats: Vec<Vec<u8>> = self.packet.chunks(beat_bytes).map(<[u8]>::to_vec).collect();
        let names = |ports: Vec<&Port>| ports.into_iter().cloned().collect::<Vec<Port>>();
        let (inputs, outputs) =
            (names(self.ports(Direction::Input).collect()), names(self.ports(Direction::Output).collect()));
        for port in inputs.iter().filter(|port| port.name.ends_with("ready")) {
            self.set(port, 1)?;
        }
        for edge in 0..RESET_CYCLES + 2 {
            self.set_named("rst", (edge < RESET_CYCLES).into())?;
            self.model.tick();
        }
        let mut rows: Vec<Row> = Vec::new();
        for cycle in 0..MOST_CYCLES {
            let beat = cycle.checked_sub(1).filter(|beat| *beat < beats.len());
            self.offer(&inputs, beat.map(|beat| (beats[beat].as_slice(), beat + 1 == beats.len())), beat)?;
            self.model.settle();
            let sampled = outputs.iter().map(|port| self.value(port)).collect::<Result<_, _>>()?;
            rows.push(Row { beat, outputs: sampled });
            self.model.rise();
        }
        Ok(self.lanes(&inputs, &outputs, &rows))
    }

    /// Puts a beat and what is given with the first one onto the inputs, or nothing.
    fn offer(
        &mut self,
        inputs: &[Port],
        beat: Option<(&[u8], bool)>,
        number: Option<usize>,
    ) -> Result<(), PageError> {
        for port in inputs {
            let given = self.given.iter().find(|(name, _)| *name == port.name).map(|(_, value)| *value);
            match (port.name.as_str(), beat) {
                ("s_axis_tdata", Some((bytes, _))) => {
                    let mut words = vec![0; port.width as usize / 32];
                    for (at, byte) in bytes.iter().enumerate() {
                        words[at / 4] |= u32::from(*byte) << (8 * (at % 4));
                    }
                    let column = self.model.input(&port.name, port.width)?;
                    self.model.set_wide(column, &words);
                }
                ("s_axis_tvalid", beat) => self.set(port, beat.is_some().into())?,
                ("s_axis_tkeep", Some((bytes, _))) => self.set(port, u64::MAX >> (64 - bytes.len()))?,
                ("s_axis_tlast", Some((_, is_last))) => self.set(port, is_last.into())?,
                _ => {
                    if let (Some(value), true) = (given, number.is_none_or(|number| number == 0)) {
                        self.set(port, value)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn set(&mut self, port: &Port, value: u64) -> Result<(), PageError> {
        let column = self.model.input(&port.name, port.width)?;
        self.model.set(column, value);
        Ok(())
    }

    fn set_named(&mut self, name: &str, value: u64) -> Result<(), PageError> {
        let column = self.model.input(name, 1)?;
        self.model.set(column, value);
        Ok(())
    }

    /// Its low 64 bits.
    fn value(&self, port: &Port) -> Result<u64, PageError> {
        let column = self.model.output(&port.name, port.width)?;
        if port.width <= 64 {
            return Ok(self.model.get(column));
        }
        let words = self.model.words(column);
        Ok(u64::from(words[0]) | u64::from(words[1]) << 32)
    }

    fn lanes(&self, inputs: &[Port], outputs: &[Port], rows: &[Row]) -> Vec<Lane> {
        let of = |name: &str| outputs.iter().position(|port| port.name == name);
        let is_busy = |row: &Row| {
            outputs.iter().zip(&row.outputs).any(|(port, value)| {
                *value != 0 && port.width == 1 && !port.name.ends_with("ready") && valid_of(port).is_none()
            })
        };
        let end = rows.iter().rposition(|row| row.beat.is_some() || is_busy(row)).map_or(0, |row| row + 2);
        let rows = &rows[..end.min(rows.len())];
        let mut lanes = Vec::new();
        for port in inputs {
            let offered = |row: &Row| row.beat;
            let bus = |text: &dyn Fn(usize) -> String| {
                Lane::bus(&port.name, rows.iter().map(|row| offered(row).map(text)).collect())
            };
            match port.name.as_str() {
                "s_axis_tvalid" => {
                    let values: Vec<_> = rows.iter().map(|row| Some(row.beat.is_some().into())).collect();
                    lanes.push(Lane::bit(&port.name, &values));
                }
                "s_axis_tdata" => lanes.push(bus(&|beat| format!("beat {beat}"))),
                "s_axis_tlast" => {
                    let is_last = |beat| u64::from((beat + 1) * self.beat_bytes() >= self.packet.len());
                    let values: Vec<_> = rows.iter().map(|row| row.beat.map(is_last)).collect();
                    lanes.push(Lane::bit(&port.name, &values));
                }
                name => {
                    if let Some((_, value)) =
                        self.given.iter().find(|(given, _)| *given == name && name != "udp_port")
                    {
                        let first = |row: &Row| row.beat.filter(|beat| *beat == 0).map(|_| value.to_string());
                        lanes.push(Lane::bus(name, rows.iter().map(first).collect()));
                    }
                }
            }
        }
        for (at, port) in outputs.iter().enumerate() {
            let is_valid = |row: &Row| {
                valid_of(port).and_then(|valid| of(&valid)).is_none_or(|valid| row.outputs[valid] == 1)
            };
            if !rows.iter().any(|row| is_valid(row) && row.outputs[at] != 0) || port.name.ends_with("tkeep") {
                continue;
            }
            let values: Vec<Option<u64>> =
                rows.iter().map(|row| is_valid(row).then(|| row.outputs[at])).collect();
            lanes.push(match port.width {
                1 => Lane::bit(&port.name, &values),
                _ if port.name.ends_with("tdata") => {
                    let mut beat = 0;
                    let mut named = |value: &Option<u64>| {
                        value.map(|_| {
                            beat += 1;
                            format!("beat {}", beat - 1)
                        })
                    };
                    Lane::bus(&port.name, values.iter().map(&mut named).collect())
                }
                _ => Lane::bus(&port.name, values.iter().map(|value| value.map(|v| v.to_string())).collect()),
            });
        }
        lanes
    }

    fn beat_bytes(&self) -> usize {
        self.manifest.config.bus_bits as usize / 8
    }
}

/// The output that says when `port` means something; `None`: it always does.
fn valid_of(port: &Port) -> Option<String> {
    let (prefix, name) = port.name.rsplit_once('_')?;
    match (prefix, name) {
        (_, "valid" | "tvalid" | "tready") => None,
        (_, name) if name.starts_with('t') && prefix.ends_with("axis") => Some(format!("{prefix}_tvalid")),
        _ if port.name.starts_with("meta_") || port.name.starts_with("ack_") => Some("meta_valid".into()),
        _ => None,
    }
}

/// One cycle: the beat that is offered, and what the outputs show before the edge.
struct Row {
    beat: Option<usize>,
    outputs: Vec<u64>,
}
