//! `rewrite_tx`: writes EV, ECN and timestamp into the packets of a stream.

mod describe;
mod engine;
mod fields;
mod outlet;
mod plan;
mod remark;

pub use describe::ABOUT;
pub use engine::RewriteTx;

use rust_hdl::prelude::Block;

use crate::config::Config;
use crate::cores::GenerateError;
use crate::cores::rewrite::describe::beat_kind;
use crate::cores::sizes::{BusSizes, boxed, by_sizes};
use crate::emit::{EmitOptions, verilog};
use crate::manifest::Generated;

/// Verilog and manifest of the core.
///
/// # Errors
/// A bus width off the menu, which `Config::load` refuses already.
pub fn generate(config: &Config) -> Result<Generated, GenerateError> {
    let engine = engine_of(config)?;
    let manifest = describe::manifest(config);
    let header = describe::header(config);
    let options = EmitOptions { module: "rewrite_tx", header: &header, ports: &manifest.ports };
    Ok(Generated { verilog: verilog(engine.as_ref(), &options)?, manifest })
}

/// The core with its sizes as types.
fn engine_of(config: &Config) -> Result<Box<dyn Block>, GenerateError> {
    let (wire, kind) = (config.wire, beat_kind(config));
    Ok(by_sizes!("rewrite_tx", config, S: BusSizes(bus_bits) => boxed(|| {
        RewriteTx::<{ S.data }, { S.bytes }, { S.steps }, { S.beat_number }, { S.keep_and_user }>::new(wire, kind)
    })))
}
