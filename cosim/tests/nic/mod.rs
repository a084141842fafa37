//! Blocks of the `nic` in Verilator, against plain models of what they do.

mod bench;
mod events;
mod outlet;
mod probes;
