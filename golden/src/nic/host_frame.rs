//! A frame of the host on its way to the network: what it asks for, how far it is, and what it leaves as.

use super::headers::Peer;
use crate::selector::SendKind;

/// What a frame on `tx_out` is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sent {
    /// Of the host, unchanged.
    Other,
    /// A data packet, sent before or not, and where its EV came from.
    Data {
        again: bool,
        kind: SendKind,
    },
    /// A probe, of the `nic` or of the host.
    Probe {
        kind: SendKind,
    },
    Sack,
}

/// A frame on `tx_out`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transmitted {
    pub frame: Vec<u8>,
    /// `tx_in_tuser` of the last beat of the host's frame.
    pub user: bool,
    pub sent: Sent,
}

/// A frame of the host that is rewritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rewritten {
    Data { again: bool },
    Probe,
}

impl Rewritten {
    /// As it leaves with an EV of that kind.
    pub fn sent(self, kind: SendKind) -> Sent {
        match self {
            Rewritten::Data { again } => Sent::Data { again, kind },
            Rewritten::Probe => Sent::Probe { kind },
        }
    }
}

/// Who asks the selector for an EV.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Send {
    pub conn: u16,
    /// Of payload; none of a probe.
    pub bytes: u32,
}

/// What becomes of a frame that asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decision {
    Rewrite(Rewritten, Send),
    Pass,
    Drop,
}

/// How far a frame of the host is.
#[derive(Clone, Debug)]
pub(super) enum Stage {
    Asks(Request),
    Decided(Decision),
    /// The selector told it to wait. Is due: it may ask again.
    Waits {
        rewritten: Rewritten,
        send: Send,
        draining: bool,
        is_due: bool,
    },
    /// An EV is drawn for it.
    Drawn(Sent, u16),
    /// It leaves, changed or not.
    Leaves(Sent),
    /// It does not.
    Dropped,
}

/// A frame of the host on its way.
#[derive(Clone, Debug)]
pub(super) struct HostFrame {
    pub frame: Vec<u8>,
    pub user: bool,
    pub stage: Stage,
    /// It was counted as one at which `tx_in` pauses.
    pub is_held: bool,
    /// The number by which the peer knows its connection, if that is written into it.
    pub number: Option<u32>,
}

/// What a frame of the host asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asks {
    /// To be sent as data.
    Data,
    /// To be sent as a probe.
    Probe,
    /// Of Ultra Ethernet: a control packet takes a PSN.
    Control,
    /// Of Ultra Ethernet: an ACK is to be completed.
    Answer,
}

/// What a frame of the host asks with.
#[derive(Clone, Debug)]
pub(super) struct Request {
    /// Its connection, which need not exist.
    pub number: u32,
    pub asks: Asks,
    pub psn: u32,
    /// Payload in bytes.
    pub bytes: u16,
    /// Bytes that the scoreboard counts.
    pub size: u16,
    /// What the connection's probes say from now on, if this is data and is sent.
    pub peer: Peer,
}
