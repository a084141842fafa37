//! What a run of the fabric cannot take. Each text is the whole sentence for the user.

use std::path::{Path, PathBuf};

use respray_files::quote::Message;
use thiserror::Error;

#[derive(Debug, Error)]
pub enum FabricError {
    #[error("{}: cannot be read: {source}", file.display())]
    Read { file: PathBuf, source: std::io::Error },
    #[error("topology {name}: {message}")]
    Topology { name: String, message: String },
    #[error("workload {name}: {message}")]
    Workload { name: String, message: String },
    #[error("{}:{line}: {message}", file.display())]
    Line { file: PathBuf, line: u64, message: String },
    #[error("failure {text}: {message}")]
    Failure { text: String, message: String },
    #[error("the {what} is {value}; allowed: {allowed}")]
    Value { what: &'static str, value: String, allowed: String },
    #[error("path selector {name}; allowed: {allowed}")]
    Selector { name: String, allowed: String },
    #[error("`fabric.{key}` is {value}; allowed: {allowed}")]
    Parameter { key: String, value: String, allowed: String },
    #[error("{file}: {message}")]
    File { file: String, message: String },
    #[error(
        "the workload has {pairs} pairs of hosts, and an engine has connections for {most} at most; \
         allowed: a workload with fewer pairs, or an engine for each host"
    )]
    Connections { pairs: usize, most: u32 },
    #[error("the engine {selector} takes no `{key}` of {value}; allowed: {allowed}")]
    Engine { selector: String, key: &'static str, value: u64, allowed: String },
    #[error(transparent)]
    Model(#[from] respray_cosim::verilator::ModelError),
    #[error(transparent)]
    Generate(#[from] respray_hdl::cores::GenerateError),
    #[error(transparent)]
    Output(#[from] respray_files::output::OutputError),
    #[error("the Verilog of {selector} stopped after {cycles} cycles: {reason}")]
    Stopped { selector: String, cycles: u64, reason: String },
}

pub(crate) fn read(file: &Path) -> Result<String, FabricError> {
    std::fs::read_to_string(file).map_err(|source| FabricError::Read { file: file.to_path_buf(), source })
}

/// What the reader of TOML says, in one line, with the line that it means.
pub(crate) fn toml_message(error: &toml::de::Error, text: &str) -> String {
    let message = Message(error.message());
    match error.span() {
        Some(span) => {
            let line = text[..span.start.min(text.len())].matches('\n').count() + 1;
            format!("line {line}: {message}")
        }
        None => message.to_string(),
    }
}
