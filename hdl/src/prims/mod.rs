//! Memories and small building blocks, each with a test that replays its Rust side against its Verilog.

mod array;
mod delay;
mod fifo;
mod first_clear;
mod free_running;
mod label;
mod memory;
mod named;
mod narrow_write;
mod optional;
mod param;
mod parity;
mod patch_memory;
mod pulse_counts;
mod queue_memory;
mod random;
mod skid;
mod surface;
mod votes;
mod wide_write;
mod word;

pub use array::Array;
pub use delay::Delay;
pub use fifo::Fifo;
pub use first_clear::FirstClear;
pub use free_running::FreeRunning;
pub use memory::{MemoryStyle, SimpleDualPort};
pub use named::NamedBytes;
pub use narrow_write::NarrowWrite;
pub use optional::Optional;
pub use param::Param;
pub use parity::ParityParts;
#[doc(hidden)]
pub use pastey::paste;
pub use patch_memory::PatchMemory;
pub use pulse_counts::PulseCounts;
pub use queue_memory::{DirectMemory, QueueMemory};
pub use random::RandomEv;
#[doc(hidden)]
pub use respray_hdl_macros::block_with;
pub use skid::SkidBuffer;
pub use surface::{Axis, AxisUser, Join, Part, Place, Reg, Stream, Way, join, resize};
pub use votes::bits_of;
pub use wide_write::WideWrite;
pub use word::Word;
#[doc(hidden)]
pub use word::joined;
