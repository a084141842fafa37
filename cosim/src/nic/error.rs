//! Why there is no run of the joined block.

use respray_files::output::OutputError;
use respray_hdl::cores::GenerateError;
use thiserror::Error;

use super::log::LogError;
use super::stimulus::StimulusError;
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
    #[error("`{option}` is {value}; allowed: {allowed}")]
    Option { option: &'static str, value: String, allowed: String },
    #[error("`--{} {name}={value}`: {why}", REGISTER)]
    Register { name: String, value: u32, why: String },
    #[error("{0}")]
    Synthesis(String),
    #[error(transparent)]
    Simulator(#[from] SimulatorError),
    #[error(transparent)]
    Output(#[from] OutputError),
    #[error(transparent)]
    Stimulus(#[from] StimulusError),
    #[error(transparent)]
    Log(#[from] LogError),
    #[error(transparent)]
    Capture(Box<dyn std::error::Error + Send + Sync>),
    #[error("{path}: {source}")]
    Pcap { path: String, source: std::io::Error },
}

impl NicError {
    pub(super) fn capture(error: CaptureError) -> NicError {
        NicError::Capture(Box::new(error))
    }
}
