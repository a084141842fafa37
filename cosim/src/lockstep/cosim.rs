//! One run of ops from beginning to end.

use std::path::PathBuf;
use std::time::Instant;

use respray_hdl::config::Config;
use respray_hdl::manifest::Generated;
use thiserror::Error;

use super::asked::Asked;
use super::device::PortDevice;
use super::op_core::OpCore;
use super::report::{Culprit, Failure, Report};
use super::reproduce::{Reproducer, reproduce};
use super::results::{OpResults, SeenRow};
use super::rows::Device as _;
use super::run::{Given, Limit, Listeners, Run, run_heard};
use super::shard::{Shard, ShareError};
use super::upset::rules::Rules;
use super::upset::{Site, Upset};
use super::waves::record;
use crate::ahead::blocks_in_turn;
use crate::report::{Differing, Part, Probed, Repeat};
use crate::runner::{Files, Fresh, Job, Progress, RunError, RunOptions, Window, carry_out, name};
use crate::traffic::optrace::{OpTrace, OpTraceError, Settings};
use crate::traffic::random::Knobs as _;
use crate::traffic::stimulus::{Entries, Entry};
use crate::verilator::{Model, ModelError};
use respray_files::output::OutputError;

/// A run of ops.
pub type CosimOptions<C> = RunOptions<Ops<C>>;

/// What only a run of ops has.
pub struct Ops<C: OpCore> {
    /// What the core is given.
    pub stimulus: Stimulus<C>,
    /// Of the random stimulus; its low 16 bits are the core's `seed` port. Op traces take 0 to 65535. It goes before the
    /// op trace's own; without both, 1.
    pub seed: Option<u64>,
    /// The part of a random campaign that is run: the cycles and the seed are those of the whole.
    pub shard: Option<Shard>,
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
    /// So many clock edges of random ops, or fewer if the run has a limit of time.
    Random { cycles: u64, knobs: C::Knobs },
}

impl<C: OpCore> CosimOptions<C> {
    /// With nothing but a stimulus, the rest as the command line has it by default.
    pub fn new(stimulus: Stimulus<C>) -> Self {
        let settings = Settings::default();
        RunOptions::of(C::CONTRACT.core, Ops { stimulus, seed: None, shard: None, settings })
    }
}

