//! STrack's window: what delays, marks and acknowledged bytes make of the packets that a connection may have in flight. 004
//! Algorithms 1, 2 and 4.
//!
//! A state machine that works on one op at a time. [`steps`] says which step the op is in, [`taken`] holds it, [`memory`] reads and
//! writes the four words of a connection. [`delay`] makes the queuing delay of an ACK, [`average`] its average, [`times`] says what
//! is due, [`achieved`] counts bytes, [`decide`] chooses between the branches of Algorithm 4. [`multiply`] and [`divide`] are the
//! one multiplier and the one divider, and [`window`] holds the window while it changes.

mod achieved;
mod average;
pub mod contract;
mod decide;
mod delay;
mod divide;
mod engine;
mod memory;
mod multiply;
pub mod state;
mod steps;
mod taken;
mod times;
mod window;

pub use self::contract::CONTRACT;
use self::engine::StrackCc;
use super::GenerateError;
use super::sizes::{WordSizes, boxed_engine, by_sizes};
use crate::config::Config;
use crate::engine::Engine;

/// The engine with its sizes as types.
///
/// # Errors
/// A size off the menu, which `Config::load` refuses already.
pub fn engine(config: &Config) -> Result<Box<dyn Engine>, GenerateError> {
    Ok(by_sizes!("strack_cc", config, S: WordSizes(connections) =>
        boxed_engine(StrackCc::<{ S.conn }, { S.address_of_four }>::new)))
}
