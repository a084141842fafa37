//! One run of ops from beginning to end.

use std::path::PathBuf;

use respray_hdl::config::Config;
use respray_hdl::manifest::Generated;
use thiserror::Error;

use super::device::PortDevice;
use super::op_core::OpCore;
use super::report::{Failure, Report};
use super::reproduce::{Reproducer, reproduce};
use super::rows::{Device, Layout};
use super::run::{Given, Run, run};
use crate::runner::{Files, Fresh, Job, Progress, RunError, RunOptions, carry_out, name};
use crate::traffic::optrace::{OpTrace, OpTraceError, Settings};
use crate::traffic::random::Knobs as _;
use crate::traffic::stimulus::Entry;
use crate::verilator::{Model, ModelError};
use respray_files::output::OutputError;

/// Cycles after the difference that the waves show.
const WAVE_AFTER: usize = 16;

/// A run of ops.
pub type CosimOptions<C> = RunOptions<Ops<C>>;

/// What only a run of ops has.
pub struct Ops<C: OpCore> {
    /// What the core is given.
    pub stimulus: Stimulus<C>,
    /// Of the random stimulus; its low 16 bits are the core's `seed` port. Op traces take 0 to 65535. It goes before the
    /// op trace's own; without both, 1.
    pub seed: Option<u64>,
    /// For ops without their own; each goes before the op trace's own.
    pub settings: Settings,
}

/// What the core is given.
pub enum Stimulus<C: OpCore> {
    /// An op trace from a file.
    Ops(PathBuf),
    /// An op trace made of something else, the arguments of `respray cosim` that make it again, and what was passed over when it
    /// was made, a sentence each.
    Made { trace: OpTrace<C::Op>, arguments: Vec<String>, warnings: Vec<String> },
    /// So many clock edges of random ops.
    Random { cycles: u64, knobs: C::Knobs },
}

