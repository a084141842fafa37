//! One bit of a memory of a stream core flips while packets stream through: what comes of it, beside the golden model, which knows nothing of
//! the flip.
//!
//! All memories of these cores are queues. What flips leaves with the packets that are in them: of these, what a beat or a record says may
//! differ, but neither when it comes nor anything of the packets behind them.

use rand::RngExt;
use respray_hdl::manifest::Generated;

use super::cosim::{core_of, random_frames};
use super::device::{Device, StreamDevice};
use super::layout::Layout;
use super::options::StreamError;
use super::outcome::{Listeners, RESET_EDGES};
use super::pace::Pacing;
use super::run::run;
use super::stream_core::{Ports, RewriterSettings};
use super::timing::Timing;
use crate::runner::RunError;
use crate::traffic::frames::FrameKnobs;
use crate::upset::{Finding, Flip, FlipPorts, Site, Upset, Wrong, numbered, random_of};
use crate::verilator::Model;

/// Cycles behind the reset in which the flip comes at the earliest, and those at the end of a run in which it does not.
const BEFORE: u64 = 40;
const AFTER: u64 = 200;

/// A device of which a bit flips.
struct Struck {
    device: StreamDevice,
    flips: FlipPorts,
    /// Of the bit: the place of its memory, its word, itself, and the clock edge.
    place: usize,
    address: u32,
    bit: u32,
    at: u64,
    /// Clock edges so far.
    cycle: u64,
}

impl Device for Struck {
    fn layout(&self) -> &Layout {
        self.device.layout()
    }

    fn run(&mut self, inputs: &[u64], outputs: &mut [u64]) -> usize {
        let words = self.layout().idle.len();
        let rows = (inputs.len() / words) as u64;
        let first = self.cycle;
        self.cycle += rows;
        if !(first..self.cycle).contains(&self.at) {
            return self.device.run(inputs, outputs);
        }
        let mut inputs = inputs.to_vec();
        let row = &mut inputs[(self.at - first) as usize * words..];
        self.flips.flip(row, self.place, self.address, self.bit);
        self.device.run(&inputs, outputs)
    }
}

/// Runs a model of a core, made of a text in which the bits of these memories can be flipped, for so many cycles of random frames.
///
/// # Errors
/// [`StreamError`].
pub fn upset(
    generated: &Generated,
    model: Model,
    sites: &[Site],
    (cycles, knobs): (u64, FrameKnobs),
    (pacing, settings): (Pacing, RewriterSettings),
    seed: u64,
) -> Result<Upset, StreamError> {
    let config = &generated.manifest.config;
    let core = core_of(&generated.manifest.module, config, settings)?;
    let ports = core.ports();
    let mut random = random_of(seed);
    let place = random.random_range(0..sites.len());
    let site = &sites[place];
    let (address, of) = site.of_queue(&mut random);
    let flip = Flip {
        memory: site.path.clone(),
        address: numbered(address),
        bit: random.random_range(0..site.width),
        cycle: random.random_range(RESET_EDGES + BEFORE..cycles - AFTER),
        of,
    };
    let flips = FlipPorts::of(&model).map_err(RunError::from)?;
    let device = StreamDevice::new(model, &generated.manifest, ports).map_err(RunError::from)?;
    let mut device = Struck { device, flips, place, address, bit: flip.bit, at: flip.cycle, cycle: 0 };
    let longest = knobs.longest.div_ceil(config.bus_bits as usize / 8) + site.words as usize;
    let mut taken = Taken::new(ports, longest);
    let layout = device.layout().clone();
    let mut wrong: Vec<(u64, Vec<String>)> = Vec::new();
    let mut listeners = Listeners {
        frame: None,
        progress: &mut |_, _| {},
        row: Some(&mut |cycle, inputs, outputs| {
            if cycle >= flip.cycle {
                taken.hear(&layout, cycle, inputs, outputs);
            }
        }),
        wrong: Some(&mut |cycle, ports| wrong.push((cycle, ports.to_vec()))),
        keeps_going: true,
    };
    let timing = Timing::of(&generated.manifest, ports);
    let stimulus = random_frames(core.as_ref(), config, settings, pacing, knobs);
    let ran = run(core.as_ref(), &mut device, &timing, stimulus, pacing, cycles, &mut listeners);
    let stopped = device.device.stopped().map(|(cycle, says)| Finding { wrong: Wrong::Wedge, cycle, says });
    let finding = stopped.or_else(|| {
        wrong.iter().find_map(|(cycle, ports)| ports.iter().find_map(|port| taken.finds(*cycle, port)))
    });
    let differs = u64::from(!wrong.is_empty());
    Ok(Upset {
        cycles: ran.cycles,
        flip: Some(flip),
        met: differs,
        differed: differs,
        finding,
        ..Upset::default()
    })
}

/// What each output and each lane of records has handed over since the flip.
struct Taken<'a> {
    ports: &'a Ports,
    /// The cycle in which a lane has handed over all that a queue held at the flip, and a packet more.
    ends: Vec<Vec<u64>>,
    longest: usize,
}

impl<'a> Taken<'a> {
    fn new(ports: &'a Ports, longest: usize) -> Self {
        let lanes = ports.outputs.len() + ports.records.len();
        Taken { ports, ends: vec![Vec::new(); lanes], longest }
    }

    fn hear(&mut self, layout: &Layout, cycle: u64, inputs: &[u64], outputs: &[u64]) {
        let control = layout.control(outputs);
        let beats = layout.outputs.iter().map(|lane| (lane.valid, lane.is_ready(inputs)));
        let records = layout.records.iter().map(|lane| (lane.valid, lane.is_ready(inputs)));
        for ((valid, is_ready), taken) in beats.chain(records).zip(&mut self.ends) {
            if is_ready && control >> valid & 1 == 1 && taken.len() <= self.longest {
                taken.push(cycle);
            }
        }
    }

    /// What is wrong with it that a port differs in a cycle.
    fn finds(&self, cycle: u64, port: &str) -> Option<Finding> {
        let says_of_beat = |prefix: &str| {
            ["tdata", "tkeep", "tlast", "tuser"].iter().any(|name| port == format!("{prefix}_{name}"))
        };
        let Ports { outputs, records, .. } = self.ports;
        let beat = outputs.iter().position(|lane| says_of_beat(lane.prefix));
        let is_field = |fields: &[(&str, u32)]| fields.iter().any(|(field, _)| *field == port);
        let record = records.iter().position(|lane| is_field(&lane.fields));
        let Some(lane) = beat.or(record.map(|lane| outputs.len() + lane)) else {
            let says = format!("`{port}` is not as it must be");
            return Some(Finding { wrong: Wrong::Wedge, cycle, says });
        };
        let is_behind = self.ends[lane].get(self.longest).is_some_and(|end| cycle > *end);
        let says = format!("`{port}` differs behind all that was in the queues");
        is_behind.then_some(Finding { wrong: Wrong::Leak, cycle, says })
    }
}
