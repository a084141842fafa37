//! What a block was given, so that it can be given again.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::around::Around;
use super::streams::Given;
use crate::traffic::hexadecimal;

/// What the first line of a list says.
const TITLE: &str = "# frames of the nic: cycle,from,bad,bytes";
/// The word of a line that writes a register.
const WRITE: &str = "write";
/// The word of a line that reads a register, which has to hold what it should.
const CHECK: &str = "check";
/// The word of a line that resets the block, and the cycles of `rst` at most.
const RST: &str = "rst";
const MOST_RST: u64 = 1000;
/// The word of a line that says which streams are held.
const HELD: &str = "held";
/// No stream is.
const NONE: &str = "none";

/// Registers that were written before the first frame, frames, which streams were held meanwhile, and accesses to registers and resets
/// meanwhile.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stimulus {
    pub writes: Vec<(String, u32)>,
    pub frames: Vec<Entry>,
    /// What is around the block from a cycle on; all is free before.
    pub around: Vec<(u64, Around)>,
    /// Each with the cycle in which it began.
    pub acts: Vec<(u64, Act)>,
}

/// What is done to the block beside frames.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    Write(String, u32),
    /// A register is read and has to hold what it should. One that counts is to be read where nothing moves.
    Check(String),
    /// So many cycles of `rst`. All that is around the block is reset with it: frames that wait then do not come.
    Restart(u64),
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
        "{path}, line {line}: `{text}`; allowed: CYCLE,host|mac,0|1,HEXADECIMAL BYTES or write,REGISTER,VALUE or \
         CYCLE,write,REGISTER,VALUE or CYCLE,check,REGISTER or CYCLE,rst,1 to {MOST_RST} or \
         CYCLE,held,none or CYCLE,held,STREAM+STREAM of {}", Around::STREAMS.join(", ")
    )]
    Line { path: PathBuf, line: usize, text: String },
}

impl Stimulus {
    /// The cycle of the first frame, access or reset that has one; 0 if none has.
    pub fn first(&self) -> u64 {
        let frame = self.frames.first().map(|entry| entry.cycle);
        frame.into_iter().chain(self.acts.first().map(|(cycle, _)| *cycle)).min().unwrap_or(0)
    }

    /// The cycle of the last.
    pub fn last(&self) -> u64 {
        let frame = self.frames.last().map(|entry| entry.cycle);
        let held = self.around.last().map(|(cycle, _)| *cycle);
        let act = self.acts.last().map(|(cycle, _)| *cycle);
        [frame, held, act].into_iter().flatten().max().unwrap_or(0)
    }

    /// As text, a line for each register, each frame, each change of what is held, each access and each reset.
    pub fn text(&self) -> String {
        let mut text = format!("{TITLE}\n");
        for (name, value) in &self.writes {
            _ = writeln!(text, "{WRITE},{name},{value}");
        }
        for Entry { cycle, is_of_host, frame } in &self.frames {
            let from = if *is_of_host { "host" } else { "mac" };
            let bytes = hexadecimal::text(&frame.bytes);
            _ = writeln!(text, "{cycle},{from},{},{bytes}", u8::from(frame.user));
        }
        for (cycle, around) in &self.around {
            let held: Vec<&str> = around.held().collect();
            let held = if held.is_empty() { NONE.to_string() } else { held.join("+") };
            _ = writeln!(text, "{cycle},{HELD},{held}");
        }
        for (cycle, act) in &self.acts {
            _ = match act {
                Act::Write(name, value) => writeln!(text, "{cycle},{WRITE},{name},{value}"),
                Act::Check(name) => writeln!(text, "{cycle},{CHECK},{name}"),
                Act::Restart(cycles) => writeln!(text, "{cycle},{RST},{cycles}"),
            };
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
                    frame: Given { bytes: hexadecimal::bytes(bytes).ok_or_else(wrong)?, user: bad == "1" },
                }),
                [cycle, HELD, held] => {
                    let mut held = held.split('+').filter(|stream| *stream != NONE);
                    let around = held.try_fold(Around::FREE, Around::holding).ok_or_else(wrong)?;
                    stimulus.around.push((cycle.parse().map_err(|_| wrong())?, around));
                }
                [cycle, WRITE | CHECK | RST, ..] => {
                    let act = act(&fields[1..], known).ok_or_else(wrong)?;
                    stimulus.acts.push((cycle.parse().map_err(|_| wrong())?, act));
                }
                _ => return Err(wrong()),
            }
        }
        stimulus.frames.sort_by_key(|entry| entry.cycle);
        stimulus.around.sort_by_key(|(cycle, _)| *cycle);
        stimulus.acts.sort_by_key(|(cycle, _)| *cycle);
        Ok(stimulus)
    }
}

/// What stands behind the cycle of an access or a reset.
fn act(fields: &[&str], known: &dyn Fn(&str) -> bool) -> Option<Act> {
    match *fields {
        [WRITE, name, value] if known(name) => Some(Act::Write(name.to_string(), value.parse().ok()?)),
        [CHECK, name] if known(name) => Some(Act::Check(name.to_string())),
        [RST, cycles] => {
            let cycles = cycles.parse().ok().filter(|cycles| (1..=MOST_RST).contains(cycles));
            cycles.map(Act::Restart)
        }
        _ => None,
    }
}
