//! What shows that the checks see: mutants of the generated Verilog, upsets of its memories ([`upset`]), and what happened in the runs at all
//! ([`cover`]).
//!
//! ```text
//!  Verilog ──► sites ──► mutants ──► one Verilog with all of them ──► Verilator model ──► rounds of the lockstep ──► killed
//!                            │                                                                     │
//!                            └───────────────► miter with the Verilog ──► solver ◄── alive ────────┘
//! ```
//!
//! A mutant is the generated Verilog with one place of one line changed. The lockstep has to see that; what it does not see is shown to be
//! equivalent, or is explained, or survives: then the comparison, or the stimulus, is blind there. Upsets and coverage go through the same rounds of runs.

pub mod campaign;
pub mod cover;
pub mod equivalence;
pub mod explained;
pub mod lint;
pub mod mutants;
pub mod outcome;
pub mod report;
pub mod runs;
pub mod schemata;
pub mod texts;
pub mod unknown;
pub mod upset;
pub mod verilog;

use std::path::PathBuf;

use respray_cosim::lockstep::given::GivenError;
use respray_cosim::lockstep::{CosimError, RunError};
use respray_cosim::nic::NicError;
use respray_cosim::stream::StreamError;
use respray_cosim::traffic::optrace::OpTraceError;
use respray_cosim::verilator::{CompileError, ModelError};
use respray_hdl::config::ConfigError;
use respray_hdl::cores::GenerateError;
use respray_synth::SynthError;
use thiserror::Error;

/// Why there is no campaign. Its text is the whole sentence for the user.
#[derive(Debug, Error)]
pub enum MutateError {
    #[error("core `{core}` has no campaign of mutants")]
    Core { core: String },
    #[error(
        "{core}: {round}: cycle {cycle}: `{port}` of the Verilog as it is differs from the golden model, so that nothing is counted"
    )]
    Differs { core: String, round: String, cycle: u64, port: String },
    #[error("{core}: the lint refuses the Verilog without any mutant: {warning}")]
    Lint { core: String, warning: String },
    #[error(
        "core `{core}` has the memory `{module}` in this configuration, and nothing says whose state that is; allowed for flips: the \
         configurations whose memories docs/upsets.md lists"
    )]
    Unruled { core: String, module: String },
    #[error(
        "core `{core}` works on several ops at a time, whose cycles depend on their state, so that nothing says when each is done behind a \
         flip; allowed for flips: sack.engine = small"
    )]
    Overlapping { core: String },
    #[error("core `{core}` has no campaigns of upsets with `sack.acks` = uet; allowed: strack")]
    Acks { core: String },
    #[error("no temporary folder: {0}")]
    Folder(std::io::Error),
    #[error("{}: cannot be read: {source}", path.display())]
    Recordings { path: PathBuf, source: std::io::Error },
    #[error("{}: {message}", path.display())]
    Explained { path: PathBuf, message: String },
    #[error("{}: {message}", path.display())]
    Report { path: PathBuf, message: String },
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Compile(#[from] CompileError),
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error(transparent)]
    OpTrace(#[from] OpTraceError),
    #[error(transparent)]
    Given(#[from] GivenError),
    #[error(transparent)]
    Cosim(#[from] CosimError),
    #[error(transparent)]
    Run(#[from] RunError),
    #[error(transparent)]
    Stream(#[from] StreamError),
    #[error(transparent)]
    Nic(#[from] NicError),
    #[error(transparent)]
    Generate(#[from] GenerateError),
    #[error(transparent)]
    Synth(#[from] SynthError),
}
