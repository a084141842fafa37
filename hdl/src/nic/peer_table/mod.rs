//! `nic_peer_table`: who the peer of each connection is: the number by which it knows the connection, and the address from which its
//! packets come. What each connection sent last is another thing, which `nic_peers` keeps.
//!
//! ```text
//!  registers ─► entry ─┬─► addresses ─► Check ◄── source of a packet, from the receiver ─► refused
//!                      ├─► numbers of packets ─► what a number changes ─► grants of the sender
//!                      └─► numbers of own frames ─► SACKs and probes
//! ```
//!
//! An entry is written into all three memories at one edge, at which none of them is read for a packet of its connection. Each
//! packet that comes or goes is one read, and so is each frame that the block makes.

pub mod check;
pub mod engine;
pub mod words;

pub use check::Check;
pub use engine::PeerTable;
pub use words::{AddressEntry, NumberEntry, Numbered};

use rust_hdl::prelude::Block;

use crate::config::Config;
use crate::cores::GenerateError;
use crate::cores::sizes::{SelectorSizes, boxed, by_sizes};

/// The block with its sizes as types.
///
/// # Errors
/// A size off the menu, which `Config::load` refuses already.
pub fn block(config: &Config) -> Result<Box<dyn Block>, GenerateError> {
    let wire = config.wire;
    Ok(
        by_sizes!("nic", config, S: SelectorSizes(connections) => boxed(|| PeerTable::<{ S.conn }>::new(wire))),
    )
}
