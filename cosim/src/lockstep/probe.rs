//! Whether a model differs from the golden side on a stimulus, and where first; nothing is made of the difference.

use respray_hdl::config::Config;
use respray_hdl::manifest::Generated;

use super::cosim::settings;
use super::device::PortDevice;
use super::op_core::OpCore;
use super::options::{CosimError, Stimulus};
use super::run::{Given, run_in_turn_first};
use crate::report::{Probed, Seen};
use crate::traffic::optrace::{OpTrace, Settings};
use crate::traffic::stimulus::Entries;
use crate::verilator::Model;

/// Runs a model with the ports of a generated core on a stimulus, up to its first difference. `seed` is that of random ops.
/// It takes one thread.
pub(crate) fn probed<C: OpCore>(
    generated: &Generated,
    model: Model,
    stimulus: &Stimulus<C>,
    seed: u64,
) -> Result<Probed, CosimError> {
    let config = &generated.manifest.config;
    let read;
    let trace = match stimulus {
        Stimulus::Random { cycles, knobs } => {
            let entries = Entries::new(C::random(seed, knobs, config));
            let given = Given { entries, expectations: &[], seed: seed as u16 };
            return seen::<C>(generated, model, given, *cycles);
        }
        Stimulus::Ops(path) => {
            read = OpTrace::read(path, C::CONTRACT, config)?;
            &read
        }
        Stimulus::Made { trace, .. } => trace,
    };
    let ops = trace.ops(C::CONTRACT, &of_trace::<C>(&trace.settings, config)?, config);
    let entries = Entries::new(ops.entries.iter().copied());
    let given = Given { entries, expectations: &ops.expectations, seed: trace.seed.unwrap_or(1) };
    seen::<C>(generated, model, given, u64::MAX)
}

fn of_trace<C: OpCore>(given: &Settings, config: &Config) -> Result<Settings, CosimError> {
    settings::<C>(&Settings::default(), given, config)
}

fn seen<C: OpCore>(
    generated: &Generated,
    model: Model,
    given: Given<'_, C::Op>,
    cycles: u64,
) -> Result<Probed, CosimError> {
    let manifest = &generated.manifest;
    let mut device = PortDevice::new(model, C::CONTRACT, manifest).map_err(crate::runner::RunError::from)?;
    let run = run_in_turn_first::<C, _>(manifest, &mut device, given, cycles, usize::MAX, &mut |_| {});
    let ended = device.model().ended();
    let seen = match (run.difference, ended) {
        (Some(found), _) => Some(Seen { cycle: found.cycle, port: found.port }),
        (None, Some(reason)) => Some(Seen { cycle: run.cycles, port: reason }),
        (None, None) => None,
    };
    Ok(Probed::new(seen, device.model()).map_err(crate::runner::RunError::from)?)
}
