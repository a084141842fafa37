//! `nic_answer`: makes the frames that the `nic` sends of its own: SACKs and probes.
//!
//! ```text
//!  job ──► Order: which pair of halves comes next
//!    │       │
//!    │       ▼
//!    ├──► Lines, Choice ──┐ addresses, tags ┌──► Sums ──┐ checksums
//!    │                    ├─ a pair a cycle ┤           ▼
//!    └──► Fields ─────────┘ all other headers └► Buffer: two frames, a beat is gathered on the way out ──► m_axis
//! ```
//!
//! A SACK's line is put into a memory when the SACK becomes due, and read by halves when it is its turn. That of a probe has a
//! choice of its own. Only the 32 bits that are chosen meet, which takes far fewer LUTs than 512.
//!
//! All of Ethernet, IP, UDP and the profile's header lies in pairs of halfwords: pair `p` has the bytes 4p - 2 to 4p + 1 of the frame,
//! the odd half of a step and the even half of the next, as the rewriters call them. A frame of `p` pairs is made in `p` cycles, and
//! two cycles later the next can begin: the checksums are known and written when all else is.

mod buffer;
mod choice;
mod describe;
mod distance;
mod engine;
mod fields;
mod kind;
mod lines;
mod order;
mod packet;
mod sums;

pub use buffer::Buffer;
pub use choice::Choice;
pub use describe::{header, ports};
pub use distance::Distance;
pub use engine::Answer;
pub use fields::{Fields, Sack, Typed};
pub use kind::Kind;
pub use lines::Lines;
pub use order::{Order, Turn};
pub use packet::Packet;
pub use sums::Sums;

use rust_hdl::prelude::Block;

use crate::config::Config;
use crate::cores::GenerateError;
use crate::cores::sizes::{BusSizes, boxed, by_sizes};
use crate::emit::{EmitOptions, verilog};

/// Name of the module.
pub const MODULE: &str = "nic_answer";

/// The block with its sizes as types.
///
/// # Errors
/// A bus width off the menu, which `Config::load` refuses already.
pub fn block(config: &Config) -> Result<Box<dyn Block>, GenerateError> {
    let wire = config.wire;
    let mpr = (config.has_uet_acks()).then(|| u64::from(config.sack.window / 128));
    Ok(by_sizes!("nic_answer", config, S: BusSizes(bus_bits) => boxed(|| {
        Answer::<{ S.data }, { S.bytes }, { S.steps }>::new(wire, mpr)
    })))
}

/// Its Verilog by itself.
///
/// # Errors
/// Those of [`block`], and what the backend refuses.
pub fn generate(config: &Config) -> Result<String, GenerateError> {
    let (header, ports) = (header(config), ports(config));
    let options = EmitOptions { module: MODULE, header: &header, ports: &ports };
    Ok(verilog(block(config)?.as_ref(), &options)?)
}
