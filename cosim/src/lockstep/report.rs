//! What a run came to: for the terminal, for `--json`, and the files that a failure leaves.

use std::fmt;
use std::path::PathBuf;

use respray_hdl::config::{Config, KEYS};
use serde::{Serialize, Serializer};

use super::compare::{Against, Difference};

/// The verdict of one run, and all that a reader wants to know of it.
#[derive(Clone, Debug, Serialize)]
pub struct Report<F = Failure> {
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
    /// The first difference and what was made of it.
    #[serde(flatten)]
    pub failure: Option<F>,
}

/// What a run found, in words.
pub trait Finding: fmt::Display {
    /// The first difference, in a sentence.
    fn sentence(&self) -> String;
}

impl Finding for Failure {
    fn sentence(&self) -> String {
        self.difference.to_string()
    }
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
    Pass,
    Fail,
}

/// Counts by name, in the order of the report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts(pub Vec<(&'static str, u64)>);

/// The first difference and what was made of it.
#[derive(Clone, Debug, Serialize)]
pub struct Failure {
    /// Where, and what.
    #[serde(rename = "first_difference")]
    pub difference: Difference,
    /// The last ops of the connection, as an op trace, a line each, oldest first.
    pub last_ops: Vec<String>,
    /// The cycles around the difference, an FST.
    pub wave: Option<PathBuf>,
    /// The shrunken op trace; `None` if nothing shorter than the run itself fails.
    pub reproducer: Option<PathBuf>,
    /// Lines of the op trace.
    pub reproducer_ops: Option<usize>,
    /// The command that fails again.
    pub command: String,
}

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

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { cycle, port, expected, seen, expects_of, .. } = self;
        match self.against {
            Against::Golden => write!(f, "cycle {cycle}: `{port}` is {seen}, expected {expected}")?,
            Against::Trace => {
                write!(f, "cycle {cycle}: {expects_of} returned {seen}, the op trace expects {expected}")?
            }
        }
        for port in &self.also {
            write!(f, "; `{}` is {}, expected {}", port.port, port.seen, port.expected)?;
        }
        if let Some(connection) = self.connection {
            write!(f, "; connection {connection}")?;
        }
        match self.entry {
            Some(entry) => write!(f, "; op {entry} of the stimulus, counted from 0"),
            None => write!(f, "; no op leaves the core in this cycle"),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.difference)?;
        writeln!(f, "last ops of the connection:")?;
        for line in &self.last_ops {
            writeln!(f, "    {line}")?;
        }
        if let Some(wave) = &self.wave {
            writeln!(f, "waves of the cycles around it: {}", wave.display())?;
        }
        match (&self.reproducer, self.reproducer_ops) {
            (Some(file), Some(ops)) => {
                writeln!(f, "shrunk to {ops} line(s) of an op trace: {}", file.display())?
            }
            _ => writeln!(f, "no shorter run that begins with a reset fails")?,
        }
        write!(f, "again: {}", self.command)
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
