//! What a block was given, so that it can be given again.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::difference::Difference;
use super::end::{Around, End};
use super::streams::Given;

/// Cycles behind the last frame that goes in, in which a difference may show.
const REST_CYCLES: u64 = 20_000;
/// Cycles that are waited for the one in which the first frame was given.
const MOST_AHEAD_CYCLES: u64 = 20_000;
/// Cycles between two looks at the progress.
const WATCH_CYCLES: u64 = 1 << 12;
/// What the first line of a list says.
const TITLE: &str = "# frames of the nic: cycle,from,bad,bytes";
/// The word of a line that writes a register.
const WRITE: &str = "write";
/// The word of a line that says which streams are held.
const HELD: &str = "held";
/// No stream is.
const NONE: &str = "none";

/// Registers that were written before the first frame, frames, and which streams were held meanwhile.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stimulus {
    pub writes: Vec<(String, u32)>,
    pub frames: Vec<Entry>,
    /// What is around the block from a cycle on; all is free before.
    pub around: Vec<(u64, Around)>,
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
         CYCLE,held,none or CYCLE,held,STREAM+STREAM of {}", Around::STREAMS.join(", ")
    )]
    Line { path: PathBuf, line: usize, text: String },
}

impl Stimulus {
    /// Gives it to a block that was just made, and lets that come to rest; then counters have to be equal, too. `watch` hears now and then
    /// how many frames were given, and says whether to go on.
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
        let mut rest = Rest { frames: &self.frames, around: &self.around, given: 0 };
        let first = self.frames.first().map_or(0, |entry| entry.cycle);
        // what is free-running stands as it did then
        if (end.cycle()..end.cycle() + MOST_AHEAD_CYCLES).contains(&first) {
            while end.cycle() < first {
                end.step()?;
            }
        }
        let start = end.cycle();
        let mut goes_on = true;
        // a second time, free, for what is held to the end
        for is_free in [false, true] {
            if is_free && end.around == Around::FREE {
                break;
            }
            end.around = Around::FREE;
            let mut quiet = 0;
            while goes_on && quiet < REST_CYCLES && !end.waves_are_taken() {
                let until = first + (end.cycle() - start);
                rest.give_until(until, end);
                let waiting = end.waiting();
                end.step()?;
                end.out = Default::default();
                let is_quiet = rest.is_given() && end.waiting() == waiting;
                quiet = if is_quiet { quiet + 1 } else { 0 };
                goes_on = end.cycle() % WATCH_CYCLES != 0 || watch(rest.given);
            }
        }
        if goes_on && !end.waves_are_taken() { end.check_counters() } else { Ok(()) }
    }

    /// As text, a line for each register, each frame, and each change of what is held.
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
        for (cycle, around) in &self.around {
            let held: Vec<&str> = around.held().collect();
            let held = if held.is_empty() { NONE.to_string() } else { held.join("+") };
            _ = writeln!(text, "{cycle},{HELD},{held}");
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
                [cycle, HELD, held] => {
                    let mut held = held.split('+').filter(|stream| *stream != NONE);
                    let around = held.try_fold(Around::FREE, Around::holding).ok_or_else(wrong)?;
                    stimulus.around.push((cycle.parse().map_err(|_| wrong())?, around));
                }
                _ => return Err(wrong()),
            }
        }
        stimulus.frames.sort_by_key(|entry| entry.cycle);
        stimulus.around.sort_by_key(|(cycle, _)| *cycle);
        Ok(stimulus)
    }
}

/// What of a stimulus was not given yet.
struct Rest<'a> {
    frames: &'a [Entry],
    around: &'a [(u64, Around)],
    /// Frames that were.
    given: u64,
}

impl Rest<'_> {
    fn is_given(&self) -> bool {
        self.frames.is_empty() && self.around.is_empty()
    }

    /// All up to a cycle.
    fn give_until(&mut self, cycle: u64, end: &mut End) {
        while let Some((entry, rest)) = self.frames.split_first().filter(|(entry, _)| entry.cycle <= cycle) {
            let frame = entry.frame.clone();
            if entry.is_of_host {
                end.send(frame)
            } else {
                end.receive(frame)
            }
            self.frames = rest;
            self.given += 1;
        }
        while let Some(((_, around), rest)) =
            self.around.split_first().filter(|((from, _), _)| *from <= cycle)
        {
            end.around = *around;
            self.around = rest;
        }
    }
}

/// At least one byte, two digits each.
fn hexadecimal(text: &str) -> Option<Vec<u8>> {
    let is_whole = !text.is_empty() && text.len() % 2 == 0 && text.is_ascii();
    let byte = |at: usize| u8::from_str_radix(&text[at..at + 2], 16).ok();
    is_whole.then(|| (0..text.len()).step_by(2).map(byte).collect())?
}
