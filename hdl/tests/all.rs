//! All tests of the crate in one binary: what costs time is to link the crate, not to run them.

mod cores;
mod differential;
mod emit;
mod examples;
mod join;
mod nic;
mod prims;
mod shells;
mod tables;
