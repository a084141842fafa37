//! The RTL of respray, in rust-hdl, and the backend that prints it as Verilog.
//!
//! [`config`] describes a NIC, [`cores`] holds one module per core, [`prims`] the memories and small
//! building blocks, [`parts`] what the path selectors' pipelines share, [`wire`] the fields of the profiles' headers, [`emit`] the Verilog backend, and [`manifest`] what is said
//! of a generated core, its [`cycles`] included.

pub mod config;
pub mod cores;
pub mod cycles;
pub mod emit;
pub mod manifest;
pub mod parts;
pub mod prims;
pub mod wire;
