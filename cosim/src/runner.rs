//! What goes around every run, of ops or of frames: the model, its waves and its coverage, and what a difference leaves.

use std::path::{Path, PathBuf};
use std::time::Instant;

use respray_hdl::config::Config;
use respray_hdl::manifest::Generated;
use thiserror::Error;

use crate::report::{Counts, LineCoverage, Report, Verdict, command_line, config_arguments};
use crate::verilator::{self, BuildOptions, Coverage, Design, Model, ModelError, Source, linked};

/// Cycles before the difference that the waves show.
const WAVE_BEFORE: u64 = 256;
/// Cycles that the waves of a run without a difference show, from its start.
const WAVE_OF_PASS: u64 = 4096;

/// What is run, on what, and what it leaves.
#[derive(Clone, Debug)]
pub struct RunOptions<T> {
    /// What only runs of ops, or only runs of frames have.
    pub own: T,
    /// Verilog to run instead of the generated one, with the same ports and latency.
    pub verilog: Option<PathBuf>,
    /// Waves of the cycles around the first difference, or of a passing run's first cycles. Without it, a
    /// difference's waves stand beside the reproducer, if `waves` is set.
    pub wave: Option<PathBuf>,
    /// Whether a difference leaves waves without being asked. The model that records them takes some seconds to build.
    pub waves: bool,
    /// Directory for `CORE.dat`, Verilator's count of executed lines; the run is some three times slower.
    pub coverage: Option<PathBuf>,
    /// Where a difference's shrunken stimulus goes: an op trace, or a list of frames.
    pub reproducer: PathBuf,
    /// Where compiled models are kept, if not where they usually are.
    pub cache_dir: Option<PathBuf>,
}

/// What a run is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The model is verilated and compiled, or found in the cache.
    Building,
    /// So many of so many clock edges, or frames, are compared; an op trace's number is a good guess.
    Running { done: u64, of: u64 },
    /// A difference was found and is made small.
    Shrinking,
    /// The run is repeated up to the difference with waves on.
    Recording,
}

/// Why there was no run, whatever its stimulus. Its text is the whole sentence for the user.
#[derive(Debug, Error)]
pub enum RunError {
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error("{file}: {source}")]
    Verilog { file: String, source: ModelError },
    #[error("{file}: the Verilog stopped its simulation after {cycles} cycles: {reason}")]
    Stopped { file: String, cycles: u64, reason: String },
    #[error("{}: {source}", .path.display())]
    Write { path: PathBuf, source: std::io::Error },
}

/// Makes a device of a core that has not run.
pub(crate) type Fresh<'a, D> = &'a mut dyn FnMut() -> Result<D, RunError>;

/// A core, its golden side and its stimulus.
pub(crate) trait Job {
    type Own;
    /// The model with the core's ports.
    type Device;
    /// What a run came to.
    type Run;
    /// What is left of a failed run.
    type Small;
    /// What a report says of it.
    type Failure;
    type Error: From<RunError>;

    fn generated(&self) -> &Generated;

    fn options(&self) -> &RunOptions<Self::Own>;

    /// Of what is random in a model that is not reset.
    fn model_seed(&self) -> u32;

    fn device(&self, model: Model) -> Result<Self::Device, ModelError>;

    fn model(device: &mut Self::Device) -> &mut Model;

    /// Why the Verilog stopped its simulation before the run ended, if it did.
    fn stopped(device: &mut Self::Device) -> Option<String> {
        Self::model(device).failure()
    }

    /// The whole run, up to its first difference.
    fn run(&mut self, device: &mut Self::Device, progress: &mut dyn FnMut(Progress)) -> Self::Run;

    /// Keeps the files of a run that the Verilog did not stop.
    fn keep(&mut self) -> Result<(), Self::Error> {
        Ok(())
    }

    /// Clock edges that are wanted, and those that there were.
    fn wanted_cycles(&self) -> u64;
    fn cycles(run: &Self::Run) -> u64;

    /// Cycle of the first difference.
    fn difference(run: &Self::Run) -> Option<u64>;

