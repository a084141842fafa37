//! Memories and small building blocks, each with a test that replays its Rust side against its Verilog.

mod delay;
mod fifo;
mod memory;
mod narrow_write;
mod patch_memory;
mod queue_memory;
mod random;
mod skid;
mod word;

pub use delay::Delay;
pub use fifo::Fifo;
pub use memory::{MemoryStyle, SimpleDualPort};
pub use narrow_write::NarrowWrite;
#[doc(hidden)]
pub use pastey::paste;
pub use patch_memory::PatchMemory;
pub use queue_memory::{DirectMemory, QueueMemory};
pub use random::RandomEv;
pub use skid::SkidBuffer;
pub use word::Word;
