//! Mutants that survive and are right: reasons that were written down, each for one change of one line.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::MutateError;
use crate::mutants::{Kind, Mutant};
use crate::outcome::{Judged, Outcome};

/// A reason.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reason {
    pub core: String,
    pub module: String,
    pub kind: Kind,
    /// The line as it is generated, and as it is in the mutant, without the space around it; the statement where several stand on it.
    pub before: String,
    pub after: String,
    /// Why nothing that is promised can differ, in a sentence.
    pub reason: String,
}

/// All reasons that were written down.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Explained {
    #[serde(default, rename = "mutant")]
    pub reasons: Vec<Reason>,
}

impl Explained {
    /// Where they are written down, in the project's folder.
    pub const PATH: &'static str = "mutate/explained.toml";

    /// Reads them.
    ///
    /// # Errors
    /// If the file cannot be read or is not as it must be.
    pub fn read(path: &Path) -> Result<Explained, MutateError> {
        let failed = |message: String| MutateError::Explained { path: PathBuf::from(path), message };
        let text = std::fs::read_to_string(path).map_err(|error| failed(error.to_string()))?;
        toml::from_str(&text).map_err(|error| failed(error.message().to_string()))
    }

    /// The reason for a mutant of a core, if there is one.
    pub fn reason(&self, core: &str, mutant: &Mutant) -> Option<String> {
        self.reasons.iter().find(|reason| reason.is_of(core, mutant)).map(|reason| reason.reason.clone())
    }

    /// Gives mutants that survived the reasons that were written down for them.
    pub fn apply(&self, core: &str, judged: &mut [Judged]) {
        for Judged { mutant, outcome } in
            judged.iter_mut().filter(|judged| judged.outcome == Outcome::Survived)
        {
            if let Some(reason) = self.reason(core, mutant) {
                *outcome = Outcome::Explained { reason };
            }
        }
    }

    /// The reasons that a campaign shows to be wrong, since the lockstep sees what they say nobody can see.
    pub fn refuted<'a>(&'a self, core: &str, judged: &[Judged]) -> Vec<&'a Reason> {
        let is_killed = |reason: &&Reason| {
            judged.iter().any(|Judged { mutant, outcome }| {
                matches!(outcome, Outcome::Killed { .. }) && reason.is_of(core, mutant)
            })
        };
        self.reasons.iter().filter(is_killed).collect()
    }
}

impl Reason {
    /// Whether it is of this mutant.
    pub fn is_of(&self, core: &str, mutant: &Mutant) -> bool {
        (self.core.as_str(), &self.module, self.kind, &self.before, &self.after)
            == (core, &mutant.module, mutant.kind, &mutant.before, &mutant.after)
    }
}