/// Why there was no run. Its text is the whole sentence for the user.
#[derive(Debug, Error)]
pub enum CosimError {
    #[error("the Verilog is of core `{core}`, the golden model of `{golden}`")]
    Core { core: String, golden: &'static str },
    #[error(transparent)]
    Share(#[from] ShareError),
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

    /// Whether a model with the core's ports differs from the golden side, and where first. `seed` is that of random ops.
    ///
    /// # Errors
    /// [`CosimError`].
    fn probed(
        generated: &Generated,
        model: Model,
        stimulus: &Stimulus<Self>,
        seed: u64,
    ) -> Result<Probed, CosimError>;

    /// What comes of a bit that flips in one of these memories of a model, with random ops of this seed.
    ///
    /// # Errors
    /// If a port is missing.
    fn upset(
        generated: &Generated,
        model: Model,
        rules: &'static Rules,
        sites: &[Site],
        seed: u64,
    ) -> Result<Upset, RunError>;
}

/// Compiles the runs of a core with this crate.
macro_rules! compile_runs {
    ($core:ty) => {
        impl $crate::lockstep::Compiled for $core {
            #[inline(never)]
            fn cosim(
                generated: &respray_hdl::manifest::Generated,
                options: &$crate::lockstep::CosimOptions<Self>,
                progress: &mut dyn FnMut($crate::lockstep::Progress),
            ) -> Result<$crate::lockstep::Report, $crate::lockstep::CosimError> {
                $crate::lockstep::compiled(generated, options, progress)
            }

            #[inline(never)]
            fn probed(
                generated: &respray_hdl::manifest::Generated,
                model: $crate::verilator::Model,
                stimulus: &$crate::lockstep::Stimulus<Self>,
                seed: u64,
            ) -> Result<$crate::report::Probed, $crate::lockstep::CosimError> {
                $crate::lockstep::probe::probed(generated, model, stimulus, seed)
            }

            #[inline(never)]
            fn upset(
                generated: &respray_hdl::manifest::Generated,
                model: $crate::verilator::Model,
                rules: &'static $crate::lockstep::upset::rules::Rules,
                sites: &[$crate::lockstep::upset::Site],
                seed: u64,
            ) -> Result<$crate::lockstep::upset::Upset, $crate::lockstep::RunError> {
                $crate::lockstep::upset::upset::<Self>(generated, model, rules, sites, seed)
            }
        }
    };
}

pub(crate) use compile_runs;

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
            let (campaign, shard) = (options.own.seed.unwrap_or(1), options.own.shard);
            let asked = Asked::Random {
                cycles: options.time.is_none().then_some(*cycles),
                seed: campaign,
                shard,
                knobs: knobs.settings(C::CONTRACT.connections(config)),
            };
            let seed = shard.map_or(campaign, |shard| shard.seed(campaign));
            // with a limit of time, that is each part's own
            let of_part = shard.filter(|_| options.time.is_none());
            let cycles = of_part.map_or(Ok(*cycles), |shard| shard.share_of(*cycles))?;
            let entries = Entries::new(C::random(seed, knobs, config));
            let given = Given { entries, expectations: &[], seed: seed as u16 };
            let limit = Limit { cycles, time: options.time };
            let seed = campaign;
            let results = results::<C>(options)?;
            let mut job = OpJob { generated, options, asked, seed, given, limit, about: cycles, results };
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
    let settings = settings::<C>(&options.own.settings, &trace.settings, config)?;
    let ops = trace.ops(C::CONTRACT, &settings, config);
    let idle: u64 = ops.entries.iter().map(|entry| u64::from(entry.idle)).sum();
    let about = idle + ops.entries.len() as u64 + u64::from(generated.manifest.reset_cycles);
    let entries = Entries::new(ops.entries.iter().copied());
    let given = Given { entries, expectations: &ops.expectations, seed: seed as u16 };
    let asked = Asked::File { arguments, seed: options.own.seed };
    let limit = Limit { cycles: u64::MAX, time: options.time };
    let results = results::<C>(options)?;
    let mut job = OpJob { generated, options, asked, seed, given, limit, about, results };
    Ok(Report { warnings, ..carry_out(&mut job, progress)? })
}

/// The table of results, if one is wanted.
fn results<C: OpCore>(options: &CosimOptions<C>) -> Result<Option<OpResults>, RunError> {
    Ok(options.results.as_ref().map(|path| OpResults::create::<C>(path)).transpose()?)
}

/// The settings that are given, and what they leave open from the trace, all checked.
pub(super) fn settings<C: OpCore>(
    given: &Settings,
    of_trace: &Settings,
    config: &Config,
) -> Result<Settings, CosimError> {
    let settings = given.or(of_trace);
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
struct OpJob<'a, C: OpCore> {
    generated: &'a Generated,
    options: &'a CosimOptions<C>,
    asked: Asked,
    /// Of the run, or of its campaign.
    seed: u64,
    /// The stimulus; its seed is also that of what is random in an unreset model.
    given: Given<'a, C::Op>,
    /// How far it goes at most, and clock edges by a good guess.
    limit: Limit,
    about: u64,
    results: Option<OpResults>,
}

impl<C: OpCore> Job for OpJob<'_, C> {
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
        let begun = Instant::now();
        let mut heard = |done| {
            let of = self.limit.total(self.about, done, begun.elapsed());
            progress(Progress::Running { done, of });
        };
        let layout = device.layout().clone();
        let mut hear = self.results.as_mut().map(|results| |row: &SeenRow<'_>| results.hear(&layout, row));
        let mut listeners = Listeners {
            progress: &mut heard,
            row: hear.as_mut().map(|hear| hear as _),
            keeps_going: self.options.keep_going,
        };
        let (manifest, given) = (&self.generated.manifest, self.given.clone());
        run_heard(manifest, device, given, self.limit, blocks_in_turn(), &mut listeners)
    }

