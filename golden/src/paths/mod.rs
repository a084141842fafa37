//! A network of parallel paths between two ends, for everything that sprays packets.
//!
//! ```text
//!          hash of flow and EV      queue, ECN marks    serialisation   propagation
//!  end A ─────────┬──────────────► path 0 ────────────────────────────────────────┬────► end B
//!                 ├──────────────► path 1 ────────────────────────────────────────┤
//!                 └──────────────► …      ────────────────────────────────────────┘      and the same from B to A
//! ```
//!
//! A switch hashes the five-tuple of a packet. For one connection all of it stays but the UDP source port, which is
//! the EV: so the EV alone chooses the path of a connection's packets. The two directions of a path have queues, random
//! numbers and hashes of their own.
//!
//! # What is decided here
//! - Time is an integer number of picoseconds, because a byte takes 20 ps at 400 Gb/s, and events at the same time
//!   happen in the order in which they were caused. Nothing that decides is a floating point number, so that one seed
//!   gives one run on every machine.
//! - The queue counts the packet that is being sent. A packet that does not fit as a whole is lost.
//! - The mark is decided when a packet arrives, from the bytes that it finds in the queue: never up to `kmin_bytes`,
//!   always from `kmax_bytes` on, and linear between, as RED does without its average.
//! - A path that fails loses what is in its queue and what is under way, and everything that is sent into it until it
//!   is back.
//! - Without `reorder_ps` a path is a FIFO even while its delay shrinks: a packet arrives no sooner than the one
//!   ahead of it.

mod counts;
pub mod frame;
pub mod hash;
mod link;
mod network;

pub use counts::{Counts, Tally};
pub use network::Network;

/// Picoseconds of a second.
pub const SECOND_PS: u64 = 1_000_000_000_000;
/// Parts of a whole in which a chance is given.
pub const PPM: u32 = 1_000_000;

/// An end of the network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum End {
    #[default]
    A,
    B,
}

impl End {
    pub const BOTH: [End; 2] = [End::A, End::B];

    /// The one on the other side.
    pub const fn other(self) -> End {
        match self {
            End::A => End::B,
            End::B => End::A,
        }
    }

    /// 0 for A, 1 for B.
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// One path, the same in both directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Path {
    /// Propagation, in picoseconds.
    pub delay_ps: u64,
    /// Bits a second, 1..=10^13.
    pub rate_bps: u64,
    /// Bytes that wait or are being sent, at most.
    pub queue_bytes: u64,
    /// Bytes in the queue up to which no packet is marked.
    pub kmin_bytes: u64,
    /// Bytes in the queue from which on every packet is marked, `kmin_bytes` or more.
    pub kmax_bytes: u64,
    /// Chance that a packet is lost, in millionths, 0..=1000000.
    pub loss_ppm: u32,
    /// Each packet takes a delay more, uniform from 0 to this, in picoseconds.
    pub reorder_ps: u64,
}

impl Default for Path {
    /// 1 us at 100 Gb/s, one BDP of 8 us in the queue, marks from a fifth to four fifths of it; no loss, no reordering.
    fn default() -> Self {
        Path {
            delay_ps: 1_000_000,
            rate_bps: 100_000_000_000,
            queue_bytes: 100_000,
            kmin_bytes: 20_000,
            kmax_bytes: 80_000,
            loss_ppm: 0,
            reorder_ps: 0,
        }
    }
}

impl Path {
    fn check(&self) {
        let Path { rate_bps, kmin_bytes, kmax_bytes, loss_ppm, .. } = *self;
        assert!((1..=10 * SECOND_PS).contains(&rate_bps), "rate_bps must be 1..=10^13, not {rate_bps}");
        assert!(
            kmin_bytes <= kmax_bytes,
            "kmin_bytes must be at most kmax_bytes {kmax_bytes}, not {kmin_bytes}"
        );
        assert!(loss_ppm <= PPM, "loss_ppm must be 0..=1000000, not {loss_ppm}");
    }
}

/// What happens to a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// New `delay_ps`, of packets that have not left the queue yet.
    Delay(u64),
    /// New `rate_bps`, from the next packet on that leaves the queue.
    Rate(u64),
    /// New `loss_ppm`.
    Loss(u32),
    /// New `reorder_ps`.
    Reorder(u64),
    /// It fails.
    Down,
    /// It is back.
    Up,
}

/// A change at a given time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scheduled {
    pub at_ps: u64,
    /// 0..paths.
    pub path: usize,
    /// Of the direction from this end alone; `None`: of both.
    pub from: Option<End>,
    pub change: Change,
}

/// A network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Of all that is random; two networks of one configuration do the same.
    pub seed: u64,
    /// At least one.
    pub paths: Vec<Path>,
    /// Length of the windows in which is counted, in picoseconds, 1 or more.
    pub window_ps: u64,
    /// In any order; those at one time happen in the order given.
    pub changes: Vec<Scheduled>,
}

/// A packet with what the network looks at. What it carries is the caller's: bytes, or a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet<T> {
    /// The five-tuple without the EV, as any number that is the same for all packets of a connection.
    pub flow: u64,
    /// UDP source port.
    pub ev: u16,
    /// Bytes on the wire, with everything that takes the link's time, 1 or more.
    pub bytes: u32,
    /// ECT: it may be marked. One that may not be is left alone, not dropped.
    pub ecn_capable: bool,
    /// It was marked. A packet may be sent with its mark.
    pub marked: bool,
    pub data: T,
}

/// A packet at the end of its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivery<T> {
    pub at_ps: u64,
    pub to: End,
    pub path: usize,
    pub packet: Packet<T>,
}

/// Why a packet was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Loss {
    /// The queue was full.
    Full,
    /// By chance.
    Random,
    /// The path had failed.
    Down,
}

/// What became of a packet when it was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    pub path: usize,
    /// It did not get into the path. One that did may still be lost, if the path fails.
    pub lost: Option<Loss>,
}
