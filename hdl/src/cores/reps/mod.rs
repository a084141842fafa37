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
use crate::config::Config;
use crate::engine::Engine;
use crate::parts::menu::by_connections;

/// The engine with its sizes as types.
///
/// # Errors
/// A size off the menu, which `Config::load` refuses already.
pub fn engine(config: &Config) -> Result<Box<dyn Engine>, GenerateError> {
    match config.selector.time_bits {
        16 => with_time::<16, 8, 17>(config),
        32 => with_time::<32, 24, 33>(config),
        value => Err(off_menu("selector.time_bits", value, "16, 32")),
    }
}

fn with_time<const T: usize, const H: usize, const W: usize>(
    config: &Config,
) -> Result<Box<dyn Engine>, GenerateError> {
    match config.reps.depth {
        4 => by_connections!("reps", config, C => Reps::<C, 2, T, H, W>::new(config)),
        8 => by_connections!("reps", config, C => Reps::<C, 3, T, H, W>::new(config)),
        16 => by_connections!("reps", config, C => Reps::<C, 4, T, H, W>::new(config)),
        32 => by_connections!("reps", config, C => Reps::<C, 5, T, H, W>::new(config)),
        value => Err(off_menu("reps.depth", value, "4, 8, 16, 32")),
    }
}

fn off_menu(key: &'static str, value: u32, allowed: &'static str) -> GenerateError {
    GenerateError::OffMenu { core: "reps", key, value, allowed }
}
