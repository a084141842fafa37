//! Bad surroundings and bad input: one sentence, exit code 2, bounded memory, and nothing left behind.

mod captures;
mod common;
mod memory;
mod pipes;
mod traces;
