//! What goes around every run, of ops or of frames: the model, its waves and its coverage, and what a difference leaves.

pub(crate) mod coverage;
mod elsewhere;
pub mod head;
mod options;

use std::path::{Path, PathBuf};
use std::time::Instant;

use respray_hdl::manifest::Generated;
use thiserror::Error;

pub(crate) use self::options::Flavour;
pub use self::options::RunOptions;
pub(crate) use self::options::design_for;
use crate::interrupt;
use crate::report::{Counts, Differing, Provenance, Repeat, Report, Verdict};
use crate::simulators::{Pins, Process, SimulatorError};
use crate::verilator::{Added, Design, Model, ModelError, Source, digits};
use respray_files::output::{self, OutputError};

/// Cycles before the difference and after it that the waves show.
const WAVE_BEFORE: u64 = 256;
const WAVE_AFTER: u64 = 16;
/// Cycles that the waves of a run without a difference show, from its start or up to its end.
const WAVE_OF_PASS: u64 = 4096;

/// The files that a difference left.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Files {
    pub wave: Option<PathBuf>,
    pub reproducer: Option<PathBuf>,
}

/// The cycles that waves show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    /// The first.
    pub from: u64,
    /// The one behind the last.
    pub end: u64,
    /// The cycle of the first difference, which is marked.
    pub difference: Option<u64>,
}

impl Window {
    /// Around the first difference, with so many cycles behind it.
    pub fn around(difference: u64, after: u64) -> Window {
        let end = difference + 1 + after;
        Window { from: difference.saturating_sub(WAVE_BEFORE), end, difference: Some(difference) }
    }

    /// The last ones of a run that stops without a difference.
    pub fn up_to(end: u64) -> Window {
        Window { from: end.saturating_sub(WAVE_OF_PASS), end, difference: None }
    }

    /// Of a run from cycle `from` up to `end`, the first ones.
    pub fn of_first(from: u64, end: u64) -> Window {
        Window { from, end: end.min(from + WAVE_OF_PASS), difference: None }
    }

    /// The signals that stand before what the outputs had to show: the cycle, and the mark of the difference.
    pub fn marks() -> Vec<Added> {
        let added = |name: &str, width| Added { name: name.to_string(), width, beside: None };
        vec![added("cycle", 64), added("difference", 1)]
    }

    /// Their values.
    pub fn values(&self, cycle: u64) -> Vec<Vec<u8>> {
        vec![digits(cycle, u64::MAX, 64), digits((self.difference == Some(cycle)).into(), 1, 1)]
    }
}

/// What an output had to show, beside the output.
pub(crate) fn expected_of(port: &str, width: u32) -> Added {
    Added { name: format!("{port}_expected"), width, beside: Some(port.to_string()) }
}

