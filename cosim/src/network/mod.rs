//! Both SACK engines in lockstep at the two ends of a network: the Verilog of `sack_tx` and `sack_rx`, each compared with
//! its golden model in every cycle, and a network that drops, duplicates, delays and reorders between them, acts on what the
//! Verilog shows, and checks it against what it knows.
//!
//! The network is that of [`respray_golden::network`], which the golden models alone also pass.

mod ends;
mod pair;
mod replay;
mod report;

use std::path::PathBuf;
use std::time::Instant;

use respray_files::range::{Real, Whole};
use respray_golden::network::{self as golden, Limits, Network, Stop};
use respray_golden::sack_rx::Params;
use respray_hdl::config::Config;
use respray_hdl::manifest::Generated;
use thiserror::Error;

pub use ends::{Arrivals, Sender};
pub use pair::{Differs, Pair};
use replay::{Places, Replay};
pub use report::{EngineFailure, FailedNetwork, NetworkFailure, NetworkReport, Tally};

use crate::cores::sack_rx::{SackRxCore, params};
use crate::cores::sack_tx::SackTxCore;
use crate::interrupt;
use crate::lockstep::Progress;
use crate::lockstep::device::PortDevice;
use crate::lockstep::op_core::OpCore;
use crate::report::{Counts, Provenance, Repeat, Verdict, command_line, config_arguments};
use crate::runner::design_for;
use crate::verilator::{BuildOptions, Design, Model, ModelError, Source};

/// What the two engines are called together.
pub const NAME: &str = "sack";

/// Cycles of an engine for each packet, about: it is sent, acknowledged, and now and then sent again.
const CYCLES_PER_PACKET: u64 = 40;

/// Connections that the packets are spread over, at most.
const CONNECTIONS: u32 = 16;

/// Which networks.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkOptions {
    /// The first seed.
    pub seed: u64,
    /// How many seeds from there on, a network each: [`SEEDS`], and the last seed is below 2^64.
    pub seeds: u64,
    /// Packets that each network delivers, [`PACKETS`], rounded up to the same number on each of up to 16 connections.
    pub packets: u32,
    /// How bad the networks may be.
    pub limits: Limits,
    /// Waves of the cycles of an engine around its difference, of both engines up to a property that does not hold, or of the
    /// first cycles of the first network. The name of each engine goes before the extension: `run_sack_tx.fst` of `run.fst`.
    pub wave: Option<PathBuf>,
    /// Whether a difference leaves waves without being asked.
    pub waves: bool,
    /// Where the shrunken op trace of an engine goes that differs.
    pub reproducer: PathBuf,
}

impl NetworkOptions {
    /// One network of so many packets, the rest as the command line has it by default.
    pub fn new(packets: u32) -> Self {
        NetworkOptions {
            seed: 1,
            seeds: 1,
            packets,
            limits: Limits::default(),
            wave: None,
            waves: true,
            reproducer: format!("{NAME}_failure.csv").into(),
        }
    }
}

/// Why there was no run. Its text is the whole sentence for the user.
#[derive(Debug, Error)]
pub enum NetworkError {
    #[error("the Verilog is of core `{core}`, and that of `{wanted}` is needed")]
    Core { core: String, wanted: &'static str },
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error("`{option}` is {value}; allowed: {allowed}")]
    Option { option: &'static str, value: String, allowed: String },
}

/// What the numbers of the options may be.
pub const PACKETS: Whole = Whole::new(1, 10_000_000);
pub const SEEDS: Whole = Whole::new(1, 1_000_000_000);
pub const LOSS: Real = Real::new(0.0, 0.9);
pub const REORDERING: Whole = Whole::new(0, 1000);

/// Value of the port `seed` in both engines, and seed of what is random in a model that is not reset.
const SEED: u16 = 1;

/// The engines' Verilog, and what models of it are made of.
struct Engines<'a> {
    sack_tx: &'a Generated,
    sack_rx: &'a Generated,
    sources: [Source; 2],
    designs: [&'static Design; 2],
}

impl<'a> Engines<'a> {
    /// For so many packets in all.
    fn new(sack_tx: &'a Generated, sack_rx: &'a Generated, packets: u64) -> Result<Self, NetworkError> {
        let (tx_source, tx_design) = design::<SackTxCore>(sack_tx, packets)?;
        let (rx_source, rx_design) = design::<SackRxCore>(sack_rx, packets)?;
        Ok(Engines { sack_tx, sack_rx, sources: [tx_source, rx_source], designs: [tx_design, rx_design] })
    }

