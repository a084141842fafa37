//! All tests of the crate in one binary: what costs time is to link the crate, not to run them.

mod caver;
mod fabric_tor;
mod faults;
mod flowcut;
mod flowcut_switch;
mod network;
mod nic;
mod order;
mod pair;
mod paths;
mod pds;
mod pds_cores;
mod psn;
mod reps;
mod rewrite;
mod rng;
mod sack_rx;
mod sack_tx;
mod selectors;
mod strack_cc;
mod trace;
mod transcription;
mod wire;
