//! Model and golden side run together, cycle by cycle, every output port predicted and compared.
//!
//! ```text
//!  entries ──► driver ──► rows of inputs ───────────────────┬──► device (Verilator) ──► rows seen ──┐
//!  (ops, idle, resets)  └► golden model + manifest ──► rows expected, which bits are promised ──────┴─► first difference
//! ```
//!
//! The golden side depends on nothing that the device shows, so its rows are made ahead, on another thread. [`op_core`] says
//! what a core provides, [`predict`] is the golden side cycle by cycle, [`produce`] makes the rows, [`run`] is the loop,
//! [`compare`] the first difference, [`shrink`] makes a failing run small, and [`given`] makes stimulus and settings of what a
//! command line gives.

mod asked;
pub mod ci;
pub mod compare;
mod cosim;
pub mod device;
mod elsewhere;
mod expect;
pub mod given;
mod job;
pub mod op_core;
mod options;
pub mod plain;
pub mod predict;
pub(crate) mod probe;
pub mod produce;
pub mod report;
pub mod reproduce;
mod results;
pub mod rows;
pub mod run;
pub mod rust_device;
pub mod schedule;
pub mod shard;
pub mod shrink;
pub mod single;
pub mod unseen;
pub mod upset;
mod waves;

pub use crate::runner::{Progress, RunError, RunOptions};
pub use cosim::{Compiled, CosimError, CosimOptions, Ops, Stimulus, cosim};
pub(crate) use cosim::{compile_runs, compiled};
pub use report::Report;
