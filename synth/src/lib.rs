//! What the cores cost and how fast they run: Yosys and nextpnr behind typed wrappers, the figures of each device,
//! the accepted baseline and its gate, sweeps, constraints and packaging.
//!
//! [`tool`] finds and runs the programs, [`cache`] keeps their runs, [`xilinx`] and [`routed`] turn a run into figures,
//! [`report`] puts the figures of all cores and targets together. [`cells`] gives what was synthesised to a simulator, [`fmax`] an
//! estimate of its clock where nothing open places and routes.

pub mod baseline;
pub mod block_ram_maps;
pub mod boards;
pub mod browser;
pub mod budget;
pub mod cache;
pub mod cells;
pub mod ci;
pub mod compare;
pub mod constraints;
pub mod cxxrtl;
pub mod device;
pub mod example;
pub mod figures;
pub mod fmax;
pub mod html;
pub mod netlist;
pub mod package;
pub mod plot;
pub mod prove;
pub mod report;
pub mod routed;
pub mod run;
pub mod sheet;
pub mod sv_check;
pub mod tool;
pub mod trust;
mod within;
pub mod wrapper;
pub mod xilinx;

use std::path::{Path, PathBuf};

use respray_files::quote::{Message, Quoted};
use thiserror::Error;

use crate::cache::{Cache, CacheError};
use crate::fmax::NoEstimate;
use crate::tool::{ToolError, Toolbox};

/// Where tools are found and where their runs are kept.
#[derive(Debug)]
pub struct Bench {
    pub tools: Toolbox,
    pub cache: Cache,
}

impl Bench {
    /// The bench of the project whose root is `root`: tools of its `.venv` or the PATH, runs kept in `build/synth`.
    pub fn new(root: &Path) -> Bench {
        Bench { tools: Toolbox::new(root), cache: Cache::new(&root.join("build/synth")) }
    }
}

/// Why there is no figure. Its text is the whole sentence for the user.
#[derive(Debug, Error)]
pub enum SynthError {
    #[error(transparent)]
    Tool(#[from] ToolError),
    #[error(transparent)]
    Cache(#[from] CacheError),
    #[error("{}: cannot be read: {source}", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("{}: cannot be written: {source}", path.display())]
    Write { path: PathBuf, source: std::io::Error },
    #[error("{}: not what the tool writes: {message}", path.display())]
    Format { path: PathBuf, message: String },
    #[error("{core} does not fit {device}: {needed} {resource} of {available}, {} too many", needed - available)]
    DoesNotFit { core: String, device: &'static str, resource: &'static str, needed: u32, available: u32 },
    #[error("{core} does not fit {device}: it has no memory of the kind of {memory}")]
    NoMemory { core: String, device: &'static str, memory: String },
    #[error("{core} cannot be generated: {message}")]
    Generate { core: String, message: String },
    #[error("{core} cannot be placed: {why}")]
    NotPlaced { core: String, why: NoEstimate },
    #[error("--sweep {}: {message}", Quoted(given))]
    Sweep { given: String, message: String },
    #[error("{yosys} comes without the headers of CXXRTL")]
    NoCxxrtl { yosys: String },
    #[error("the HTML page cannot be made: {message}")]
    Page { message: String },
    #[error("{core}: logic forms a loop, so it has no number of levels; see {}", netlist.display())]
    Loop { core: String, netlist: PathBuf },
}

/// Writes a file of a run.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), SynthError> {
    std::fs::write(path, text).map_err(|source| SynthError::Write { path: path.to_path_buf(), source })
}

/// Reads a JSON file that a tool wrote.
pub(crate) fn read_json(path: &Path) -> Result<serde_json::Value, SynthError> {
    let text = std::fs::read_to_string(path)
        .map_err(|source| SynthError::Read { path: path.to_path_buf(), source })?;
    serde_json::from_str(&text).map_err(|error| SynthError::Format {
        path: path.to_path_buf(),
        message: Message(&error.to_string()).to_string(),
    })
}
