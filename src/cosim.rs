//! `respray cosim`: a core's Verilog in lockstep with its golden model.

use std::net::IpAddr;
use std::path::{Path, PathBuf};

use clap::{ArgGroup, Args};
use respray_cosim::cores::{Visitor, visit};
use respray_cosim::lockstep::ci;
use respray_cosim::lockstep::op_core::OpCore;
use respray_cosim::lockstep::report::{Finding, Report, Verdict};
use respray_cosim::lockstep::shard::Shard;
use respray_cosim::lockstep::{CosimOptions, Stimulus, cosim, given};
use respray_cosim::stream::STREAM_CORES;
use respray_hdl::config::Config;
use respray_hdl::cores;
use serde::Serialize;

use crate::args::{ExitStatus, Refusal, RunArgs, cut};
use crate::settings::DriverSettings;
use crate::stream::StreamArgs;
use crate::{network, output};

/// The run of the command's core.
struct Run<'a>(&'a Cosim);

impl Visitor for Run<'_> {
    type Output = Result<ExitStatus, Refusal>;

    fn visit<C: OpCore + 'static>(self) -> Self::Output {
        self.0.run_core::<C>()
    }
}

#[derive(Args)]
#[command(group = ArgGroup::new("stimulus").required(true))]
pub struct Cosim {
    #[command(flatten)]
    run: RunArgs,
    /// Stimulus: an op trace, CSV, gzipped or not.
    #[arg(long, value_name = "FILE", group = "stimulus")]
    ops: Option<PathBuf>,
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
    /// Write the verdict and all counts as JSON; `-` is standard output.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write the verdict as JUnit XML.
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write a summary in Markdown.
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    #[command(flatten)]
    stream: StreamArgs,
    #[command(flatten)]
    network: network::Networks,
    #[command(flatten)]
    settings: DriverSettings,
}

impl Cosim {
    pub fn run(&self) -> Result<ExitStatus, Refusal> {
        match (self.run.core == network::NAME, self.network.are_given()) {
            (true, true) => {
                if let Some(option) = self.run_option() {
                    return Err(format!("{option} is of runs of one core, not of core `sack`").into());
                }
                return self.network.run(
                    self.run.seed.unwrap_or(1),
                    self.json.as_deref(),
                    &self.run.config.load()?,
                );
            }
            (true, false) => return Err("core `sack` runs on networks alone: --packets N".into()),
            (false, true) => {
                return Err(format!("--packets is of core `sack`, not of `{}`", self.run.core).into());
            }
            (false, false) => {}
        }
        if STREAM_CORES.contains(&self.run.core.as_str()) {
            if let Some(option) = self.op_option() {
                return Err(format!(
                    "{option} is of cores that are given ops; {} is given frames",
                    self.run.core
                )
                .into());
            }
            return self.finish(&self.stream.run(&self.run)?);
        }
        if let Some(option) = self.stream.given() {
            let cores = STREAM_CORES.join(" and ");
            return Err(format!("{option} is of {cores}; {} is given ops", self.run.core).into());
        }
        visit(&self.run.core, Run(self)).expect("clap lets pass nothing but the cores")
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
            ("--verilog", self.run.verilog.is_some()),
            ("--junit", self.junit.is_some()),
            ("--markdown", self.markdown.is_some()),
            ("--wave", self.run.wave.is_some()),
            ("--coverage", self.run.coverage.is_some()),
            ("--reproducer", self.run.reproducer.is_some()),
        ];
        let first = given.into_iter().find(|(_, is_given)| *is_given).map(|(option, _)| option.to_string());
        first.or_else(|| self.op_option()).or_else(|| self.stream.given().map(str::to_string))
    }

    fn run_core<C: OpCore>(&self) -> Result<ExitStatus, Refusal> {
        let config = self.run.config.load()?;
        let generated = cores::generate(C::CONTRACT.core, &config)?;
        let settings = given::settings::<C>(self.settings.given(), &config)?;
        let mut options = CosimOptions::<C>::new(self.stimulus(&config)?);
        options.own.seed = match &self.shard {
            Some(shard) => Some(shard.seed(self.run.seed.unwrap_or(1))),
            None => self.run.seed,
        };
        options.own.settings = settings;
        options.verilog = self.run.verilog.clone();
        options.wave = self.run.wave.clone();
        options.coverage = self.run.coverage.clone();
        if let Some(path) = &self.run.reproducer {
            options.reproducer = path.clone();
        }
        let bar = output::progress(0, "cycles");
        let report = cosim(&generated, &options, &mut |progress| output::show(&bar, progress));
        bar.finish_and_clear();
        self.finish(&report?)
    }

    /// Says what the run came to, on the terminal and in files.
    fn finish<F: Finding + Serialize>(&self, report: &Report<F>) -> Result<ExitStatus, Refusal> {
        output::warn(&report.warnings);
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
            Verdict::Pass => ExitStatus::Success,
            Verdict::Fail => ExitStatus::Mismatch,
        })
    }

    fn stimulus<C: OpCore>(&self, config: &Config) -> Result<Stimulus<C>, Refusal> {
        if let Some(path) = &self.ops {
            return Ok(Stimulus::Ops(path.clone()));
        }
        if let Some(cycles) = self.run.random {
            let cycles = self.shard.map_or(cycles, |shard| shard.share(cycles));
            return Ok(given::random(cycles, &self.knobs, config)?);
        }
        let path = self.run.traffic.as_deref().expect("clap asks for one of the three");
        Ok(given::capture(path, self.local, self.rto_ns, cut(self.run.strict), config)?)
    }

    /// What it runs on, in words.
    fn source(&self) -> String {
        let file = [&self.ops, &self.run.traffic, &self.stream.frames].into_iter().flatten().next();
        match (file, &self.shard) {
            (Some(path), _) => path.display().to_string(),
            (None, Some(shard)) => format!("random ops, part {} of {}", shard.index, shard.of),
            (None, None) if STREAM_CORES.contains(&self.run.core.as_str()) => "random frames".to_string(),
            (None, None) => "random ops".to_string(),
        }
    }

    fn print<F: Finding>(&self, report: &Report<F>) {
        let source = self.source();
        let verdict = if report.result == Verdict::Pass { "pass" } else { "FAIL" };
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
