//! The configuration of a NIC: one TOML file, or the defaults, or both with `KEY=VALUE` on top.
//!
//! rust-hdl's widths are types, so a size that sets a width comes from a menu; all else is free within its range.
//! Every error is one sentence that names the file (or `--set`), the key, the value and what is allowed.

mod keys;
mod nic;
mod sections;
mod table;
mod wire;

use std::path::Path;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use respray_files::quote::{Message, Quoted};

use self::keys::key_names;
pub use self::keys::{Allowed, KEYS, Key, key};
pub use self::nic::{
    Close, Events, LossFeedback, Nic, PathSelector, PeerTable, RssPort, RxCredit, WindowEngine,
};
pub use self::sections::{
    Acks, Advertise, Bitmap, Caver, Flowcut, FlowcutSwitch, FlowcutVariant, Flowlet, Mixed, Ops, Order,
    PathTable, Pick, Protect, Reps, Sack, SackEngine, Selector, Since, Strack, Timeout, Trailer, Uet,
    Variant,
};
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
    /// The headers of Ultra Ethernet. A manifest names them where they are not the default.
    #[serde(skip_serializing_if = "Uet::is_default")]
    pub uet: Uet,
    /// What guards the words of memories. A manifest names it where it is not the default.
    #[serde(skip_serializing_if = "Protect::is_none")]
    pub protect: Protect,
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
            uet: Uet::default(),
            protect: Protect::default(),
        }
    }
}

/// Bits of a timestamp in the headers.
const WIRE_TIME_BITS: u32 = 16;

