//! A network between the two SACK engines that drops, duplicates, delays and reorders, and that knows: what was dropped,
//! what arrived, which SACK said so. With that knowledge it predicts what the scoreboard must show, op by op, and
//! checks that every byte is delivered once and every loss found.
//!
//! ```text
//!             sent, next_rtx              data, probes                 packet
//!  senders ──────────────────► scoreboard ─────────────► network ──────────────► bitmaps
//!     ▲    ◄──────────────────     ▲                        │                       │
//!     └── what may be sent         └──── sack ◄──── SACKs ──┴◄──────────────────────┘
//! ```
//!
//! The engines at the ends are any that do as [`Scoreboard`] and [`Receiver`] say: the golden models, or hardware.
//! Each connection has a network of its own; all share the two engines. Time runs in ticks, in each of which a
//! connection sends one packet at most.

mod engines;
mod flow;
mod sim;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use thiserror::Error;

pub use engines::{Receiver, RxOutput, Scoreboard, TxOutput};
pub use sim::run;

use crate::psn::PsnSpace;

/// A network and the settings of its ends.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    /// Of all that is random; two runs of one network are the same.
    pub seed: u64,
    pub connections: u32,
    /// Packets of each connection.
    pub packets: u32,
    /// Bitmap of the engines in packets: 64, 128, 256 or 512.
    pub window: u32,
    /// PSNs of the engines, of 24 or 32 bits.
    pub psns: PsnSpace,
    /// First PSN of connection 0; each further one begins a little earlier.
    pub first_psn: u32,
    /// Window of the sender, and threshold of rule 1, in packets.
    pub cwnd: u16,
    /// New bytes that make a SACK due.
    pub sack_threshold: u16,
    /// Ticks one way, and how many more at most.
    pub delay: u64,
    pub jitter: u64,
    /// Chances, 0 to 1.
    pub loss: f64,
    pub duplicate: f64,
    pub sack_loss: f64,
    pub probe_loss: f64,
    /// Packets (from 0, of every connection) whose first or second transmission is dropped.
    pub drop_first: Vec<u32>,
    pub drop_second: Vec<u32>,
    /// Packets whose first transmission takes ten times the delay.
    pub straggle: Vec<u32>,
    /// Ticks from and to which every SACK is dropped.
    pub sack_blackout: Option<(u64, u64)>,
    /// In ticks, as the two below.
    pub probe_timeout: u16,
    pub probe_rtt: u16,
    pub rto: u16,
    /// How often timeouts in a row double `rto`, at most.
    pub rto_backoff_max: u8,
    /// Fault: SACKs reach the scoreboard without their bitmap.
    pub forget_bitmaps: bool,
    /// Fault: the receivers start anew, a few PSNs back, when they have got that many packets.
    pub receiver_restarts_at: Option<u32>,
}

impl Default for Network {
    /// Ideal, without a packet.
    fn default() -> Self {
        Network {
            seed: 0,
            connections: 1,
            packets: 0,
            window: 256,
            psns: PsnSpace::new(24),
            first_psn: 0,
            cwnd: 32,
            sack_threshold: 0,
            delay: 1,
            jitter: 0,
            loss: 0.0,
            duplicate: 0.0,
            sack_loss: 0.0,
            probe_loss: 0.0,
            drop_first: Vec::new(),
            drop_second: Vec::new(),
            straggle: Vec::new(),
            sack_blackout: None,
            probe_timeout: u16::MAX,
            probe_rtt: 1000,
            rto: u16::MAX,
            rto_backoff_max: 0,
            forget_bitmaps: false,
            receiver_restarts_at: None,
        }
    }
}

/// How bad a random network may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Packets, SACKs and probes lost at most, 0 to 1.
    pub loss: f64,
    /// Packets by which one is overtaken at most.
    pub reordering: u64,
}

impl Default for Limits {
    /// Every fifth packet lost, overtaken by up to 256.
    fn default() -> Self {
        Limits { loss: 0.2, reordering: 256 }
    }
}

impl Network {
    /// The network of a seed: somewhere between ideal and as bad as `limits` allow, PSNs across the wrap.
    pub fn random(
        seed: u64,
        connections: u32,
        packets: u32,
        (window, psns): (u32, PsnSpace),
        limits: &Limits,
    ) -> Network {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        // a third of all networks has none of a kind of fault
        let mut rate = |most: f64| if rng.random_range(0..3) == 0 { 0.0 } else { most * rng.random::<f64>() };
        let (loss, sack_loss, probe_loss) = (rate(limits.loss), rate(limits.loss), rate(limits.loss));
        let duplicate = rate(0.1);
        let delay = rng.random_range(1..60_u64);
        Network {
            seed,
            connections,
            packets,
            window,
            psns,
            first_psn: psns.last() - rng.random_range(0..packets.clamp(1, psns.half())),
            cwnd: rng.random_range(1..200),
            sack_threshold: if rng.random() { 0 } else { rng.random_range(0..20_000) },
            delay,
            jitter: rng.random_range(0..=limits.reordering),
            loss,
            duplicate,
            sack_loss,
            probe_loss,
            probe_timeout: 6 * delay as u16 + 100,
            probe_rtt: rng.random_range(2..1000),
            rto: rng.random_range(800..3000),
            rto_backoff_max: rng.random_range(0..3),
            ..Network::default()
        }
    }
}

/// What happened, all connections together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    pub ticks: u64,
    pub transmissions: u32,
    pub retransmissions: u32,
    /// Transmissions dropped.
    pub lost: u32,
    /// Of these, found lost by the out-of-order count, by a probe, by the timeout.
    pub found_by: [u32; 3],
    /// Times that recovery was entered or started anew, by rule.
    pub recoveries: [u32; 3],
    pub probes: u32,
    /// SACKs dropped, or older than one that came before.
    pub lost_sacks: u32,
    /// Packets that arrived after a later one.
    pub reordered: u32,
    /// Packets that arrived twice.
    pub duplicates: u32,
}

/// A property that does not hold.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("tick {tick}, connection {connection}: {what}")]
pub struct Broken {
    pub tick: u64,
    pub connection: u16,
    pub what: String,
}

/// Why a run ended before everything was delivered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop<E> {
    /// A property of the engines does not hold.
    Broken(Broken),
    /// An engine cannot go on.
    Engine(E),
}