    /// Both of them as the ends of a network, to be reset before anything else.
    fn make(&self) -> Result<(Sender<PortDevice>, Arrivals<PortDevice>), NetworkError> {
        let [tx, rx] = self.designs;
        let sender = &self.sack_tx.manifest;
        let device = PortDevice::new(model(tx)?, SackTxCore::CONTRACT, sender)?;
        let sender = Sender::new(sender, device);
        let arrivals = &self.sack_rx.manifest;
        let device = PortDevice::new(model(rx)?, SackRxCore::CONTRACT, arrivals)?;
        Ok((sender, Arrivals::new(arrivals, device)))
    }

    fn models(&self) -> [(&Source, &Design); 2] {
        std::array::from_fn(|engine| (&self.sources[engine], self.designs[engine]))
    }
}

/// Runs one network after the other until one fails. `progress` hears how many packets of how many are delivered.
pub fn run(
    sack_tx: &Generated,
    sack_rx: &Generated,
    options: &NetworkOptions,
    progress: &mut dyn FnMut(Progress),
) -> Result<NetworkReport, NetworkError> {
    check(options)?;
    let config = &sack_tx.manifest.config;
    let connections = CONNECTIONS.min(config.connections).min(options.packets);
    let packets = options.packets.div_ceil(connections);
    let Params { window, psns, .. } = params(config);
    let network = |seed| Network::random(seed, connections, packets, (window, psns), &options.limits);
    run_on(sack_tx, sack_rx, options, &network, progress)
}

/// Runs the network that `network` makes of each seed, all of them of the same size.
pub fn run_on(
    sack_tx: &Generated,
    sack_rx: &Generated,
    options: &NetworkOptions,
    network: &dyn Fn(u64) -> Network,
    progress: &mut dyn FnMut(Progress),
) -> Result<NetworkReport, NetworkError> {
    progress(Progress::Building);
    let config = &sack_tx.manifest.config;
    let first = network(options.seed);
    let packets = u64::from(first.packets) * u64::from(first.connections);
    let engines = Engines::new(sack_tx, sack_rx, packets.saturating_mul(options.seeds))?;
    let mut tally = Tally::default();
    let heed = interrupt::Heed::new();
    let start = Instant::now();
    let stop = campaign(&engines, options, network, packets, &mut tally, progress)?;
    let seconds = start.elapsed().as_secs_f64();
    drop(heed);
    let is_interrupted = interrupt::is_requested();
    let command = |seed, seeds| command(seed, seeds, options, config);
    let mut after = After { engines: &engines, options, network, not_done: Vec::new(), progress };
    let failure = stop.map(|(seed, stop)| after.failure(seed, stop, command(seed, 1)));
    if failure.is_none() && options.wave.is_some() && !is_interrupted {
        after.waves(options.seed, false);
    }
    let not_done = after.not_done;
    let result = match &failure {
        Some(_) => Verdict::Fail,
        None if is_interrupted => Verdict::Interrupted,
        None => Verdict::Pass,
    };
    let repeat = Repeat { seed: options.seed, part: None, command: command(options.seed, options.seeds) };
    let cycles = tally.sack_tx_cycles + tally.sack_rx_cycles;
    Ok(NetworkReport {
        core: NAME.to_string(),
        config: config.clone(),
        provenance: Provenance::new(&engines.models(), repeat),
        cycles,
        counts: Counts(tally.named()),
        mismatches: failure.is_some().into(),
        differing_ports: None,
        cycles_per_second: (cycles as f64 / seconds).round(),
        result,
        summary: tally.summary(),
        coverage: None,
        account: None,
        warnings: Vec::new(),
        failure,
        not_done,
    })
}

/// Runs the networks, of `packets` each, up to the first that stops, and says why that did.
fn campaign(
    engines: &Engines<'_>,
    options: &NetworkOptions,
    network: &dyn Fn(u64) -> Network,
    packets: u64,
    tally: &mut Tally,
    progress: &mut dyn FnMut(Progress),
) -> Result<Option<(u64, Stop<Differs>)>, NetworkError> {
    let (mut sender, mut arrivals) = engines.make()?;
    let of = packets.saturating_mul(options.seeds);
    let mut stopped = None;
    for seed in options.seed..=options.seed + (options.seeds - 1) {
        let before = tally.packets;
        tally.seeds += 1;
        let reset = sender.pair.reset().and_then(|()| arrivals.pair.reset());
        let result = reset.map_err(Stop::Engine).and_then(|()| {
            let mut heard = |done| progress(Progress::Running { done: before + done, of });
            golden::run(&network(seed), &mut sender, &mut arrivals, &mut heard)
        });
        match result {
            Ok(happened) => tally.add(&happened, packets),
            Err(stop) => stopped = Some((seed, stop)),
        }
        progress(Progress::Running { done: tally.packets, of });
        if stopped.is_some() || interrupt::is_requested() {
            break;
        }
    }
    (tally.sack_tx_cycles, tally.sack_rx_cycles) = (sender.pair.cycles(), arrivals.pair.cycles());
    Ok(stopped)
}

/// What is made of the networks once there is a verdict.
struct After<'a> {
    engines: &'a Engines<'a>,
    options: &'a NetworkOptions,
    network: &'a dyn Fn(u64) -> Network,
    not_done: Vec<String>,
    progress: &'a mut dyn FnMut(Progress),
}

