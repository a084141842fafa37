//! All tests of the crate in one binary, which is linked once, and whose tools run two at a time.

mod common;
mod constraints;
mod example;
mod figures;
mod fmax;
mod gate;
mod limits;
mod nic_ports;
mod page;
mod page_rules;
mod prove;
mod shells;
mod translated;
mod within;
