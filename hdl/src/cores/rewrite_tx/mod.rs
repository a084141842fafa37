//! `rewrite_tx`: writes EV, ECN and timestamp into the packets of a stream.

mod describe;
mod engine;
mod fields;
mod outlet;
mod plan;
mod remark;

pub use super::rewrite::describe::KEYS;
pub use describe::ABOUT;
pub use engine::RewriteTx;
pub use fields::{Captured, Fields};
pub use outlet::{End, Outlet};
pub use plan::{Plan, Planner};
pub use remark::{Marked, Remark};

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
    Ok(by_sizes!("rewrite_tx", config, S: BusSizes(bus_bits) => boxed(|| {
        RewriteTx::<{ S.data }, { S.bytes }, { S.steps }, { S.beat_number }, { S.keep_and_user }>::new(wire, kind, has_crc)
    })))
}
