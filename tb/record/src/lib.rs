//! Records sprayed traffic between network namespaces: messages between two hosts, each behind a golden
//! `nic`, over paths that lose and mark. What comes of it are captures at both ends, and logs of what each
//! block was given and did.
//!
//! [`record`] needs root, `ip`, `tc`, `nft` and `tcpdump`, and a kernel with network namespaces, veth, tbf and nftables. It leaves
//! nothing behind but its files, and its packets never leave its namespaces.

mod command;
mod error;
mod file;
mod frames;
pub mod live;
pub mod network;
pub mod page;
mod scenario;
mod session;
mod socket;
mod station;
mod tap;
mod tcpdump;

pub use error::RecordError;
pub use scenario::{Outage, Scenario};
pub use session::{Recorded, record};
