//! One run from beginning to end: stimulus, model, lockstep, and on a difference waves and a reproducer.

use std::path::{Path, PathBuf};
use std::time::Instant;

use respray_hdl::config::Config;
use respray_hdl::manifest::{Generated, Manifest};
use thiserror::Error;

use super::core::{Device, Entry, Inputs, Settings, VerilatedCore};
use super::report::{Counts, Failure, LineCoverage, Report, Verdict, command_line, config_arguments};
use super::reproduce::reproduce;
use super::run::{Run, run};
use crate::traffic::optrace::{OpTrace, OpTraceError, Row, Settings as _};
use crate::traffic::random::Knobs as _;
use crate::verilator::{self, BuildOptions, Coverage, Design, Model, ModelError, Source, linked};

/// Cycles before the difference that the waves show.
const WAVE_BEFORE: u64 = 256;
/// Cycles after it.
const WAVE_AFTER: u64 = 16;
/// Cycles that the waves of a run without a difference show, from its start.
const WAVE_OF_PASS: u64 = 4096;

/// What is run, on what, and what it leaves.
pub struct CosimOptions<C: VerilatedCore> {
    /// What the core is given.
    pub stimulus: Stimulus<C>,
    /// Of the random stimulus; its low 16 bits are the core's `seed` port. Op traces take 0 to 65535. It goes before the
    /// op trace's own; without both, 1.
    pub seed: Option<u64>,
    /// For ops without their own; each goes before the op trace's own.
    pub settings: Settings<C>,
    /// Verilog to run instead of the generated one, with the same ports and latency.
    pub verilog: Option<PathBuf>,
    /// Waves of the cycles around the first difference, or of a passing run's first cycles. Without it, a
    /// difference's waves stand beside the reproducer, if `waves` is set.
    pub wave: Option<PathBuf>,
    /// Whether a difference leaves waves without being asked. The model that records them takes some seconds to build.
    pub waves: bool,
    /// Directory for `CORE.dat`, Verilator's count of executed lines; the run is some three times slower.
    pub coverage: Option<PathBuf>,
    /// Where a difference's shrunken op trace goes.
    pub reproducer: PathBuf,
    /// Where compiled models are kept, if not where they usually are.
    pub cache_dir: Option<PathBuf>,
}

/// What the core is given.
pub enum Stimulus<C: VerilatedCore> {
    /// An op trace from a file.
    Ops(PathBuf),
    /// An op trace made of something else, and the arguments of `respray cosim` that make it again.
    Made { trace: OpTrace<C::Row>, arguments: Vec<String> },
    /// So many clock edges of random ops.
    Random { cycles: u64, knobs: C::Knobs },
}

impl<C: VerilatedCore> CosimOptions<C> {
    /// With nothing but a stimulus, the rest as the command line has it by default.
    pub fn new(stimulus: Stimulus<C>) -> Self {
        CosimOptions {
            stimulus,
            seed: None,
            settings: Settings::<C>::default(),
            verilog: None,
            wave: None,
            waves: true,
            coverage: None,
            reproducer: PathBuf::from(format!("{}_failure.csv", C::NAME)),
            cache_dir: None,
        }
    }
}

/// What a run is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The model is verilated and compiled, or found in the cache.
    Building,
    /// So many of so many clock edges are compared; an op trace's number is a good guess.
    Running { cycles: u64, of: u64 },
    /// A difference was found and is made small.
    Shrinking,
    /// The run is repeated up to the difference with waves on.
    Recording,
}

