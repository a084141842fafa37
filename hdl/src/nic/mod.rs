//! The glue of the block that joins the cores.

pub mod events;
pub mod outlet;
pub mod probes;
