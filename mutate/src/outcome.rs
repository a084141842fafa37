//! What became of a mutant.

use serde::{Deserialize, Serialize};

use crate::mutants::Mutant;

/// What became of a mutant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "lowercase")]
pub enum Outcome {
    /// The lockstep saw it in this round, in this cycle, at this output.
    Killed { round: String, cycle: u64, port: String },
    /// A solver showed that it does what the text does.
    Equivalent { by: String },
    /// It does what is promised, for a reason that was written down.
    Explained { reason: String },
    /// Nothing saw it.
    Survived,
    /// The lint refuses it.
    Invalid { warning: String },
}

impl Outcome {
    /// Its word.
    pub fn word(&self) -> &'static str {
        match self {
            Outcome::Killed { .. } => "killed",
            Outcome::Equivalent { .. } => "equivalent",
            Outcome::Explained { .. } => "explained",
            Outcome::Survived => "survived",
            Outcome::Invalid { .. } => "invalid",
        }
    }
}

/// A mutant and what became of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Judged {
    #[serde(flatten)]
    pub mutant: Mutant,
    #[serde(flatten)]
    pub outcome: Outcome,
}