/// What a run is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The core is synthesised, or its netlist found in the cache.
    Synthesising,
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
    #[error("{file}: its head says that it is `{found}`; allowed in this run: Verilog of `{wanted}`")]
    OtherCore { file: String, found: String, wanted: String },
    #[error(
        "{file}: its head says that it was generated with {found}, and the run is of {wanted}; allowed: the same configuration, by --set or \
         --config"
    )]
    OtherConfiguration { file: String, found: String, wanted: String },
    #[error("{file}: the Verilog stopped its simulation after {cycles} cycles: {reason}")]
    Stopped { file: String, cycles: u64, reason: String },
    #[error("{0}")]
    Synthesis(String),
    #[error(transparent)]
    Simulator(#[from] SimulatorError),
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

    /// The ports of the core, in the order of the rows of [`Job::run_elsewhere`].
    fn pins(&self) -> Pins;

    /// The whole run on a simulator beside Verilator, and that simulator behind it.
    fn run_elsewhere(&mut self, process: Process, progress: &mut dyn FnMut(Progress))
    -> (Self::Run, Process);

    /// Why the stimulus broke off, if it did.
    fn broken(&mut self) -> Option<Self::Error> {
        None
    }

    /// Keeps the files of a run that the Verilog did not stop.
    fn keep(&mut self) -> Result<(), OutputError> {
        Ok(())
    }

    /// Clock edges that there will be by a good guess, and those that there were.
    fn about_cycles(&self) -> u64;
    fn cycles(run: &Self::Run) -> u64;

    /// Ops or frames that the core was given.
    fn given(run: &Self::Run) -> u64;

    /// Cycle of the first difference.
    fn difference(run: &Self::Run) -> Option<u64>;

    /// How often the run differed, if it went on behind its first difference.
    fn differing(run: &Self::Run) -> Option<&Differing>;

    /// Makes a failed run small.
    fn shrink(&self, run: &Self::Run, device: Fresh<'_, Self::Device>) -> Result<Self::Small, RunError>;

    /// Writes what it was made to the reproducer, and says whether there was anything to write.
    fn leave(&self, run: &Self::Run, small: &Self::Small) -> Result<bool, OutputError>;

    /// Repeats the run up to the end of the window with waves of it, and gives these as an FST.
    fn record(&self, device: Self::Device, window: Window) -> Result<Vec<u8>, ModelError>;

    fn failure(&self, run: Self::Run, small: Self::Small, files: Files) -> Self::Failure;

    /// What repeats the run.
    fn repeat(&self, run: &Self::Run) -> Repeat;

    /// Counts in the order of the report, and in words, a line each.
    fn counted(&self, run: &Self::Run) -> (Vec<(&'static str, u64)>, Vec<String>);
}

/// Runs it. A difference is a report, not an error, and so is whatever goes wrong once there is a verdict.
pub(crate) fn carry_out<J: Job>(
    job: &mut J,
    progress: &mut dyn FnMut(Progress),
) -> Result<Report<J::Failure>, J::Error> {
    if let Some(simulator) = job.options().simulator.clone() {
        return elsewhere::carry_out(job, &simulator, progress);
    }
    coverage::prepare(job.options().coverage.as_deref()).map_err(RunError::from)?;
    if job.options().netlist.is_some() {
        progress(Progress::Synthesising);
    }
    let (source, origin) = job.options().source(job.generated())?;
    progress(Progress::Building);
    let design = job.options().design(&source, Flavour::Run, job.about_cycles())?;
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
    let lines = job.options().coverage.as_ref().and_then(|directory| {
        let counts = J::model(&mut device).coverage_data().map_err(RunError::from);
        not_done.hear(counts.and_then(|counts| coverage::write(&source, &[counts], directory)))
    });
    drop(device);
    let provenance = Provenance::new(&[(&source, design)], job.repeat(&run)).of_netlist(origin);
    let mut report = reported(job, &run, provenance, cycles as f64 / seconds);
    report.coverage = lines;
    report.failure =
        J::difference(&run).map(|cycle| failed(job, run, &source, cycle, &mut not_done, progress));
    if let (Verdict::Pass, Some(wave)) = (report.result, &job.options().wave) {
        progress(Progress::Recording);
        let is_of_end = job.options().wave_of_end;
        let window = if is_of_end { Window::up_to(cycles) } else { Window::of_first(0, cycles) };
        not_done.hear(record(job, &source, wave, window));
    }
    report.not_done = not_done.0;
    Ok(report)
}

/// What there is to say of a run but for its lines and what its difference left.
fn reported<J: Job>(
    job: &J,
    run: &J::Run,
    provenance: Provenance,
    cycles_per_second: f64,
) -> Report<J::Failure> {
    let (counts, summary) = job.counted(run);
    let difference = J::difference(run);
    let result = match difference {
        Some(_) => Verdict::Fail,
        None if interrupt::is_requested() => Verdict::Interrupted,
        None if J::given(run) == 0 => Verdict::Empty,
        None => Verdict::Pass,
    };
    let differing = job.options().keep_going.then(|| J::differing(run).cloned().unwrap_or_default());
    let manifest = &job.generated().manifest;
    Report {
        core: manifest.module.clone(),
        config: manifest.config.clone(),
        provenance,
        cycles: J::cycles(run),
        counts: Counts(counts),
        mismatches: differing.as_ref().map_or(difference.is_some().into(), |differing| differing.cycles),
        differing_ports: differing.map(|differing| differing.ports),
        cycles_per_second: cycles_per_second.round(),
        summary,
        result,
        coverage: None,
        account: None,
        warnings: Vec::new(),
        failure: None,
        not_done: Vec::new(),
    }
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
    source: &Source,
    cycle: u64,
    not_done: &mut NotDone,
    progress: &mut dyn FnMut(Progress),
) -> J::Failure {
    progress(Progress::Shrinking);
    let options = job.options();
    let mut files = Files::default();
    let design = options.design(source, Flavour::Plain, job.about_cycles());
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
        let window = Window::around(cycle, WAVE_AFTER);
        files.wave = not_done.hear(record(job, source, &wave, window)).map(|()| wave);
    }
    job.failure(run, small, files)
}

fn fresh<J: Job>(job: &J, design: &'static Design) -> Result<J::Device, RunError> {
    let model = design.model(job.model_seed()).map_err(|error| job.options().place(error))?;
    job.device(model).map_err(|error| job.options().place(error))
}

fn record<J: Job>(job: &J, source: &Source, wave: &Path, window: Window) -> Result<(), RunError> {
    let device = fresh(job, job.options().design(source, Flavour::Waves, window.end)?)?;
    let waves = job.record(device, window)?;
    output::write(wave, &waves)?;
    Ok(())
}

pub(crate) fn name(path: &Path) -> String {
    path.display().to_string()
}

pub(crate) fn write_error(path: &Path) -> impl FnOnce(std::io::Error) -> OutputError + '_ {
    move |source| OutputError { path: path.to_path_buf(), source }
}
