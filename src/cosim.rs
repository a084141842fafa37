//! `respray cosim`: a core's Verilog in lockstep with its golden model.

use std::net::IpAddr;
use std::path::{Path, PathBuf};

use clap::builder::PossibleValuesParser;
use clap::{ArgGroup, Args};
use respray_cosim::lockstep::ci;
use respray_cosim::lockstep::core::VerilatedCore;
use respray_cosim::lockstep::cores::{CORES, Visitor, visit};
use respray_cosim::lockstep::report::{Finding, Report, Verdict as Outcome};
use respray_cosim::lockstep::shard::Shard;
use respray_cosim::lockstep::{CosimOptions, Stimulus, cosim, given};
use respray_cosim::stream::STREAM_CORES;
use respray_hdl::config::Config;
use respray_hdl::cores;
use serde::Serialize;

use crate::stream::StreamArgs;
use crate::{ConfigArgs, Refusal, Verdict, network, output};

/// Inputs of the cores that a driver sets at run time, each of one core.
#[derive(Args)]
#[command(next_help_heading = "Settings of a core, for ops without their own")]
struct Settings {
    /// `reps`: freeze timeout in ticks of `now` [default: the op trace's, or 100000].
    #[arg(long, value_name = "TICKS")]
    freeze_timeout: Option<u64>,
    /// `reps`: packets of one BDP, explored after a freeze [default: the op trace's, or 16].
    #[arg(long, value_name = "N")]
    bdp_packets: Option<u64>,
    /// `sack_rx`: bytes of new packets that make a SACK due [default: the op trace's, or 4096].
    #[arg(long, value_name = "BYTES")]
    sack_threshold: Option<u64>,
    /// `sack_tx`: window in packets, which more packets out of order exceed at a loss [default: the op trace's, or 64].
    #[arg(long, value_name = "N")]
    cwnd_packets: Option<u64>,
    /// `sack_tx`: ticks of `now` without a SACK until a probe is due [default: the op trace's, or 300].
    #[arg(long, value_name = "TICKS")]
    probe_timeout: Option<u64>,
    /// `sack_tx`: round-trip time up to which a probe proves a loss [default: the op trace's, or 150].
    #[arg(long, value_name = "TICKS")]
    probe_rtt: Option<u64>,
    /// `sack_tx`: ticks without progress until everything is lost [default: the op trace's, the recording's, or 20000].
    #[arg(long, value_name = "TICKS")]
    rto: Option<u64>,
}

impl Settings {
    /// Those that are given, by name.
    fn given(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let all = [
            ("freeze-timeout", self.freeze_timeout),
            ("bdp-packets", self.bdp_packets),
            ("sack-threshold", self.sack_threshold),
            ("cwnd-packets", self.cwnd_packets),
            ("probe-timeout", self.probe_timeout),
            ("probe-rtt", self.probe_rtt),
            ("rto", self.rto),
        ];
        all.into_iter().filter_map(|(name, value)| value.map(|value| (name, value)))
    }
}

/// The run of the command's core.
struct Run<'a>(&'a Cosim);

impl Visitor for Run<'_> {
    type Output = Result<Verdict, Refusal>;

    fn visit<C: VerilatedCore>(self) -> Self::Output {
        self.0.run_core::<C>()
    }
}

