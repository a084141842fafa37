//! `respray cosim`: a core's Verilog in lockstep with its golden model.

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{ArgGroup, Args};
use respray_cosim::cores::{Visitor, visit_in};
use respray_cosim::lockstep::ci;
use respray_cosim::lockstep::op_core::OpCore;
use respray_cosim::lockstep::report::{Finding, Report};
use respray_cosim::lockstep::shard::{MAX_SHARDS, Shard};
use respray_cosim::lockstep::{Compiled, CosimOptions, Stimulus, cosim, given};
use respray_cosim::nic::Feed;
use respray_cosim::stream::STREAM_CORES;
use respray_cosim::traffic::optrace::Beside;
use respray_cosim::verilator::{Stuck, end_at_once, watch};
use respray_files::output::{is_standard_output, remove_unfinished, unused};
use respray_hdl::config::Config;
use respray_hdl::cores;
use respray_hdl::nic::top;
use serde::Serialize;

use crate::args::{AT_RANDOM, ExitStatus, Refusal, RunArgs, Sim, cut};
use crate::common::give;
use crate::network;
use crate::nic::{self, NicArgs};
use crate::number::{part, whole};
use crate::output::{self, Results};
use crate::settings::DriverSettings;
use crate::stream::StreamArgs;

/// The run of the command's core.
struct Run<'a>(&'a Cosim);

impl Visitor for Run<'_> {
    type Output = Result<ExitStatus, Refusal>;

    fn visit<C: Compiled + 'static>(self) -> Self::Output {
        self.0.run_core::<C>()
    }
}

/// The configuration of the command's core.
struct Found<'a>(&'a Cosim);

impl Visitor for Found<'_> {
    type Output = Result<Config, Refusal>;

    fn visit<C: Compiled + 'static>(self) -> Self::Output {
        self.0.config_of::<C>()
    }
}

/// What the environment has to do with it.
const ENVIRONMENT: &str = "Environment:\n  RESPRAY_CACHE  Folder of compiled models; `respray cache` says where it is and how large";

#[derive(Args)]
#[command(group = ArgGroup::new("stimulus").required(true), after_help = ENVIRONMENT)]
pub struct Cosim {
    #[command(flatten)]
    run: RunArgs,
    /// Stimulus: an op trace, CSV, gzipped or not. What stands beside it, as NAME.settings.csv beside NAME.csv.gz, holds where no
    /// option is given: keys and settings, a line `name,value` each.
    #[arg(long, value_name = "FILE", group = "stimulus")]
    ops: Option<PathBuf>,
    /// One knob of the random ops, e.g. hot_set=2; may be given again.
    #[arg(long = "knob", value_name = "KNOB=VALUE", requires = AT_RANDOM)]
    knobs: Vec<String>,
    /// Of random ops: run part I of N of the campaign, its share of the cycles, or all of the minutes, with a seed of its own.
    #[arg(long, value_name = "I/N", requires = AT_RANDOM, value_parser = part::<Shard>(MAX_SHARDS.into()))]
    shard: Option<Shard>,
    /// Of a capture: the address of the local side [default: the recording's, or the side that sends data first].
    #[arg(long, value_name = "ADDRESS", requires = "traffic")]
    local: Option<IpAddr>,
    /// Of a capture: a packet not acknowledged for so long is a timeout [default: the recording's, or 20000000].
    #[arg(long, value_name = "NS", requires = "traffic", value_parser = whole::<u64>(1, 3_600_000_000_000))]
    rto_ns: Option<u64>,
    /// End the run with an error where the Verilog does not come to the end of a cycle for so many seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = whole::<u64>(1, 31_536_000))]
    stuck_after: u64,
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
    nic: NicArgs,
    #[command(flatten)]
    settings: DriverSettings,
}

