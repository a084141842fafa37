//! What a run came to: for the terminal, for `--json`, and the files that a failure leaves.

use std::fmt;
use std::path::PathBuf;

use serde::Serialize;

use crate::report::{Finding, Report};

/// The first thing that was not as it must be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Clock edge before which it was seen; the run's first edge, with `rst` high, is 0.
    pub cycle: u64,
    /// Output port.
    pub port: String,
    pub expected: String,
    pub seen: String,
    /// Frame of the stimulus, from 0.
    pub frame: Option<u64>,
    /// Beat of the frame, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beat: Option<usize>,
}

/// The verdict of one run, and all that a reader wants to know of it: `frames`, `beats`, `bytes` that left, the frames of a
/// capture that were `skipped`, and what the core counted.
pub type StreamReport = Report<StreamFailure>;

/// The first difference and what was made of it.
#[derive(Clone, Debug, Serialize)]
pub struct StreamFailure {
    #[serde(rename = "first_difference")]
    pub difference: Difference,
    /// The frames of the shrunken list, a line each.
    pub shrunken_frames: Vec<String>,
    /// The cycles around the difference, an FST.
    pub wave: Option<PathBuf>,
    /// The shrunken list of frames; `None` if nothing shorter than the run itself fails.
    pub reproducer: Option<PathBuf>,
    /// Its frames.
    pub reproducer_frames: Option<usize>,
    /// The command that fails again.
    pub command: String,
}

impl Finding for StreamFailure {
    fn sentence(&self) -> String {
        self.difference.to_string()
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { cycle, port, expected, seen, .. } = self;
        write!(f, "cycle {cycle}: `{port}` is {seen}, expected {expected}")?;
        if let Some(frame) = self.frame {
            write!(f, "; frame {frame} of the stimulus, counted from 0")?;
        }
        if let Some(beat) = self.beat {
            write!(f, ", beat {beat}")?;
        }
        Ok(())
    }
}

impl fmt::Display for StreamFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.difference)?;
        if let Some(wave) = &self.wave {
            writeln!(f, "waves of the cycles around it: {}", wave.display())?;
        }
        match (&self.reproducer, self.reproducer_frames) {
            (Some(file), Some(frames)) => {
                writeln!(f, "shrunk to {frames} frame(s): {}", file.display())?;
                for line in &self.shrunken_frames {
                    writeln!(f, "    {line}")?;
                }
            }
            _ => writeln!(f, "no shorter run that begins with a reset fails")?,
        }
        write!(f, "again: {}", self.command)
    }
}
