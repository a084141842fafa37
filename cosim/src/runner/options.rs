//! What a run is asked for, and what follows from it: its Verilog, its model, its coverage and its command line.

use std::path::PathBuf;
use std::time::Duration;

use respray_hdl::manifest::Generated;

use super::head::{other_configuration, other_module};
use super::{RunError, name};
use crate::netlist::{Origin, Synthesis};
use crate::report::{command_line, config_arguments};
use crate::simulators::Simulator;
use crate::verilator::{self, BuildOptions, Design, ModelError, Source, linked};

/// A run of fewer cycles takes less time than the compiler needs to make its model fast.
const QUICK_BELOW: u64 = 4 << 20;

/// A design for a run of about so many cycles: the one linked in where it serves, else one from the cache.
pub(crate) fn design_for(
    source: &Source,
    build: BuildOptions,
    cycles: u64,
) -> Result<&'static Design, ModelError> {
    let linked = linked::of(source).filter(|_| !build.trace && !build.coverage);
    let quick = cycles < QUICK_BELOW;
    linked.map_or_else(|| verilator::build(source, &BuildOptions { quick, ..build }), Ok)
}

/// What is run, on what, and what it leaves.
#[derive(Clone, Debug)]
pub struct RunOptions<T> {
    /// What only runs of ops, or only runs of frames have.
    pub own: T,
    /// Verilog to run instead of the generated one, with the same ports and latency.
    pub verilog: Option<PathBuf>,
    /// The cells of a device that run instead of the generated Verilog, which they are synthesised from. They go before `verilog`.
    pub netlist: Option<Synthesis>,
    /// What runs the Verilog in the place of Verilator. A difference then leaves neither waves nor a reproducer.
    pub simulator: Option<Simulator>,
    /// Time after which a run ends that has found no difference. Random stimulus alone can be repeated up to there.
    pub time: Option<Duration>,
    /// The run goes on behind its first difference and counts the others.
    pub keep_going: bool,
    /// Table of what the core puts out, up to the end of the run.
    pub results: Option<PathBuf>,
    /// Waves of the cycles around the first difference, or of a passing run's first cycles. Without it, a
    /// difference's waves stand beside the reproducer, if `waves` is set.
    pub wave: Option<PathBuf>,
    /// Whether a difference leaves waves without being asked. The model that records them takes some seconds to build.
    pub waves: bool,
    /// Waves of a passing run show its last cycles in place of its first.
    pub wave_of_end: bool,
    /// Directory for `CORE.dat`, Verilator's count of executed lines; the run is some three times slower.
    pub coverage: Option<PathBuf>,
    /// Where a difference's shrunken stimulus goes: an op trace, or a list of frames.
    pub reproducer: PathBuf,
    /// Where compiled models are kept, if not where they usually are.
    pub cache_dir: Option<PathBuf>,
}

/// What a model is built for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flavour {
    /// The run, with its lines counted if that is wanted.
    Run,
    Plain,
    Waves,
}

impl<T> RunOptions<T> {
    /// With nothing but `own`, the rest as the command line has it by default.
    pub(crate) fn of(core: &str, own: T) -> Self {
        RunOptions {
            own,
            verilog: None,
            netlist: None,
            simulator: None,
            time: None,
            keep_going: false,
            results: None,
            wave: None,
            waves: true,
            wave_of_end: false,
            coverage: None,
            reproducer: PathBuf::from(format!("{core}_failure.csv")),
            cache_dir: None,
        }
    }

    /// The Verilog that runs, and where it comes from if it is a netlist, which is made here.
    pub(crate) fn source(&self, generated: &Generated) -> Result<(Source, Option<Origin>), RunError> {
        let top = generated.manifest.module.as_str();
        match (&self.netlist, &self.verilog) {
            (Some(synthesis), _) => {
                let netlist = synthesis.netlist(generated).map_err(RunError::Synthesis)?;
                Ok((Source::new(top, netlist.verilog), Some(netlist.origin)))
            }
            (None, Some(path)) => {
                let source = Source::read(top, path)?;
                if let Some(found) = other_module(&source.verilog, &generated.verilog) {
                    let (found, wanted) = (found.to_string(), top.to_string());
                    return Err(RunError::OtherCore { file: name(path), found, wanted });
                }
                match other_configuration(&source.verilog, &generated.verilog) {
                    None => Ok((source, None)),
                    Some((found, wanted)) => {
                        Err(RunError::OtherConfiguration { file: name(path), found, wanted })
                    }
                }
            }
            (None, None) => Ok((Source::new(top, generated.verilog.as_str()), None)),
        }
    }

    /// The model's design for a run of about so many cycles: the one linked in where it serves, else one from the cache.
    pub(crate) fn design(
        &self,
        source: &Source,
        flavour: Flavour,
        cycles: u64,
    ) -> Result<&'static Design, RunError> {
        let coverage = flavour == Flavour::Run && self.coverage.is_some();
        let trace = flavour == Flavour::Waves;
        let cache_dir = self.cache_dir.clone();
        let build = BuildOptions { trace, coverage, cache_dir, ..BuildOptions::default() };
        design_for(source, build, cycles).map_err(|error| self.place(error))
    }

    /// Names the user's file, if the Verilog is the user's.
    pub(crate) fn place(&self, source: ModelError) -> RunError {
        match (&self.verilog, source) {
            (None, source) => RunError::Model(source),
            (Some(path), ModelError::Create { model, reason }) => {
                let (file, reason) = placed(name(path), &model, &reason);
                RunError::Verilog { file, source: ModelError::Create { model, reason } }
            }
            (Some(path), source) => RunError::Verilog { file: name(path), source },
        }
    }

    pub(crate) fn stopped(&self, generated: &Generated, cycles: u64, reason: &str) -> RunError {
        let top = &generated.manifest.module;
        let file = self.verilog.as_deref().map_or_else(|| format!("{top}.v"), name);
        let (file, reason) = placed(file, top, reason);
        RunError::Stopped { file, cycles, reason }
    }

    /// The command of a run with these arguments of its stimulus.
    pub(crate) fn command(&self, generated: &Generated, stimulus: &[String]) -> String {
        let manifest = &generated.manifest;
        let mut arguments: Vec<String> =
            ["respray", "cosim", "--core", &manifest.module].map(String::from).to_vec();
        arguments.extend_from_slice(stimulus);
        arguments.extend(config_arguments(&manifest.config));
        if let Some(path) = &self.verilog {
            arguments.extend(["--verilog".into(), name(path)]);
        }
        arguments.extend(self.netlist.iter().flat_map(Synthesis::arguments));
        arguments.extend(self.simulator.iter().flat_map(Simulator::arguments));
        arguments.extend(self.keep_going.then(|| "--keep-going".to_string()));
        command_line(&arguments)
    }
}

/// `file` with the line that `reason` begins with, and the rest of it. A model knows its Verilog by the name of its top
/// module, which is that of no file of the user.
fn placed(file: String, top: &str, reason: &str) -> (String, String) {
    let line = reason.strip_prefix(top).and_then(|rest| rest.strip_prefix(".v:"));
    match line.and_then(|line| line.split_once(": ")) {
        Some((line, reason)) => (format!("{file}:{line}"), reason.to_string()),
        None => (file, reason.to_string()),
    }
}