/// Keys of every selector that `reps` had first, by the names that they have there.
const REPS_NAMES: [&str; 3] = ["ev_base", "ev_bits", "time_bits"];

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
        Config::checked(lowest, table, place, sets)
    }

    /// Reads the text of such a file, which errors call `place`.
    ///
    /// # Errors
    /// As [`Config::load`] has them.
    pub fn of_text(text: &str, place: &str) -> Result<Config, ConfigError> {
        Config::checked(toml::Table::new(), parse(text, place)?, place.to_string(), &[])
    }

    /// A table from `place` over a lower one, with each `KEY=VALUE` on top, all of it checked.
    fn checked(
        mut lowest: toml::Table,
        mut table: toml::Table,
        place: String,
        sets: &[String],
    ) -> Result<Config, ConfigError> {
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
        unfollow(&mut table);
        merge(&mut table, overlay);
        follow(&mut table);
        let config: Config = table.try_into().expect("checked keys make a configuration");
        config.check_together(&place, called)?;
        Ok(config)
    }

    /// Checks what depends on more than one key; `called` is the section that the user has for the EV set.
    fn check_together(&self, place: &str, called: &str) -> Result<(), ConfigError> {
        let refuse = |key: &str, value: String, allowed: String| {
            Err(ConfigError::Value { place: place.to_string(), key: key.to_string(), value, allowed })
        };
        let Selector { ev_base, ev_bits, .. } = self.selector;
        let evs = 1 << ev_bits;
        if ev_base % evs != 0 {
            let allowed = format!("a multiple of 2^{called}.ev_bits = {evs}");
            return refuse(&format!("{called}.ev_base"), ev_base.to_string(), allowed);
        }
        if self.ops.order == Order::Permuted && self.ops.paths > evs {
            let allowed = format!("at most 2^selector.ev_bits = {evs}");
            return refuse("ops.paths", self.ops.paths.to_string(), allowed);
        }
        for (key, paths) in [("strack.paths", self.strack.paths), ("bitmap.paths", self.bitmap.paths)] {
            if paths > evs {
                return refuse(key, paths.to_string(), format!("at most 2^{called}.ev_bits = {evs}"));
            }
        }
        self.check_joined(&refuse)?;
        let (psn_bits, wire) = (self.wire.psn_bits(), self.wire.name());
        if self.sack.psn_bits > psn_bits {
            let allowed =
                format!("{psn_bits} with `wire` = {wire}, whose packets carry PSNs of {psn_bits} bits");
            return refuse("sack.psn_bits", self.sack.psn_bits.to_string(), allowed);
        }
        if self.uet.crc == Trailer::On && self.wire != Wire::Uet {
            return refuse(
                "uet.crc",
                "\"on\"".into(),
                format!("off with `wire` = {wire}, whose packets have no trailer"),
            );
        }
        self.check_acks(&refuse)
    }

    /// Checks what the engines for ACKs of Ultra Ethernet need of the other keys.
    fn check_acks(
        &self,
        refuse: &dyn Fn(&str, String, String) -> Result<(), ConfigError>,
    ) -> Result<(), ConfigError> {
        if self.sack.acks == Acks::Strack {
            return Ok(());
        }
        if self.wire != Wire::Uet {
            return refuse(
                "sack.acks",
                "\"uet\"".into(),
                format!("strack with `wire` = {}", self.wire.name()),
            );
        }
        if self.sack.psn_bits != Wire::Uet.psn_bits() {
            let allowed = format!("{} with `sack.acks` = uet", Wire::Uet.psn_bits());
            return refuse("sack.psn_bits", self.sack.psn_bits.to_string(), allowed);
        }
        if self.sack.window == 64 {
            let allowed = "128, 256, 512 with `sack.acks` = uet, as a receiver's MPR counts in 128 PSNs";
            return refuse("sack.window", "64".into(), allowed.into());
        }
        if self.sack.engine == SackEngine::Fast {
            let allowed = "small with `sack.acks` = uet, which has one engine";
            return refuse("sack.engine", "\"fast\"".into(), allowed.into());
        }
        Ok(())
    }

    /// Whether ACKs and NACKs are those of Ultra Ethernet.
    pub fn has_uet_acks(&self) -> bool {
        self.sack.acks == Acks::Uet
    }

    /// Checks what the joined block needs of the other keys.
    fn check_joined(
        &self,
        refuse: &dyn Fn(&str, String, String) -> Result<(), ConfigError>,
    ) -> Result<(), ConfigError> {
        let (selector, wire) = (self.nic.selector, self.wire.name());
        let has_counters = matches!(selector, PathSelector::Bitmap | PathSelector::Mixed);
        if has_counters && self.bitmap.timeout == Timeout::Ev {
            let name = selector.name();
            let allowed =
                format!("ignore with `nic.selector` = {name}, as the block does not keep the EVs of packets");
            return refuse("bitmap.timeout", "\"ev\"".into(), allowed);
        }
        if self.has_uet_acks() {
            let refused = [
                ("nic.rx_credit", self.nic.rx_credit == RxCredit::Frames, "frames", "off"),
                ("nic.rss_port", self.nic.rss_port == RssPort::Stable, "stable", "off"),
                ("nic.events", self.nic.events == Events::Frames, "frames", "port"),
                ("nic.peer_table", self.nic.peer_table == PeerTable::On, "on", "off"),
                ("nic.close", self.nic.close == Close::Graceful, "graceful", "abrupt"),
            ];
            if let Some((key, _, value, allowed)) =
                refused.into_iter().find(|(_, is_refused, ..)| *is_refused)
            {
                let allowed = format!("{allowed} with `sack.acks` = uet, whose block has no other");
                return refuse(key, format!("{value:?}"), allowed);
            }
        }
        if self.nic.window == WindowEngine::Strack && !self.wire.has_timestamps() {
            let allowed = format!("fixed with `wire` = {wire}, whose ACKs echo no timestamp");
            return refuse("nic.window", "\"strack\"".into(), allowed);
        }
        if selector.parks() && !self.wire.has_timestamps() {
            let allowed = format!("another one with `wire` = {wire}, whose ACKs echo no timestamp");
            return refuse("nic.selector", "\"flowcut\"".into(), allowed);
        }
        if selector.parks() && self.nic.peer_table == PeerTable::On {
            let allowed = "off with `nic.selector` = flowcut, whose parked packets carry no number of a peer";
            return refuse("nic.peer_table", "\"on\"".into(), allowed.into());
        }
        if selector.parks() && self.nic.close == Close::Graceful {
            let allowed = "abrupt with `nic.selector` = flowcut, which takes the class and the RTT of a connection that ends from the host";
            return refuse("nic.close", "\"graceful\"".into(), allowed.into());
        }
        if selector.parks() && self.flowcut.time_bits != WIRE_TIME_BITS {
            let allowed = format!(
                "{WIRE_TIME_BITS} with `nic.selector` = flowcut, as timestamps on the wire have so many bits"
            );
            return refuse("flowcut.time_bits", self.flowcut.time_bits.to_string(), allowed);
        }
        Ok(())
    }

    /// The value of a key as `--set` takes it, `None` if there is no such key.
    pub fn value(&self, key: &str) -> Option<String> {
        let json = match key {
            // which JSON leaves out at their defaults
            "protect" => serde_json::to_value(self.protect),
            "nic.rx_credit" => serde_json::to_value(self.nic.rx_credit),
            "nic.rss_port" => serde_json::to_value(self.nic.rss_port),
            "nic.events" => serde_json::to_value(self.nic.events),
            "nic.loss_feedback" => serde_json::to_value(self.nic.loss_feedback),
            "nic.peer_table" => serde_json::to_value(self.nic.peer_table),
            "nic.close" => serde_json::to_value(self.nic.close),
            "sack.acks" => serde_json::to_value(self.sack.acks),
            "uet.crc" => serde_json::to_value(self.uet.crc),
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

    /// Packets end with a CRC32C.
    pub fn has_crc(&self) -> bool {
        self.uet.crc == Trailer::On
    }

    /// `clog2(connections)`: 4 to 14.
    pub fn connection_bits(&self) -> u32 {
        self.connections.trailing_zeros()
    }
}
