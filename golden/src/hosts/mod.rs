//! Hosts at both ends of a network, each behind a `nic`: messages go in, and every one must come out exactly once.
//!
//! ```text
//!  messages ──► host A ──► nic A ──► paths ──► nic B ──► host B ──► every packet once, every byte right
//!                 ▲ events ─┘  ◄──── paths ◄─────┘ SACKs
//! ```
//!
//! A host cuts messages into packets, numbers them for each connection, keeps to the window, and sends again exactly
//! the PSNs that the events name. It learns of everything by events, and by the command `read` where some were lost.
//! The receiving side takes in what the `nic` calls new, and checks it against what was sent.
//!
//! [`run`] joins two of them by a network of [`crate::paths`] and holds, besides exactly-once delivery, that every
//! frame is addressed to the other end, and that nothing is acknowledged that the receiver's host has not got.
//! [`run_with`] does the same with any `nic` that has a [`Port`] for its host and is a [`Device`] for its MAC. A loop that
//! goes cycle by cycle has the pieces of it: [`Host`], and [`Lines`], which know the path of each frame.

pub mod frames;
mod host;
mod lines;
mod lived;
pub mod lives;
mod order;
mod pair;
pub mod pds;
mod port;
pub mod receiver;
pub mod scenarios;
mod sender;

use thiserror::Error;

pub use host::Host;
pub use lines::{Lines, Passage};
pub use order::Order;
pub use pair::{run, run_with};
pub use port::{Device, Port, State};
pub use sender::{Piece, Sender};

use self::frames::Below;
use crate::nic::{self, Counter, Event, Transmitted};
use crate::paths::{self, End, Network};
use crate::psn::PsnSpace;
use crate::rewrite::ProfileTraffic;
use crate::selector::SendKind;

/// A message: bytes of one connection that belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// 0..connections of the setup: which of those that it opens.
    pub conn: u16,
    /// 1 or more.
    pub bytes: u32,
}

/// Packets that a connection may have in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window {
    /// What the register `cwnd_packets` holds.
    Register,
    /// So many packets.
    Fixed(u32),
    /// Of each connection what the events `window` say, for a `nic` with `strack_cc`.
    Told,
}

/// Two hosts, their `nic`s and the network between.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Of both ends.
    pub nic: nic::Config,
    /// Registers that are written before anything is sent, by name.
    pub settings: Vec<(&'static str, u32)>,
    pub network: paths::Config,
    /// Connections that both hosts open, from [`Setup::first_connection`] on.
    pub connections: u16,
    /// What A sends to B, and B to A.
    pub messages: [Vec<Message>; 2],
    /// Payload of a full packet in bytes.
    pub payload: u32,
    pub window: Window,
    /// A host sends nothing new of a connection between its events XOFF and XON.
    pub heeds_xoff: bool,
    /// What frames have below the profile.
    pub below: Below,
    /// First PSN of connection 0; each further one begins 1000 later.
    pub first_psn: u32,
    /// Rate of the lines between `nic` and network, bits a second.
    pub line_bps: u64,
    /// The `nic`'s clock cycle in picoseconds.
    pub cycle_ps: u64,
    /// A host looks for events at most so often, in picoseconds; 0: always.
    pub event_interval_ps: u64,
    /// When a run is given up.
    pub limit_ps: u64,
}

impl Default for Setup {
    /// One connection over one path at 50 Gb/s, without a message.
    fn default() -> Self {
        Setup {
            nic: nic::Config { connections: 16, ..nic::Config::default() },
            settings: Vec::new(),
            network: paths::Config {
                seed: 1,
                paths: vec![paths::Path::default()],
                window_ps: 100_000_000,
                changes: Vec::new(),
            },
            connections: 1,
            messages: [Vec::new(), Vec::new()],
            payload: 1024,
            window: Window::Register,
            heeds_xoff: true,
            below: Below::default(),
            first_psn: 0,
            line_bps: 50_000_000_000,
            cycle_ps: 3103,
            event_interval_ps: 0,
            limit_ps: 100_000_000_000,
        }
    }
}

impl Setup {
    /// PSNs of both ends.
    pub fn psns(&self) -> PsnSpace {
        if self.nic.uet.is_some() { nic::UET_PSNS } else { nic::PSNS }
    }

    /// The number of the first connection. 0 is no PDC of Ultra Ethernet.
    pub fn first_connection(&self) -> u16 {
        self.nic.uet.is_some().into()
    }

    /// The traffic of both hosts: it goes to the UDP port that the blocks are told of.
    pub fn traffic(&self) -> ProfileTraffic {
        let profile = self.nic.profile;
        let told = self.settings.iter().rev().find(|(name, _)| *name == "udp_port");
        ProfileTraffic {
            udp_port: told.map_or(profile.udp_port(), |(_, port)| *port as u16),
            ..ProfileTraffic::of(profile)
        }
    }
}

/// What a test does to a run: each returns whether the frame or the event goes on.
#[derive(Clone, Copy)]
pub struct Hooks {
    /// Sees and may change every frame behind the `nic` of an end.
    pub frame: fn(End, &mut Transmitted) -> bool,
    /// Sees every event before the host of an end.
    pub event: fn(End, &Event) -> bool,
}

impl Default for Hooks {
    /// Everything goes on as it is.
    fn default() -> Self {
        Hooks { frame: |_, _| true, event: |_, _| true }
    }
}

/// A data packet that was sent into a path that had failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntoDead {
    /// Since the path failed.
    pub after_ps: u64,
    /// Where its EV came from.
    pub kind: SendKind,
}

/// What happened.
pub struct Report<D = nic::Nic> {
    /// When the last message was acknowledged.
    pub end_ps: u64,
    pub network: Network<Vec<u8>>,
    /// Of A and of B.
    pub nics: [D; 2],
    /// Data packets of A that met a path that had failed.
    pub into_dead: Vec<IntoDead>,
    /// Data packets that were overtaken by a later one of their connection, both sent for the first time.
    pub overtaken: u64,
    /// How often the host of each end gave `read`, because events were lost.
    pub restored: [u32; 2],
}

impl Report {
    pub fn counter(&self, end: End, counter: Counter) -> u64 {
        self.nics[end.index()].counter(counter)
    }
}

/// A property that does not hold.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{at_ps} ps, host {end:?}: {what}")]
pub struct Broken {
    pub at_ps: u64,
    pub end: End,
    pub what: String,
}
