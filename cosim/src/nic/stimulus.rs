//! What a block was given, so that it can be given again.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::difference::Difference;
use super::end::End;
use super::streams::Given;

/// Cycles behind the last frame in which a difference may show.
const REST_CYCLES: u64 = 20_000;
/// Cycles between two looks at the progress.
const WATCH_CYCLES: u64 = 1 << 12;
/// What the first line of a list says.
const TITLE: &str = "# frames of the nic: cycle,from,bad,bytes";
/// The words of a line that writes a register.
const WRITE: &str = "write";

/// Registers that were written before the first frame, and frames.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stimulus {
    pub writes: Vec<(String, u32)>,
    pub frames: Vec<Entry>,
}

/// When a frame was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The cycle in which its first beat was offered.
    pub cycle: u64,
    /// The host gave it, and not the MAC.
    pub is_of_host: bool,
    pub frame: Given,
}

/// Why a list cannot be read.
#[derive(Debug, Error)]
pub enum StimulusError {
    #[error("{path}: cannot be read: {source}")]
    Read { path: PathBuf, source: std::io::Error },
    #[error(
        "{path}, line {line}: `{text}`; allowed: CYCLE,host|mac,0|1,HEXADECIMAL BYTES or write,REGISTER,VALUE"
    )]
    Line { path: PathBuf, line: usize, text: String },
}

impl Stimulus {
    /// Gives it to a block that was just made, with everything around it free. `watch` hears now and then how many frames were given,
    /// and says whether to go on.
    ///
    /// # Errors
    /// The first difference.
    pub fn give(&self, end: &mut End, watch: &mut dyn FnMut(u64) -> bool) -> Result<(), Difference> {
        for (name, value) in &self.writes {
            end.write(name, *value)?;
        }
        if self.writes.is_empty() {
            // an access is answered when the reset is over
            end.read("version")?;
        }
        let first = self.frames.first().map_or(0, |entry| entry.cycle);
        let start = end.cycle();
        let mut frames = self.frames.iter().peekable();
        let (mut rest, mut given) = (0, 0);
        while rest < REST_CYCLES && !end.waves_are_taken() {
            let now = end.cycle() - start;
            while let Some(entry) = frames.next_if(|entry| entry.cycle.saturating_sub(first) <= now) {
                given += 1;
                let frame = entry.frame.clone();
                if entry.is_of_host { end.send(frame) } else { end.receive(frame) }
            }
            end.step()?;
            end.out = Default::default();
            if frames.peek().is_none() && end.waiting() == [0, 0] {
                rest += 1;
            }
            if end.cycle() % WATCH_CYCLES == 0 && !watch(given) {
                break;
            }
        }
        Ok(())
    }

    /// As text, a line for each register and each frame.
    pub fn text(&self) -> String {
        let mut text = format!("{TITLE}\n");
        for (name, value) in &self.writes {
            _ = writeln!(text, "{WRITE},{name},{value}");
        }
        for Entry { cycle, is_of_host, frame } in &self.frames {
            let from = if *is_of_host { "host" } else { "mac" };
            let bytes: String = frame.bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            _ = writeln!(text, "{cycle},{from},{},{bytes}", u8::from(frame.user));
        }
        text
    }

    /// Reads what [`Stimulus::text`] wrote. `known` says whether there is a register of a name.
    ///
    /// # Errors
    /// On a file that cannot be read, and on the first line that is none of a list.
    pub fn read(path: &Path, known: &dyn Fn(&str) -> bool) -> Result<Stimulus, StimulusError> {
        let text = fs::read_to_string(path)
            .map_err(|source| StimulusError::Read { path: path.to_path_buf(), source })?;
        let mut stimulus = Stimulus::default();
        for (line, text) in
            (1..).zip(text.lines()).filter(|(_, text)| !text.starts_with('#') && !text.is_empty())
        {
            let wrong = || StimulusError::Line {
                path: path.to_path_buf(),
                line,
                text: text.chars().take(60).collect(),
            };
            let fields: Vec<&str> = text.split(',').collect();
            match fields[..] {
                [WRITE, name, value] if known(name) => {
                    stimulus.writes.push((name.to_string(), value.parse().map_err(|_| wrong())?));
                }
                [cycle, from @ ("host" | "mac"), bad @ ("0" | "1"), bytes] => stimulus.frames.push(Entry {
                    cycle: cycle.parse().map_err(|_| wrong())?,
                    is_of_host: from == "host",
                    frame: Given { bytes: hexadecimal(bytes).ok_or_else(wrong)?, user: bad == "1" },
                }),
                _ => return Err(wrong()),
            }
        }
        stimulus.frames.sort_by_key(|entry| entry.cycle);
        Ok(stimulus)
    }
}

/// At least one byte, two digits each.
fn hexadecimal(text: &str) -> Option<Vec<u8>> {
    let is_whole = !text.is_empty() && text.len() % 2 == 0 && text.is_ascii();
    let byte = |at: usize| u8::from_str_radix(&text[at..at + 2], 16).ok();
    is_whole.then(|| (0..text.len()).step_by(2).map(byte).collect())?
}