#[derive(Args)]
#[command(group = ArgGroup::new("stimulus").required(true))]
pub struct Cosim {
    /// The core; `sack` is both SACK engines with a network between them.
    #[arg(long, value_name = "CORE", value_parser = PossibleValuesParser::new(CORES.iter().chain(&STREAM_CORES).chain(&[network::NAME])))]
    pub core: String,
    /// Stimulus: an op trace, CSV, gzipped or not.
    #[arg(long, value_name = "FILE", group = "stimulus")]
    ops: Option<PathBuf>,
    /// Stimulus: a capture, pcap or pcapng, gzipped or not. Settings of a recording that stand beside it, as
    /// NAME.json beside NAME-sender.pcap.gz, hold where no option is given.
    #[arg(long, value_name = "FILE", group = "stimulus")]
    pub traffic: Option<PathBuf>,
    /// Stimulus: so many cycles of random ops, or of random frames.
    #[arg(long, value_name = "N", group = "stimulus")]
    pub random: Option<u64>,
    /// Seed of the random ops and of the core's `seed` port (its low 16 bits) [default: the op trace's, or 1].
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// One knob of the random ops, e.g. hot_set=2; may be given again.
    #[arg(long = "knob", value_name = "KNOB=VALUE", requires = "random")]
    knobs: Vec<String>,
    /// Of random ops: run part I of N of the campaign, its share of the cycles with a seed of its own.
    #[arg(long, value_name = "I/N", requires = "random")]
    shard: Option<Shard>,
    /// Of a capture: the address of the local side [default: the recording's, or the side that sends data first].
    #[arg(long, value_name = "ADDRESS", requires = "traffic")]
    local: Option<IpAddr>,
    /// Of a capture: a packet not acknowledged for so long is a timeout [default: the recording's, or 20000000].
    #[arg(long, value_name = "NS", requires = "traffic")]
    rto_ns: Option<u64>,
    /// Run this Verilog, with the same ports, instead of the generated one.
    #[arg(long, value_name = "FILE")]
    pub verilog: Option<PathBuf>,
    /// Write the verdict and all counts as JSON; `-` is standard output.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write the verdict as JUnit XML.
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write a summary in Markdown.
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// Write waves (FST) of the cycles around the first difference, or of a passing run's first cycles.
    #[arg(long, value_name = "FILE")]
    pub wave: Option<PathBuf>,
    /// Write the lines of the Verilog that the run executed, and how often, into this folder.
    #[arg(long, value_name = "DIR")]
    pub coverage: Option<PathBuf>,
    /// Where the shrunken op trace of a difference goes [default: CORE_failure.csv].
    #[arg(long, value_name = "FILE")]
    pub reproducer: Option<PathBuf>,
    #[command(flatten)]
    stream: StreamArgs,
    #[command(flatten)]
    pub config: ConfigArgs,
    #[command(flatten)]
    network: network::Networks,
    #[command(flatten)]
    settings: Settings,
}

impl Cosim {
    pub fn run(&self) -> Result<Verdict, Refusal> {
        match (self.core == network::NAME, self.network.are_given()) {
            (true, true) => {
                if let Some(option) = self.run_option() {
                    return Err(format!("{option} is of runs of one core, not of core `sack`").into());
                }
                return self.network.run(self.seed.unwrap_or(1), self.json.as_deref(), &self.config.load()?);
            }
            (true, false) => return Err("core `sack` runs on networks alone: --packets N".into()),
            (false, true) => {
                return Err(format!("--packets is of core `sack`, not of `{}`", self.core).into());
            }
            (false, false) => {}
        }
        if STREAM_CORES.contains(&self.core.as_str()) {
            if let Some(option) = self.op_option() {
                return Err(format!(
                    "{option} is of cores that are given ops; {} is given frames",
                    self.core
                )
                .into());
            }
            return self.finish(&self.stream.run(self)?);
        }
        if let Some(option) = self.stream.given() {
            let cores = STREAM_CORES.join(" and ");
            return Err(format!("{option} is of {cores}; {} is given ops", self.core).into());
        }
        visit(&self.core, Run(self)).expect("clap lets pass nothing but the cores")
    }

    /// The first option that is given and only cores that are given ops understand.
    fn op_option(&self) -> Option<String> {
        let given = [
            ("--ops", self.ops.is_some()),
            ("--knob", !self.knobs.is_empty()),
            ("--shard", self.shard.is_some()),
            ("--local", self.local.is_some()),
            ("--rto-ns", self.rto_ns.is_some()),
        ];
        let first = given.into_iter().find(|(_, is_given)| *is_given).map(|(option, _)| option.to_string());
        first.or_else(|| self.settings.given().next().map(|(name, _)| format!("--{name}")))
    }