impl<C: OpCore> CosimOptions<C> {
    /// With nothing but a stimulus, the rest as the command line has it by default.
    pub fn new(stimulus: Stimulus<C>) -> Self {
        RunOptions::of(C::CONTRACT.core, Ops { stimulus, seed: None, settings: Settings::default() })
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

/// A core whose runs are compiled with this crate, and not again with each crate that asks for one: the list of cores says so
/// of each.
pub trait Compiled: OpCore {
    /// As [`cosim`].
    fn cosim(
        generated: &Generated,
        options: &CosimOptions<Self>,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Report, CosimError>;
}

/// Compiles the runs of a core with this crate, but for the tests within it, which need none.
macro_rules! compile_runs {
    ($core:ty) => {
        #[cfg(not(test))]
        impl $crate::lockstep::Compiled for $core {
            #[inline(never)]
            fn cosim(
                generated: &respray_hdl::manifest::Generated,
                options: &$crate::lockstep::CosimOptions<Self>,
                progress: &mut dyn FnMut($crate::lockstep::Progress),
            ) -> Result<$crate::lockstep::Report, $crate::lockstep::CosimError> {
                $crate::lockstep::compiled(generated, options, progress)
            }
        }
    };
}

pub(crate) use compile_runs;

#[cfg(test)]
impl<C: OpCore> Compiled for C {
    fn cosim(
        generated: &Generated,
        options: &CosimOptions<C>,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Report, CosimError> {
        compiled(generated, options, progress)
    }
}

/// Runs a generated core in lockstep with its golden model. A difference is a [`Report`], not an error.
pub fn cosim<C: Compiled>(
    generated: &Generated,
    options: &CosimOptions<C>,
    progress: &mut dyn FnMut(Progress),
) -> Result<Report, CosimError> {
    C::cosim(generated, options, progress)
}

/// What [`cosim`] does, for the crate that calls it to compile.
pub(crate) fn compiled<C: OpCore>(
    generated: &Generated,
    options: &CosimOptions<C>,
    progress: &mut dyn FnMut(Progress),
) -> Result<Report, CosimError> {
    let config = &generated.manifest.config;
    if generated.manifest.module != C::CONTRACT.core {
        return Err(CosimError::Core { core: generated.manifest.module.clone(), golden: C::CONTRACT.core });
    }
    let read;
    let (trace, arguments, warnings) = match &options.own.stimulus {
        Stimulus::Random { cycles, knobs } => {
            let seed = options.own.seed.unwrap_or(1);
            let mut arguments =
                vec!["--random".into(), cycles.to_string(), "--seed".into(), seed.to_string()];
            for knob in knobs.settings(config.connections) {
                arguments.extend(["--knob".into(), knob]);
            }
            let stimulus = C::random(seed, knobs, config);
            let (seed, about) = (seed as u16, *cycles);
            let given = Given { entries: stimulus, expectations: &[], seed };
            let mut job = OpJob { generated, options, arguments, given, cycles: *cycles, about };
            return carry_out(&mut job, progress);
        }
        Stimulus::Ops(path) => {
            read = OpTrace::read(path, C::CONTRACT, config)?;
            (&read, vec!["--ops".into(), path.display().to_string()], Vec::new())
        }
        Stimulus::Made { trace, arguments, warnings } => (trace, arguments.clone(), warnings.clone()),
    };
    let seed = options.own.seed.or(trace.seed.map(u64::from)).unwrap_or(1);
    within("seed", seed, 0xffff)?;
    let ops = trace.ops(C::CONTRACT, &settings(options, &trace.settings, config)?, config);
    let idle: u64 = ops.entries.iter().map(|entry| u64::from(entry.idle)).sum();
    let about = idle + ops.entries.len() as u64 + u64::from(generated.manifest.reset_cycles);
    let entries = ops.entries.iter().copied();
    let given = Given { entries, expectations: &ops.expectations, seed: seed as u16 };
    let mut job = OpJob { generated, options, arguments, given, cycles: u64::MAX, about };
    Ok(Report { warnings, ..carry_out(&mut job, progress)? })
}

/// The settings of the options, and what they leave open from the trace, all checked.
fn settings<C: OpCore>(
    options: &CosimOptions<C>,
    of_trace: &Settings,
    config: &Config,
) -> Result<Settings, CosimError> {
    let settings = options.own.settings.or(of_trace);
    for (_, field, _) in C::CONTRACT.driver_settings() {
        if let Some(value) = settings.get(field.name) {
            within(&field.name.replace('_', "-"), value, field.last(config))?;
        }
    }
    Ok(settings)
}

fn within(option: &str, value: u64, last: u64) -> Result<(), CosimError> {
    if value > last { Err(CosimError::Setting { option: option.to_string(), value, last }) } else { Ok(()) }
}

/// A run of a core whose kind is known.
struct OpJob<'a, C: OpCore, I> {
    generated: &'a Generated,
    options: &'a CosimOptions<C>,
    /// Arguments of `respray cosim` that give this stimulus.
    arguments: Vec<String>,
    /// The stimulus; its seed is also that of what is random in an unreset model.
    given: Given<'a, I>,
    /// Clock edges at most, and about.
    cycles: u64,
    about: u64,
}

/// The core's model as it runs, with waves from a cycle on.
struct Recorder {
    device: PortDevice,
    cycle: u64,
    from: u64,
    error: Option<ModelError>,
}

impl Device for Recorder {
    fn layout(&self) -> &Layout {
        self.device.layout()
    }

    fn cycles(&mut self, inputs: &[u64], outputs: &mut [u64]) -> usize {
        let (words, out_words) = self.layout().words;
        let rows = (inputs.len() / words) as u64;
        if self.cycle > self.from || self.cycle + rows <= self.from {
            self.cycle += rows;
            return self.device.cycles(inputs, outputs);
        }
        // the waves begin within these rows
        let before = (self.from - self.cycle) as usize;
        let (first, rest) = inputs.split_at(before * words);
        let (first_seen, rest_seen) = outputs.split_at_mut(before * out_words);
        let done = self.device.cycles(first, first_seen);
        self.error = self.device.model().trace_start().err();
        self.cycle += rows;
        done + self.device.cycles(rest, rest_seen)
    }
}

impl<C: OpCore, I: Iterator<Item = Entry<C::Op>> + Clone + Send> Job for OpJob<'_, C, I> {
    type Own = Ops<C>;
    type Device = PortDevice;
    type Run = Run<C>;
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
        self.given.seed.into()
    }

    fn device(&self, model: Model) -> Result<PortDevice, ModelError> {
        PortDevice::new(model, C::CONTRACT, &self.generated.manifest)
    }

    fn model(device: &mut PortDevice) -> &mut Model {
        device.model()
    }

    fn run(&mut self, device: &mut PortDevice, progress: &mut dyn FnMut(Progress)) -> Run<C> {
        let mut heard = |done| progress(Progress::Running { done, of: self.about.max(done) });
        run(&self.generated.manifest, device, self.given.clone(), self.cycles, &mut heard)
    }

    fn wanted_cycles(&self) -> u64 {
        self.cycles
    }

    fn about_cycles(&self) -> u64 {
        self.about
    }

    fn cycles(run: &Run<C>) -> u64 {
        run.cycles
    }

    fn given(run: &Run<C>) -> u64 {
        run.taken.ops
    }

    fn difference(run: &Run<C>) -> Option<u64> {
        run.difference.as_ref().map(|difference| difference.cycle)
    }

    fn shrink(&self, run: &Run<C>, device: Fresh<'_, PortDevice>) -> Result<Reproducer<C::Op>, RunError> {
        reproduce(&self.generated.manifest, run, self.given.clone(), device)
    }

    fn leave(&self, run: &Run<C>, small: &Reproducer<C::Op>) -> Result<bool, OutputError> {
        let (Some(entries), Some(difference)) = (&small.shrunken, &run.difference) else { return Ok(false) };
        let mut trace = self.trace(entries);
        trace.seed = Some(self.given.seed);
        trace.notes = vec![format!("{}: {difference}", C::CONTRACT.core), self.again(true)];
        trace.write(C::CONTRACT, &self.options.reproducer)?;
        Ok(true)
    }

    fn record(&self, device: PortDevice, from: u64, cycles: u64) -> Result<Vec<u8>, ModelError> {
        let mut recorder = Recorder { device, cycle: 0, from, error: None };
        let manifest = &self.generated.manifest;
        let end: Run<C> = run(manifest, &mut recorder, self.given.clone(), cycles, &mut |_| {});
        if end.difference.is_some() {
            let (inputs, outputs) = recorder.layout().words;
            let words = |words: usize| vec![0; words * WAVE_AFTER];
            recorder.cycles(&words(inputs), &mut words(outputs));
        }
        match recorder.error {
            Some(error) => Err(error),
            None => recorder.device.model().trace_take(),
        }
    }

    fn failure(&self, run: Run<C>, small: Reproducer<C::Op>, files: Files) -> Failure {
        Failure {
            difference: run.difference.expect("a failed run has a difference"),
            last_ops: self.lines(&small.last_ops),
            wave: files.wave,
            command: self.again(files.reproducer.is_some()),
            reproducer: files.reproducer,
            reproducer_ops: small.shrunken.map(|entries| entries.len()),
        }
    }

    fn counted(&self, run: &Run<C>) -> (Vec<(&'static str, u64)>, Vec<String>) {
        let is_capture = matches!(self.options.own.stimulus, Stimulus::Made { .. });
        (run.core.counts(&run.taken), run.core.summary(&run.taken, run.cycles, is_capture))
    }
}

impl<C: OpCore, I> OpJob<'_, C, I> {
    /// The command that fails again, on the shrunken trace or on the whole stimulus.
    fn again(&self, is_shrunken: bool) -> String {
        let shrunken = ["--ops".to_string(), name(&self.options.reproducer)];
        self.options.command(self.generated, if is_shrunken { &shrunken } else { &self.arguments })
    }

    /// Entries as an op trace.
    fn trace(&self, entries: &[Entry<C::Op>]) -> OpTrace<C::Op> {
        OpTrace::of_entries(C::CONTRACT, entries, self.given.expectations)
    }

    /// Entries as the lines of an op trace, with the settings that hold for them.
    fn lines(&self, entries: &[Entry<C::Op>]) -> Vec<String> {
        let mut text = Vec::new();
        self.trace(entries).format(C::CONTRACT, &mut text).expect("a vector takes all that is written");
        String::from_utf8_lossy(&text).lines().map(str::to_string).collect()
    }
}
