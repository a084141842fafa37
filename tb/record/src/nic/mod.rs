//! Recordings of the block `nic`: messages between two hosts, each behind a golden `nic`, over a network that loses packets.

mod scenario;
mod session;
mod station;
mod tap;

pub use scenario::{Dark, NicScenario};
pub use session::{Recorded, record};