    /// The first option that is given and networks do not understand.
    fn run_option(&self) -> Option<String> {
        let given = [
            ("--verilog", self.verilog.is_some()),
            ("--junit", self.junit.is_some()),
            ("--markdown", self.markdown.is_some()),
            ("--wave", self.wave.is_some()),
            ("--coverage", self.coverage.is_some()),
            ("--reproducer", self.reproducer.is_some()),
        ];
        let first = given.into_iter().find(|(_, is_given)| *is_given).map(|(option, _)| option.to_string());
        first.or_else(|| self.op_option()).or_else(|| self.stream.given().map(str::to_string))
    }

    fn run_core<C: VerilatedCore>(&self) -> Result<Verdict, Refusal> {
        let config = self.config.load()?;
        let generated = cores::generate(C::NAME, &config)?;
        let settings = given::settings::<C>(self.settings.given(), &config)?;
        let mut options = CosimOptions::<C>::new(self.stimulus(&config)?);
        options.own.seed = match &self.shard {
            Some(shard) => Some(shard.seed(self.seed.unwrap_or(1))),
            None => self.seed,
        };
        options.own.settings = settings;
        options.verilog = self.verilog.clone();
        options.wave = self.wave.clone();
        options.coverage = self.coverage.clone();
        if let Some(path) = &self.reproducer {
            options.reproducer = path.clone();
        }
        let bar = output::progress(0, "cycles");
        let report = cosim(&generated, &options, &mut |progress| output::show(&bar, progress));
        bar.finish_and_clear();
        self.finish(&report?)
    }

    /// Says what the run came to, on the terminal and in files.
    fn finish<F: Finding + Serialize>(&self, report: &Report<F>) -> Result<Verdict, Refusal> {
        if self.json.as_deref() != Some(Path::new("-")) {
            self.print(report);
        }
        let mut files = Vec::new();
        if let Some(path) = &self.junit {
            files.push((path.clone(), ci::junit(report, &self.source()).into_bytes()));
        }
        if let Some(path) = &self.markdown {
            files.push((path.clone(), ci::markdown(report, &self.source()).into_bytes()));
        }
        output::write_all(&files)?;
        if let Some(path) = &self.json {
            output::write_json(path, report)?;
        }
        Ok(match report.result {
            Outcome::Pass => Verdict::Success,
            Outcome::Fail => Verdict::Mismatch,
        })
    }

    fn stimulus<C: VerilatedCore>(&self, config: &Config) -> Result<Stimulus<C>, Refusal> {
        if let Some(path) = &self.ops {
            return Ok(Stimulus::Ops(path.clone()));
        }
        if let Some(cycles) = self.random {
            let cycles = self.shard.map_or(cycles, |shard| shard.share(cycles));
            return Ok(given::random(cycles, &self.knobs, config)?);
        }
        let path = self.traffic.as_deref().expect("clap asks for one of the three");
        Ok(given::capture(path, self.local, self.rto_ns, config)?)
    }

    /// What it runs on, in words.
    fn source(&self) -> String {
        let file = [&self.ops, &self.traffic, &self.stream.frames].into_iter().flatten().next();
        match (file, &self.shard) {
            (Some(path), _) => path.display().to_string(),
            (None, Some(shard)) => format!("random ops, part {} of {}", shard.index, shard.of),
            (None, None) if STREAM_CORES.contains(&self.core.as_str()) => "random frames".to_string(),
            (None, None) => "random ops".to_string(),
        }
    }

    fn print<F: Finding>(&self, report: &Report<F>) {
        let source = self.source();
        let verdict = if report.result == Outcome::Pass { "pass" } else { "FAIL" };
        println!("{} on {source}: {verdict}", report.core);
        for line in &report.summary {
            println!("  {line}");
        }
        println!("  mismatches {}, {:.2} M cycles/s", report.mismatches, report.cycles_per_second / 1e6);
        if let Some(coverage) = &report.coverage {
            println!("  lines of the Verilog that ran: {} of {}", coverage.executed, coverage.lines);
            for line in &coverage.not_executed {
                println!("    line {line} never ran");
            }
        }
        if let Some(failure) = &report.failure {
            println!("{failure}");
        }
    }
}