/// Why there was no run. Its text is the whole sentence for the user.
#[derive(Debug, Error)]
pub enum CosimError {
    #[error("the Verilog is of core `{core}`, the golden model of `{golden}`")]
    Core { core: String, golden: &'static str },
    #[error(transparent)]
    OpTrace(#[from] OpTraceError),
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error("{file}: {source}")]
    Verilog { file: String, source: ModelError },
    #[error("{file}: the Verilog stopped its simulation after {cycles} cycles: {reason}")]
    Stopped { file: String, cycles: u64, reason: String },
    #[error("`{option}` is {value}; allowed: 0 to {last}")]
    Setting { option: String, value: u64, last: u64 },
    #[error("{}: {source}", .path.display())]
    Write { path: PathBuf, source: std::io::Error },
}

/// Runs a generated core in lockstep with its golden model. A difference is a [`Report`], not an error.
pub fn cosim<C: VerilatedCore>(
    generated: &Generated,
    options: &CosimOptions<C>,
    progress: &mut dyn FnMut(Progress),
) -> Result<Report, CosimError> {
    let config = &generated.manifest.config;
    if generated.manifest.module != C::NAME {
        return Err(CosimError::Core { core: generated.manifest.module.clone(), golden: C::NAME });
    }
    let read;
    let (trace, arguments) = match &options.stimulus {
        Stimulus::Random { cycles, knobs } => {
            let seed = options.seed.unwrap_or(1);
            let mut arguments =
                vec!["--random".into(), cycles.to_string(), "--seed".into(), seed.to_string()];
            for knob in knobs.settings(config.connections) {
                arguments.extend(["--knob".into(), knob]);
            }
            let job = Job { generated, options, arguments, seed: seed as u16 };
            return job.run(C::random(seed, knobs, config), *cycles, *cycles, progress);
        }
        Stimulus::Ops(path) => {
            read = OpTrace::read(path, &C::limits(config))?;
            (&read, vec!["--ops".into(), path.display().to_string()])
        }
        Stimulus::Made { trace, arguments } => (trace, arguments.clone()),
    };
    let seed = options.seed.or(trace.seed.map(u64::from)).unwrap_or(1);
    within("seed", seed, 0xffff)?;
    let entries = C::entries(&trace.rows, &settings(options, &trace.settings, config)?, config);
    let idle: u64 = entries.iter().map(|entry| u64::from(entry.idle)).sum();
    let about = idle + entries.len() as u64 + u64::from(generated.manifest.reset_cycles);
    let job = Job { generated, options, arguments, seed: seed as u16 };
    job.run(entries.iter().copied(), u64::MAX, about, progress)
}

/// The settings of the options, and what they leave open from the trace, all checked.
fn settings<C: VerilatedCore>(
    options: &CosimOptions<C>,
    of_trace: &Settings<C>,
    config: &Config,
) -> Result<Settings<C>, CosimError> {
    let settings = options.settings.or(of_trace);
    let limits = C::limits(config);
    for (place, name) in <Settings<C>>::NAMES.iter().enumerate() {
        if let Some(value) = settings.get(place) {
            within(&name.replace('_', "-"), value, <Settings<C>>::last(place, &limits))?;
        }
    }
    Ok(settings)
}

fn within(option: &str, value: u64, last: u64) -> Result<(), CosimError> {
    if value > last { Err(CosimError::Setting { option: option.to_string(), value, last }) } else { Ok(()) }
}

/// One run of a core whose kind is known.
struct Job<'a, C: VerilatedCore> {
    generated: &'a Generated,
    options: &'a CosimOptions<C>,
    /// Arguments of `respray cosim` that give this stimulus.
    arguments: Vec<String>,
    /// Value of the core's `seed` port; also of what is random in an unreset model.
    seed: u16,
}

/// The core's model as it runs, with its waves if they are wanted.
struct Recorder<'a, D> {
    device: D,
    cycle: u64,
    from: u64,
    wave: &'a Path,
    error: Option<ModelError>,
}

impl<C: VerilatedCore> Device<C> for Recorder<'_, C::Device> {
    fn cycle(&mut self, inputs: &Inputs<C::Op>) -> C::Word {
        if self.cycle == self.from {
            self.error = C::model(&mut self.device).trace_fst(self.wave).err();
        }
        self.cycle += 1;
        self.device.cycle(inputs)
    }
}

