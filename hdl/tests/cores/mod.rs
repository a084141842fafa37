//! The Verilog of the cores.

mod comments;
mod generated;
