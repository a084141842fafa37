//! Bad surroundings and bad input: one sentence, exit code 2, bounded memory, and nothing left behind.

mod cache;
mod common;
mod verilog;
