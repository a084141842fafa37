//! Memories and small building blocks, each with a test that replays its Rust side against its Verilog.

mod memory;
mod queue_memory;
mod word;

pub use memory::{MemoryStyle, SimpleDualPort};
#[doc(hidden)]
pub use pastey::paste;
pub use queue_memory::{DirectMemory, QueueMemory};
pub use word::Word;
