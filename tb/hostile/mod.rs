//! The binary in places that mean it no good: one sentence, exit code 2, bounded memory, and nothing harmed or left behind.

mod cache;
mod captures;
mod common;
mod empty;
mod memory;
mod outputs;
mod pipes;
mod sentences;
mod signals;
mod standard_output;
mod traces;
mod verilog;
