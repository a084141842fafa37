//! Why a simulator does not simulate.

use std::path::PathBuf;

use respray_files::entry::EntryError;
use thiserror::Error;

use crate::verilator::ModelError;

/// Its text is the whole sentence for the user.
#[derive(Debug, Error)]
pub enum SimulatorError {
    #[error(
        "Icarus Verilog is not installed or not on the PATH (`iverilog`); `respray doctor` says how to get it"
    )]
    MissingIcarus,
    #[error("no C++ compiler runs as `{0}`; `respray doctor` says how to get one")]
    MissingCompiler(String),
    #[error("{simulator} refuses the Verilog: {reason}")]
    Refused { simulator: &'static str, reason: String },
    #[error("{simulator} ended after {cycles} cycles: {reason}")]
    Ended { simulator: &'static str, cycles: u64, reason: String },
    #[error("{0}")]
    Translation(String),
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
    #[error(
        "the outputs of a simulation cannot be kept in {}: {source}; the environment variable TMPDIR names another folder",
        folder.display()
    )]
    Rows { folder: PathBuf, source: std::io::Error },
    #[error(transparent)]
    Cache(EntryError),
    #[error(transparent)]
    Model(#[from] ModelError),
}

/// The first line of what a tool said that names an error, else its first line.
pub(super) fn reason(said: &str) -> String {
    let line = said.lines().find(|line| line.contains("error")).or(said.lines().next());
    line.unwrap_or("it gives no reason").trim().to_string()
}
