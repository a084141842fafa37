//! `shim_pop`: reads the shim of each packet and takes it out.

mod describe;
mod engine;
mod record;

pub use super::shim::describe::KEYS;
pub use describe::ABOUT;
pub use engine::ShimPop;
pub use record::{Head, Reader, Record, Teller};

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
    let kind = beat_kind(config);
    Ok(by_sizes!("shim_pop", config, S: BusSizes(bus_bits) => boxed(|| {
        ShimPop::<{ S.data }, { S.bytes }, { S.steps }, { S.beat_number }, { S.beat }, { S.window }>::new(kind)
    })))
}
