//! Tests of the C interface, and of those who use it: C, SystemVerilog and Python.

mod border;
mod header;
mod page;
mod random;
mod same;
mod script;
mod systemverilog;
mod tools;
