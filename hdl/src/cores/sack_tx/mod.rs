//! The sender's scoreboard: which packets of a connection are acknowledged, which are lost, and when to ask. 004 section 3.3.2.
//!
//! Two engines do the same, op for op, and work on one op at a time: [`small`] costs less, [`fast`] takes fewer cycles. Both visit a
//! connection when there is no op. What they keep per connection is in [`state`].

pub mod contract;
mod contradiction;
mod count;
mod distance;
mod encode;
pub mod fast;
mod op_status;
mod renew;
pub mod small;
pub mod state;
mod taken;

pub use self::contract::CONTRACT;
use self::fast::Fast;
use self::small::Small;
use super::GenerateError;
use super::sizes::{SackSizes, boxed_engine, by_sizes};
use crate::config::{Config, SackEngine};
use crate::engine::Engine;

/// The engine with its sizes as types.
///
/// # Errors
/// A size off the menu, which `Config::load` refuses already.
pub fn engine(config: &Config) -> Result<Box<dyn Engine>, GenerateError> {
    Ok(
        by_sizes!("sack_tx", config, S: SackSizes(connections, sack.window, sack.psn_bits) => match config.sack.engine {
            SackEngine::Small => boxed_engine(Small::<
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
            >::new),
            SackEngine::Fast => boxed_engine(Fast::<
                { S.conn },
                { S.wide_word_address },
                { S.bytes_address },
                { S.time_address },
                { S.packets },
                { S.packets_difference },
                { S.segments },
                { S.wide_words },
                { S.psn },
                { S.segment_number },
                { S.segment_number_magnitude },
            >::new),
        }),
    )
}
