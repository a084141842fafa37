//! Path selectors side by side: what each makes of the same network or of the same capture.
//!
//! A selector hears of the network only what its own choices bring about, so each has to be driven by itself. The golden model of a
//! selector and a [`Model`] of the network make a sequence of ops together: a send, whose EV decides about a mark, and a round trip
//! later the ACK that says so. The Verilog then runs these very ops in lockstep with its golden model, so what is said of one holds
//! for the other, cycle by cycle. No selector is named here: any core whose contract has the ports of one can be compared.

mod behaviour;
pub mod model;

use std::path::Path;

use respray_files::output::unused;
use respray_hdl::config::Config;
use respray_hdl::manifest::Generated;

use self::behaviour::Observer;
pub use self::behaviour::{Behaviour, UPLINKS};
pub use self::model::{Model, ModelError};
use crate::lockstep::op_core::OpCore;
use crate::lockstep::report::Report;
use crate::lockstep::{Compiled, CosimError, CosimOptions, Stimulus, cosim};
use crate::path_selector::Ports;
use crate::traffic::optrace::OpTrace;
use crate::traffic::stimulus::{Entry, Event};

/// What a selector did in one run, and what the lockstep says of its Verilog.
#[derive(Debug)]
pub struct Outcome {
    pub behaviour: Behaviour,
    pub report: Report,
}

/// Runs a selector against a model of the network. Where its Verilog does something else than its golden model, the shrunken ops go to
/// `folder`.
///
/// # Errors
/// As a run of the lockstep has them.
///
/// # Panics
/// On a core that is no path selector.
pub fn against_model<C: Compiled>(
    generated: &Generated,
    model: &Model,
    seed: u16,
    folder: &Path,
) -> Result<Outcome, CosimError> {
    let config = &generated.manifest.config;
    let entries = model.ops::<C>(config, seed);
    let trace = OpTrace::of_entries(C::CONTRACT, &entries, &[]);
    let stimulus = Stimulus::Made { trace, arguments: Vec::new(), warnings: Vec::new(), account: None };
    outcome::<C>(generated, stimulus, Some(seed), Some(model), folder)
}

/// Runs a selector on the ops of a capture, as [`against_model`] does it.
///
/// # Errors
/// As a run of the lockstep has them.
///
/// # Panics
/// On a core that is no path selector.
pub fn on_capture<C: Compiled>(
    generated: &Generated,
    stimulus: Stimulus<C>,
    folder: &Path,
) -> Result<Outcome, CosimError> {
    outcome::<C>(generated, stimulus, None, None, folder)
}

/// The golden model over the ops, for its figures, and the Verilog in lockstep with it.
fn outcome<C: Compiled>(
    generated: &Generated,
    stimulus: Stimulus<C>,
    seed: Option<u16>,
    model: Option<&Model>,
    folder: &Path,
) -> Result<Outcome, CosimError> {
    let Stimulus::Made { trace, .. } = &stimulus else { unreachable!("a comparison makes its ops") };
    let config = &generated.manifest.config;
    let seed = seed.or(trace.seed).unwrap_or(1);
    let ports = Ports::of(C::CONTRACT);
    let ops = trace.ops(C::CONTRACT, &trace.settings, config);
    let bad = model.map(|model| model.bad_paths(seed));
    let mut observer = Observer::new(bad);
    drive::<C>(config, seed, &ops.entries, |op, shown| observer.hear(&ports, op, shown));
    let mut options = CosimOptions::<C>::new(stimulus);
    options.own.seed = Some(seed.into());
    options.reproducer = unused(&folder.join(&options.reproducer));
    let report = cosim(generated, &options, &mut |_| {})?;
    Ok(Outcome { behaviour: observer.behaviour(), report })
}

/// Has the golden model execute ops from its reset on, and says of each what the outputs show.
fn drive<C: OpCore>(
    config: &Config,
    seed: u16,
    entries: &[Entry<C::Op>],
    mut heard: impl FnMut(&C::Op, Option<&C::Shown>),
) {
    let mut core = C::new(config);
    core.reset(seed);
    for entry in entries {
        match &entry.event {
            Event::Op(op) => {
                let effect = core.apply(op);
                heard(op, effect.shown.as_ref());
            }
            Event::Reset { seed: given } => core.reset(given.unwrap_or(seed)),
        }
    }
}
