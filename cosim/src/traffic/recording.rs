//! What stands beside a recording: the settings with which its engine ran, and what happened.
//!
//! `NAME.json` belongs to `NAME-sender.pcap.gz`, `NAME-receiver.pcap.gz` (captures at both ends) and `NAME.csv.gz` (the ops
//! as the sender's engine saw them).

use std::ffi::{OsStr, OsString};
use std::fs;
use std::net::IpAddr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use respray_files::quote::Message;
use respray_golden::psn::PsnSpace;
use respray_golden::wire::{Profile as Wire, strack};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::capture::{CaptureOptions, Cut, Side};

/// Keys by which the settings of a recording are known.
const SIGNS: [&str; 3] = ["says", "engine", "rto_ns"];

/// A recording's settings and figures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recording {
    /// Name: the files' names begin with it.
    pub name: String,
    /// What happens in it, one sentence.
    pub says: String,
    /// The engine that chose the EVs.
    pub engine: Engine,
    /// Address of the sender.
    pub local: IpAddr,
    /// Retransmission timeout, ns.
    pub rto_ns: u64,
    /// The network between the hosts.
    pub network: NetworkSettings,
    /// What happened.
    pub figures: Figures,
}

/// Settings of the entropy cache, profile `strack`; `now` counts ns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Engine {
    /// Connections that it has, used or not.
    pub connections: u32,
    /// Cached EVs per connection.
    pub depth: u8,
    /// First EV.
    pub ev_base: u16,
    /// EVs are `ev_base + random(2^ev_bits)`.
    pub ev_bits: u8,
    /// Width of times in bits.
    pub time_bits: u8,
    /// Seed of the random generator.
    pub seed: u16,
    /// Freeze timeout, ns.
    pub freeze_timeout: u32,
    /// Packets to explore after a freeze.
    pub bdp_packets: u8,
}

/// The four paths from the sender to the receiver.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkSettings {
    /// Active connections.
    pub connections: u32,
    /// Packets a second that the sender tries to send.
    pub packets_per_second: u64,
    /// Rate of each path in data packets a second (tbf).
    pub path_packets_per_second: Vec<u64>,
    /// Packets a second beyond which each path marks CE (nftables).
    pub mark_above: Vec<u64>,
    /// Packets that a path's queue holds.
    pub queue_packets: usize,
    /// The path that was down, from when to when in ms after the start.
    pub down: Option<(usize, u64, u64)>,
}

/// What happened in a recording.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figures {
    /// From the first op to the last, ns.
    pub span_ns: u64,
    /// Data frames sent, retransmissions included.
    pub sends: u64,
    /// Of these, by the engine's result.
    pub explore: u64,
    /// Of these, by the engine's result.
    pub recycle: u64,
    /// Of these, by the engine's result.
    pub replay: u64,
    /// Retransmissions.
    pub retransmissions: u64,
    /// ACKs that reached the sender.
    pub acks: u64,
    /// ACKs that echo CE.
    pub acks_ce: u64,
    /// Timeouts.
    pub timeouts: u64,
    /// Freezes entered.
    pub freezes: u64,
    /// Freezes left.
    pub thaws: u64,
    /// What each path's counters say, in the left switch.
    pub paths: Vec<PathFigures>,
    /// EVs that the kernel's hash sent over more than one path.
    pub evs_on_two_paths: u64,
    /// EVs that the engine chooses again exactly when the sender's capture alone drives it, of all sends.
    pub chosen_again: u64,
    /// Whether the capture alone gives the same ops, times included, as the engine saw.
    pub ops_equal: bool,
}

/// What a path's counters say.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PathFigures {
    /// Packets that left the switch on this path.
    pub packets: u64,
    /// Packets marked CE.
    pub ce: u64,
    /// Packets dropped by the full queue.
    pub dropped: u64,
    /// The EVs that it carried.
    pub evs: PathEvs,
}

/// The distinct EVs of a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum PathEvs {
    /// How many there are, in a recording that does not list them.
    Count(u64),
    /// Each of them, in ascending order.
    Listed(Vec<u16>),
}

impl PathEvs {
    /// How many there are.
    pub fn count(&self) -> u64 {
        match self {
            PathEvs::Count(count) => *count,
            PathEvs::Listed(evs) => evs.len() as u64,
        }
    }

    /// Each of them, in ascending order, where the recording lists them.
    pub fn listed(&self) -> Option<&[u16]> {
        match self {
            PathEvs::Count(_) => None,
            PathEvs::Listed(evs) => Some(evs),
        }
    }
}

impl Default for PathEvs {
    fn default() -> PathEvs {
        PathEvs::Listed(Vec::new())
    }
}

/// Why a recording's settings cannot be used.
#[derive(Debug, Error)]
pub enum RecordingError {
    /// The file cannot be read.
    #[error("{}: cannot be read: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Its contents are not those of a recording.
    #[error("{}: not a recording's settings: {}", path.display(), Message(&source.to_string()))]
    Json {
        /// The file.
        path: PathBuf,
        /// Where and why.
        source: serde_json::Error,
    },
}

impl Recording {
    /// Reads `NAME.json`.
    pub fn load(path: &Path) -> Result<Recording, RecordingError> {
        let text =
            fs::read_to_string(path).map_err(|source| RecordingError::Read { path: path.into(), source })?;
        serde_json::from_str(&text).map_err(|source| RecordingError::Json { path: path.into(), source })
    }

    /// The settings that stand beside a capture of this end or an op trace of a recording, if any do: a file of the
    /// same name that says that it is such, whatever else may have that name.
    pub fn beside(file: &Path, side: Side) -> Option<PathBuf> {
        let mut name = stem(file)?;
        let end: &[u8] = if side == Side::Sender { b"-sender" } else { b"-receiver" };
        if let Some(of_recording) = name.as_bytes().strip_suffix(end) {
            name = OsStr::from_bytes(of_recording).to_owned();
        }
        name.push(".json");
        Some(file.with_file_name(name)).filter(|path| says_settings(path))
    }

    /// How the sender's capture becomes ops.
    pub fn capture_options(&self) -> CaptureOptions {
        CaptureOptions {
            profile: Wire::Strack.into(),
            local: Some(self.local),
            rto_ns: self.rto_ns,
            connections: self.engine.connections,
            psns: PsnSpace::new(strack::PSN_BITS),
            flowcut_time_bits: 16,
            uplinks: 16,
            ports: 32,
            cut: Cut::Refused,
        }
    }
}

/// The name of a capture or an op trace without what it ends with: `a.b` of `a.b.pcap.gz`.
pub fn stem(file: &Path) -> Option<OsString> {
    let is_packed = file.extension().is_some_and(|extension| extension == "gz");
    let unpacked = if is_packed { Path::new(file.file_stem()?) } else { file };
    Some(unpacked.file_stem()?.to_owned())
}

/// Whether a file is the settings of a recording: an object with the first keys of one, as no verdict of a run has
/// them. One that is damaged is so as well, so that its fault is told.
fn says_settings(path: &Path) -> bool {
    let Some(text) = path.is_file().then(|| fs::read_to_string(path).ok()).flatten() else { return false };
    match serde_json::from_str::<serde_json::Value>(&text) {
        Ok(value) => SIGNS.iter().all(|key| value.get(key).is_some()),
        Err(_) => SIGNS.iter().all(|key| text.contains(&format!("\"{key}\":"))),
    }
}