impl Cosim {
    pub fn run(&self) -> Result<ExitStatus, Refusal> {
        output::one_standard_output(&self.outputs())?;
        self.watch();
        if self.run.core == top::NAME {
            return self.run_nic();
        }
        if let Some(option) = self.nic.given() {
            return Err(format!("{option} is of core `nic`, not of `{}`", self.run.core).into());
        }
        match (self.run.core == network::NAME, self.network.are_given()) {
            (true, true) => {
                if let Some(option) = self.run_option() {
                    return Err(format!("{option} is of runs of one core, not of core `sack`").into());
                }
                if self.run.wave.as_deref().is_some_and(is_standard_output) {
                    return Err(
                        "--wave is `-`; core `sack` writes a file for each engine, of its own name".into()
                    );
                }
                return self.finish(&self.network.run(&self.run, |usual| self.place(usual))?);
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
            return self.finish(&self.stream.run(&self.run, |usual| self.place(usual))?);
        }
        if let Some(option) = self.stream.given().next() {
            let cores = STREAM_CORES.join(", ");
            return Err(format!("{option} is of {cores}; {} is given ops", self.run.core).into());
        }
        // which ops a core takes may depend on its configuration, a part of which may stand beside a trace
        let given = self.run.config.load_over(&[]).unwrap_or_default();
        let found = visit_in(&self.run.core, &given, Found(self));
        let found = found.expect("clap lets pass nothing but the cores");
        visit_in(&self.run.core, &found?, Run(self)).expect("the core was found")
    }

    fn run_nic(&self) -> Result<ExitStatus, Refusal> {
        let networks = self.network.are_given().then(|| "--packets".to_string());
        let known = ["--local", "--frames", "--gap", "--stall", "--pcap-out"];
        let streams = self.stream.given().map(str::to_string);
        let mut others = networks.into_iter().chain(self.op_options()).chain(streams);
        if let Some(option) = others.find(|option| !known.contains(&option.as_str())) {
            return Err(format!("{option} is of other cores, not of core `nic`").into());
        }
        let (config, mut options) = self.nic.options(&self.run, self.local, &self.stream)?;
        if let (Feed::Pair(_), Some((option, _))) = (&options.own.feed, self.of_ends()) {
            return Err(format!("{option} is `-`; a pair writes a file for each end, of its own name").into());
        }
        options.reproducer = self.place(&options.reproducer);
        let report = nic::run(&config, &options)?;
        self.finish_as(&report.run, &report)
    }

    /// The first file that a pair writes for each end and that is to be standard output.
    fn of_ends(&self) -> Option<(&'static str, &Path)> {
        let files =
            [("--results", self.run.results.as_deref()), ("--pcap-out", self.stream.pcap_out.as_deref())];
        let files = files.into_iter().filter_map(|(option, path)| Some((option, path?)));
        files.into_iter().find(|(_, path)| is_standard_output(path))
    }

    /// Ends the process where the Verilog runs for ever, since nothing else can.
    fn watch(&self) {
        let seconds = self.stuck_after;
        let file = match &self.run.verilog {
            Some(path) => path.display().to_string(),
            None => format!("{}.v", self.run.core),
        };
        watch(Duration::from_secs(seconds), move |Stuck { cycles }| {
            remove_unfinished();
            output::say(&format!(
                "{file}: the Verilog did not come to the end of a cycle for {seconds} s, after {cycles} cycles \
                 or somewhat more; it may have an endless loop (--stuck-after SECONDS waits longer)"
            ));
            end_at_once(2)
        });
    }

    /// The files that are asked for.
    fn outputs(&self) -> [(&'static str, Option<&Path>); 7] {
        [
            ("--json", self.json.as_deref()),
            ("--junit", self.junit.as_deref()),
            ("--markdown", self.markdown.as_deref()),
            ("--wave", self.run.wave.as_deref()),
            ("--results", self.run.results.as_deref()),
            ("--reproducer", self.run.reproducer.as_deref()),
            ("--pcap-out", self.stream.pcap_out.as_deref()),
        ]
    }

    /// The first option that is given and only cores that are given ops understand.
    fn op_option(&self) -> Option<String> {
        self.op_options().next()
    }

    fn op_options(&self) -> impl Iterator<Item = String> {
        let given = [
            ("--ops", self.ops.is_some()),
            ("--knob", !self.knobs.is_empty()),
            ("--shard", self.shard.is_some()),
            ("--local", self.local.is_some()),
            ("--rto-ns", self.rto_ns.is_some()),
        ];
        let own = given.into_iter().filter(|(_, is_given)| *is_given).map(|(option, _)| option.to_string());
        own.chain(self.settings.given().map(|(name, _)| format!("--{name}")))
    }

    /// The first option that is given and networks do not understand.
    fn run_option(&self) -> Option<String> {
        let given = [
            ("--verilog", self.run.verilog.is_some()),
            ("--netlist", self.run.netlist.is_some()),
            ("--sim", self.run.sim != Sim::Verilator),
            ("--coverage", self.run.coverage.is_some()),
            ("--results", self.run.results.is_some()),
            ("--keep-going", self.run.keep_going),
        ];
        let own = given.into_iter().filter(|(_, is_given)| *is_given).map(|(option, _)| option.to_string());
        let streams = self.stream.given().map(str::to_string);
        own.chain(self.op_options()).chain(streams).next()
    }

    fn config_of<C: Compiled>(&self) -> Result<Config, Refusal> {
        let beside = self.ops.as_deref().map(|path| Beside::read(path, C::CONTRACT)).transpose()?;
        Ok(self.run.config.load_over(&beside.unwrap_or_default().keys)?)
    }

    fn run_core<C: Compiled>(&self) -> Result<ExitStatus, Refusal> {
        let config = self.config_of::<C>()?;
        let generated = cores::generate(C::CONTRACT.core, &config)?;
        let settings = given::settings::<C>(self.settings.given(), &config)?;
        let mut options = CosimOptions::<C>::new(self.stimulus(&config)?);
        options.own.seed = self.run.seed;
        options.own.shard = self.shard;
        options.own.settings = settings;
        give(&self.run, &mut options)?;
        options.reproducer = self.place(&options.reproducer);
        let bar = output::progress(0, "cycles");
        let report = cosim(&generated, &options, &mut |progress| output::show(&bar, progress));
        bar.finish_and_clear();
        self.finish(&report?)
    }

    /// Says what the run came to, on the terminal and in files.
    fn finish<F: Finding + Serialize>(&self, report: &Report<F>) -> Result<ExitStatus, Refusal> {
        self.finish_as(report, report)
    }

    /// The same, where the JSON has more than the report.
    fn finish_as<F: Finding>(
        &self,
        report: &Report<F>,
        json: &impl Serialize,
    ) -> Result<ExitStatus, Refusal> {
        output::warn(&report.warnings);
        let source = self.source();
        let is_taken = self.outputs().iter().any(|(_, path)| path.is_some_and(is_standard_output));
        let results = Results::text(if is_taken { String::new() } else { text(report, &source) })
            .json(self.json.as_deref(), json)
            .file(self.junit.as_deref(), || ci::junit(report, &source))
            .file(self.markdown.as_deref(), || ci::markdown(report, &source));
        output::conclude(report, results)
    }

    fn stimulus<C: OpCore>(&self, config: &Config) -> Result<Stimulus<C>, Refusal> {
        if let Some(path) = &self.ops {
            return Ok(Stimulus::Ops(path.clone()));
        }
        if let Some(path) = &self.run.traffic {
            return Ok(given::capture(path, self.local, self.rto_ns, cut(self.run.strict), config)?);
        }
        // with --minutes, as many cycles as there is time for
        Ok(given::random(self.run.random.unwrap_or(u64::MAX), &self.knobs, config)?)
    }

    /// Where the reproducer goes: where it is asked for, else under its `usual` name, to which a part of a campaign adds which
    /// it is, in the folder of the report. So parts that share a folder keep what the others found, and a run what those before it did.
    fn place(&self, usual: &Path) -> PathBuf {
        if let Some(path) = &self.run.reproducer {
            return path.clone();
        }
        let stem = usual.file_stem().unwrap_or_default().to_string_lossy();
        let extension = usual.extension().unwrap_or_default().to_string_lossy();
        let name = match &self.shard {
            Some(shard) => format!("{stem}_{}.{extension}", shard.file_name()),
            None => format!("{stem}.{extension}"),
        };
        let is_file = |path: &&PathBuf| {
            !is_standard_output(path) && path.metadata().map_or(true, |found| found.is_file())
        };
        let place =
            self.json.as_ref().filter(is_file).map_or(name.clone().into(), |json| json.with_file_name(&name));
        unused(&place)
    }

    /// What it runs on, in words.
    fn source(&self) -> String {
        let file = [&self.ops, &self.run.traffic, &self.stream.frames].into_iter().flatten().next();
        match (file, &self.shard) {
            (Some(path), _) => path.display().to_string(),
            (None, Some(shard)) => format!("random ops, part {} of {}", shard.index, shard.of),
            (None, None) if self.nic.is_pair() => "a pair".to_string(),
            (None, None) if self.run.core == top::NAME => "random traffic".to_string(),
            (None, None) if self.run.core == network::NAME => "random networks".to_string(),
            (None, None) if STREAM_CORES.contains(&self.run.core.as_str()) => "random frames".to_string(),
            (None, None) => "random ops".to_string(),
        }
    }
}

/// A run as a person reads it.
fn text<F: Finding>(report: &Report<F>, source: &str) -> String {
    let mut lines = vec![format!("{} on {source}: {}", report.core, report.result.word())];
    lines.extend(report.summary.iter().map(|line| format!("  {line}")));
    let speed = report.cycles_per_second / 1e6;
    lines
        .push(format!("  cycles {}, mismatches {}, {speed:.2} M cycles/s", report.cycles, report.mismatches));
    let named = report.provenance.named().into_iter().map(|(name, value)| format!("{name} {value}"));
    lines.push(format!("  {}", named.collect::<Vec<_>>().join("; ")));
    if let Some(ports) = &report.differing_ports {
        lines.extend(ports.iter().map(|(port, cycles)| format!("    `{port}` differs in {cycles} cycles")));
    }
    if let Some(coverage) = &report.coverage {
        lines.push(format!("  lines of the Verilog that ran: {} of {}", coverage.executed, coverage.lines));
        lines.extend(coverage.not_executed.iter().map(|line| format!("    line {line} never ran")));
    }
    lines.extend(report.failure.iter().map(F::to_string));
    let commands = report.provenance.commands(report.failure.is_some());
    lines.extend(commands.into_iter().map(|(what, command)| format!("{what} again: {command}")));
    lines.join("\n") + "\n"
}
