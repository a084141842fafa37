//! What goes around every run, of ops or of frames: the model, its waves and its coverage, and what a difference leaves.

use std::path::{Path, PathBuf};
use std::time::Instant;

use respray_hdl::config::Config;
use respray_hdl::manifest::Generated;
use thiserror::Error;

use crate::interrupt;
use crate::report::{Counts, LineCoverage, Report, Verdict, command_line, config_arguments};
use crate::verilator::{self, BuildOptions, Coverage, Design, Model, ModelError, Source, linked};
use respray_files::output::{self, OutputError};

/// Cycles before the difference that the waves show.
const WAVE_BEFORE: u64 = 256;
/// A run of fewer cycles takes less time than the compiler needs to make its model fast.
const QUICK_BELOW: u64 = 4 << 20;
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

/// The files that a difference left.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Files {
    pub wave: Option<PathBuf>,
    pub reproducer: Option<PathBuf>,
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
    #[error(transparent)]
    Output(#[from] OutputError),
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
    type Small: Default;
    /// What a report says of it.
    type Failure;
    type Error: From<RunError>;

    fn generated(&self) -> &Generated;

    fn options(&self) -> &RunOptions<Self::Own>;

    /// Of what is random in a model that is not reset.
    fn model_seed(&self) -> u32;

    fn device(&self, model: Model) -> Result<Self::Device, ModelError>;

    fn model(device: &mut Self::Device) -> &mut Model;

    /// After how many cycles the Verilog stopped its simulation, and why, if it did before the run ended and before the
    /// first difference.
    fn stopped(device: &mut Self::Device, run: &Self::Run) -> Option<(u64, String)> {
        let model = Self::model(device);
        let (cycles, reason) = (model.cycle_count(), model.ended()?);
        let is_behind = Self::difference(run).is_some_and(|difference| difference + 1 < cycles);
        if is_behind { None } else { Some((cycles, reason)) }
    }

    /// The whole run, up to its first difference.
    fn run(&mut self, device: &mut Self::Device, progress: &mut dyn FnMut(Progress)) -> Self::Run;

    /// Why the stimulus broke off, if it did.
    fn broken(&mut self) -> Option<Self::Error> {
        None
    }

    /// Keeps the files of a run that the Verilog did not stop.
    fn keep(&mut self) -> Result<(), OutputError> {
        Ok(())
    }

    /// Clock edges that are wanted at most, those that there will be by a good guess, and those that there were.
    fn wanted_cycles(&self) -> u64;
    fn about_cycles(&self) -> u64;
    fn cycles(run: &Self::Run) -> u64;

    /// Ops or frames that the core was given.
    fn given(run: &Self::Run) -> u64;

    /// Cycle of the first difference.
    fn difference(run: &Self::Run) -> Option<u64>;

    /// Makes a failed run small.
    fn shrink(&self, run: &Self::Run, device: Fresh<'_, Self::Device>) -> Result<Self::Small, RunError>;

    /// Writes what it was made to the reproducer, and says whether there was anything to write.
    fn leave(&self, run: &Self::Run, small: &Self::Small) -> Result<bool, OutputError>;

    /// Repeats the run's first `cycles` with waves from cycle `from` on, and gives these as an FST.
    fn record(&self, device: Self::Device, from: u64, cycles: u64) -> Result<Vec<u8>, ModelError>;

    fn failure(&self, run: Self::Run, small: Self::Small, files: Files) -> Self::Failure;

    /// Counts in the order of the report, and in words, a line each.
    fn counted(&self, run: &Self::Run) -> (Vec<(&'static str, u64)>, Vec<String>);
}

/// Runs it. A difference is a report, not an error, and so is whatever goes wrong once there is a verdict.
pub(crate) fn carry_out<J: Job>(
    job: &mut J,
    progress: &mut dyn FnMut(Progress),
) -> Result<Report<J::Failure>, J::Error> {
    if let Some(directory) = &job.options().coverage {
        std::fs::create_dir_all(directory).map_err(write_error(directory)).map_err(RunError::from)?;
    }
    progress(Progress::Building);
    let design = job.options().design(job.generated(), Flavour::Run, job.about_cycles())?;
    let mut device = fresh(job, design)?;
    let _heed = interrupt::Heed::new();
    let start = Instant::now();
    let run = job.run(&mut device, progress);
    let seconds = start.elapsed().as_secs_f64();
    let cycles = J::cycles(&run);
    if let Some((cycles, reason)) = J::stopped(&mut device, &run) {
        return Err(job.options().stopped(job.generated(), cycles, &reason).into());
    }
    if let (None, Some(error)) = (J::difference(&run), job.broken()) {
        return Err(error);
    }
    let mut not_done = NotDone::default();
    not_done.hear(job.keep());
    let coverage = job.options().coverage.as_ref().and_then(|directory| {
        not_done.hear(job.options().coverage(job.generated(), J::model(&mut device), directory))
    });
    drop(device);
    let (counts, summary) = job.counted(&run);
    let difference = J::difference(&run);
    let result = match difference {
        Some(_) => Verdict::Fail,
        None if interrupt::is_requested() => Verdict::Interrupted,
        None if J::given(&run) == 0 => Verdict::Empty,
        None => Verdict::Pass,
    };
    let failure = difference.map(|cycle| failed(job, run, cycle, &mut not_done, progress));
    if let (Verdict::Pass, Some(wave)) = (result, &job.options().wave) {
        progress(Progress::Recording);
        not_done.hear(record(job, wave, 0, job.wanted_cycles().min(WAVE_OF_PASS)));
    }
    let Generated { manifest, .. } = job.generated();
    Ok(Report {
        core: manifest.module.clone(),
        config: manifest.config.clone(),
        cycles,
        counts: Counts(counts),
        mismatches: failure.is_some().into(),
        cycles_per_second: (cycles as f64 / seconds).round(),
        summary,
        result,
        coverage,
        warnings: Vec::new(),
        failure,
        not_done: not_done.0,
    })
}

/// Sentences on what could not be done although there is a verdict.
#[derive(Default)]
struct NotDone(Vec<String>);

impl NotDone {
    fn hear<T, E: ToString>(&mut self, done: Result<T, E>) -> Option<T> {
        done.map_err(|error| self.0.push(error.to_string())).ok()
    }
}

/// What a run leaves whose first difference is in this cycle.
fn failed<J: Job>(
    job: &J,
    run: J::Run,
    cycle: u64,
    not_done: &mut NotDone,
    progress: &mut dyn FnMut(Progress),
) -> J::Failure {
    progress(Progress::Shrinking);
    let options = job.options();
    let mut files = Files::default();
    let design = options.design(job.generated(), Flavour::Plain, job.about_cycles());
    let small = design.and_then(|design| job.shrink(&run, &mut || fresh(job, design)));
    let small = not_done.hear(small).unwrap_or_default();
    if not_done.hear(job.leave(&run, &small)) == Some(true) {
        files.reproducer = Some(options.reproducer.clone());
    }
    let beside = options.waves.then(|| options.reproducer.with_extension("fst"));
    if interrupt::is_requested() {
        not_done.0.push("the run was interrupted, so its difference may not be as small as it can be".into());
    } else if let Some(wave) = options.wave.clone().or(beside) {
        progress(Progress::Recording);
        let from = cycle.saturating_sub(WAVE_BEFORE);
        files.wave = not_done.hear(record(job, &wave, from, J::cycles(&run) + 1)).map(|()| wave);
    }
    job.failure(run, small, files)
}

fn fresh<J: Job>(job: &J, design: &'static Design) -> Result<J::Device, RunError> {
    let model = design.model(job.model_seed()).map_err(|error| job.options().place(error))?;
    job.device(model).map_err(|error| job.options().place(error))
}

fn record<J: Job>(job: &J, wave: &Path, from: u64, cycles: u64) -> Result<(), RunError> {
    let device = fresh(job, job.options().design(job.generated(), Flavour::Waves, cycles)?)?;
    let waves = job.record(device, from, cycles)?;
    output::write(wave, &waves)?;
    Ok(())
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

    /// The model's design for a run of about so many cycles: the one linked in where it serves, else one from the cache.
    fn design(
        &self,
        generated: &Generated,
        flavour: Flavour,
        cycles: u64,
    ) -> Result<&'static Design, RunError> {
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
        let quick = cycles < QUICK_BELOW;
        let build = BuildOptions { trace, coverage, quick, cache_dir, ..BuildOptions::default() };
        verilator::build(&source, &build).map_err(|error| self.place(error))
    }

    /// Names the user's file, if the Verilog is the user's.
    fn place(&self, source: ModelError) -> RunError {
        match (&self.verilog, source) {
            (None, source) => RunError::Model(source),
            (Some(path), ModelError::Create { model, reason }) => {
                let (file, reason) = placed(name(path), &model, &reason);
                RunError::Verilog { file, source: ModelError::Create { model, reason } }
            }
            (Some(path), source) => RunError::Verilog { file: name(path), source },
        }
    }

    fn stopped(&self, generated: &Generated, cycles: u64, reason: &str) -> RunError {
        let top = &generated.manifest.module;
        let file = self.verilog.as_deref().map_or_else(|| format!("{top}.v"), name);
        let (file, reason) = placed(file, top, reason);
        RunError::Stopped { file, cycles, reason }
    }

    /// Writes what Verilator counted, and the Verilog with the counts beside its lines.
    fn coverage(
        &self,
        generated: &Generated,
        model: &mut Model,
        directory: &Path,
    ) -> Result<LineCoverage, RunError> {
        let core = &generated.manifest.module;
        let counts = model.coverage_data()?;
        let coverage = Coverage::parse(&counts)?;
        let verilog = match &self.verilog {
            Some(path) => Source::read(core, path)?.verilog,
            None => generated.verilog.clone(),
        };
        output::write_all(&[
            (directory.join(format!("{core}.dat")), counts.into_bytes()),
            (directory.join(format!("{core}.v.coverage")), coverage.annotate(&verilog).into_bytes()),
        ])?;
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

/// `file` with the line that `reason` begins with, and the rest of it. A model knows its Verilog by the name of its top
/// module, which is that of no file of the user.
fn placed(file: String, top: &str, reason: &str) -> (String, String) {
    let line = reason.strip_prefix(top).and_then(|rest| rest.strip_prefix(".v:"));
    match line.and_then(|line| line.split_once(": ")) {
        Some((line, reason)) => (format!("{file}:{line}"), reason.to_string()),
        None => (file, reason.to_string()),
    }
}

pub(crate) fn name(path: &Path) -> String {
    path.display().to_string()
}

pub(crate) fn write_error(path: &Path) -> impl FnOnce(std::io::Error) -> OutputError + '_ {
    move |source| OutputError { path: path.to_path_buf(), source }
}
