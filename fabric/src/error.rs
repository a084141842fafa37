//! What a run of the fabric cannot take. Each text is the whole sentence for the user.

use std::path::PathBuf;

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
    #[error("`{what}` does not go with the workload {workload}: {of}")]
    Unheeded { what: &'static str, workload: String, of: String },
    #[error(
        "the hosts' links hold {packets} packets at once; allowed: up to {most}, by shorter delays, slower hosts or larger packets"
    )]
    Unanswered { packets: u64, most: u64 },
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
    #[error("`port.{name}` is {value}; allowed: {allowed}")]
    Port { name: String, value: String, allowed: String },
    #[error(transparent)]
    Model(#[from] respray_cosim::verilator::ModelError),
    #[error(transparent)]
    Generate(#[from] respray_hdl::cores::GenerateError),
    #[error(transparent)]
    Output(#[from] respray_files::output::OutputError),
    #[error("the block of host {host} {what} at {time_ns} ns")]
    Block { host: u32, what: &'static str, time_ns: u64 },
    #[error("the Verilog of {selector} stopped after {cycles} cycles: {reason}")]
    Stopped { selector: String, cycles: u64, reason: String },
}
