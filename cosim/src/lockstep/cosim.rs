//! One run of ops from beginning to end.

use std::path::{Path, PathBuf};

use respray_hdl::config::Config;
use respray_hdl::manifest::Generated;
use thiserror::Error;

use super::core::{Device, Entry, Inputs, Settings, VerilatedCore};
use super::report::{Failure, Report};
use super::reproduce::{Reproducer, reproduce};
use super::run::{Run, run};
use crate::runner::{Fresh, Job, Progress, RunError, RunOptions, carry_out, name};
use crate::traffic::optrace::{OpTrace, OpTraceError, Row, Settings as _};
use crate::traffic::random::Knobs as _;
use crate::verilator::{Model, ModelError};

/// Cycles after the difference that the waves show.
const WAVE_AFTER: u64 = 16;

/// A run of ops.
pub type CosimOptions<C> = RunOptions<Ops<C>>;

/// What only a run of ops has.
pub struct Ops<C: VerilatedCore> {
    /// What the core is given.
    pub stimulus: Stimulus<C>,
    /// Of the random stimulus; its low 16 bits are the core's `seed` port. Op traces take 0 to 65535. It goes before the
    /// op trace's own; without both, 1.
    pub seed: Option<u64>,
    /// For ops without their own; each goes before the op trace's own.
    pub settings: Settings<C>,
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
        RunOptions::of(C::NAME, Ops { stimulus, seed: None, settings: Settings::<C>::default() })
    }
}

