//! The Verilog backend.

mod designs;
mod differential;
mod refusals;
mod syntax;
