//! Faults in the field: bits of memories that flip, and what else may happen to a core at any time.
//!
//! ```text
//!  Verilog ──► one with memories that can be hit ──► model ──► a run a seed, with one flip each ──► findings
//! ```

pub mod campaign;
pub mod kind;
mod nic;
pub mod report;
pub mod verilog;
