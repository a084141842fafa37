//! Flowcut in a NIC: a connection keeps its EV while any of its bytes are on their way, so that no packet overtakes another, and is
//! drained where its round-trip times say that its path is congested. 002 (Flowcut) section II-D.
//!
//! ```text
//!  op ──► read ─────► forward ──────────► update ────────► judge ───────► fetch ──► result
//!   │      │           │  ▲                │   ▲            │  ▲           │
//!   ▼      ▼           ▼  │                ▼   │            ▼  │           │
//!  control RAM ────► newest state ───────► next state ────► is it hot? ──► EV
//!         ACK ───────► count before less its own ─► one sum
//!         RTT ───────► sample? ──────────► average ─────────┤
//!                      rtt_min, times 3 ─► 2 parts of the product ratio * (rtt_min + serial)
//! ```
//!
//! An op a cycle, for any order of connections. The loop from an op to the next one of its connection holds one sum, and choices that are
//! made ready before it is known:
//!
//! - [`flight`] keeps the bytes on their way themselves, and adds one number to them that [`received`] made a stage before. The same sum
//!   says whether a send has room and whether an ACK is one of bytes on their way.
//! - [`averages`] moves the average ([`Average`](crate::parts::round_trip::Average)). Whether that is hot is known a stage later
//!   ([`Minimum`](crate::parts::round_trip::Minimum), [`Heat`](crate::parts::round_trip::Heat)) and joins the flags of the connection there
//!   ([`flags`]). [`ledger`] has decided by then what the next op does in either case.
//! - Where an op may leave a state as it is, nothing is chosen behind the sum: a register takes it, or holds what it has
//!   ([`Renewed`](crate::parts::Renewed)).
//!
//! [`results`] keeps the EVs and leads to the outputs, [`engine`] has the wires.

pub mod averages;
pub mod contract;
pub mod engine;
pub mod flags;
pub mod flight;
pub mod ledger;
pub mod received;
pub mod results;
pub mod state;

pub use self::contract::CONTRACT;
use self::engine::Flowcut;
use super::GenerateError;
use super::sizes::{FlowcutSizes, boxed_engine, by_sizes};
use crate::config::Config;
use crate::engine::Engine;

/// The engine with its sizes as types.
///
/// # Errors
/// A size off the menu, which `Config::load` refuses already.
pub fn engine(config: &Config) -> Result<Box<dyn Engine>, GenerateError> {
    Ok(by_sizes!("flowcut", config, S: FlowcutSizes(connections, flowcut.time_bits) => boxed_engine(|| {
        Flowcut::<{ S.conn }, { S.time }, { S.two_times }, { S.average }, { S.product }>::new(config)
    })))
}
