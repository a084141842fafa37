//! What the two header rewriters share: how the bus is cut into steps, and the front of both parsers.
//!
//! Every header field lies at an even byte, and all of IP and UDP at 4i + 2, so a frame is seen in steps of 32 bits with an even
//! and an odd half: a field is one half of one step.

pub mod describe;
mod geometry;
mod halves;
mod head;
mod udp_start;

pub use geometry::Geometry;
pub use halves::Halves;
pub use head::{Head, HeadDecoder};
pub use udp_start::UdpStart;
