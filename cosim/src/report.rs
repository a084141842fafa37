//! What a run of any kind came to: its verdict, what it counted, and the command that repeats it.

use std::collections::BTreeMap;
use std::fmt;

use respray_files::entry::sha256;
use respray_files::made_from::hash;
use respray_hdl::config::{Config, KEYS};
use respray_hdl::manifest::Generated;
use serde::{Serialize, Serializer};

use crate::netlist::Origin;
use crate::traffic::capture::Account;
use crate::verilator::{Coverage, Design, Model, ModelError, Source};

/// Hexadecimal digits of a hash that a report shows.
const HASH_DIGITS: usize = 16;

/// The verdict of one run, and all that a reader wants to know of it.
#[derive(Clone, Debug, Serialize)]
pub struct Report<F> {
    /// The core's one word.
    pub core: String,
    /// Configuration that it was generated from.
    pub config: Config,
    /// What ran, and what repeats it.
    pub provenance: Provenance,
    /// Clock edges that were compared.
    pub cycles: u64,
    /// What the core counted: `ops`, `sends`, `explore`, `recycle`, `replay` and more.
    #[serde(flatten)]
    pub counts: Counts,
    /// 0, or 1 where the first difference ends the run; of a run that goes on, cycles that differ.
    pub mismatches: u64,
    /// Of a run that goes on behind its first difference: of each output port that ever differs, the cycles in which it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub differing_ports: Option<BTreeMap<String, u64>>,
    /// Of the lockstep, building and shrinking aside.
    pub cycles_per_second: f64,
    /// Whether there was no difference.
    pub result: Verdict,
    /// The counts in words, a line each.
    #[serde(skip)]
    pub summary: Vec<String>,
    /// Lines of the Verilog that ran, if they were counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coverage: Option<LineCoverage>,
    /// Of a run on a capture or a list of frames: what became of each frame.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account: Option<Account>,
    /// What of the stimulus was passed over, a sentence each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The first difference and what was made of it.
    #[serde(flatten)]
    pub failure: Option<F>,
    /// What could not be done although there is a verdict, a sentence each: a file that could not be written, say.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_done: Vec<String>,
}

impl<F> Report<F> {
    /// The same with what became of each frame. A run that took none of them shows nothing.
    pub(crate) fn with_account(mut self, account: Account) -> Self {
        if self.result == Verdict::Pass && account.taken == 0 {
            self.result = Verdict::Empty;
        }
        self.summary.extend(account.lines());
        self.account = Some(account);
        self
    }

    /// Why a run that is empty shows nothing, in a sentence.
    pub fn why_empty(&self) -> String {
        let why = self.account.as_ref().and_then(Account::nothing);
        let why = why.unwrap_or_else(|| "it ended before an op or a frame reached the core".to_string());
        format!("the run shows nothing: {why}")
    }
}

/// What ran, and what repeats it: with the same of all these, a run comes to the same.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Provenance {
    /// Version of respray.
    pub respray: &'static str,
    /// Version of Verilator that made the models; empty where another simulator ran.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub verilator: String,
    /// Name and version of the simulator that ran in the place of Verilator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub simulator: Option<String>,
    /// Of each core that ran, the first digits of the SHA-256 of its Verilog.
    pub verilog_sha256: BTreeMap<String, String>,
    /// Where the netlist comes from, if one ran in place of the Verilog.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub netlist: Option<Origin>,
    #[serde(flatten)]
    pub repeat: Repeat,
}

/// The first difference of a run of which nothing else is wanted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Seen {
    /// Clock edge before which it was seen; the run's first edge, with `rst` high, is 0.
    pub cycle: u64,
    /// Output port, or why the model ended its simulation.
    pub port: String,
}

/// What a run says of which nothing is wanted but its first difference.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Probed {
    pub seen: Option<Seen>,
    /// Clock cycles of the model.
    pub cycles: u64,
    /// What the model counted, if it was built to count.
    pub coverage: Option<Coverage>,
}

impl Probed {
    pub(crate) fn new(seen: Option<Seen>, model: &mut Model) -> Result<Probed, ModelError> {
        let coverage = model.counts_lines().then(|| model.coverage()).transpose()?;
        Ok(Probed { seen, cycles: model.cycle_count(), coverage })
    }
}

/// How often a run differed that went on behind its first difference.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Differing {
    /// Cycles that differ.
    pub cycles: u64,
    /// Of each output port that ever differs, the cycles in which it does.
    pub ports: BTreeMap<String, u64>,
}

/// What repeats a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Repeat {
    /// Seed of all that is random in it; of a part, that of the whole campaign.
    pub seed: u64,
    /// The run as a part of a campaign, if it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<Part>,
    /// The command that repeats it.
    pub command: String,
}

/// A part of a campaign.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Part {
    /// Which of how many, e.g. `2/3`.
    pub shard: String,
    /// Its own seed.
    pub seed: u64,
    /// The command that repeats it as a run of its own.
    pub command: String,
}