/// Why there was no run. Its text is the whole sentence for the user.
#[derive(Debug, Error)]
pub enum CosimError {
    #[error("the Verilog is of core `{core}`, the golden model of `{golden}`")]
    Core { core: String, golden: &'static str },
    #[error(transparent)]
    OpTrace(#[from] OpTraceError),
    #[error(transparent)]
    Run(#[from] RunError),
    #[error("`{option}` is {value}; allowed: 0 to {last}")]
    Setting { option: String, value: u64, last: u64 },
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
    let (trace, arguments) = match &options.own.stimulus {
        Stimulus::Random { cycles, knobs } => {
            let seed = options.own.seed.unwrap_or(1);
            let mut arguments =
                vec!["--random".into(), cycles.to_string(), "--seed".into(), seed.to_string()];
            for knob in knobs.settings(config.connections) {
                arguments.extend(["--knob".into(), knob]);
            }
            let stimulus = C::random(seed, knobs, config);
            let (seed, about) = (seed as u16, *cycles);
            let mut job = OpJob { generated, options, arguments, seed, stimulus, cycles: *cycles, about };
            return carry_out(&mut job, progress);
        }
        Stimulus::Ops(path) => {
            read = OpTrace::read(path, &C::limits(config))?;
            (&read, vec!["--ops".into(), path.display().to_string()])
        }
        Stimulus::Made { trace, arguments } => (trace, arguments.clone()),
    };
    let seed = options.own.seed.or(trace.seed.map(u64::from)).unwrap_or(1);
    within("seed", seed, 0xffff)?;
    let entries = C::entries(&trace.rows, &settings(options, &trace.settings, config)?, config);
    let idle: u64 = entries.iter().map(|entry| u64::from(entry.idle)).sum();
    let about = idle + entries.len() as u64 + u64::from(generated.manifest.reset_cycles);
    let (seed, stimulus) = (seed as u16, entries.iter().copied());
    let mut job = OpJob { generated, options, arguments, seed, stimulus, cycles: u64::MAX, about };
    carry_out(&mut job, progress)
}

/// The settings of the options, and what they leave open from the trace, all checked.
fn settings<C: VerilatedCore>(
    options: &CosimOptions<C>,
    of_trace: &Settings<C>,
    config: &Config,
) -> Result<Settings<C>, CosimError> {
    let settings = options.own.settings.or(of_trace);
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

/// A run of a core whose kind is known.
struct OpJob<'a, C: VerilatedCore, I> {
    generated: &'a Generated,
    options: &'a CosimOptions<C>,
    /// Arguments of `respray cosim` that give this stimulus.
    arguments: Vec<String>,
    /// Value of the core's `seed` port; also of what is random in an unreset model.
    seed: u16,
    stimulus: I,
    /// Clock edges at most, and about.
    cycles: u64,
    about: u64,
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

impl<C: VerilatedCore, I: Iterator<Item = Entry<C::Op>> + Clone> Job for OpJob<'_, C, I> {
    type Own = Ops<C>;
    type Device = C::Device;
    type Run = Run<C::Counts>;
    type Small = Reproducer<C::Op>;
    type Failure = Failure;
    type Error = CosimError;

    fn generated(&self) -> &Generated {
        self.generated
    }

    fn options(&self) -> &CosimOptions<C> {
        self.options
    }

    fn model_seed(&self) -> u32 {
        self.seed.into()
    }

    fn device(&self, model: Model) -> Result<C::Device, ModelError> {
        C::device(model, &self.generated.manifest)
    }

    fn model(device: &mut C::Device) -> &mut Model {
        C::model(device)
    }

    fn run(&mut self, device: &mut C::Device, progress: &mut dyn FnMut(Progress)) -> Run<C::Counts> {
        let mut heard = |done| progress(Progress::Running { done, of: self.about.max(done) });
        let mut core = C::new(&self.generated.manifest);
        run(&mut core, device, self.stimulus.clone(), self.seed, self.cycles, &mut heard)
    }

    fn wanted_cycles(&self) -> u64 {
        self.cycles
    }

    fn cycles(run: &Run<C::Counts>) -> u64 {
        run.cycles
    }

    fn difference(run: &Run<C::Counts>) -> Option<u64> {
        run.difference.as_ref().map(|difference| difference.cycle)
    }

    fn shrink(
        &self,
        run: &Run<C::Counts>,
        device: Fresh<'_, C::Device>,
    ) -> Result<Reproducer<C::Op>, CosimError> {
        let sides = || Ok::<_, RunError>((C::new(&self.generated.manifest), device()?));
        let found = reproduce::<C, _, _>(run, self.stimulus.clone(), self.seed, sides)?;
        if let (Some(entries), Some(difference)) = (&found.shrunken, &run.difference) {
            let file = &self.options.reproducer;
            let mut trace = C::trace(entries);
            trace.seed = Some(self.seed);
            trace.notes = vec![format!("{}: {difference}", C::NAME), self.again(true)];
            trace.write(file)?;
        }
        Ok(found)
    }

    fn record(&self, device: C::Device, wave: &Path, from: u64, cycles: u64) -> Result<(), ModelError> {
        let mut core = C::new(&self.generated.manifest);
        let mut recorder = Recorder { device, cycle: 0, from, wave, error: None };
        let stimulus = self.stimulus.clone();
        let end = run::<C, _>(&mut core, &mut recorder, stimulus, self.seed, cycles, &mut |_| {});
        if end.difference.is_some() {
            let quiet =
                Inputs { rst: false, seed: self.seed, op_valid: false, op: C::Op::default(), entry: 0 };
            for _ in 0..WAVE_AFTER {
                Device::<C>::cycle(&mut recorder, &quiet);
            }
        }
        C::model(&mut recorder.device).trace_close()?;
        recorder.error.map_or(Ok(()), Err)
    }

    fn failure(&self, run: Run<C::Counts>, small: Reproducer<C::Op>, wave: Option<PathBuf>) -> Failure {
        let is_shrunken = small.shrunken.is_some();
        Failure {
            difference: run.difference.expect("a failed run has a difference"),
            last_ops: lines(&C::trace(&small.last_ops)),
            wave,
            reproducer: is_shrunken.then(|| self.options.reproducer.clone()),
            reproducer_ops: small.shrunken.map(|entries| entries.len()),
            command: self.again(is_shrunken),
        }
    }

    fn counted(&self, run: &Run<C::Counts>) -> (Vec<(&'static str, u64)>, Vec<String>) {
        let is_capture = matches!(self.options.own.stimulus, Stimulus::Made { .. });
        (C::named_counts(&run.counts), C::summary(&run.counts, run.cycles, is_capture))
    }
}

impl<C: VerilatedCore, I> OpJob<'_, C, I> {
    /// The command that fails again, on the shrunken trace or on the whole stimulus.
    fn again(&self, is_shrunken: bool) -> String {
        let shrunken = ["--ops".to_string(), name(&self.options.reproducer)];
        self.options.command(self.generated, if is_shrunken { &shrunken } else { &self.arguments })
    }
}

/// A trace's lines with the settings that hold for them.
fn lines(trace: &OpTrace<impl Row>) -> Vec<String> {
    let mut text = Vec::new();
    trace.format(&mut text).expect("a vector takes all that is written");
    let text = String::from_utf8_lossy(&text);
    text.lines().map(str::to_string).collect()
}
