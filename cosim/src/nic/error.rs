//! Why there is no run of the joined block.

use std::path::PathBuf;

use respray_files::output::OutputError;
use respray_hdl::cores::GenerateError;
use respray_hdl::join::WatchError;
use thiserror::Error;

use super::log::LogError;
use super::stimulus::StimulusError;
use crate::runner::RunError;
use crate::simulators::SimulatorError;
use crate::traffic::capture::CaptureError;
use crate::verilator::ModelError;

/// The option that gives a register of the hosts.
pub const REGISTER: &str = "register";

/// Why there was no run. Its text is the whole sentence for the user.
#[derive(Debug, Error)]
pub enum NicError {
    #[error(transparent)]
    Generate(#[from] GenerateError),
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error(transparent)]
    Run(#[from] RunError),
    #[error(
        "{file}: {source}; allowed: the Verilog that `respray generate --core nic` writes for this configuration, \
         changed in other places"
    )]
    Watch { file: String, source: WatchError },
    #[error("`{option}` is {value}; allowed: {allowed}")]
    Option { option: &'static str, value: String, allowed: String },
    #[error("`--{} {name}={value}`: {why}", REGISTER)]
    Register { name: String, value: u32, why: String },
    #[error(transparent)]
    Simulator(#[from] SimulatorError),
    #[error(transparent)]
    Output(#[from] OutputError),
    #[error(
        "{}: this log says what the recorded block was given in which tick; allowed without pauses, or with --speedup \
         above 1, with which it is not heeded", log.display()
    )]
    Paused { log: PathBuf },
    #[error(transparent)]
    Stimulus(#[from] StimulusError),
    #[error(transparent)]
    Log(#[from] LogError),
    #[error(transparent)]
    Capture(Box<dyn std::error::Error + Send + Sync>),
}

impl NicError {
    pub(super) fn capture(error: CaptureError) -> NicError {
        NicError::Capture(Box::new(error))
    }
}
