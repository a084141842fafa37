//! Coverage: which of the things that can happen in a core did happen in the runs that it is held to.
//!
//! A *point* is something that can happen, as a condition on signals of the generated Verilog: a freeze that begins with an empty ring, a
//! SACK for a duplicate. Each stands as a `cover property` at the end of its module, and Verilator counts the clock edges at which it holds.
//! Beside the points of a core's list ([`points::of`]) each kind of op and each output of one bit has one. Lines are counted with them, and
//! in short runs the bits that toggle.

mod codes;
mod nic;
pub mod point;
pub mod points;
pub mod report;
pub mod sizes;
mod states;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use respray_cosim::verilator::{BuildOptions, Coverage, Source, build};
use respray_files::parallel;
use respray_hdl::manifest::Generated;
use serde::{Deserialize, Serialize};

use crate::MutateError;
use crate::runs::{Plan, Round, Runs, runs};
use crate::texts::{Texts, watched};
use point::Point;
use sizes::Random;

/// What is counted.
#[derive(Clone, Debug)]
pub struct Request {
    pub plan: Plan,
    /// Only rounds up to this stage are run: 0 are the short ones, 1 the recordings, 3 all.
    pub stage: usize,
    /// Bits that toggle are counted, too, in the rounds of stage 0.
    pub toggles: bool,
    /// What random ops alone come to is held against what they come to at the smallest sizes.
    pub sizes: bool,
}

/// What the runs of a core came to.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Covered {
    pub core: String,
    pub seed: u64,
    /// The rounds, in words.
    pub rounds: Vec<String>,
    pub points: Vec<Hit>,
    /// Points that nothing can hit in this configuration.
    pub beyond: Vec<Beyond>,
    /// Lines of the Verilog that ran, and that can run.
    pub lines: usize,
    pub lines_in_all: usize,
    /// Lines that never ran.
    pub lines_never_run: Vec<String>,
    /// Bits that rose or fell, and all of them, if they were counted.
    pub bits: Option<(usize, usize)>,
    /// What random ops alone came to, if that was asked for and the core takes ops.
    pub random: Option<Random>,
}

/// A point and how often it was hit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hit {
    pub point: String,
    pub means: String,
    /// Clock edges at which it held.
    pub count: u64,
}

/// A point that nothing can hit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Beyond {
    pub point: String,
    pub why: String,
}

impl Covered {
    /// Points that were never hit.
    pub fn never_hit(&self) -> impl Iterator<Item = &Hit> {
        self.points.iter().filter(|hit| hit.count == 0)
    }

    /// Each point was hit, and by random ops alone each one that they hit at the smallest sizes.
    pub fn is_whole(&self) -> bool {
        let is_deep = self.random.as_ref().is_none_or(|random| random.only_small.is_empty());
        self.never_hit().next().is_none() && is_deep
    }
}

/// Runs a generated core and counts. `progress` hears how many rounds of how many are done.
///
/// # Errors
/// [`MutateError`]; a run that differs from the golden side is one, since nothing is counted of what is wrong.
pub fn covered(
    generated: &Generated,
    request: &Request,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<Covered, MutateError> {
    let core = generated.manifest.module.as_str();
    let runs = runs(generated, &request.plan)?;
    let (points, beyond) = points::of(generated);
    let watched = watched(generated)?;
    let run = points::beside(core, watched.as_ref().unwrap_or(&generated.verilog), &points);
    let lines = counted(core, &run, runs.as_ref(), request.stage, false, progress)?;
    let toggles = match request.toggles {
        true => Some(counted(core, &run, runs.as_ref(), 0, true, &|_, _| {})?),
        false => None,
    };
    let random = match request.sizes {
        true => sizes::random(generated, request.plan.seed, request.plan.cycles, &[])?,
        false => None,
    };
    let rounds = runs.rounds().iter().filter(|round| round.stage <= request.stage);
    let named = lines.named();
    let (executed, in_all) = lines.covered_and_total();
    let verilog: Vec<&str> = generated.verilog.lines().collect();
    // what runs has points, and may have outputs, that the Verilog of a designer has not
    let shown = Texts { run: &run, shown: &generated.verilog, spared: &[] }.lines();
    let line = |number: u32| {
        let number = shown[number as usize - 1]?;
        Some(format!("{number}: {}", verilog[number - 1].trim()))
    };
    Ok(Covered {
        core: core.to_string(),
        seed: request.plan.seed,
        rounds: rounds.map(|round| round.says.clone()).collect(),
        points: points.iter().map(|point| hit(point, named)).collect(),
        beyond,
        lines: executed,
        lines_in_all: in_all,
        lines_never_run: lines.uncovered().into_iter().filter_map(line).collect(),
        bits: toggles.map(|counts| {
            let toggles = counts.toggles();
            (toggles.values().filter(|count| **count > 0).count(), toggles.len())
        }),
        random,
    })
}

fn hit(point: &Point, named: &BTreeMap<String, u64>) -> Hit {
    let count = named.get(&point.label()).copied().unwrap_or(0);
    Hit { point: point.name.clone(), means: point.means.clone(), count }
}

/// What is counted in all rounds up to a stage, with this Verilog.
fn counted(
    core: &str,
    verilog: &str,
    runs: &dyn Runs,
    stage: usize,
    toggles: bool,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<Coverage, MutateError> {
    let source = Source::new(core, verilog.to_string());
    let design =
        build(&source, &BuildOptions { coverage: true, toggles, quick: toggles, ..BuildOptions::default() })?;
    let wanted: Vec<(usize, &Round)> =
        runs.rounds().iter().enumerate().filter(|(_, round)| round.stage <= stage).collect();
    let done = AtomicUsize::new(0);
    let counts = parallel::map(&wanted, |(number, round)| -> Result<Coverage, MutateError> {
        let ran = runs.run(*number, design.model(round.seed as u32)?)?;
        progress(1 + done.fetch_add(1, Ordering::Relaxed), wanted.len());
        match ran.seen {
            Some(seen) => Err(MutateError::Differs {
                core: core.to_string(),
                round: round.says.clone(),
                cycle: seen.cycle,
                port: seen.port,
            }),
            None => Ok(ran.coverage.expect("the model counts")),
        }
    });
    let mut sum = Coverage::default();
    for one in counts {
        sum.merge(&one?);
    }
    Ok(sum)
}
