//! One run of ops from beginning to end.

use respray_hdl::config::Config;
use respray_hdl::manifest::Generated;

use super::asked::Asked;
use super::job::OpJob;
use super::op_core::OpCore;
pub use super::options::{CosimError, CosimOptions, Ops, Stimulus};
use super::report::Report;
use super::results::OpResults;
use super::run::{Given, Limit};
use super::upset::rules::Rules;
use crate::report::Probed;
use crate::runner::{Progress, RunError, carry_out};
use crate::traffic::optrace::{OpTrace, Settings};
use crate::traffic::random::Knobs as _;
use crate::traffic::stimulus::Entries;
use crate::upset::{Site, Upset};
use crate::verilator::Model;

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
                sites: &[$crate::upset::Site],
                seed: u64,
            ) -> Result<$crate::upset::Upset, $crate::lockstep::RunError> {
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
    let (trace, arguments, warnings, account) = match &options.own.stimulus {
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
            let results = results::<C>(options, config)?;
            let mut job = OpJob { generated, options, asked, seed, given, limit, about: cycles, results };
            return carry_out(&mut job, progress);
        }
        Stimulus::Ops(path) => {
            read = OpTrace::read(path, C::CONTRACT, config)?;
            (&read, vec!["--ops".into(), path.display().to_string()], read.warnings.clone(), None)
        }
        Stimulus::Made { trace, arguments, warnings, account } => {
            (trace, arguments.clone(), warnings.clone(), account.clone())
        }
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
    let results = results::<C>(options, config)?;
    let mut job = OpJob { generated, options, asked, seed, given, limit, about, results };
    let report = Report { warnings, ..carry_out(&mut job, progress)? };
    Ok(match account {
        Some(account) => report.with_account(account),
        None => report,
    })
}

/// The table of results, if one is wanted.
fn results<C: OpCore>(options: &CosimOptions<C>, config: &Config) -> Result<Option<OpResults>, RunError> {
    Ok(options.results.as_ref().map(|path| OpResults::create::<C>(path, config)).transpose()?)
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
