//! `respray fabric`: path selectors in the loop of a simulated fat tree.

mod curves;
mod figure;
mod outputs;
mod page;
mod paper;
mod runs;
mod study;
mod suite;

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use respray_fabric::engine::Kind;
use respray_fabric::request::{ADAPTIVE, Engines, FIRST_SEED, Request, SEEDS, Transport, selector_form};
use respray_fabric::{failure, parameters, permutations, topology, workload};

use self::figure::FigureArgs;
use self::paper::PaperArgs;
use self::runs::{Files, Runs};
use self::suite::{MergeArgs, SuiteArgs};
use crate::args::{ExitStatus, Refusal};
use crate::number::{whole, within};

#[derive(Subcommand)]
pub enum Fabric {
    /// Run one scenario with some path selectors and seeds.
    Run(Box<Run>),
    /// Run a figure of paper 001 and say what of it is reproduced.
    Figure(FigureArgs),
    /// List the figures that there are, a line each: its number and what it shows.
    Figures,
    /// Run all figures with the ideal transport and with that of the block, and write what of paper 001 each reproduces.
    Paper(PaperArgs),
    /// Run the scenarios of a file, or a part of them.
    Suite(SuiteArgs),
    /// Put the parts of a suite together.
    Merge(MergeArgs),
}

/// What chooses the EVs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum EngineArg {
    /// The Verilog, in Verilator.
    Rtl,
    /// The golden model.
    Golden,
    /// Both; the run stops where they differ.
    Both,
}

impl From<EngineArg> for Kind {
    fn from(engine: EngineArg) -> Kind {
        match engine {
            EngineArg::Rtl => Kind::Rtl,
            EngineArg::Golden => Kind::Golden,
            EngineArg::Both => Kind::Both,
        }
    }
}

/// Who shares an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum EnginesArg {
    /// All senders share one.
    Shared,
    /// Each host has its own.
    Host,
    /// Each host has the golden block nic whole, with --transport nic and --engine golden.
    Block,
}

/// How hosts send packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum TransportArg {
    /// As the paper's simulator: each packet has its timeout, and trimmed packets are answered.
    Ideal,
    /// As the block: sack_rx, sack_tx, its windows and its timers.
    Nic,
}

impl From<TransportArg> for Transport {
    fn from(transport: TransportArg) -> Transport {
        match transport {
            TransportArg::Ideal => Transport::Ideal,
            TransportArg::Nic => Transport::Nic,
        }
    }
}

#[derive(Args)]
#[command(after_help = format!(
    "Parameters of the network, by --set:\n{}\nNumbers of a topology file:\n{}", parameters::form(), topology::numbers()
))]
pub struct Run {
    #[arg(long, value_name = "TOPOLOGY", help = format!("Topology: {}", topology::form()), default_value_t = Request::default().topology)]
    topology: String,
    #[arg(long, value_name = "WORKLOAD", help = format!("Workload: {}", workload::form()), default_value_t = Request::default().workload)]
    workload: String,
    /// Bytes of a message [default: 8388608, of alltoall 2000000, of ring 4000000, of butterfly 20000000].
    #[arg(long, value_name = "N", value_parser = within::<u64>(workload::BYTES))]
    bytes: Option<u64>,
    #[arg(long, value_name = "FILE", help = format!("Permutations by seed: {}", permutations::FORM))]
    permutations: Option<PathBuf>,
    #[arg(long, value_name = "FAILURE", help = format!(
        "A failure, e.g. tor0.up1=down@50us..150us:data, link:tor0.up0=rate=0.5, 5%=p=1e-4; may be given again: {}", failure::form()
    ))]
    fail: Vec<String>,
    /// TOML file that describes the NIC; without it the defaults hold.
    #[arg(long, value_name = "FILE", help_heading = "Configuration")]
    config: Option<PathBuf>,
    /// One key on top of the file, e.g. reps.variant=uet, a parameter of the network, e.g. fabric.queue_packets=50, or a
    /// port by which a driver sets a path selector, with times in ns, e.g. port.gap=4000.
    #[arg(long = "set", value_name = "KEY=VALUE", help_heading = "Configuration")]
    sets: Vec<String>,
    /// The port freeze_timeout of the engine in ns [default: 100000].
    #[arg(long, value_name = "NS", value_parser = whole::<u32>(0, u32::MAX.into()))]
    freeze_timeout: Option<u32>,
    #[arg(long, value_name = "SELECTOR", value_delimiter = ',', default_values_t = Request::default().selectors, help = format!(
        "Path selectors with commas: {}; with {ADAPTIVE} the switches choose", selector_form()
    ))]
    selector: Vec<String>,
    /// Seeds of each selector.
    #[arg(long, value_name = "N", default_value_t = Request::default().seeds, value_parser = within::<u64>(SEEDS))]
    seeds: u64,
    /// The first of them.
    #[arg(long, value_name = "SEED", default_value_t = Request::default().seed, value_parser = within::<u64>(FIRST_SEED))]
    seed: u64,
    /// What chooses the EVs.
    #[arg(long, value_enum, default_value_t = EngineArg::Rtl)]
    engine: EngineArg,
    /// Whether all senders share an engine.
    #[arg(long, value_enum, default_value_t = EnginesArg::Shared)]
    engines: EnginesArg,
    /// How hosts send packets, find losses and choose windows.
    #[arg(long, value_enum, default_value_t = TransportArg::Ideal)]
    transport: TransportArg,
    /// With --transport nic: ops wait for the engines of their host as in hardware.
    #[arg(long)]
    engine_cycles: bool,
    /// Ports that are shown over time, with commas: tor0.up1, t1_0.down3, host5.nic; a switch by itself is its ports
    /// upwards.
    #[arg(long, value_name = "PORT", value_delimiter = ',', default_value = "tor0")]
    watch: Vec<String>,
    #[command(flatten)]
    files: Files,
}

impl Fabric {
    pub fn run(&self) -> Result<ExitStatus, Refusal> {
        match self {
            Fabric::Run(command) => command.run(),
            Fabric::Figures => figure::list(),
            Fabric::Figure(command) => command.run(),
            Fabric::Paper(command) => command.run(),
            Fabric::Suite(command) => command.run(),
            Fabric::Merge(command) => command.run(),
        }
    }
}

impl Run {
    fn run(&self) -> Result<ExitStatus, Refusal> {
        let freeze = self.freeze_timeout.map(|ns| format!("fabric.freeze_timeout_ns={ns}"));
        let engine_cycles = self.engine_cycles.then(|| "fabric.engine_cycles=true".to_string());
        let request = Request {
            topology: self.topology.clone(),
            workload: self.workload.clone(),
            bytes: self.bytes,
            permutations: self.permutations.clone(),
            fail: self.fail.clone(),
            config: self.config.clone(),
            set: self.sets.iter().cloned().chain(freeze).chain(engine_cycles).collect(),
            selectors: self.selector.clone(),
            seeds: self.seeds,
            seed: self.seed,
            engine: self.engine.into(),
            engines: match self.engines {
                EnginesArg::Shared => Engines::Shared,
                EnginesArg::Host => Engines::Host,
                EnginesArg::Block => Engines::Block,
            },
            transport: self.transport.into(),
            watch: if self.files.wants_series() { self.watch.clone() } else { Vec::new() },
            ..Request::default()
        };
        self.files.check()?;
        let runs = Runs::of(&request.plan()?)?;
        self.files.hand_out(&runs)
    }
}
