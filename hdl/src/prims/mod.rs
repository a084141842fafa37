//! Memories and small building blocks, each with a test that replays its Rust side against its Verilog.

mod memory;
mod word;

pub use memory::{MemoryStyle, SimpleDualPort};
#[doc(hidden)]
pub use pastey::paste;
pub use word::Word;
