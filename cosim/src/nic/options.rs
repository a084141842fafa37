//! What a run of the block is asked for.

use std::net::IpAddr;
use std::path::PathBuf;

use respray_files::range::Whole;
use respray_golden::hosts::scenarios::Scenario;
use respray_hdl::nic::top::NAME;

use super::error::{NicError, REGISTER};
use crate::runner::RunOptions;
use crate::stream::{PAUSES, Pace};
use crate::traffic::capture::Cut;

/// Bytes that one host of a pair sends to the other, about.
pub const PAIR_BYTES: Whole = Whole::new(1, 1 << 32);

/// A run of the block.
pub type NicOptions = RunOptions<Nic>;

/// What only a run of the block has.
#[derive(Clone, Debug)]
pub struct Nic {
    pub feed: Feed,
    /// Of all that is random: the network of a pair, random traffic, pauses.
    pub seed: u64,
    /// Of every stream; none: no pauses, but those of random traffic, which change by phases.
    pub pauses: Option<Pace>,
    /// Where the frames that leave at `tx_out` go as pcap; of a pair the name of the end goes before the extension.
    pub pcap_out: Option<PathBuf>,
}

/// What the block is given.
#[derive(Clone, Debug, PartialEq)]
pub enum Feed {
    /// Two blocks, hosts behind them, and a network between.
    Pair(PairOf),
    /// Frames for one block.
    Frames(Frames),
    /// Random traffic on one block for so many clock edges, about, or fewer if the run has a limit of time.
    Random { cycles: u64 },
}

/// Which pair.
#[derive(Clone, Debug, PartialEq)]
pub struct PairOf {
    pub scenario: Scenario,
    /// What A sends B, about: 1 to 2^32.
    pub bytes: u64,
    /// Registers that both hosts write before they open a connection, behind those of the scenario, by name.
    pub registers: Vec<(String, u32)>,
}

/// What is replayed.
#[derive(Clone, Debug, PartialEq)]
pub enum Frames {
    Capture(CaptureReplay),
    /// A list that a failed run left.
    List(PathBuf),
}

/// A capture and how it is replayed.
#[derive(Clone, Debug, PartialEq)]
pub struct CaptureReplay {
    pub path: PathBuf,
    /// Address of the local side; `None`: the recording's, or the source of the first data.
    pub local: Option<IpAddr>,
    /// Nanoseconds of the capture in a nanosecond of the run, 1 or more.
    pub speedup: u64,
    pub cut: Cut,
}

impl NicOptions {
    /// With nothing but what the block is given, the rest as the command line has it by default. A difference leaves no waves
    /// unless they are asked for: their model takes long to build.
    pub fn new(feed: Feed) -> NicOptions {
        let own = Nic { feed, seed: 1, pauses: None, pcap_out: None };
        RunOptions { waves: false, ..RunOptions::of(NAME, own) }
    }

    /// # Errors
    /// A number that is out of its range.
    pub(super) fn check(&self) -> Result<(), NicError> {
        if let Feed::Pair(PairOf { bytes, .. }) = &self.own.feed
            && !PAIR_BYTES.contains(*bytes)
        {
            let (value, allowed) = (bytes.to_string(), PAIR_BYTES.to_string());
            return Err(NicError::Option { option: "bytes", value, allowed });
        }
        if let Some((option, value)) = self.own.pauses.and_then(|pace| pace.wrong_share()) {
            return Err(NicError::Option { option, value: value.to_string(), allowed: PAUSES.to_string() });
        }
        Ok(())
    }

    /// The arguments that give the same again. Random traffic that ended by the clock had so many cycles.
    pub(super) fn arguments(&self, cycles: u64) -> Vec<String> {
        let Nic { feed, seed, pauses, .. } = &self.own;
        let mut arguments = match feed {
            Feed::Pair(PairOf { scenario, bytes, registers }) => {
                let words = ["--pair", scenario.name(), "--bytes", &bytes.to_string()].map(String::from);
                let registers = registers.iter();
                let registers =
                    registers.flat_map(|(name, value)| [format!("--{REGISTER}"), format!("{name}={value}")]);
                words.into_iter().chain(registers).collect()
            }
            Feed::Frames(Frames::List(path)) => return vec!["--frames".into(), path.display().to_string()],
            Feed::Frames(Frames::Capture(CaptureReplay { path, local, speedup, cut })) => {
                let mut words = vec!["--traffic".into(), path.display().to_string()];
                if *speedup > 1 {
                    words.extend(["--speedup".into(), speedup.to_string()]);
                }
                words.extend(local.iter().flat_map(|local| ["--local".to_string(), local.to_string()]));
                words.extend((*cut == Cut::Refused).then(|| "--strict".to_string()));
                words
            }
            Feed::Random { cycles: asked } => {
                let cycles = if self.time.is_some() { cycles } else { *asked };
                vec!["--random".to_string(), cycles.to_string()]
            }
        };
        if let Some(Pace { gap, stall, .. }) = pauses {
            arguments.extend(["--gap".into(), gap.to_string(), "--stall".into(), stall.to_string()]);
        }
        arguments.extend(["--seed".to_string(), seed.to_string()]);
        arguments
    }
}
