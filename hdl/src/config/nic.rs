//! What the block that joins the cores is built with.

use serde::{Deserialize, Serialize};

/// The block that joins the cores.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Nic {
    /// The path selector that gives each packet its EV.
    pub selector: PathSelector,
    /// Packets that may wait in the block where the path selector lets packets wait.
    pub park: u32,
    /// Who chooses the window of each connection.
    pub window: WindowEngine,
    /// Whether data goes to the host only as far as the host has granted frames. A manifest names it where it is not the default.
    #[serde(skip_serializing_if = "RxCredit::is_off")]
    pub rx_credit: RxCredit,
    /// Whether data of an open connection goes to the host with a UDP source port of its connection. A manifest names it where it is
    /// not the default.
    #[serde(skip_serializing_if = "RssPort::is_off")]
    pub rss_port: RssPort,
    /// How events go to the host. A manifest names it where it is not the default.
    #[serde(skip_serializing_if = "Events::are_at_port")]
    pub events: Events,
    /// Which losses the path selector hears of as failures. A manifest names it where it is not the default.
    #[serde(skip_serializing_if = "LossFeedback::is_any")]
    pub loss_feedback: LossFeedback,
    /// Whether the host says who the peer of each connection is. A manifest names it where it is not the default.
    #[serde(skip_serializing_if = "PeerTable::is_off")]
    pub peer_table: PeerTable,
    /// How a connection ends. A manifest names it where it is not the default.
    #[serde(skip_serializing_if = "Close::is_abrupt")]
    pub close: Close,
}

/// Which losses a path selector hears of as failures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LossFeedback {
    /// Those that the timeout finds: the expected PSN stands still.
    Stalled,
    /// All that `sack_tx` finds, by whichever rule.
    #[default]
    Any,
    /// None.
    None,
}

impl LossFeedback {
    /// Names of all of them.
    pub const NAMES: [&'static str; 3] =
        [LossFeedback::Stalled.name(), LossFeedback::Any.name(), LossFeedback::None.name()];

    /// The word for it in a configuration.
    pub const fn name(self) -> &'static str {
        match self {
            LossFeedback::Stalled => "stalled",
            LossFeedback::Any => "any",
            LossFeedback::None => "none",
        }
    }

    /// It is that of the defaults.
    pub fn is_any(&self) -> bool {
        *self == LossFeedback::Any
    }
}

/// What is known of the peer of a connection: the number by which it knows the connection, and its address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PeerTable {
    /// Nothing: both ends know a connection by the numbers that the host writes.
    #[default]
    Off,
    /// What the host says of each.
    On,
}

impl PeerTable {
    /// Names of all of them.
    pub const NAMES: [&'static str; 2] = [PeerTable::Off.name(), PeerTable::On.name()];

    /// The word for it in a configuration.
    pub const fn name(self) -> &'static str {
        match self {
            PeerTable::Off => "off",
            PeerTable::On => "on",
        }
    }

    /// It is that of the defaults.
    pub fn is_off(&self) -> bool {
        *self == PeerTable::Off
    }
}

/// How a connection ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Close {
    /// With its command, of which the answer is all that the host hears.
    #[default]
    Abrupt,
    /// With its command, or when all that was sent is acknowledged; and an event tells the host when nothing of it comes any more.
    Graceful,
}

impl Close {
    /// Names of all of them.
    pub const NAMES: [&'static str; 2] = [Close::Abrupt.name(), Close::Graceful.name()];

    /// The word for it in a configuration.
    pub const fn name(self) -> &'static str {
        match self {
            Close::Abrupt => "abrupt",
            Close::Graceful => "graceful",
        }
    }

    /// It is that of the defaults.
    pub fn is_abrupt(&self) -> bool {
        *self == Close::Abrupt
    }
}

/// How events go to the host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Events {
    /// Records on a stream of their own.
    #[default]
    Port,
    /// Batches of records in Ethernet frames, between the frames that come.
    Frames,
}

impl Events {
    /// Names of all of them.
    pub const NAMES: [&'static str; 2] = [Events::Port.name(), Events::Frames.name()];

    /// The word for it in a configuration.
    pub const fn name(self) -> &'static str {
        match self {
            Events::Port => "port",
            Events::Frames => "frames",
        }
    }

    /// It is that of the defaults.
    pub fn are_at_port(&self) -> bool {
        *self == Events::Port
    }
}

