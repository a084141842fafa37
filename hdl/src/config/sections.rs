//! The sections of a configuration, one for each core or family of cores that has sizes or behaviours of its own.

use serde::{Deserialize, Serialize};

use super::Wire;

/// Sizes that every path selector has, `reps` included.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Selector {
    /// First EV of the set, a multiple of `2^ev_bits`.
    pub ev_base: u32,
    /// The EV set is `ev_base + random(2^ev_bits)`: 1 to 16.
    pub ev_bits: u32,
    /// Width of a time in bits: 16 or 32 (001 Table 1: 32).
    pub time_bits: u32,
}

impl Default for Selector {
    fn default() -> Self {
        Selector { ev_base: 0, ev_bits: 16, time_bits: 32 }
    }
}

/// Sizes of the REPS entropy cache.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Reps {
    /// Cached EVs per connection: 4, 8, 16 or 32.
    pub depth: u32,
    /// Which behaviour.
    pub variant: Variant,
}

impl Default for Reps {
    fn default() -> Self {
        Reps { depth: 8, variant: Variant::Paper }
    }
}

/// Oblivious packet spraying.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Ops {
    /// In which order the EVs come.
    pub order: Order,
    /// Paths of a permutation: a power of two from 16 to 65536, at most `2^ev_bits`. Of no matter with random order.
    pub paths: u32,
}

impl Default for Ops {
    fn default() -> Self {
        Ops { order: Order::Random, paths: 256 }
    }
}

/// Flowlet switching.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Flowlet {
    /// Which op begins the gap that ends a flowlet.
    pub since: Since,
}

impl Default for Flowlet {
    fn default() -> Self {
        Flowlet { since: Since::Send }
    }
}

/// Flowcut in a NIC.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Flowcut {
    /// When a flowcut ends.
    pub variant: FlowcutVariant,
    /// Width of a time in bits: 16 or 24 (002 section III-A2: 16).
    pub time_bits: u32,
}

impl Default for Flowcut {
    fn default() -> Self {
        Flowcut { variant: FlowcutVariant::Paper, time_bits: 16 }
    }
}

/// Flowcut in a switch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FlowcutSwitch {
    /// Buckets of flows, at {input port, hash}: 512, 1024, 4096 or 16384.
    pub buckets: u32,
    /// Uplinks: 8, 16, 32 or 64.
    pub uplinks: u32,
    /// Among which uplinks the least loaded is looked for.
    pub pick: Pick,
}

impl Default for FlowcutSwitch {
    fn default() -> Self {
        FlowcutSwitch { buckets: 4096, uplinks: 16, pick: Pick::All }
    }
}

/// CAVER in a switch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Caver {
    /// Hosts that data goes to, as the FIB numbers them: 64, 256, 1024 or 4096.
    pub destinations: u32,
    /// Ports of the switch: 16, 32 or 64.
    pub ports: u32,
    /// Places in the flow table: 1024, 4096 or 16384.
    pub flows: u32,
    /// What is stored of each destination.
    pub table: PathTable,
    /// Of which host an ACK speaks that begins a path.
    pub advertise: Advertise,
}

impl Default for Caver {
    fn default() -> Self {
        Caver {
            destinations: 1024,
            ports: 32,
            flows: 4096,
            table: PathTable::Single,
            advertise: Advertise::Source,
        }
    }
}

/// STrack's load balancing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Strack {
    /// Paths, with the EVs from `selector.ev_base` on: 16, 32, 64, 128 or 256, at most `2^ev_bits`, and where nothing is given the
    /// most there can be.
    pub paths: u32,
}

impl Default for Strack {
    fn default() -> Self {
        Strack { paths: 256 }
    }
}

/// Counters of what feedback said of each path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Bitmap {
    /// Paths: 16, 32, 64, 128 or 256, at most `2^ev_bits`, and where nothing is given the most there can be.
    pub paths: u32,
    /// What a timeout does.
    pub timeout: Timeout,
}

impl Default for Bitmap {
    fn default() -> Self {
        Bitmap { paths: 256, timeout: Timeout::Ignore }
    }
}

