//! `nic_sender`: the way from the host to the MAC. Of each data packet and probe it asks what is to become of it, and does that.
//!
//! ```text
//!  s_axis ─┬─► beats ─────────────────────────────────────────────────► Outlet ─► m_axis
//!          └─► parser ─┬─► what the frame says ─► drafts ─┐               ▲
//!                      │                                  ├─► Planner ─► plans
//!                      └─► requests ─► req    grant ─► Grants
//! ```
//!
//! The parser and the outlet are those of `rewrite_tx`, and so are the rules: a frame is judged with the beat that holds the bytes
//! which every header of the profile has, so the length of a longer frame is not known yet. Frames wait in the order in which
//! they came, whether or not a request was made for them. Requests are made ahead of the grants, one for each frame that waits.
//!
//! Where the host says who the peers are, a grant also says the number by which the peer knows the connection. It is written into the
//! beats behind the outlet.

mod engine;
mod grants;
mod header;
mod number;
mod settler;

pub use engine::Sender;
pub use grants::{Grant, Grants};
pub use header::{HeaderReader, Request};
pub use number::{GrantedNumber, NumberPatch, PlacedNumber};
pub use settler::{Draft, Mark, Settler, Token};

use rust_hdl::prelude::Block;

use crate::config::{Config, PeerTable};
use crate::cores::GenerateError;
use crate::cores::rewrite::describe::beat_kind;
use crate::cores::sizes::{BusSizes, boxed, by_sizes};

/// The block with its sizes as types.
///
/// # Errors
/// A bus width off the menu, which `Config::load` refuses already.
pub fn block(config: &Config) -> Result<Box<dyn Block>, GenerateError> {
    let (wire, kind) = (config.wire, beat_kind(config));
    let has_peers = config.nic.peer_table == PeerTable::On;
    let counts_headers = config.has_uet_acks();
    Ok(by_sizes!("nic", config, S: BusSizes(bus_bits) => boxed(|| {
        Sender::<{ S.data }, { S.bytes }, { S.steps }, { S.beat_number }, { S.keep_and_user }>::new(wire, kind, has_peers, counts_headers)
    })))
}