    /// Makes a failed run small, and writes that to the reproducer.
    fn shrink(&self, run: &Self::Run, device: Fresh<'_, Self::Device>) -> Result<Self::Small, Self::Error>;

    /// Repeats the run's first `cycles` with waves from cycle `from` on.
    fn record(&self, device: Self::Device, wave: &Path, from: u64, cycles: u64) -> Result<(), ModelError>;

    fn failure(&self, run: Self::Run, small: Self::Small, wave: Option<PathBuf>) -> Self::Failure;

    /// Counts in the order of the report, and in words, a line each.
    fn counted(&self, run: &Self::Run) -> (Vec<(&'static str, u64)>, Vec<String>);
}

/// Runs it. A difference is a report, not an error.
pub(crate) fn carry_out<J: Job>(
    job: &mut J,
    progress: &mut dyn FnMut(Progress),
) -> Result<Report<J::Failure>, J::Error> {
    if let Some(directory) = &job.options().coverage {
        std::fs::create_dir_all(directory).map_err(write_error(directory))?;
    }
    progress(Progress::Building);
    let design = job.options().design(job.generated(), Flavour::Run)?;
    let mut device = fresh(job, design)?;
    let start = Instant::now();
    let run = job.run(&mut device, progress);
    let seconds = start.elapsed().as_secs_f64();
    let cycles = J::cycles(&run);
    if let Some(reason) = J::stopped(&mut device) {
        return Err(RunError::Stopped { file: job.options().file(job.generated()), cycles, reason }.into());
    }
    job.keep()?;
    let coverage = match &job.options().coverage {
        Some(directory) => Some(job.options().coverage(job.generated(), J::model(&mut device), directory)?),
        None => None,
    };
    drop(device);
    let (counts, summary) = job.counted(&run);
    let failure = match J::difference(&run) {
        Some(cycle) => Some(failed(job, run, cycle, progress)?),
        None => {
            if let Some(wave) = &job.options().wave {
                progress(Progress::Recording);
                record(job, wave, 0, job.wanted_cycles().min(WAVE_OF_PASS))?;
            }
            None
        }
    };
    let Generated { manifest, .. } = job.generated();
    Ok(Report {
        core: manifest.module.clone(),
        config: manifest.config.clone(),
        cycles,
        counts: Counts(counts),
        mismatches: failure.is_some().into(),
        cycles_per_second: (cycles as f64 / seconds).round(),
        summary,
        result: if failure.is_some() { Verdict::Fail } else { Verdict::Pass },
        coverage,
        warnings: Vec::new(),
        failure,
    })
}

/// What a run leaves whose first difference is in this cycle.
fn failed<J: Job>(
    job: &J,
    run: J::Run,
    cycle: u64,
    progress: &mut dyn FnMut(Progress),
) -> Result<J::Failure, J::Error> {
    progress(Progress::Shrinking);
    let options = job.options();
    let design = options.design(job.generated(), Flavour::Plain)?;
    let small = job.shrink(&run, &mut || fresh(job, design))?;
    let beside = options.waves.then(|| options.reproducer.with_extension("fst"));
    let wave = options.wave.clone().or(beside);
    if let Some(wave) = &wave {
        progress(Progress::Recording);
        record(job, wave, cycle.saturating_sub(WAVE_BEFORE), J::cycles(&run) + 1)?;
    }
    Ok(job.failure(run, small, wave))
}

fn fresh<J: Job>(job: &J, design: &'static Design) -> Result<J::Device, RunError> {
    let model = design.model(job.model_seed())?;
    job.device(model).map_err(|error| job.options().place(error))
}

fn record<J: Job>(job: &J, wave: &Path, from: u64, cycles: u64) -> Result<(), RunError> {
    let device = fresh(job, job.options().design(job.generated(), Flavour::Waves)?)?;
    Ok(job.record(device, wave, from, cycles)?)
}

/// What a model is built for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flavour {
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
            wave: None,
            waves: true,
            coverage: None,
            reproducer: PathBuf::from(format!("{core}_failure.csv")),
            cache_dir: None,
        }
    }

    /// The model's design: the one linked in where it serves, else one from the cache.
    fn design(&self, generated: &Generated, flavour: Flavour) -> Result<&'static Design, RunError> {
        let Generated { verilog, manifest } = generated;
        let coverage = flavour == Flavour::Run && self.coverage.is_some();
        let trace = flavour == Flavour::Waves;
        let top = manifest.module.as_str();
        let is_linked = || manifest.config == Config::default() && linked::names().contains(&top);
        let source = match &self.verilog {
            Some(path) => Source::read(top, path)?,
            None if !trace && !coverage && is_linked() => return Ok(linked::design(top)?),
            None => Source::new(top, verilog.as_str()),
        };
        let cache_dir = self.cache_dir.clone();
        let build = BuildOptions { trace, coverage, cache_dir, ..BuildOptions::default() };
        verilator::build(&source, &build).map_err(|error| self.place(error))
    }

    /// Names the user's file, if the Verilog is the user's.
    fn place(&self, source: ModelError) -> RunError {
        match &self.verilog {
            Some(path) => RunError::Verilog { file: name(path), source },
            None => RunError::Model(source),
        }
    }

    /// The Verilog's file.
    fn file(&self, generated: &Generated) -> String {
        self.verilog.as_deref().map_or_else(|| format!("{}.v", generated.manifest.module), name)
    }

    /// Writes what Verilator counted, and the Verilog with the counts beside its lines.
    fn coverage(
        &self,
        generated: &Generated,
        model: &mut Model,
        directory: &Path,
    ) -> Result<LineCoverage, RunError> {
        let core = &generated.manifest.module;
        let counts = directory.join(format!("{core}.dat"));
        model.coverage_write(&counts)?;
        let coverage = Coverage::read(&counts)?;
        let verilog = match &self.verilog {
            Some(path) => Source::read(core, path)?.verilog,
            None => generated.verilog.clone(),
        };
        let path = directory.join(format!("{core}.v.coverage"));
        std::fs::write(&path, coverage.annotate(&verilog)).map_err(write_error(&path))?;
        let (executed, lines) = coverage.covered_and_total();
        Ok(LineCoverage { executed, lines, not_executed: coverage.uncovered() })
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
        command_line(&arguments)
    }
}

pub(crate) fn name(path: &Path) -> String {
    path.display().to_string()
}

pub(crate) fn write_error(path: &Path) -> impl FnOnce(std::io::Error) -> RunError + '_ {
    move |source| RunError::Write { path: path.to_path_buf(), source }
}
