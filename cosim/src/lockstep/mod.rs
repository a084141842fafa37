//! Model and golden side run together, cycle by cycle, every output port predicted and compared.
//!
//! ```text
//!  entries ──► driver ──► inputs ──┬──► device (Verilator) ──► outputs seen ──┐
//!  (ops, idle, resets)             └──► core (golden + manifest) ► expected ──┴─► first difference ──► shrink
//! ```
//!
//! [`core`] says what a core adapter provides, [`run`] is the loop, [`compare`] the first difference, [`shrink`] makes a
//! failing run small, and [`given`] makes stimulus and settings of what a command line gives. [`cores`] lists the
//! adapters: [`reps`], [`sack_rx`] and [`sack_tx`] are those of the cores of these names.

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
pub mod sack_rx;
pub mod sack_tx;
pub mod shard;
pub mod shrink;

pub use crate::runner::{Progress, RunError, RunOptions};
pub use cosim::{CosimError, CosimOptions, Ops, Stimulus, cosim};
pub use report::Report;

/// The value that occurs most often: what a trace carries as a setting.
fn most_frequent<T: Ord + Copy>(values: impl Iterator<Item = T>) -> Option<T> {
    let mut uses = std::collections::BTreeMap::<T, usize>::new();
    values.for_each(|value| *uses.entry(value).or_default() += 1);
    uses.into_iter().max_by_key(|(_, uses)| *uses).map(|(value, _)| value)
}

#[cfg(test)]
mod fake;
#[cfg(test)]
mod tests;
