//! What mutants are run on: rounds, each longer than the one before, of random stimulus, of resets at any time, and of recordings.

mod frames;
mod nic;
mod ops;
mod seldom;

use std::path::{Path, PathBuf};

use respray_cosim::cores::visit_in;
use respray_cosim::report::Probed;
use respray_cosim::stream::STREAM_CORES;
use respray_cosim::traffic::capture::Side;
use respray_cosim::verilator::Model;
use respray_hdl::manifest::Generated;
use respray_hdl::nic::top::NAME;

use self::frames::FrameRuns;
use self::nic::NicRuns;
use self::ops::OpRunsOf;
use crate::MutateError;

/// Something that mutants are run on.
#[derive(Clone, Debug)]
pub struct Round {
    /// In words, e.g. `random ops, 20,000 cycles`.
    pub says: String,
    /// Of what is random in it, and of the state of the model before its reset.
    pub seed: u64,
    /// Mutants that are still alive are looked at only behind all rounds of this stage.
    pub stage: usize,
}

/// The rounds of a core, and how a model is run on them.
pub trait Runs: Sync {
    fn rounds(&self) -> &[Round];

    /// The first difference between a model of the core and the golden side in a round.
    ///
    /// # Errors
    /// If there is no run.
    fn run(&self, round: usize, model: Model) -> Result<Probed, MutateError>;
}

/// How long the rounds are, and where recordings are.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Cycles of random stimulus in the longest round.
    pub cycles: u64,
    pub seed: u64,
    /// The folder of the recordings; without it none is run.
    pub recordings: Option<PathBuf>,
}

/// Cycles of the first round, and of those in the middle.
const FIRST: u64 = 20_000;
const MIDDLE: u64 = 500_000;
/// Runs with resets at any time that are short, so that each begins with registers that hold something else.
const SHORT_RUNS: u64 = 8;
const SHORT: u64 = 4_000;

impl Plan {
    fn round(&self, number: usize, says: &str, cycles: u64, stage: usize) -> Round {
        Round { says: format!("{says}, {cycles} cycles"), seed: self.seed + number as u64, stage }
    }

    /// The captures of the end at which a core stands, in the order of their names.
    ///
    /// # Errors
    /// If the folder cannot be read.
    fn captures(&self, side: Side) -> Result<Vec<PathBuf>, MutateError> {
        let Some(recordings) = &self.recordings else { return Ok(Vec::new()) };
        let failed = |source| MutateError::Recordings { path: recordings.clone(), source };
        let end = if side == Side::Sender { "-sender.pcap.gz" } else { "-receiver.pcap.gz" };
        let mut found = Vec::new();
        for entry in std::fs::read_dir(recordings).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            if path.to_string_lossy().ends_with(end) {
                found.push(path);
            }
        }
        found.sort();
        Ok(found)
    }
}

fn recorded(path: &Path, seed: u64) -> Round {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    Round { says: format!("recording {name}"), seed, stage: 1 }
}

/// The rounds of a generated core.
///
/// # Errors
/// If the recordings cannot be read.
pub fn runs(generated: &Generated, plan: &Plan) -> Result<Box<dyn Runs>, MutateError> {
    let core = generated.manifest.module.as_str();
    if core == NAME {
        return Ok(Box::new(NicRuns::new(generated, plan)?));
    }
    if STREAM_CORES.contains(&core) {
        return Ok(Box::new(FrameRuns::new(generated, plan)?));
    }
    let of_ops = visit_in(core, &generated.manifest.config, OpRunsOf { generated, plan });
    of_ops.unwrap_or_else(|| Err(MutateError::Core { core: core.to_string() }))
}
