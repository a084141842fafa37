//! The RTL of respray, in rust-hdl, and the backend that prints it as Verilog.
//!
//! [`config`] describes a NIC, [`cores`] holds one module per core, [`contract`] what a core promises to who drives it,
//! [`nic`] the glue of the block that joins the cores, [`parts`] what the pipelines of the path selectors share, [`prims`] the
//! memories and small building blocks, [`wire`] the fields of the profiles' headers, [`emit`] the Verilog backend, and
//! [`manifest`] what is said of a generated core, its [`cycles`] included. [`engine`] is a core in rust-hdl's own simulation.

pub mod config;
pub mod contract;
pub mod cores;
pub mod cycles;
pub mod emit;
pub mod engine;
pub mod manifest;
pub mod nic;
pub mod parts;
pub mod prims;
pub mod wire;
