//! What is fuzzed: each reader of files, and the cores that work on frames.
//!
//! An input is a file of the corpus with a few [`Edit`]s, so that most of it is still what a reader takes, and the rest is what nobody wrote. A target
//! panics where the reader panics, or where the Verilog and the golden model differ. An error is an answer: that a reader refuses nearly all of it is
//! its work.

mod edits;
mod layouts;
mod packets;
mod readers;

pub use edits::{Edit, Input};
pub use layouts::{Hostile, Is, Layout, layouts};
pub use packets::Packets;
pub use readers::READERS;
pub use readers::Reader;
