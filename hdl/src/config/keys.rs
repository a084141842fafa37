//! The keys of a configuration: what each may hold, and what it means.

use std::fmt;

use super::{Close, Events, LossFeedback, PathSelector, PeerTable, RssPort, RxCredit, WindowEngine, Wire};

/// What a key may hold.
#[derive(Clone, Copy, Debug)]
pub enum Allowed {
    /// One of these numbers.
    Menu(&'static [u32]),
    /// A whole number from the first to the second.
    Range(u32, u32),
    /// Any number from the first to the second.
    Real(f64, f64),
    /// One of these words.
    Words(&'static [&'static str]),
}

/// One key of the configuration, as the file and `--set` spell it.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Dotted name, e.g. `reps.depth`.
    pub name: &'static str,
    /// What it may hold.
    pub allowed: Allowed,
    /// What it means, one phrase.
    pub meaning: &'static str,
}

/// Every key there is, in the order in which documents list them.
pub const KEYS: &[Key] = &[
    Key {
        name: "connections",
        allowed: Allowed::Menu(&[16, 64, 256, 1024, 4096, 16384]),
        meaning: "connections that share the engine",
    },
    Key {
        name: "selector.ev_base",
        allowed: Allowed::Range(0, 65535),
        meaning: "first EV of the set, a multiple of 2^selector.ev_bits; also `reps.ev_base`",
    },
    Key {
        name: "selector.ev_bits",
        allowed: Allowed::Range(1, 16),
        meaning: "the EV set is ev_base + random(2^ev_bits); also `reps.ev_bits`",
    },
    Key {
        name: "selector.time_bits",
        allowed: Allowed::Menu(&[16, 32]),
        meaning: "width of the times in bits; also `reps.time_bits`",
    },
    Key { name: "reps.depth", allowed: Allowed::Menu(&[4, 8, 16, 32]), meaning: "cached EVs per connection" },
    Key {
        name: "reps.variant",
        allowed: Allowed::Words(&["paper", "uet"]),
        meaning: "the paper's Algorithms 1-2, or the Ultra Ethernet reference behaviour",
    },
    Key {
        name: "ops.order",
        allowed: Allowed::Words(&["random", "permuted"]),
        meaning: "each EV at random, or all paths once in an order drawn anew each time",
    },
    Key {
        name: "ops.paths",
        allowed: Allowed::Menu(&[16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536]),
        meaning: "paths of a permutation, at most 2^selector.ev_bits",
    },
    Key {
        name: "flowlet.since",
        allowed: Allowed::Words(&["send", "ack"]),
        meaning: "the gap that ends a flowlet begins with the latest send, or with the latest ACK or NACK",
    },
    Key {
        name: "flowcut.variant",
        allowed: Allowed::Words(&["paper", "sticky"]),
        meaning: "a flowcut ends whenever nothing is on its way, or after a drain only",
    },
    Key {
        name: "flowcut.time_bits",
        allowed: Allowed::Menu(&[16, 24]),
        meaning: "width of the times of `flowcut` in bits",
    },
    Key {
        name: "flowcut_switch.buckets",
        allowed: Allowed::Menu(&[512, 1024, 4096, 16384]),
        meaning: "buckets of flows in the switch, at {input port, hash}",
    },
    Key {
        name: "flowcut_switch.uplinks",
        allowed: Allowed::Menu(&[8, 16, 32, 64]),
        meaning: "uplinks of the switch",
    },
    Key {
        name: "flowcut_switch.pick",
        allowed: Allowed::Words(&["all", "two"]),
        meaning: "the least loaded uplink of all that are up, or of two random ones of them",
    },
    Key {
        name: "caver.destinations",
        allowed: Allowed::Menu(&[64, 256, 1024, 4096]),
        meaning: "hosts that data goes to, as the FIB numbers them",
    },
    Key { name: "caver.ports", allowed: Allowed::Menu(&[16, 32, 64]), meaning: "ports of the switch" },
    Key {
        name: "caver.flows",
        allowed: Allowed::Menu(&[1024, 4096, 16384]),
        meaning: "places in the flow table",
    },
    Key {
        name: "caver.table",
        allowed: Allowed::Words(&["single", "per_port"]),
        meaning: "the best path to each host is stored, or the latest one by each of 16 uplinks, the last ports of the switch",
    },
    Key {
        name: "caver.advertise",
        allowed: Allowed::Words(&["source", "round_robin"]),
        meaning: "an ACK that begins a path speaks of the host that it comes from, or of the next one of the switch's hosts",
    },
    Key {
        name: "strack.paths",
        allowed: Allowed::Menu(&[16, 32, 64, 128, 256]),
        meaning: "paths of `strack`: at most 2^selector.ev_bits, and where nothing is given the most there can be; they are the EV set \
                  where selector.ev_base is given, too, and selector.ev_bits is not",
    },
    Key {
        name: "bitmap.paths",
        allowed: Allowed::Menu(&[16, 32, 64, 128, 256]),
        meaning: "the same of `bitmap` and `mixed`",
    },
    Key {
        name: "bitmap.timeout",
        allowed: Allowed::Words(&["ignore", "ev"]),
        meaning: "a timeout says nothing of a path, or that the path of its EV is bad",
    },
    Key {
        name: "mixed.depth",
        allowed: Allowed::Menu(&[8, 16, 32, 64]),
        meaning: "good EVs in the list of a connection",
    },
    Key {
        name: "sack.window",
        allowed: Allowed::Menu(&[64, 128, 256, 512]),
        meaning: "receive bitmap in packets",
    },
    Key {
        name: "sack.engine",
        allowed: Allowed::Words(&["small", "fast"]),
        meaning: "`small` takes fewer LUTs; `fast` fewer cycles: of `sack_rx` one a packet on distinct connections, of `sack_tx` a \
                  quarter less for a packet and its SACK",
    },
    Key {
        name: "sack.psn_bits",
        allowed: Allowed::Menu(&[24, 32]),
        meaning: "width of a PSN in bits: at most that of `wire`, and that where nothing is given",
    },
    Key {
        name: "sack.acks",
        allowed: Allowed::Words(&["strack", "uet"]),
        meaning: "ACKs that `sack_rx` makes and `sack_tx` reads: those of STrack, or those of Ultra Ethernet with its NACKs, with `wire` = \
                  uet",
    },
    Key {
        name: "nic.selector",
        allowed: Allowed::Words(&PathSelector::NAMES),
        meaning: "path selector of the block `nic`",
    },
    Key {
        name: "nic.park",
        allowed: Allowed::Menu(&[4, 8, 16, 32]),
        meaning: "packets that may wait in the block `nic` with `nic.selector` = flowcut, one of a connection",
    },
    Key {
        name: "nic.window",
        allowed: Allowed::Words(&WindowEngine::NAMES),
        meaning: "window of a connection in the block `nic`: that of the register `cwnd_packets`, or one that `strack_cc` chooses, with `wire` = strack",
    },
    Key {
        name: "nic.rx_credit",
        allowed: Allowed::Words(&RxCredit::NAMES),
        meaning: "the block `nic` takes in all data for which it has room, or only as many frames as its host grants by the register `rx_credit`",
    },
    Key {
        name: "nic.rss_port",
        allowed: Allowed::Words(&RssPort::NAMES),
        meaning: "the UDP source port of data that the block `nic` gives to its host: the EV, or one of the connection, from the register `rss_port_base` on",
    },
    Key {
        name: "nic.events",
        allowed: Allowed::Words(&Events::NAMES),
        meaning: "how the events of the block `nic` go to its host: records on the stream `event`, or batches of them in Ethernet frames on `rx_out`",
    },
    Key {
        name: "nic.loss_feedback",
        allowed: Allowed::Words(&LossFeedback::NAMES),
        meaning: "which losses the path selector of the block `nic` hears of as timeouts: those where the expected PSN stands still, all that a rule finds, or none",
    },
    Key {
        name: "nic.peer_table",
        allowed: Allowed::Words(&PeerTable::NAMES),
        meaning: "the block `nic` knows nothing of peers, or by registers of each connection the number by which its peer knows it and the address from which its packets come",
    },
    Key {
        name: "nic.close",
        allowed: Allowed::Words(&Close::NAMES),
        meaning: "a connection of the block `nic` ends with the command that closes it; or it may drain first, and an event tells when nothing of it comes any more",
    },
    Key {
        name: "bus_bits",
        allowed: Allowed::Menu(&[64, 128, 256, 512]),
        meaning: "AXI-Stream data width in bits",
    },
    Key {
        name: "protect",
        allowed: Allowed::Words(&["none", "parity"]),
        meaning: "words of the memories have nothing beside them, or a parity bit, by which a flipped bit is found when it is read",
    },
    Key {
        name: "uet.crc",
        allowed: Allowed::Words(&["off", "on"]),
        meaning: "with `wire` = uet: packets end with a CRC32C, which `rewrite_rx` checks, `rewrite_tx` writes and readers of captures \
                  check; the block `nic` has none",
    },
    Key { name: "wire", allowed: Allowed::Words(&Wire::NAMES), meaning: "header profile" },
    Key {
        name: "clock_mhz",
        allowed: Allowed::Real(1.0, 1000.0),
        meaning: "clock in MHz, for constraints and reports",
    },
];

