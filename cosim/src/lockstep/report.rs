//! What a run came to: for the terminal, for `--json`, and the files that a failure leaves.

use std::fmt;
use std::path::PathBuf;

use serde::Serialize;

use super::compare::{Against, Difference};
pub use crate::report::{Counts, Finding, LineCoverage, Verdict, command_line, config_arguments};

/// The verdict of one run, and all that a reader wants to know of it.
pub type Report<F = Failure> = crate::report::Report<F>;

impl Finding for Failure {
    fn sentence(&self) -> String {
        self.difference.to_string()
    }
}

/// The first difference and what was made of it.
#[derive(Clone, Debug, Serialize)]
pub struct Failure {
    /// Where, and what.
    #[serde(rename = "first_difference")]
    pub difference: Difference,
    /// The last ops of the connection, as an op trace, a line each, oldest first.
    pub last_ops: Vec<String>,
    /// The op of these whose result leaves the core in the cycle of the difference, if it is among them.
    pub culprit: Option<Culprit>,
    /// The cycles around the difference, an FST.
    pub wave: Option<PathBuf>,
    /// The shrunken op trace; `None` if nothing shorter than the run itself fails.
    pub reproducer: Option<PathBuf>,
    /// Lines of the op trace.
    pub reproducer_ops: Option<usize>,
    /// The command that fails again.
    pub command: String,
}

/// An op among the last ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Culprit {
    /// Its line among [`Failure::last_ops`], from 0.
    pub line: usize,
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
        let marked = if self.culprit.is_some() { ", `>` before the one whose result differs" } else { "" };
        writeln!(f, "last ops of the connection{marked}:")?;
        for (number, line) in self.last_ops.iter().enumerate() {
            let mark = if self.culprit == Some(Culprit { line: number }) { '>' } else { ' ' };
            writeln!(f, "  {mark} {line}")?;
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
