//! Clock edges and fills of a core's lanes, from its manifest.

use respray_hdl::manifest::{Inside, Manifest};

use super::stream_core::Ports;

/// Of all lanes, in the order of the ports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timing {
    /// Edges with `rst` low until the inputs are ready.
    pub reset: u32,
    pub inputs: Vec<InputTiming>,
    pub outputs: Vec<OutputTiming>,
    pub records: Vec<RecordTiming>,
}

/// Of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputTiming {
    /// From the edge that takes the deciding beat, or the last where nothing is decided, to the packet's events.
    pub event: u32,
    /// What makes it pause.
    pub pauses: Vec<PauseTiming>,
}

/// Of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutputTiming {
    /// From the edge that takes a beat to the first at which it can be taken from the output.
    pub beat: u32,
    /// From the edge that takes a packet's deciding beat to the first at which its first beat can be taken.
    pub decided: u32,
    /// Beats behind it that a beat waits for.
    pub ahead: u32,
    /// A beat is inside from so many edges before it can be taken; `None`: from the edge that takes it.
    pub inside: Option<u32>,
}

/// Of a lane of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordTiming {
    /// From the edge that takes a packet's last beat to the first at which its record can be taken.
    pub record: u32,
    /// A record is inside from so many edges before it can be taken.
    pub ahead: u32,
}

/// What was inside so many edges before makes an input pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PauseTiming {
    pub full: Full,
    pub fill: usize,
    pub edges: u32,
}

/// What is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Full {
    /// Of the beats for this output.
    Output(usize),
    /// Of the records for this lane.
    Records(usize),
}

impl Timing {
    /// # Panics
    /// On a manifest that does not state them: the generator's error.
    pub fn of(manifest: &Manifest, ports: &Ports) -> Timing {
        let stated = |class: &str| {
            let cycles = manifest.latency_cycles.get(class).and_then(|cycles| cycles.fixed());
            cycles.unwrap_or_else(|| panic!("the manifest states no latency `{class}`"))
        };
        let place = |output: &str, of| {
            let lane = match of {
                Inside::Beats => {
                    ports.outputs.iter().position(|lane| lane.prefix == output).map(Full::Output)
                }
                Inside::Records => {
                    ports.records.iter().position(|lane| lane.prefix == output).map(Full::Records)
                }
            };
            lane.unwrap_or_else(|| {
                panic!("the manifest lets an input pause for `{output}`, which is no lane")
            })
        };
        let pauses = |input: &str| {
            let own = manifest.pauses.iter().filter(|pause| pause.input == input);
            let timings = own.map(|pause| PauseTiming {
                full: place(&pause.output, pause.of),
                fill: pause.fill as usize,
                edges: pause.ready_cycles,
            });
            timings.collect()
        };
        let ahead = |output: &str| {
            let mut own = manifest.pauses.iter().filter(|pause| pause.output == output);
            own.find_map(|pause| pause.ahead_cycles)
        };
        Timing {
            reset: manifest.reset_cycles,
            inputs: ports
                .inputs
                .iter()
                .map(|lane| InputTiming {
                    event: if lane.events.is_empty() { 0 } else { stated(lane.event_latency) },
                    pauses: pauses(lane.prefix),
                })
                .collect(),
            outputs: ports
                .outputs
                .iter()
                .map(|lane| OutputTiming {
                    beat: stated(lane.latency),
                    decided: lane.decided_latency.map_or(0, stated),
                    ahead: lane.ahead.map_or(0, stated),
                    inside: ahead(lane.prefix),
                })
                .collect(),
            records: ports
                .records
                .iter()
                .map(|lane| RecordTiming {
                    record: stated(lane.latency),
                    ahead: ahead(lane.prefix).unwrap_or(0),
                })
                .collect(),
        }
    }
}
