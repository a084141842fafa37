//! All tests of the crate in one binary.

mod again;
mod blocks;
mod end_to_end;
mod recordings;
