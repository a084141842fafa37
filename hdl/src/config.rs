//! The configuration of a NIC: one TOML file, or the defaults, or both with `KEY=VALUE` on top.
//!
//! rust-hdl's widths are types, so a size that sets a width comes from a menu; all else is free within its range.
//! Every error is one sentence that names the file (or `--set`), the key, the value and what is allowed.

mod nic;
mod table;
mod wire;

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use respray_files::quote::{Message, Quoted};

pub use self::nic::{Nic, PathSelector, WindowEngine};
pub use self::table::canonical;
use self::table::{check, follow, merge, parse, parse_set, under_one_name, unfollow};
pub use self::wire::Wire;

/// How a NIC is built. What a driver changes at run time is an input port, not a field here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Connections that share the engines: 16, 64, 256, 1024, 4096 or 16384.
    pub connections: u32,
    /// AXI-Stream data width in bits: 64, 128, 256 or 512.
    pub bus_bits: u32,
    /// Header profile.
    pub wire: Wire,
    /// Clock in MHz, for constraints and reports: 1 to 1000.
    pub clock_mhz: f64,
    /// What every path selector shares.
    pub selector: Selector,
    /// The entropy cache.
    pub reps: Reps,
    /// The oblivious sprayer.
    pub ops: Ops,
    /// The flowlet switch.
    pub flowlet: Flowlet,
    /// Flowcut in a NIC.
    pub flowcut: Flowcut,
    /// Flowcut in a switch.
    pub flowcut_switch: FlowcutSwitch,
    /// CAVER in a switch.
    pub caver: Caver,
    /// STrack's load balancing.
    pub strack: Strack,
    /// The counters of `bitmap` and `mixed`.
    pub bitmap: Bitmap,
    /// The list of `mixed`.
    pub mixed: Mixed,
    /// The SACK engines.
    pub sack: Sack,
    /// The block that joins the cores.
    pub nic: Nic,
    /// What guards the words of memories. A manifest names it where it is not the default.
    #[serde(skip_serializing_if = "Protect::is_none")]
    pub protect: Protect,
}

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

/// Sizes of the REPS entropy cache.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Reps {
    /// Cached EVs per connection: 4, 8, 16 or 32.
    pub depth: u32,
    /// Which behaviour.
    pub variant: Variant,
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

/// Flowlet switching.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Flowlet {
    /// Which op begins the gap that ends a flowlet.
    pub since: Since,
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

/// STrack's load balancing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Strack {
    /// Paths, with the EVs from `selector.ev_base` on: 16, 32, 64, 128 or 256, at most `2^ev_bits`, and where nothing is given the
    /// most there can be.
    pub paths: u32,
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

/// A list of good EVs before the counters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Mixed {
    /// EVs in the list of a connection: 8, 16, 32 or 64.
    pub depth: u32,
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

impl Default for Config {
    fn default() -> Self {
        Config {
            connections: 256,
            bus_bits: 512,
            wire: Wire::Strack,
            clock_mhz: 322.265625,
            selector: Selector::default(),
            reps: Reps::default(),
            ops: Ops::default(),
            flowlet: Flowlet::default(),
            flowcut: Flowcut::default(),
            flowcut_switch: FlowcutSwitch::default(),
            caver: Caver::default(),
            strack: Strack::default(),
            bitmap: Bitmap::default(),
            mixed: Mixed::default(),
            sack: Sack::default(),
            nic: Nic::default(),
            protect: Protect::default(),
        }
    }
}

impl Default for Selector {
    fn default() -> Self {
        Selector { ev_base: 0, ev_bits: 16, time_bits: 32 }
    }
}

impl Default for Reps {
    fn default() -> Self {
        Reps { depth: 8, variant: Variant::Paper }
    }
}

impl Default for Ops {
    fn default() -> Self {
        Ops { order: Order::Random, paths: 256 }
    }
}

impl Default for Flowlet {
    fn default() -> Self {
        Flowlet { since: Since::Send }
    }
}

impl Default for Flowcut {
    fn default() -> Self {
        Flowcut { variant: FlowcutVariant::Paper, time_bits: 16 }
    }
}

