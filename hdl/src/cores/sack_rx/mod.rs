//! The receiver's bitmap: which packets of a connection arrived, and the SACKs that say so. 004 section 3.3.1, Figure 7.
//!
//! [`small`] works on one packet at a time, in a few cycles. [`fast`] is a pipeline: a packet a cycle on distinct
//! connections. Both do the same, packet for packet. What they keep per connection is in [`state`].

pub mod contract;
pub mod fast;
pub mod octet;
pub mod packet_status;
pub mod small;
pub mod state;
pub mod taken;

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
/// A size off the menu, which `Config::load` refuses already, and parity of the engine that does not have it.
pub fn engine(config: &Config) -> Result<Box<dyn Engine>, GenerateError> {
    if config.has_parity() && config.sack.engine == SackEngine::Fast {
        return Err(GenerateError::UnprotectedEngine { name: "sack_rx" });
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
