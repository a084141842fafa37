//! What a run of any kind came to: its verdict, what it counted, and the command that repeats it.

use std::fmt;

use respray_hdl::config::{Config, KEYS};
use serde::{Serialize, Serializer};

/// The verdict of one run, and all that a reader wants to know of it.
#[derive(Clone, Debug, Serialize)]
pub struct Report<F> {
    /// The core's one word.
    pub core: String,
    /// Configuration that it was generated from.
    pub config: Config,
    /// Clock edges that were compared.
    pub cycles: u64,
    /// What the core counted: `ops`, `sends`, `explore`, `recycle`, `replay` and more.
    #[serde(flatten)]
    pub counts: Counts,
    /// 0, or 1: the first difference ends a run.
    pub mismatches: u64,
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
    let value = |config: &Config, key: &str| {
        let json = serde_json::to_value(config).ok()?;
        let value = json.pointer(&format!("/{}", key.replace('.', "/")))?.clone();
        Some(value.as_str().map_or_else(|| value.to_string(), str::to_string))
    };
    let standard = Config::default();
    let differing = KEYS.iter().filter(|key| value(config, key.name) != value(&standard, key.name));
    differing
        .flat_map(|key| {
            ["--set".into(), format!("{}={}", key.name, value(config, key.name).unwrap_or_default())]
        })
        .collect()
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