    fn keep(&mut self) -> Result<(), OutputError> {
        self.results.take().map_or(Ok(()), OpResults::finish)
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

    fn differing(run: &Run<C>) -> Option<&Differing> {
        Some(&run.differing)
    }

    fn shrink(&self, run: &Run<C>, device: Fresh<'_, PortDevice>) -> Result<Reproducer<C::Op>, RunError> {
        reproduce(&self.generated.manifest, run, self.given.clone(), device)
    }

    fn leave(&self, run: &Run<C>, small: &Reproducer<C::Op>) -> Result<bool, OutputError> {
        let (Some(entries), Some(difference)) = (&small.shrunken, &run.difference) else { return Ok(false) };
        let mut trace = self.trace(entries);
        trace.seed = Some(self.given.seed);
        trace.notes = vec![format!("{}: {difference}", C::CONTRACT.core), self.again()];
        trace.write(C::CONTRACT, &self.options.reproducer)?;
        Ok(true)
    }

    fn record(&self, mut device: PortDevice, window: Window) -> Result<Vec<u8>, ModelError> {
        record::<C>(&self.generated.manifest, &mut device, self.given.clone(), window)
    }

    fn failure(&self, run: Run<C>, small: Reproducer<C::Op>, files: Files) -> Failure {
        let command = match &files.reproducer {
            Some(_) => self.again(),
            None => self.command(&self.asked.alone(self.cycles_of(&run), &self.options.own.settings)),
        };
        let last_ops = self.lines(&small.last_ops);
        let before = last_ops.len() - small.last_ops.len();
        Failure {
            difference: run.difference.expect("a failed run has a difference"),
            last_ops,
            culprit: small.culprit.map(|place| Culprit { line: before + place }),
            wave: files.wave,
            command,
            reproducer: files.reproducer,
            reproducer_ops: small.shrunken.map(|entries| entries.len()),
        }
    }

    fn repeat(&self, run: &Run<C>) -> Repeat {
        let (cycles, settings) = (self.cycles_of(run), &self.options.own.settings);
        let part = self.options.own.shard.map(|shard| Part {
            shard: shard.to_string(),
            seed: shard.seed(self.seed),
            command: self.command(&self.asked.alone(cycles, settings)),
        });
        Repeat { seed: self.seed, part, command: self.command(&self.asked.whole(cycles, settings)) }
    }

    fn counted(&self, run: &Run<C>) -> (Vec<(&'static str, u64)>, Vec<String>) {
        let is_capture = matches!(self.options.own.stimulus, Stimulus::Made { .. });
        (run.core.counts(&run.taken), run.core.summary(&run.taken, run.cycles, is_capture))
    }
}

impl<C: OpCore> OpJob<'_, C> {
    /// The command that fails again on the shrunken trace, which brings its own seed and settings.
    fn again(&self) -> String {
        self.command(&["--ops".to_string(), name(&self.options.reproducer)])
    }

    /// The command of a run with these arguments of its stimulus.
    fn command(&self, stimulus: &[String]) -> String {
        self.options.command(self.generated, stimulus)
    }

    /// Clock edges that a run must have at most to come to the same: those that were wanted or, with a limit of time, those
    /// that there were, the one of the difference included.
    fn cycles_of(&self, run: &Run<C>) -> u64 {
        let reached = run.difference.as_ref().map_or(run.cycles, |found| run.cycles.max(found.cycle + 1));
        if self.limit.time.is_some() { reached } else { self.limit.cycles }
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