/// A list of good EVs before the counters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Mixed {
    /// EVs in the list of a connection: 8, 16, 32 or 64.
    pub depth: u32,
}

impl Default for Mixed {
    fn default() -> Self {
        Mixed { depth: 32 }
    }
}

/// Sizes of the SACK engines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Sack {
    /// Receive bitmap in packets: 64, 128, 256 or 512.
    pub window: u32,
    /// Which receiver.
    pub engine: SackEngine,
    /// Width of a PSN in bits: 24 or 32, at most [`Wire::psn_bits`], which it is where nothing is given.
    pub psn_bits: u32,
    /// Whose ACKs the receiver makes and the sender's scoreboard reads. A manifest names it where it is not the default.
    #[serde(skip_serializing_if = "Acks::is_default")]
    pub acks: Acks,
}

impl Default for Sack {
    fn default() -> Self {
        Sack { window: 256, engine: SackEngine::Small, psn_bits: Wire::Strack.psn_bits(), acks: Acks::Strack }
    }
}

/// The headers of Ultra Ethernet.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Uet {
    /// What ends a packet.
    pub crc: Trailer,
}

impl Uet {
    /// They are those that a configuration has where it says nothing.
    pub fn is_default(&self) -> bool {
        *self == Uet::default()
    }
}

/// What ends a packet of Ultra Ethernet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Trailer {
    /// Its payload.
    #[default]
    Off,
    /// A CRC32C in four bytes, which the lengths of IP and UDP count.
    On,
}

/// Behaviour of the entropy cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Variant {
    /// 001 Algorithms 1 and 2.
    Paper,
    /// The public Ultra Ethernet simulator model.
    Uet,
}

/// Order of the EVs that the oblivious sprayer gives a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// Each one at random (001 section 2.2).
    Random,
    /// All paths once, in an order drawn anew each time (Ultra Ethernet).
    Permuted,
}

/// Where the gap begins that ends a flowlet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Since {
    /// At the connection's latest send.
    Send,
    /// At its latest ACK or NACK.
    Ack,
}

/// When a flowcut ends, so that the next packet gets a new EV.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FlowcutVariant {
    /// Whenever nothing is on its way: 002 section II-A.
    Paper,
    /// After a drain only, and the average goes on: the paper's public simulator model of a NIC.
    Sticky,
}

/// Among which uplinks the least loaded is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pick {
    /// All that are up.
    All,
    /// Two random ones of those that are up.
    Two,
}

/// What the path congestion table has of each destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PathTable {
    /// The best path.
    Single,
    /// The latest path by each of sixteen uplinks, the last ports of the switch.
    PerPort,
}

/// Of which host an ACK speaks that begins a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Advertise {
    /// The one that it comes from.
    Source,
    /// The next one of those at the switch.
    RoundRobin,
}

/// What a timeout says of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Timeout {
    /// Nothing, as it is not known which path it was.
    Ignore,
    /// That the path of its EV is bad.
    Ev,
}

/// Structure of the SACK engines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SackEngine {
    /// As few LUTs as can be: state machines that work on one op at a time.
    Small,
    /// Fewer cycles: a receiver that takes a packet a cycle on distinct connections, and a sender whose ops overlap.
    Fast,
}

/// Whose ACKs the receiver makes and the sender's scoreboard reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Acks {
    /// Those of 004 section 3.3.1: bitmaps of aligned segments, that end what was received in order.
    #[default]
    Strack,
    /// Those of Ultra Ethernet, and its NACKs.
    Uet,
}

impl Acks {
    /// They are those that a configuration has where it says nothing.
    pub fn is_default(&self) -> bool {
        *self == Acks::default()
    }
}

/// What guards the words of the memories in which a core keeps what it knows of connections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Protect {
    /// Nothing: a flipped bit is read as it is.
    #[default]
    None,
    /// A parity bit a word: the op that reads a word with a flipped bit finds it, and its connection starts anew.
    Parity,
}

impl Protect {
    /// The words hold nothing but what is stored.
    pub fn is_none(&self) -> bool {
        *self == Protect::None
    }
}
