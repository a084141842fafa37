//! The files that a run leaves beside its report, and what it takes to make them.

use std::path::{Path, PathBuf};

use respray_files::output;
use thiserror::Error;

use super::end::End;
use super::error::NicError;
use super::report::NicFailure;
use crate::report::LineCoverage;
use crate::runner::{Window, coverage};
use crate::verilator::{BuildOptions, ModelError, Source};

/// Files that a run leaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunFiles {
    /// Where the shrunken frames of a difference go.
    pub reproducer: PathBuf,
    /// Waves of the cycles before the first difference; of a passing run, of the first cycles with frames. Of a pair they are those of
    /// the end that differs, or of A.
    pub wave: Option<PathBuf>,
    /// Folder for `nic.dat` and `nic.v.coverage`, the lines that ran, of a pair at both ends together.
    pub coverage: Option<PathBuf>,
}

/// Why there are no waves although they were asked for.
#[derive(Debug, Error)]
pub(super) enum NoWaves {
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error(transparent)]
    Output(#[from] output::OutputError),
    #[error("no waves were written, since the blocks differ while their connections are opened")]
    Setup,
    #[error("no waves were written, since no frame was given")]
    NoFrames,
}

impl RunFiles {
    /// The reproducer alone.
    pub fn new(reproducer: PathBuf) -> RunFiles {
        RunFiles { reproducer, wave: None, coverage: None }
    }

    /// What can fail is done before anything that takes long.
    pub(super) fn prepare(&self) -> Result<(), NicError> {
        Ok(coverage::prepare(self.coverage.as_deref())?)
    }

    /// How the models of the run are built.
    pub(super) fn build(&self) -> BuildOptions {
        BuildOptions { coverage: self.coverage.is_some(), ..BuildOptions::default() }
    }

    /// Writes which lines ran, if that was asked for, or says in a sentence why it could not.
    pub(super) fn write_coverage<const ENDS: usize>(
        &self,
        source: &Source,
        ends: [&mut End; ENDS],
    ) -> Result<Option<LineCoverage>, String> {
        let Some(directory) = &self.coverage else { return Ok(None) };
        let counts: Result<Vec<String>, ModelError> =
            ends.into_iter().map(|end| end.model().coverage_data()).collect();
        let counts = counts.map_err(|error| error.to_string())?;
        coverage::write(source, &counts, directory).map(Some).map_err(|error| error.to_string())
    }

    /// What is said instead of a pair that did not begin.
    pub(super) fn no_coverage(&self) -> Result<Option<LineCoverage>, String> {
        let sentence = "no lines were counted, since the blocks differ while their connections are opened";
        self.coverage.as_ref().map_or(Ok(None), |_| Err(sentence.to_string()))
    }
}

/// Which cycles of an end the waves of its run show. `difference` is the cycle of the first one.
pub(super) fn window(end: &End, difference: Option<u64>, is_failed: bool) -> Result<Window, NoWaves> {
    match (difference, is_failed) {
        // what the block was given behind its difference nobody knows
        (Some(cycle), _) => Ok(Window::around(cycle, 0)),
        (None, true) => Ok(Window::up_to(end.cycle())),
        (None, false) => {
            let first = end.first_frame().ok_or(NoWaves::NoFrames)?;
            Ok(Window::of_first(first, end.cycle()))
        }
    }
}

/// Says in the report what became of the waves.
pub(super) fn recorded(
    recorded: Result<(), NoWaves>,
    wave: &Path,
    failure: Option<&mut NicFailure>,
    not_done: &mut Vec<String>,
) {
    match (recorded, failure) {
        (Err(error), _) => not_done.push(error.to_string()),
        (Ok(()), Some(failure)) => failure.wave = Some(wave.to_path_buf()),
        (Ok(()), None) => {}
    }
}

/// Writes the waves that a repeated run has recorded.
pub(super) fn write_waves(end: &mut End, wave: &Path) -> Result<(), NoWaves> {
    let waves = end.take_waves()?;
    Ok(output::write(wave, &waves)?)
}
