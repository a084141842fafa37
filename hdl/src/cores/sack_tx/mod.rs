//! The sender's scoreboard: which packets of a connection are acknowledged, which are lost, and when to ask. 004 section 3.3.2.
//!
//! [`engine`] works on one op at a time and visits a connection when there is none. What it keeps per connection is in [`state`].

mod accounts;
mod backoff;
mod bounds;
pub mod contract;
mod contradiction;
mod count;
mod distance;
mod encode;
pub mod engine;
mod op_status;
mod order;
mod pick;
mod renew;
mod rules;
pub mod state;
mod steps;
mod taken;
mod tally;
mod walk;
mod word;

pub use self::contract::CONTRACT;
use self::engine::SackTx;
use super::GenerateError;
use super::sizes::{SackSizes, boxed_engine, by_sizes};
use crate::config::Config;
use crate::engine::Engine;

/// The engine with its sizes as types.
///
/// # Errors
/// A size off the menu, which `Config::load` refuses already.
pub fn engine(config: &Config) -> Result<Box<dyn Engine>, GenerateError> {
    Ok(
        by_sizes!("sack_tx", config, S: SackSizes(connections, sack.window, sack.psn_bits) => boxed_engine(SackTx::<
        { S.conn },
        { S.word_address },
        { S.bytes_address },
        { S.time_address },
        { S.packets },
        { S.packets_difference },
        { S.segments },
        { S.words },
        { S.psn },
        { S.segment_number },
        { S.segment_number_magnitude },
    >::new)),
    )
}
