//! `rewrite_rx`: reads the packets of a stream and says what is in them.
//!
//! ```text
//!            ┌────────┐ 1  ┌─────────┐ 2  ┌─────────┐ 3  ┌────────────┐ 4       5
//!  beat ────►│ Inlet  │─┬─►│ Header  │───►│ Header  │─┬─►│ Classifier │────────────► kind, error ─► marks ─┐
//!            └────────┘ │  │ by four │    │ by one  │ │  └────────────┘    ▲                          Records
//!                       │  └─────────┘    └─────────┘ └───────────────────┼─────────► Collector ──► bodies ─┘
//!                       └──► HeaderSum: IPv4 checksum ────────────────────┘
//! ```
//!
//! The parser takes a beat in every cycle and never stalls; what waits are the beats in a [`Queue`] and the records in [`Records`].

mod describe;
mod engine;
mod extent;
mod header;
mod queue;
mod record;
mod records;

pub use super::rewrite::describe::KEYS;
pub use describe::ABOUT;
pub use engine::RewriteRx;
pub use extent::Extent;
pub use header::{Header, Udp};
pub use queue::Queue;
pub use record::{Body, Collector, Mark, Record, Recorder, Spot};
pub use records::Records;

use rust_hdl::prelude::Block;

use crate::config::Config;
use crate::cores::rewrite::describe::beat_kind;
use crate::cores::sizes::{BusSizes, boxed, by_sizes};
use crate::cores::{GenerateError, Parts};

/// What the core is generated from.
///
/// # Errors
/// A bus width off the menu, which `Config::load` refuses already.
pub(super) fn parts(config: &Config) -> Result<Parts, GenerateError> {
    let block = engine_of(config)?;
    Ok(Parts { block, manifest: describe::manifest(config), header: describe::header(config) })
}

/// The core with its sizes as types.
fn engine_of(config: &Config) -> Result<Box<dyn Block>, GenerateError> {
    let (wire, kind, has_crc) = (config.wire, beat_kind(config), config.has_crc());
    Ok(by_sizes!("rewrite_rx", config, S: BusSizes(bus_bits) => boxed(|| {
        RewriteRx::<{ S.data }, { S.bytes }, { S.steps }, { S.beat_number }, { S.beat }>::new(wire, kind, has_crc)
    })))
}
