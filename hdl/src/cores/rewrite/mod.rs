//! What the two header rewriters share: the parser of Ethernet, VLAN tags, IPv4 or IPv6, UDP and the profile's header.
//!
//! ```text
//!            ┌────────┐ 1  ┌────────┐ 2  ┌────────┐ 3  ┌────────┐ 4
//!  beat ────►│ Ingest │───►│ Ingest │───►│ Fields │───►│Verdict │───► error, kind
//!            │  beat  │    │ layout │    │ fields │    │ tests  │
//!            └───┬────┘    └────────┘    └────────┘    └───▲────┘
//!                └──► HeaderSum: IPv4 checksum ────────────┘
//! ```
//!
//! The parser takes a beat in every cycle and never stalls; what waits are the beats in [`Queue`] and the answers in queues
//! behind it. Every header field lies at an even byte, and all of IP and UDP at 4i + 2, so the frame is seen in steps of
//! 32 bits with an even and an odd half: a field is one half of one step, never more than the rotation of a beat away.

pub mod describe;
mod fields;
mod geometry;
mod head;
mod header_sum;
mod ingest;
mod queue;
mod verdict;

pub use fields::{Captured, Fields};
pub use geometry::Geometry;
pub use head::{Head, HeadDecoder};
pub use header_sum::HeaderSum;
pub use ingest::{Ingest, Layout};
pub use queue::Queue;
pub use verdict::{Findings, Verdict, in_lead};
