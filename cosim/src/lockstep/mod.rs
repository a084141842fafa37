//! Model and golden side run together, cycle by cycle, every output port predicted and compared.
//!
//! ```text
//!  entries ──► driver ──► inputs ──┬──► device (Verilator) ──► outputs seen ──┐
//!  (ops, idle, resets)             └──► core (golden + manifest) ► expected ──┴─► first difference ──► shrink
//! ```
//!
//! [`core`] says what a core adapter provides, [`run`] is the loop, [`compare`] the first difference, [`shrink`] makes a
//! failing run small, and [`given`] makes stimulus and settings of what a command line gives. [`cores`] lists the
//! adapters: [`reps`] is that of the core of this name.

pub mod ci;
pub mod compare;
pub mod core;
pub mod cores;
mod cosim;
pub mod given;
pub mod pipeline;
pub mod report;
pub mod reproduce;
pub mod reps;
pub mod run;
pub mod shard;
pub mod shrink;

pub use cosim::{CosimError, CosimOptions, Progress, Stimulus, cosim};
pub use report::Report;

#[cfg(test)]
mod fake;
#[cfg(test)]
mod tests;