impl<'a> After<'a> {
    /// Why the network of this seed stopped; `again` is the command that repeats it.
    fn failure(&mut self, seed: u64, stop: Stop<Differs>, again: String) -> NetworkFailure {
        let (mut engine, mut waves) = (None, Vec::new());
        let what = match stop {
            Stop::Broken(broken) => {
                waves = self.waves(seed, true);
                broken.to_string()
            }
            Stop::Engine(differs) => {
                let (places, engines) = (self.places(), self.engines);
                engine = self.replay(seed).and_then(|replay| {
                    replay.failure(engines, &places, &again, &mut self.not_done, self.progress)
                });
                differs.to_string()
            }
        };
        let command = engine.as_ref().map_or(again, |engine| engine.failure.command.clone());
        NetworkFailure { network: FailedNetwork { seed }, what, engine, waves, command }
    }

    /// Waves of both engines in the network of this seed, of its first cycles or of its last ones, where they are asked for.
    fn waves(&mut self, seed: u64, at_end: bool) -> Vec<PathBuf> {
        let (places, engines) = (self.places(), self.engines);
        let replay = places.wave.and_then(|_| self.replay(seed));
        replay.map_or_else(Vec::new, |replay| {
            replay.waves(engines, &places, at_end, &mut self.not_done, self.progress)
        })
    }

    fn replay(&mut self, seed: u64) -> Option<Replay> {
        let replay = Replay::of(&(self.network)(seed), self.engines);
        replay.map_err(|error| self.not_done.push(error.to_string())).ok()
    }

    fn places(&self) -> Places<'a> {
        let NetworkOptions { wave, waves, reproducer, .. } = self.options;
        Places { wave: wave.as_deref(), waves: *waves, reproducer }
    }
}

fn check(options: &NetworkOptions) -> Result<(), NetworkError> {
    let refused =
        |option, value: String, allowed: String| Err(NetworkError::Option { option, value, allowed });
    if !PACKETS.contains(options.packets.into()) {
        return refused("packets", options.packets.to_string(), PACKETS.to_string());
    }
    if !SEEDS.contains(options.seeds) {
        return refused("seeds", options.seeds.to_string(), SEEDS.to_string());
    }
    if options.seed.checked_add(options.seeds - 1).is_none() {
        let value = format!("{} from seed {} on", options.seeds, options.seed);
        return refused("seeds", value, "so many that the last seed is at most 18446744073709551615".into());
    }
    if !LOSS.contains(options.limits.loss) {
        return refused("loss", options.limits.loss.to_string(), LOSS.to_string());
    }
    if !REORDERING.contains(options.limits.reordering) {
        return refused("reordering", options.limits.reordering.to_string(), REORDERING.to_string());
    }
    Ok(())
}

fn design<C: OpCore>(generated: &Generated, packets: u64) -> Result<(Source, &'static Design), NetworkError> {
    let core = &generated.manifest.module;
    if core != C::CONTRACT.core {
        return Err(NetworkError::Core { core: core.clone(), wanted: C::CONTRACT.core });
    }
    let source = Source::new(C::CONTRACT.core, generated.verilog.as_str());
    let design = design_for(&source, BuildOptions::default(), packets.saturating_mul(CYCLES_PER_PACKET))?;
    Ok((source, design))
}

fn model(design: &'static Design) -> Result<Model, ModelError> {
    design.model(SEED.into())
}

/// The command line that runs so many seeds again.
fn command(seed: u64, seeds: u64, options: &NetworkOptions, config: &Config) -> String {
    let mut arguments: Vec<String> =
        ["respray", "cosim", "--core", NAME, "--packets"].map(String::from).to_vec();
    arguments.extend([options.packets.to_string(), "--seed".into(), seed.to_string()]);
    if seeds > 1 {
        arguments.extend(["--seeds".into(), seeds.to_string()]);
    }
    let Limits { loss, reordering } = Limits::default();
    if options.limits.loss != loss {
        arguments.extend(["--loss".into(), options.limits.loss.to_string()]);
    }
    if options.limits.reordering != reordering {
        arguments.extend(["--reordering".into(), options.limits.reordering.to_string()]);
    }
    arguments.extend(config_arguments(config));
    command_line(&arguments)
}
