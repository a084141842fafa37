//! The receiver's bitmap: which packets of a connection arrived, and the SACKs that say so. 004 section 3.3.1, Figure 7.
//!
//! [`small`] works on one packet at a time, in a few cycles. [`fast`] is a pipeline: a packet a cycle on distinct
//! connections. Both do the same, packet for packet. What they keep per connection is in [`state`]. A third one, [`uet`], has a contract
//! of its own: it answers as Ultra Ethernet asks.

pub mod contract;
pub mod fast;
pub mod octet;
pub mod packet_status;
pub mod small;
pub mod state;
pub mod taken;
pub mod uet;

pub use self::contract::CONTRACT;
use self::fast::Fast;
use self::small::Small;
use self::uet::Uet;
use super::GenerateError;
use super::sizes::{SackSizes, UetRxSizes, boxed_engine, by_sizes};
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
/// A size off the menu, which `Config::load` refuses already, and parity of the engine that does not have it.
pub fn engine(config: &Config) -> Result<Box<dyn Engine>, GenerateError> {
    if config.has_parity() && config.sack.engine == SackEngine::Fast {
        return Err(GenerateError::UnprotectedEngine { name: "sack_rx" });
    }
    if config.has_uet_acks() {
        if config.has_parity() {
            return Err(GenerateError::UnprotectedAcks { name: "sack_rx" });
        }
        return Ok(
            by_sizes!("sack_rx", config, S: UetRxSizes(connections, sack.window) => boxed_engine(Uet::<
            { S.conn },
            { S.segment_address },
            { S.bit_address },
            { S.place },
            { S.lapped_place },
            { S.segments },
        >::new)),
        );
    }
    Ok(
        by_sizes!("sack_rx", config, S: SackSizes(connections, sack.window, sack.psn_bits) => match config.sack.engine {
            SackEngine::Small => boxed_engine(|| Small::<
                { S.conn },
                { S.segment_address },
                { S.bit_address },
                { S.place },
                { S.lapped_place },
                { S.segments },
                { S.psn },
                { S.segment_number },
            >::new(config)),
            SackEngine::Fast => boxed_engine(Fast::<
                { S.conn },
                { S.segment_address },
                { S.bit_address },
                { S.place },
                { S.lapped_place },
                { S.segments },
                { S.later_segments },
                { S.psn },
                { S.segment_number },
            >::new),
        }),
    )
}
