//! The window of each connection, where a congestion control chooses it.
//!
//! ```text
//!  ACKs, opens ──► scoreboard ──► sack_tx ──► bytes acknowledged
//!                      │                           │
//!                      ▼                           ▼
//!                    heard ──────────────────► op ──► congestion ──► windows ──► sack_tx, looks, selector
//!                                              control               └─► events for the host
//! ```

mod engine;
mod memory;
mod send;

pub use engine::Window;
pub use send::SendWindow;
