//! The cores: one folder and one word each.

pub mod reps;
pub mod rewrite;
pub mod rewrite_rx;
pub mod rewrite_tx;

use thiserror::Error;

use crate::config::Config;
use crate::emit::EmitError;
use crate::manifest::Generated;

/// Every core there is, in the order in which they are generated.
pub const CORES: &[&str] = &["reps", "rewrite_tx", "rewrite_rx"];

/// Why a core could not be generated.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GenerateError {
    #[error("there is no core `{core}`; the cores are {}", CORES.join(", "))]
    UnknownCore { core: String },
    #[error("core `{core}`: `{key}` is {value}; allowed: {allowed}")]
    OffMenu { core: &'static str, key: &'static str, value: u32, allowed: &'static str },
    #[error(transparent)]
    Emit(#[from] EmitError),
}

/// Verilog and manifest of `core` as `config` describes it. The same input gives the same bytes.
pub fn generate(core: &str, config: &Config) -> Result<Generated, GenerateError> {
    match core {
        "reps" => reps::generate(config),
        "rewrite_tx" => rewrite_tx::generate(config),
        "rewrite_rx" => rewrite_rx::generate(config),
        _ => Err(GenerateError::UnknownCore { core: core.to_string() }),
    }
}
