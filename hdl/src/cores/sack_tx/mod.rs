//! The sender's scoreboard: which packets of a connection are acknowledged, which are lost, and when to ask. 004 section 3.3.2.
//!
//! Two engines do the same, op for op, and work on one op at a time: [`small`] costs less, [`fast`] takes fewer cycles. Both visit a
//! connection when there is no op. What they keep per connection is in [`state`]. A third one, [`uet`], has a contract of its own: it is
//! for ACKs of Ultra Ethernet.

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
pub mod uet;

pub use self::contract::CONTRACT;
use self::fast::Fast;
use self::small::Small;
use self::uet::Uet;
use super::GenerateError;
use super::sizes::{SackSizes, UetTxSizes, boxed_engine, by_sizes};
use crate::config::{Acks, Config, SackEngine};
use crate::contract::Contract;
use crate::engine::Engine;

/// What the core promises in a configuration.
pub fn contract_in(config: &Config) -> &'static Contract {
    match config.sack.acks {
        Acks::Strack => &CONTRACT,
        Acks::Uet => &uet::contract::CONTRACT,
    }
}

/// The engine with its sizes as types.
///
/// # Errors
/// A size off the menu, which `Config::load` refuses already.
pub fn engine(config: &Config) -> Result<Box<dyn Engine>, GenerateError> {
    if config.has_uet_acks() {
        return Ok(
            by_sizes!("sack_tx", config, S: UetTxSizes(connections, sack.window) => boxed_engine(Uet::<
            { S.conn },
            { S.word_address },
            { S.bytes_address },
            { S.time_address },
            { S.packets },
            { S.packets_difference },
            { S.segments },
            { S.words },
            { S.signed_words },
            { S.psn },
            { S.segment_number },
            { S.segment_number_magnitude },
        >::new)),
        );
    }
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
