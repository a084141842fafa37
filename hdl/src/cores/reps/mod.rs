//! The entropy cache: which EV the next packet of a connection carries. Papers 000/001.
//!
//! ```text
//!  op ──► read ──────► forward ─────► update ──────► write ──────► fetch ──────► result
//!   │      │            │  ▲           │   ▲          │             │
//!   ▼      │            ▼  │           ▼   │          ├─► EV RAM ───┤
//!  control RAM word ─► newest state ─► next state ────┤             │
//!   ▲                  of connection                  └─► random ───┘
//!   └────────────── written back by every op ─────────┘
//! ```
//!
//! An op a cycle, for any order of connections: the state of a connection on its way back to the control RAM is
//! forwarded to the ops behind it ([`states`]). [`engine`] wires the parts: [`ops`] on their way, the [`states`] with the algorithm in
//! [`update`], the [`freeze`] time beside them, [`results`] with the random EVs. [`state`] is what is stored.

pub mod contract;
pub mod engine;
pub mod freeze;
pub mod ops;
pub mod results;
pub mod state;
pub mod states;
pub mod update;

pub use engine::Reps;

pub use self::contract::CONTRACT;
use super::GenerateError;
use super::sizes::{RepsSizes, boxed_engine, by_sizes};
use crate::config::Config;
use crate::engine::Engine;

/// The engine with its sizes as types.
///
/// # Errors
/// A size off the menu, which `Config::load` refuses already.
pub fn engine(config: &Config) -> Result<Box<dyn Engine>, GenerateError> {
    Ok(
        by_sizes!("reps", config, S: RepsSizes(connections, reps.depth, selector.time_bits) => boxed_engine(|| {
            Reps::<{ S.conn }, { S.slot }, { S.time }, { S.time_difference }>::new(config)
        })),
    )
}
