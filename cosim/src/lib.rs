//! Verilator in lockstep with golden models.
//!
//! [`verilator`] builds and binds models of emitted Verilog, [`traffic`] turns captures and op traces into
//! stimulus, and [`lockstep`] runs model and golden side together, cycle by cycle, and reports the first difference.

pub mod lockstep;
pub mod traffic;
pub mod verilator;
