//! The block of Ultra Ethernet: with the receiver and the scoreboard of [`crate::sack_rx::uet`] and [`crate::sack_tx::uet`] it talks to
//! endpoints of other make.
//!
//! The block is the one of [`super`]; what stands here is what it does in another way. A connection is a PDC of this end: its number
//! is the source PDC of what is sent and the destination PDC of what is received. PSNs have 32 bits.
//!
//! # What the block does, and what the host
//! | block | host |
//! |---|---|
//! | status of each request; ACKs and NACKs 01, 02, 0B, 0D, 12, 15, whole | the semantic sublayer, Start_PSN, which connection a SYN is of |
//! | answers to probes, and probes where `probe` is 1 | flags AR, SYN, RETX and the clear offset of requests; all other NACKs and control packets |
//! | what is lost, and which PSN is to be sent again | sends it again, with RETX and AR |
//! | checks that what comes is of the peer, and finds out the peer by the first ACK | writes the destination PDC of what it sends |
//!
//! # SYN
//! A request with SYN, or a control packet 0 or 9 with it, goes to the host with `rx_status` 8 and changes nothing. The host finds or
//! opens the connection, and writes its number to `accept`: the receiver takes the packet that the registers describe as if it had just
//! come, and the results say with which status, and which NACK is due. The ACK is the host's frame, which the block completes: it alone
//! has the addresses of the peer.
//!
//! # Who answers
//! With *block answers* the block makes the ACKs of a connection, with default responses. With *host answers* (bit 1 of `command_mode`)
//! it makes those of probes alone. In any connection that is open for receiving the block completes the ACKs that the host sends: it
//! writes the cumulative PSN, the offset of the PSN that is answered, bitmap, MPR and congestion state, and keeps the cumulative PSN of
//! the host's frame as the last one that the host has cleared.
//!
//! # What the contract leaves open
//! - `accept` makes no ACK: the operands of a command have no addresses.
//! - A frame of ROD leaves with the EV that was drawn when its connection was opened.
//! - What is of another peer, or of the other kind of delivery, has `rx_status` and event detail 6.
//! - ACKs for the host wait for the scoreboard, so that the host knows whether to believe them.
//! - The event that sends one packet again because of a NACK is lost where the queue of events has no room. The timeout finds the packet.
//! - An event `retransmit` by a NACK has `detail` 1.
//! - A cumulative PSN beyond the packet that is timed ends its measurement, whatever the scoreboard says of the ACK.
//! - The EV of a probe is its opaque, within the EV set.
//! - No service time is told, and that of a peer is taken off no round trip.

mod answers;
mod flow;
mod hear;
mod parts;
mod receive;
mod registers;
mod send;
mod timing;

pub use flow::FlowChange;
pub use parts::Parts;
pub use receive::{PacketStatus, Verdict};

pub(super) use flow::Flow;
pub(super) use hear::LookedUp;
pub(super) use registers::{counters, registers, settings, widened};

use super::{Config, Nic, PSNS};
use crate::psn::PsnSpace;
use crate::sack_rx::{self, uet::UetRx};
use crate::sack_tx::uet::UetTx;

/// PSNs of Ultra Ethernet.
pub const UET_PSNS: PsnSpace = PsnSpace::new(32);

/// The engines, and what is known of each connection beside them.
#[derive(Clone, Debug)]
pub(super) struct Uet {
    pub receiver: UetRx,
    pub scoreboard: UetTx,
    pub flows: Vec<Flow>,
}

impl Uet {
    pub fn new(config: &Config) -> Uet {
        let Config { connections, window, .. } = *config;
        let params = sack_rx::Params { connections, window, psns: UET_PSNS };
        Uet {
            receiver: UetRx::new(params),
            scoreboard: UetTx::new(params),
            flows: vec![Flow::default(); connections as usize],
        }
    }

    /// As after `rst`.
    pub fn reset(&mut self) {
        self.receiver.reset();
        self.scoreboard.reset();
        self.flows.fill(Flow::default());
    }
}

impl Nic {
    /// The receiver of Ultra Ethernet, for tests of invariants.
    pub fn uet_receiver(&self) -> Option<&UetRx> {
        self.uet().map(|uet| &uet.receiver)
    }

    /// The scoreboard of Ultra Ethernet, for tests of invariants.
    pub fn uet_scoreboard(&self) -> Option<&UetTx> {
        self.uet().map(|uet| &uet.scoreboard)
    }

    /// The PDC by which the peer of a connection knows it, once that is known.
    pub fn uet_peer(&self, conn: u16) -> Option<u16> {
        self.uet().and_then(|uet| uet.flows[usize::from(conn)].peer)
    }

    /// PSNs of the engines, events and registers.
    pub(super) fn psns(&self) -> PsnSpace {
        if self.uet().is_some() { UET_PSNS } else { PSNS }
    }

    /// What is known of a connection of Ultra Ethernet.
    pub(super) fn flow(&self, conn: u16) -> &Flow {
        &self.uet().expect("the block is of Ultra Ethernet").flows[usize::from(conn)]
    }

    pub(super) fn flow_mut(&mut self, conn: u16) -> &mut Flow {
        &mut self.uet_mut().expect("the block is of Ultra Ethernet").flows[usize::from(conn)]
    }
}
