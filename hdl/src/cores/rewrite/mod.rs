//! What the two header rewriters share: how the bus is cut into steps, the front of the parser, and the rules that hold for both.
//!
//! Every header field lies at an even byte, and all of IP and UDP at 4i + 2, so a frame is seen in steps of 32 bits with an even
//! and an odd half: a field is one half of one step.
//!
//! ```text
//!            ┌────────┐ 1  ┌────────────────┐ 2  ┌──────────────┐ 3  ┌────────────┐ 4
//!  beat ────►│ Inlet  │─┬─►│ fields where   │───►│ fields       │───►│ Classifier │───► what is wrong
//!            │  Place │ │  │ they may stand │    │ IpFields     │    │            │
//!            └────────┘ │  └────────────────┘    └──────────────┘    └────────────┘
//!                       └─► HeaderSum: IPv4 checksum ─────────────────────────────────► 5
//! ```

mod classifier;
pub mod crc;
pub mod describe;
mod geometry;
mod halves;
mod head;
mod header_sum;
mod inlet;
mod ip;
mod udp_start;

pub use classifier::{Classifier, Findings};
pub use geometry::Geometry;
pub use halves::Halves;
pub use head::{Head, HeadDecoder};
pub use header_sum::HeaderSum;
pub use inlet::{Inlet, Place};
pub use ip::{Ip, IpFields};
pub use udp_start::UdpStart;
