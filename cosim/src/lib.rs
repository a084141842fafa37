//! Verilator in lockstep with golden models.
//!
//! [`verilator`] builds and binds models of emitted Verilog, [`traffic`] turns captures and op traces into
//! stimulus, [`cores`] holds each core's golden side, [`lockstep`] runs model and golden side together, cycle by cycle,
//! and reports the first difference, and [`stream`] does so with the cores that packets stream through. What goes around
//! a run is the same for both, and so is its [`report`]. A [`netlist`] can run in the place of the Verilog,
//! and other [`simulators`] in the place of Verilator. Every file goes out through [`respray_files::output`].

pub mod ahead;
pub mod compare;
pub mod cores;
pub mod interrupt;
mod limit;
pub mod lockstep;
pub mod netlist;
pub mod network;
pub mod nic;
pub mod noise;
pub mod pages;
pub mod path_selector;
pub mod report;
mod results;
mod runner;
pub mod simulators;
pub mod stream;
pub mod traffic;
pub mod upset;
pub mod verilator;
