//! Golden models of respray's cores: one file per core, each written from its paper line by line.
//!
//! Nothing here knows of pipelines, memories or Verilog, and nothing is shared with the RTL, so that an
//! error in one cannot be copied into the other.

pub mod bitmap;
pub mod caver;
pub mod dre;
pub mod ecmp;
pub mod fabric_tor;
pub mod flowcut;
pub mod flowcut_switch;
pub mod flowlet;
pub mod hosts;
pub mod mixed;
pub mod mprdma;
pub mod network;
pub mod nic;
pub mod ops;
pub mod order;
pub mod paths;
pub mod plb;
pub mod psn;
pub mod reps;
pub mod rewrite;
pub mod rewrite_rx;
pub mod rewrite_tx;
pub mod rng;
pub mod sack_rx;
pub mod sack_tx;
pub mod selector;
pub mod shim;
pub mod shim_pop;
pub mod shim_push;
pub mod strack;
pub mod strack_cc;
pub mod subflows;
pub mod wire;
