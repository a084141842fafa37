//! The RTL of respray, in rust-hdl, and the backend that prints it as Verilog.
//!
//! [`config`] describes a NIC, [`cores`] holds one module per core, [`contract`] what a core promises to who drives it,
//! [`parts`] what the pipelines of the path selectors share, [`prims`] the memories and small building blocks, [`wire`] the
//! fields of the profiles' headers, [`nic`] the glue between the cores, [`examples`] designs for boards, [`join`] the frame that
//! holds modules together, [`emit`] the Verilog backend, and [`manifest`] what is said of a generated core, its [`cycles`] included.
//! [`catalogue`] has all that is given out, [`shells`] the block in the shells of cards. [`engine`] is a core in rust-hdl's own
//! simulation.

// What the attribute `hdl_gen` writes names this crate from without, and stands in it too.
extern crate self as respray_hdl;

/// Whether designs can run in rust-hdl's own simulation: with the feature `simulation`. Without it `update` does nothing, which halves
/// the code of designs that are only printed.
pub const SIMULATES: bool = cfg!(feature = "simulation");

pub mod catalogue;
pub mod config;
pub mod contract;
pub mod cores;
pub mod corners;
pub mod cycles;
pub mod emit;
pub mod engine;
pub mod examples;
pub mod join;
pub mod manifest;
pub mod nic;
pub mod parts;
pub mod prims;
pub mod shells;
pub mod wire;