impl Provenance {
    /// Of models of these designs, which were made of these sources.
    pub(crate) fn new(models: &[(&Source, &Design)], repeat: Repeat) -> Self {
        let hash = |(source, _): &(&Source, &Design)| (source.top.clone(), short_hash(&source.verilog));
        Provenance {
            respray: env!("CARGO_PKG_VERSION"),
            verilator: models.first().map_or_else(String::new, |(_, design)| design.verilator_version()),
            verilog_sha256: models.iter().map(hash).collect(),
            simulator: None,
            netlist: None,
            repeat,
        }
    }

    /// Of a source on a simulator of this name and version.
    pub(crate) fn elsewhere(source: &Source, simulator: &str, repeat: Repeat) -> Self {
        Provenance {
            respray: env!("CARGO_PKG_VERSION"),
            verilator: String::new(),
            simulator: Some(simulator.to_string()),
            verilog_sha256: [(source.top.clone(), short_hash(&source.verilog))].into(),
            netlist: None,
            repeat,
        }
    }

    /// The same, where the models are of this netlist.
    pub(crate) fn of_netlist(self, netlist: Option<Origin>) -> Self {
        Provenance { netlist, ..self }
    }

    /// Names and values of what it holds but for the commands, in words, in the order of a report.
    pub fn named(&self) -> Vec<(&'static str, String)> {
        let hashes: Vec<String> =
            self.verilog_sha256.iter().map(|(core, digits)| format!("{core} {digits}")).collect();
        let mut named = vec![("seed", self.repeat.seed.to_string())];
        if let Some(part) = &self.repeat.part {
            named.extend([("part", part.shard.clone()), ("seed of the part", part.seed.to_string())]);
        }
        let simulator = match &self.simulator {
            Some(simulator) => ("simulator", simulator.clone()),
            None => ("Verilator", self.verilator.clone()),
        };
        named.extend([
            ("respray", self.respray.to_string()),
            simulator,
            ("SHA-256 of the Verilog", hashes.join(", ")),
        ]);
        named.extend(self.netlist.iter().map(|origin| ("netlist", origin.to_string())));
        named
    }

    /// Names and values of the commands: that of the part alone only where it `failed`.
    pub fn commands(&self, failed: bool) -> Vec<(&'static str, &str)> {
        let part = self.repeat.part.iter().filter(|_| failed);
        let part = part.map(|part| ("the part alone", part.command.as_str()));
        part.chain([("the run", self.repeat.command.as_str())]).collect()
    }
}

/// The first digits of the SHA-256 of a text.
fn short_hash(text: &str) -> String {
    sha256(text.as_bytes())[..HASH_DIGITS].to_string()
}

/// What a run found, in words.
pub trait Finding: fmt::Display {
    /// The first difference, in a sentence.
    fn sentence(&self) -> String;
}

/// Lines of the Verilog that ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LineCoverage {
    /// Lines that ran at least once.
    pub executed: usize,
    /// Lines that can run.
    pub lines: usize,
    /// Lines that never ran, by number from 1.
    pub not_executed: Vec<u32>,
}

/// Whether there was no difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// No difference in all that was to be compared.
    Pass,
    /// A difference.
    Fail,
    /// No op and no frame reached the core, so that nothing is shown.
    Empty,
    /// No difference up to a signal that ended the run.
    Interrupted,
}

impl Verdict {
    /// As a person reads it.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Pass => "pass",
            Verdict::Fail => "FAIL",
            Verdict::Empty => "EMPTY, nothing reached the core",
            Verdict::Interrupted => "INTERRUPTED, no difference so far",
        }
    }
}

/// Counts by name, in the order of the report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts(pub Vec<(&'static str, u64)>);

impl Counts {
    /// One count; 0 if the core does not count such a thing.
    pub fn get(&self, name: &str) -> u64 {
        self.0.iter().find(|(known, _)| *known == name).map_or(0, |(_, count)| *count)
    }
}

impl Serialize for Counts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().copied())
    }
}

/// The `--set` arguments that lead from the default configuration to this one.
pub fn config_arguments(config: &Config) -> Vec<String> {
    let mut standard = Config::default();
    // the one default that follows from another key
    standard.sack.psn_bits = config.wire.psn_bits();
    let differing =
        KEYS.iter().filter(|key| config_value(config, key.name) != config_value(&standard, key.name));
    differing
        .flat_map(|key| {
            ["--set".into(), format!("{}={}", key.name, config_value(config, key.name).unwrap_or_default())]
        })
        .collect()
}

/// What a page calls a generated core, its configuration with it (`reps connections=16`), and the hash of its Verilog.
pub fn label_and_hash(generated: &Generated) -> (String, String) {
    let sets =
        config_arguments(&generated.manifest.config).into_iter().filter(|argument| argument != "--set");
    let label = [generated.manifest.module.clone()].into_iter().chain(sets).collect::<Vec<_>>().join(" ");
    (label, hash(&generated.verilog))
}

/// The value of a key as `--set` takes it, `None` if there is no such key.
pub fn config_value(config: &Config, key: &str) -> Option<String> {
    config.value(key)
}

/// A command line as a shell takes it.
pub fn command_line(arguments: &[String]) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:+@%".contains(c);
    let quote = |argument: &String| {
        if !argument.is_empty() && argument.chars().all(plain) {
            argument.clone()
        } else {
            format!("'{}'", argument.replace('\'', r"'\''"))
        }
    };
    arguments.iter().map(quote).collect::<Vec<_>>().join(" ")
}
