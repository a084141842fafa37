//! What the two header rewriters have in common: how a frame is read, and checksums.
//!
//! [`crate::rewrite_tx`] and [`crate::rewrite_rx`] are pure functions on the bytes of one frame. [`frame`] reads it, rule
//! by rule, [`checksum`] is RFC 1071 and RFC 1624, and [`crc32c`] is the trailer of `uet`.

pub mod checksum;
pub mod crc32c;
pub mod frame;

pub use frame::{
    Captured, Carried, Extent, FrameError, Headers, Kind, Network, ProfileTraffic, Trimmed, network, read,
    read_captured, traffic_class,
};