impl<C: VerilatedCore> Job<'_, C> {
    fn manifest(&self) -> &Manifest {
        &self.generated.manifest
    }

    fn run(
        &self,
        stimulus: impl Iterator<Item = Entry<C::Op>> + Clone,
        cycles: u64,
        about: u64,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Report, CosimError> {
        if let Some(directory) = &self.options.coverage {
            std::fs::create_dir_all(directory)
                .map_err(|source| CosimError::Write { path: directory.clone(), source })?;
        }
        progress(Progress::Building);
        let design = self.design(false, self.options.coverage.is_some())?;
        let (mut core, mut device) = self.sides(design)?;
        let start = Instant::now();
        let mut heard = |cycles| progress(Progress::Running { cycles, of: about.max(cycles) });
        let end = run(&mut core, &mut device, stimulus.clone(), self.seed, cycles, &mut heard);
        let seconds = start.elapsed().as_secs_f64();
        if let Some(reason) = C::model(&mut device).failure() {
            let own = || format!("{}.v", C::NAME);
            let file = self.options.verilog.as_deref().map_or_else(own, name);
            return Err(CosimError::Stopped { file, cycles: end.cycles, reason });
        }
        let coverage = match &self.options.coverage {
            Some(directory) => Some(self.coverage(C::model(&mut device), directory)?),
            None => None,
        };
        drop(device);
        let failure = match &end.difference {
            Some(_) => Some(self.failure(&end, stimulus, progress)?),
            None => {
                if let Some(wave) = &self.options.wave {
                    progress(Progress::Recording);
                    self.record(stimulus, wave, 0, cycles.min(WAVE_OF_PASS))?;
                }
                None
            }
        };
        let is_capture = matches!(self.options.stimulus, Stimulus::Made { .. });
        Ok(Report {
            core: C::NAME.to_string(),
            config: self.manifest().config.clone(),
            cycles: end.cycles,
            counts: Counts(C::named_counts(&end.counts)),
            summary: C::summary(&end.counts, end.cycles, is_capture),
            mismatches: failure.is_some().into(),
            cycles_per_second: (end.cycles as f64 / seconds).round(),
            result: if failure.is_some() { Verdict::Fail } else { Verdict::Pass },
            coverage,
            failure,
        })
    }

    /// Writes what Verilator counted, and the Verilog with the counts beside its lines.
    fn coverage(&self, model: &mut Model, directory: &Path) -> Result<LineCoverage, CosimError> {
        let counts = directory.join(format!("{}.dat", C::NAME));
        model.coverage_write(&counts)?;
        let coverage = Coverage::read(&counts)?;
        let verilog = match &self.options.verilog {
            Some(path) => Source::read(&self.manifest().module, path)?.verilog,
            None => self.generated.verilog.clone(),
        };
        let path = directory.join(format!("{}.v.coverage", C::NAME));
        std::fs::write(&path, coverage.annotate(&verilog))
            .map_err(|source| CosimError::Write { path, source })?;
        let (executed, lines) = coverage.covered_and_total();
        Ok(LineCoverage { executed, lines, not_executed: coverage.uncovered() })
    }

    /// The model's design: the one linked in where it serves, else one from the cache.
    fn design(&self, trace: bool, coverage: bool) -> Result<&'static Design, CosimError> {
        let Generated { verilog, manifest } = self.generated;
        let plain = !trace && !coverage;
        let top = &manifest.module;
        let source = match &self.options.verilog {
            Some(path) => Source::read(top, path)?,
            None if plain && manifest.config == Config::default() && linked::names().contains(&C::NAME) => {
                return Ok(linked::design(C::NAME)?);
            }
            None => Source::new(top, verilog.as_str()),
        };
        let cache_dir = self.options.cache_dir.clone();
        let build = BuildOptions { trace, coverage, cache_dir, ..BuildOptions::default() };
        verilator::build(&source, &build).map_err(|error| self.place(error))
    }

    /// Fresh golden side and model.
    fn sides(&self, design: &'static Design) -> Result<(C, C::Device), CosimError> {
        let model = design.model(self.seed.into())?;
        let device = C::device(model, self.manifest()).map_err(|error| self.place(error))?;
        Ok((C::new(self.manifest()), device))
    }

    /// Names the user's file, if the Verilog is the user's.
    fn place(&self, source: ModelError) -> CosimError {
        match &self.options.verilog {
            Some(path) => CosimError::Verilog { file: path.display().to_string(), source },
            None => CosimError::Model(source),
        }
    }

    fn failure(
        &self,
        end: &Run<C::Counts>,
        stimulus: impl Iterator<Item = Entry<C::Op>> + Clone,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Failure, CosimError> {
        let difference = end.difference.clone().expect("a failed run has a difference");
        progress(Progress::Shrinking);
        let design = self.design(false, false)?;
        let found = reproduce(end, stimulus.clone(), self.seed, || self.sides(design))?;
        let file = &self.options.reproducer;
        if let Some(entries) = &found.shrunken {
            let mut trace = C::trace(entries);
            trace.seed = Some(self.seed);
            trace.notes =
                vec![format!("{}: {difference}", C::NAME), self.command(&["--ops".into(), name(file)])];
            trace.write(file)?;
        }
        let beside = self.options.waves.then(|| file.with_extension("fst"));
        let wave = self.options.wave.clone().or(beside);
        if let Some(wave) = &wave {
            progress(Progress::Recording);
            self.record(stimulus, wave, difference.cycle.saturating_sub(WAVE_BEFORE), end.cycles + 1)?;
        }
        let arguments = match &found.shrunken {
            Some(_) => vec!["--ops".to_string(), name(file)],
            None => self.arguments.clone(),
        };
        Ok(Failure {
            difference,
            last_ops: lines(&C::trace(&found.last_ops)),
            wave,
            reproducer: found.shrunken.is_some().then(|| file.clone()),
            reproducer_ops: found.shrunken.map(|entries| entries.len()),
            command: self.command(&arguments),
        })
    }

    /// Repeats the run's first `cycles` with waves from cycle `from` on.
    fn record(
        &self,
        stimulus: impl Iterator<Item = Entry<C::Op>>,
        wave: &Path,
        from: u64,
        cycles: u64,
    ) -> Result<(), CosimError> {
        let (mut core, device) = self.sides(self.design(true, false)?)?;
        let mut recorder = Recorder { device, cycle: 0, from, wave, error: None };
        let end = run::<C, _>(&mut core, &mut recorder, stimulus, self.seed, cycles, &mut |_| {});
        if end.difference.is_some() {
            let quiet =
                Inputs { rst: false, seed: self.seed, op_valid: false, op: C::Op::default(), entry: 0 };
            for _ in 0..WAVE_AFTER {
                Device::<C>::cycle(&mut recorder, &quiet);
            }
        }
        C::model(&mut recorder.device).trace_close()?;
        recorder.error.map_or(Ok(()), |error| Err(error.into()))
    }

    fn command(&self, stimulus: &[String]) -> String {
        let mut arguments: Vec<String> = ["respray", "cosim", "--core", C::NAME].map(String::from).to_vec();
        arguments.extend_from_slice(stimulus);
        arguments.extend(config_arguments(&self.manifest().config));
        if let Some(path) = &self.options.verilog {
            arguments.extend(["--verilog".into(), name(path)]);
        }
        command_line(&arguments)
    }
}

fn name(path: &Path) -> String {
    path.display().to_string()
}

/// A trace's lines with the settings that hold for them.
fn lines(trace: &OpTrace<impl Row>) -> Vec<String> {
    let mut text = Vec::new();
    trace.format(&mut text).expect("a vector takes all that is written");
    let text = String::from_utf8_lossy(&text);
    text.lines().map(str::to_string).collect()
}