impl Default for FlowcutSwitch {
    fn default() -> Self {
        FlowcutSwitch { buckets: 4096, uplinks: 16, pick: Pick::All }
    }
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

impl Default for Strack {
    fn default() -> Self {
        Strack { paths: 256 }
    }
}

impl Default for Bitmap {
    fn default() -> Self {
        Bitmap { paths: 256, timeout: Timeout::Ignore }
    }
}

impl Default for Mixed {
    fn default() -> Self {
        Mixed { depth: 32 }
    }
}

impl Default for Sack {
    fn default() -> Self {
        Sack { window: 256, engine: SackEngine::Small, psn_bits: Wire::Strack.psn_bits() }
    }
}

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
        name: "bus_bits",
        allowed: Allowed::Menu(&[64, 128, 256, 512]),
        meaning: "AXI-Stream data width in bits",
    },
    Key {
        name: "protect",
        allowed: Allowed::Words(&["none", "parity"]),
        meaning: "words of the memories have nothing beside them, or a parity bit, by which a flipped bit is found when it is read",
    },
    Key { name: "wire", allowed: Allowed::Words(&Wire::NAMES), meaning: "header profile" },
    Key {
        name: "clock_mhz",
        allowed: Allowed::Real(1.0, 1000.0),
        meaning: "clock in MHz, for constraints and reports",
    },
];

/// Bits of a timestamp in the headers.
const WIRE_TIME_BITS: u32 = 16;

/// Keys of every selector that `reps` had first, by the names that they have there.
const REPS_NAMES: [&str; 3] = ["ev_base", "ev_bits", "time_bits"];

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

/// Why a configuration was refused. Its text is the whole sentence for the user.
#[derive(Debug, Error)]
pub enum ConfigError {
    #[error("{file}: cannot be read: {source}")]
    Read { file: String, source: std::io::Error },
    #[error("{file}:{line}: not TOML: {}", Message(message))]
    Syntax { file: String, line: usize, message: String },
    #[error("{place}: unknown key `{}`; the keys are {}", Quoted(key), key_names())]
    UnknownKey { place: String, key: String },
    #[error("{place}: `{key}` is {}; allowed: {allowed}", Quoted(value))]
    Value { place: String, key: String, value: String, allowed: String },
    #[error(
        "{place}: `reps.{name}` is {reps} and `selector.{name}` is {selector}, but they are names of one thing; give one"
    )]
    Contradiction { place: String, name: &'static str, reps: String, selector: String },
    #[error("--set {}: expected KEY=VALUE, e.g. reps.depth=16; the keys are {}", Quoted(given), key_names())]
    Set { given: String },
}

/// A value of a key that was found beside what a run is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Where it was found, e.g. `ops.settings.csv:2`.
    pub place: String,
    /// Name of the key, e.g. `reps.depth`.
    pub key: String,
    /// The value as it was written.
    pub value: String,
}

impl Config {
    /// Reads `file` if there is one, puts each `KEY=VALUE` of `sets` on top, and checks all of it.
    pub fn load(file: Option<&Path>, sets: &[String]) -> Result<Config, ConfigError> {
        Config::load_over(&[], file, sets)
    }

    /// As [`Config::load`], and a key that neither `file` nor `sets` give is as `beneath` has it: values, each with its key and the
    /// place where it was found, which errors name.
    pub fn load_over(beneath: &[Found], file: Option<&Path>, sets: &[String]) -> Result<Config, ConfigError> {
        let mut lowest = toml::Table::new();
        for Found { place, key, value } in beneath {
            let overlay = parse_set(&format!("{key}={value}"))?;
            check(&overlay, "", place)?;
            merge(&mut lowest, overlay);
            under_one_name(&mut lowest, place)?;
        }
        let mut table = toml::Table::new();
        let mut place = "configuration".to_string();
        if let Some(path) = file {
            place = path.display().to_string();
            let text = std::fs::read_to_string(path)
                .map_err(|source| ConfigError::Read { file: place.clone(), source })?;
            table = parse(&text, &place)?;
        }
        check(&table, "", &place)?;
        for set in sets {
            let overlay = parse_set(set)?;
            check(&overlay, "", &format!("--set {}", Quoted(set)))?;
            merge(&mut table, overlay);
        }
        let called = under_one_name(&mut table, &place)?;
        merge(&mut lowest, table);
        let mut table = lowest;
        follow(&mut table);
        let config: Config = table.try_into().map_err(|error: toml::de::Error| ConfigError::Syntax {
            file: place.clone(),
            line: 0,
            message: error.message().to_string(),
        })?;
        config.check_together(&place, called)?;
        Ok(config)
    }

