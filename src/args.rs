//! What the subcommands share: options that mean the same everywhere, and how a subcommand ends.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use respray_cosim::cores::CORES;
use respray_cosim::network;
use respray_cosim::stream::STREAM_CORES;
use respray_cosim::traffic::capture::Cut;
use respray_files::range::{Real, Whole};
use respray_hdl::config::{Config, ConfigError, Found};
use respray_hdl::nic::top;
use respray_synth::cells::Family;

use crate::number::{Number, within};

/// The NIC at hand: everywhere the same two options.
#[derive(Args, Clone, Debug)]
pub struct ConfigArgs {
    /// TOML file that describes the NIC; without it the defaults hold.
    #[arg(long, value_name = "FILE", help_heading = "Configuration")]
    config: Option<PathBuf>,
    /// One key on top of the file, e.g. reps.depth=16; may be given again.
    #[arg(long = "set", value_name = "KEY=VALUE", help_heading = "Configuration")]
    sets: Vec<String>,
}

impl ConfigArgs {
    pub fn load(&self) -> Result<Config, ConfigError> {
        self.load_over(&[])
    }

    /// The same, and what is not given is as it was found beside what the run is given.
    pub fn load_over(&self, beneath: &[Found]) -> Result<Config, ConfigError> {
        Config::load_over(beneath, self.config.as_deref(), &self.sets)
    }
}

/// What becomes of a capture that ends within a record.
pub fn cut(strict: bool) -> Cut {
    if strict { Cut::Refused } else { Cut::Warned }
}

/// How a subcommand that ran to its end went.
pub enum ExitStatus {
    Success,
    /// What was to be compared differs.
    Mismatch,
    /// Why not all went well has been said.
    Refused,
    /// A signal ended it before its time.
    Interrupted,
}

/// Bad input or a failed tool: its text is the sentence that the user reads.
pub type Refusal = Box<dyn std::error::Error>;

/// The stimuli that are random, of which there is one.
pub const AT_RANDOM: &str = "at_random";

/// Minutes of a run, up to a year.
const MINUTES: Real = Real::above(0.0, 525_600.0);

/// Cycles of a run: at a million a second, the greatest number of them takes thirty years.
pub const CYCLES: Whole = Whole::new(1, 1_000_000_000_000_000);

/// Any seed.
pub const SEEDS: Whole = Whole::new(0, u64::MAX);

/// The first seed of a campaign, whose runs have the seeds from there on.
pub const FIRST_SEEDS: Whole = Whole::new(0, 1 << 62);

/// A number of minutes, which need not be whole.
fn minutes() -> Number<Duration> {
    let read = |text: &str| Some(Duration::from_secs_f64(60.0 * MINUTES.read(text)?));
    Number::new(MINUTES.to_string(), read)
}

fn families() -> impl TypedValueParser<Value = Family> {
    PossibleValuesParser::new(Family::ALL.map(Family::name)).map(|name| {
        let known = Family::ALL.into_iter().find(|family| family.name() == name);
        known.expect("the parser lets nothing else pass")
    })
}

/// What runs the Verilog of a core.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Sim {
    /// The fastest, with waves and coverage.
    #[default]
    Verilator,
    /// Icarus Verilog, which is event-driven and knows unknown bits.
    Icarus,
    /// Icarus Verilog on Verilog in which no unknown bit is lost: one in a register with a reset ends the run.
    Unknown,
    /// The C++ that Yosys writes of what its front end reads.
    Cxxrtl,
}

/// A run of a core, whatever it is given: options that ops and frames have in common.
#[derive(Args)]
pub struct RunArgs {
    /// The core; `sack` is both SACK engines with a network between them, `nic` the block that joins the cores.
    #[arg(long, value_name = "CORE", value_parser = PossibleValuesParser::new(CORES.iter().chain(&STREAM_CORES).chain(&[network::NAME, top::NAME])))]
    pub core: String,
    /// Stimulus: a capture, pcap or pcapng, gzipped or not, a file or a pipe. Settings of a recording that stand beside it, as
    /// NAME.json beside NAME-sender.pcap.gz, hold where no option is given.
    #[arg(long, value_name = "FILE", group = "stimulus")]
    pub traffic: Option<PathBuf>,
    /// Of a capture: refuse it if it ends within a record, in place of reading it up to there with a warning.
    #[arg(long, requires = "traffic")]
    pub strict: bool,
    /// Stimulus: so many cycles of random ops, or of random frames; of `nic` about so many, of random traffic in rounds.
    #[arg(long, value_name = "N", groups = ["stimulus", AT_RANDOM], value_parser = within::<u64>(CYCLES))]
    pub random: Option<u64>,
    /// Stimulus: random ops, frames or traffic, for so many minutes by the clock, or up to the first difference. The report says
    /// how many cycles that were, and --random repeats them.
    #[arg(long, value_name = "N", groups = ["stimulus", AT_RANDOM], value_parser = minutes())]
    pub minutes: Option<Duration>,
    /// Seed of the random ops and of the core's `seed` port (its low 16 bits); of `nic` of the network of a pair, of random traffic and
    /// of pauses [default: the op trace's, or 1].
    #[arg(long, value_name = "N", value_parser = within::<u64>(SEEDS))]
    pub seed: Option<u64>,
    /// Run this Verilog, with the same ports, instead of the generated one.
    #[arg(long, value_name = "FILE")]
    pub verilog: Option<PathBuf>,
    /// Run what Yosys makes of the core for this family of devices instead of the Verilog: the cells, each as its model says.
    #[arg(long, value_name = "DEVICE", conflicts_with_all = ["verilog", "coverage"], value_parser = families())]
    pub netlist: Option<Family>,
    /// What runs the Verilog. Without Verilator a difference leaves neither waves nor a reproducer.
    #[arg(long, value_name = "SIMULATOR", value_enum, default_value_t, conflicts_with_all = ["netlist", "coverage", "wave", "minutes"])]
    pub sim: Sim,
    /// Write waves (FST) of the cycles around the first difference, or of a passing run's first cycles; of `sack` for each engine,
    /// with its name before the file's extension.
    #[arg(long, value_name = "FILE")]
    pub wave: Option<PathBuf>,
    /// Write the lines of the Verilog that the run executed, and how often, into this folder.
    #[arg(long, value_name = "DIR")]
    pub coverage: Option<PathBuf>,
    /// Go on behind the first difference and count the others, also for each output port.
    #[arg(long)]
    pub keep_going: bool,
    /// Write what the core puts out as CSV: a line for each result, or for each frame, record and event; of a pair for each end, with its
    /// name before the file's extension.
    #[arg(long, value_name = "FILE")]
    pub results: Option<PathBuf>,
    /// Where the shrunken stimulus of a difference goes [default: CORE_failure.csv, or CORE_failure_IofN.csv of a part, in the
    /// folder of --json where that is a file; a number follows where there is one already].
    #[arg(long, value_name = "FILE")]
    pub reproducer: Option<PathBuf>,
    #[command(flatten)]
    pub config: ConfigArgs,
}