/// The UDP source port of data on its way to the host, by which a shell spreads frames over its queues (RSS).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RssPort {
    /// The EV, as it came.
    #[default]
    Off,
    /// One of the connection, from the register `rss_port_base` on.
    Stable,
}

impl RssPort {
    /// Names of all of them.
    pub const NAMES: [&'static str; 2] = [RssPort::Off.name(), RssPort::Stable.name()];

    /// The word for it in a configuration.
    pub const fn name(self) -> &'static str {
        match self {
            RssPort::Off => "off",
            RssPort::Stable => "stable",
        }
    }

    /// It is that of the defaults.
    pub fn is_off(&self) -> bool {
        *self == RssPort::Off
    }
}

/// What has to be granted before data goes to the host and is acknowledged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RxCredit {
    /// Nothing.
    #[default]
    Off,
    /// Frames, by the register `rx_credit`.
    Frames,
}

impl RxCredit {
    /// Names of all of them.
    pub const NAMES: [&'static str; 2] = [RxCredit::Off.name(), RxCredit::Frames.name()];

    /// The word for it in a configuration.
    pub const fn name(self) -> &'static str {
        match self {
            RxCredit::Off => "off",
            RxCredit::Frames => "frames",
        }
    }

    /// It is that of the defaults.
    pub fn is_off(&self) -> bool {
        *self == RxCredit::Off
    }
}

/// Who chooses how many packets a connection may have in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WindowEngine {
    /// The host: one window for all connections, the register `cwnd_packets`.
    Fixed,
    /// STrack's window, the core `strack_cc`: one for each connection.
    Strack,
}

impl WindowEngine {
    /// Names of all of them, in the order of their codes in the register `window_engine`.
    pub const NAMES: [&'static str; 2] = [WindowEngine::Fixed.name(), WindowEngine::Strack.name()];

    /// The word for it in a configuration.
    pub const fn name(self) -> &'static str {
        match self {
            WindowEngine::Fixed => "fixed",
            WindowEngine::Strack => "strack",
        }
    }
}

/// The path selector of a NIC: a core that takes the ops of a selector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PathSelector {
    /// The entropy cache.
    Reps,
    /// Oblivious packet spraying.
    Ops,
    /// One EV a connection.
    Ecmp,
    /// A few EVs in turn.
    Subflows,
    /// The EV of the latest ACK.
    Mprdma,
    /// Flowlet switching.
    Flowlet,
    /// PLB.
    Plb,
    /// STrack's load balancing.
    Strack,
    /// Counters of bad feedback.
    Bitmap,
    /// EVs of good ACKs before these counters.
    Mixed,
    /// Flowcut.
    Flowcut,
}

impl PathSelector {
    /// Names of all of them, in the order of their codes in the register `selector`.
    pub const NAMES: [&'static str; 11] = [
        PathSelector::Reps.name(),
        PathSelector::Ops.name(),
        PathSelector::Ecmp.name(),
        PathSelector::Subflows.name(),
        PathSelector::Mprdma.name(),
        PathSelector::Flowlet.name(),
        PathSelector::Plb.name(),
        PathSelector::Strack.name(),
        PathSelector::Bitmap.name(),
        PathSelector::Mixed.name(),
        PathSelector::Flowcut.name(),
    ];

    /// The word for it in a configuration, which is the name of its core.
    pub const fn name(self) -> &'static str {
        match self {
            PathSelector::Reps => "reps",
            PathSelector::Ops => "ops",
            PathSelector::Ecmp => "ecmp",
            PathSelector::Subflows => "subflows",
            PathSelector::Mprdma => "mprdma",
            PathSelector::Flowlet => "flowlet",
            PathSelector::Plb => "plb",
            PathSelector::Strack => "strack",
            PathSelector::Bitmap => "bitmap",
            PathSelector::Mixed => "mixed",
            PathSelector::Flowcut => "flowcut",
        }
    }

    /// Whether it lets packets wait, which the block then parks.
    pub const fn parks(self) -> bool {
        matches!(self, PathSelector::Flowcut)
    }
}

impl Default for Nic {
    fn default() -> Self {
        Nic {
            selector: PathSelector::Reps,
            park: 16,
            window: WindowEngine::Fixed,
            rx_credit: RxCredit::Off,
            rss_port: RssPort::Off,
            events: Events::Port,
            loss_feedback: LossFeedback::Any,
            peer_table: PeerTable::Off,
            close: Close::Abrupt,
        }
    }
}