    /// This configuration with one key set, e.g. `reps.depth=16`, and all else as it is. Only what is as it follows from another key
    /// follows it again: `sack.psn_bits` the wire, `strack.paths` and `bitmap.paths` the EV set.
    ///
    /// # Errors
    /// As [`Config::load`] has them for one `--set`.
    pub fn with(&self, set: &str) -> Result<Config, ConfigError> {
        let place = format!("--set {}", Quoted(set));
        let mut overlay = parse_set(set)?;
        check(&overlay, "", &place)?;
        let called = under_one_name(&mut overlay, &place)?;
        let mut table = toml::Table::try_from(self).expect("a configuration is TOML");
        unfollow(&mut table, self);
        merge(&mut table, overlay);
        follow(&mut table);
        let config: Config = table.try_into().expect("checked keys make a configuration");
        config.check_together(&place, called)?;
        Ok(config)
    }

    /// Checks what depends on more than one key; `called` is the section that the user has for the EV set.
    fn check_together(&self, place: &str, called: &str) -> Result<(), ConfigError> {
        let refuse = |key: &str, value: u32, allowed: String| {
            let (place, key, value) = (place.to_string(), key.to_string(), value.to_string());
            Err(ConfigError::Value { place, key, value, allowed })
        };
        let Selector { ev_base, ev_bits, .. } = self.selector;
        let evs = 1 << ev_bits;
        if ev_base % evs != 0 {
            let allowed = format!("a multiple of 2^{called}.ev_bits = {evs}");
            return refuse(&format!("{called}.ev_base"), ev_base, allowed);
        }
        if self.ops.order == Order::Permuted && self.ops.paths > evs {
            return refuse("ops.paths", self.ops.paths, format!("at most 2^selector.ev_bits = {evs}"));
        }
        for (key, paths) in [("strack.paths", self.strack.paths), ("bitmap.paths", self.bitmap.paths)] {
            if paths > evs {
                return refuse(key, paths, format!("at most 2^{called}.ev_bits = {evs}"));
            }
        }
        let has_counters = matches!(self.nic.selector, PathSelector::Bitmap | PathSelector::Mixed);
        if has_counters && self.bitmap.timeout == Timeout::Ev {
            return Err(ConfigError::Value {
                place: place.to_string(),
                key: "bitmap.timeout".into(),
                value: "\"ev\"".into(),
                allowed: format!(
                    "ignore with `nic.selector` = {}, as the block does not keep the EVs of packets",
                    self.nic.selector.name()
                ),
            });
        }
        if self.nic.window == WindowEngine::Strack && !self.wire.has_timestamps() {
            return Err(ConfigError::Value {
                place: place.to_string(),
                key: "nic.window".into(),
                value: "\"strack\"".into(),
                allowed: format!("fixed with `wire` = {}, whose ACKs echo no timestamp", self.wire.name()),
            });
        }
        if self.nic.selector.parks() && !self.wire.has_timestamps() {
            return Err(ConfigError::Value {
                place: place.to_string(),
                key: "nic.selector".into(),
                value: "\"flowcut\"".into(),
                allowed: format!(
                    "another one with `wire` = {}, whose ACKs echo no timestamp",
                    self.wire.name()
                ),
            });
        }
        if self.nic.selector.parks() && self.flowcut.time_bits != WIRE_TIME_BITS {
            let allowed = format!(
                "{WIRE_TIME_BITS} with `nic.selector` = flowcut, as timestamps on the wire have so many bits"
            );
            return refuse("flowcut.time_bits", self.flowcut.time_bits, allowed);
        }
        let (psn_bits, wire) = (self.wire.psn_bits(), self.wire.name());
        if self.sack.psn_bits > psn_bits {
            let allowed =
                format!("{psn_bits} with `wire` = {wire}, whose packets carry PSNs of {psn_bits} bits");
            return refuse("sack.psn_bits", self.sack.psn_bits, allowed);
        }
        Ok(())
    }

    /// The value of a key as `--set` takes it, `None` if there is no such key.
    pub fn value(&self, key: &str) -> Option<String> {
        let json = match key {
            // which JSON leaves out at its default
            "protect" => serde_json::to_value(self.protect),
            _ => serde_json::to_value(self),
        };
        let json = json.expect("a configuration is plain data, which JSON takes");
        let value =
            if json.is_object() { json.pointer(&format!("/{}", key.replace('.', "/")))? } else { &json };
        Some(value.as_str().map_or_else(|| value.to_string(), str::to_string))
    }

    /// Words of memories have a parity bit.
    pub fn has_parity(&self) -> bool {
        self.protect == Protect::Parity
    }

    /// `clog2(connections)`: 4 to 14.
    pub fn connection_bits(&self) -> u32 {
        self.connections.trailing_zeros()
    }
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
    fn holds(&self, value: &toml::Value) -> bool {
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

fn key_names() -> String {
    KEYS.iter().map(|key| key.name).collect::<Vec<_>>().join(", ")
}
