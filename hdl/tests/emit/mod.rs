//! The Verilog backend.

mod block;
mod designs;
mod differential;
mod refusals;
mod syntax;