/// The key called `name`.
///
/// # Panics
/// If there is none; at compile time where the result is a constant.
pub const fn key(name: &str) -> &'static Key {
    let mut index = 0;
    while index < KEYS.len() {
        if is_same(KEYS[index].name, name) {
            return &KEYS[index];
        }
        index += 1;
    }
    panic!("there is no such key")
}

/// Equality of texts, also in constants.
const fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut index = 0;
    while index < one.len() && index < other.len() && one[index] == other[index] {
        index += 1;
    }
    index == one.len() && index == other.len()
}

impl fmt::Display for Allowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Allowed::Menu(menu) => {
                write!(f, "{}", menu.iter().map(u32::to_string).collect::<Vec<_>>().join(", "))
            }
            Allowed::Range(low, high) => write!(f, "{low} to {high}"),
            Allowed::Real(low, high) => write!(f, "{low} to {high}"),
            Allowed::Words(words) => write!(f, "{}", words.join(", ")),
        }
    }
}

impl Allowed {
    pub(super) fn holds(&self, value: &toml::Value) -> bool {
        let whole = value.as_integer().and_then(|v| u32::try_from(v).ok());
        match self {
            Allowed::Menu(menu) => whole.is_some_and(|v| menu.contains(&v)),
            Allowed::Range(low, high) => whole.is_some_and(|v| (*low..=*high).contains(&v)),
            Allowed::Real(low, high) => {
                value.as_float().or(whole.map(f64::from)).is_some_and(|v| (*low..=*high).contains(&v))
            }
            Allowed::Words(words) => value.as_str().is_some_and(|v| words.contains(&v)),
        }
    }
}

/// The names of all keys, for sentences.
pub(super) fn key_names() -> String {
    KEYS.iter().map(|key| key.name).collect::<Vec<_>>().join(", ")
}
