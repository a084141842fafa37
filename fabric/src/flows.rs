//! Flows: what a run has to send.

use respray_files::range::Whole;

use crate::time::Picoseconds;

/// Bytes of a message.
pub const BYTES: Whole = Whole::new(1, 1_000_000_000_000);

/// Most flows of a run: a ring of 1024 hosts has half of them.
pub const MOST_FLOWS: u64 = 1 << 22;

/// What makes a flow begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    At(Picoseconds),
    /// That flow is complete.
    After(u32),
    /// One of the flows of this queue is complete, and this one is next: of a queue so many flows are under way at once.
    Queue(u32),
}

/// One message from a host to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flow {
    pub source: u32,
    pub destination: u32,
    /// Bytes of payload, 1 or more.
    pub bytes: u64,
    pub start: Start,
}

/// The flows of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flows {
    pub flows: Vec<Flow>,
    /// How many flows of each queue are under way at once.
    pub queues: Vec<u32>,
}
