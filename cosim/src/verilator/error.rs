//! What can go wrong with a model. Every text is the whole sentence for the user.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use respray_files::entry::EntryError;

use super::compile::CompileError;

/// Why there is no model, or why it does not do what it is asked for.
#[derive(Debug, Error)]
pub enum ModelError {
    #[error(transparent)]
    Compile(#[from] CompileError),
    #[error("no model of `{name}` is linked into this program; linked are: {linked}")]
    NotLinked { name: String, linked: String },
    #[error("model `{model}` has no {kind} `{port}`; it has: {ports}")]
    MissingPort { model: String, kind: &'static str, port: String, ports: String },
    #[error("port `{port}` of model `{model}` is {width} bits wide, expected are {expected}")]
    Width { model: String, port: String, width: u32, expected: u32 },
    #[error("model `{model}` was built without {what}; set `{what}` in its build options")]
    Flavour { model: String, what: &'static str },
    #[error("the compiled model {} cannot be loaded: {reason}", .path.display())]
    Load { path: PathBuf, reason: String },
    #[error(
        "there is no place for compiled models: neither RESPRAY_CACHE nor HOME is set; RESPRAY_CACHE=FOLDER names one"
    )]
    NoCache,
    #[error(
        "{}: the path of the place for compiled models is not UTF-8, which compilers and Yosys cannot be told; RESPRAY_CACHE=FOLDER names \
         another one", .0.display()
    )]
    CacheName(PathBuf),
    #[error("model `{model}` cannot be made: {reason}")]
    Create { model: String, reason: String },
    #[error("the waves of model `{model}` cannot be made: {reason}")]
    Waves { model: String, reason: String },
    #[error("the executed lines of model `{model}` cannot be counted: {reason}")]
    Counts { model: String, reason: String },
    #[error("the bare C++ loop failed with {0}")]
    Baseline(String),
    #[error("line {line} is not Verilator's coverage: {what}")]
    Coverage { line: usize, what: &'static str },
}

impl ModelError {
    pub(super) fn io(path: &Path) -> impl FnOnce(io::Error) -> ModelError + '_ {
        move |source| ModelError::Compile(CompileError::io(path)(source))
    }
}

impl From<EntryError> for CompileError {
    fn from(EntryError { path, source, .. }: EntryError) -> CompileError {
        CompileError::io(&path)(source)
    }
}
