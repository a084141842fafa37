//! Verilog that a model is built of, and how.

use std::fs;
use std::path::{Path, PathBuf};

use super::error::ModelError;

/// Verilog to build a model of: one file with the whole design.
#[derive(Clone, Debug)]
pub struct Source {
    /// Name in messages, e.g. the file's path.
    pub name: String,
    /// The Verilog.
    pub verilog: String,
    /// The top module.
    pub top: String,
    /// Parameters of the top module: name and value as Verilog spells it.
    pub parameters: Vec<(String, String)>,
}

impl Source {
    /// Verilog held in memory.
    pub fn new(top: &str, verilog: impl Into<String>) -> Source {
        Source { name: format!("{top}.v"), verilog: verilog.into(), top: top.into(), parameters: Vec::new() }
    }

    /// A file.
    ///
    /// # Errors
    /// If it cannot be read as UTF-8.
    pub fn read(top: &str, path: &Path) -> Result<Source, ModelError> {
        let verilog = fs::read_to_string(path).map_err(ModelError::io(path))?;
        Ok(Source { name: path.display().to_string(), ..Source::new(top, verilog) })
    }
}

/// How a model is built. The default is the fast flavour.
#[derive(Clone, Debug)]
pub struct BuildOptions {
    /// Able to write FST traces; 5% slower while none is open.
    ///
    /// A flavour keeps signals that another one optimizes away, so that one seed gives unwritten state of other values.
    pub trace: bool,
    /// Counts executed lines, and hits of each `cover property`; about 0.4 of the speed.
    pub coverage: bool,
    /// With `coverage`: counts toggles of each bit, too, which takes a hundred times as long.
    pub toggles: bool,
    /// Compiled in less than half the time, and up to a fifth slower: for runs that take less time than the compiler.
    pub quick: bool,
    /// Where compiled models are kept; `None` for [`cache_dir`](super::cache_dir).
    pub cache_dir: Option<PathBuf>,
    /// Seed of the model that [`Model::build`](super::Model::build) makes.
    pub seed: u32,
}

impl Default for BuildOptions {
    fn default() -> BuildOptions {
        BuildOptions { trace: false, coverage: false, toggles: false, quick: false, cache_dir: None, seed: 1 }
    }
}
