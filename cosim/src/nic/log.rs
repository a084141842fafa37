//! What a recorded block was given and what came out of it, tick by tick.
//!
//! A log stands beside a capture of the block's link, `NAME.log.gz` beside `NAME.pcap.gz`. Frames that the
//! link carried are in the capture alone; the log says in which tick each of them left the block or was given
//! to it.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead as _, BufReader, Read};
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use respray_golden::nic::{Event, Kind};
use thiserror::Error;

use crate::traffic::gzip::{GZIP, Unpacked};
use crate::traffic::hexadecimal;
use crate::traffic::recording::{PathEvs, PathFigures, stem};

/// What the first line of a log says.
const TITLE: &str = "# a recorded nic: TICK,host,BYTES or TICK,came or TICK,left or TICK,event,RECORD or \
                     TICK,delivered,STATUS";
/// What the name of a log ends with, behind that of its capture.
const ENDING: &str = ".log.gz";
/// What the first line begins with.
const SIGN: &[u8] = b"# a recorded nic: ";
/// The registers that make the ticks.
const PRESCALES: [&str; 3] = ["sack_prescale", "wire_prescale", "selector_prescale"];
/// Digits of the record of an event.
const EVENT_DIGITS: usize = 32;
/// Largest code of the status of what is delivered.
const MOST_STATUS: u8 = 7;

/// The clock cycle in which a block is given the input of a tick, three eighths of it after its beginning.
/// Before that time the timers of the tick have done what they do, and behind it is time for all that follows
/// from the input.
pub const fn input_cycle(tick: u64, prescale: u32) -> u64 {
    (tick << prescale) + (3 << prescale >> 3)
}

/// What happened at a recorded block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The host gave a frame.
    Host(Vec<u8>),
    /// The block was given the next frame of the capture that came.
    Came,
    /// The next frame of the capture that left did so.
    Left,
    /// The host took an event.
    Event(Event),
    /// The host took a frame whose status, as `rx_status` has it, was this.
    Delivered(u8),
}

impl Step {
    /// Whether the block is given something.
    pub const fn is_input(&self) -> bool {
        matches!(self, Step::Host(_) | Step::Came)
    }
}

/// What a recorded block was given and what came out of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Log {
    /// What happens, one sentence.
    pub says: String,
    /// Keys of the configuration that decide what the block does, with their values.
    pub sets: Vec<(String, String)>,
    /// Address of the block's host.
    pub local: IpAddr,
    /// Nanoseconds of a tick when it was recorded.
    pub tick_ns: u64,
    /// What counters say of each path that the host sends over; none where nobody counted.
    pub paths: Vec<PathFigures>,
    /// Registers that were written before the first tick.
    pub writes: Vec<(String, u32)>,
    /// In the order of their ticks, of which each has one input at most.
    pub steps: Vec<(u64, Step)>,
}

/// Why a log cannot be used.
#[derive(Debug, Error)]
pub enum LogError {
    #[error("{path}: cannot be read: {source}")]
    Read { path: PathBuf, source: std::io::Error },
    #[error(
        "{path}, line {line}: `{text}`; allowed: says,SENTENCE, set,KEY,VALUE, local,ADDRESS, \
         tick_ns,NANOSECONDS, \
         path,PACKETS,MARKED,DROPPED,EV EV ..., \
         write,REGISTER,VALUE, TICK,host,HEXADECIMAL BYTES, TICK,came, TICK,left, \
         TICK,event,32 HEXADECIMAL DIGITS, \
         TICK,delivered,0 to 7"
    )]
    Line { path: PathBuf, line: usize, text: String },
    #[error(
        "{path}, line {line}: tick {tick} stands behind tick {before}; allowed: ticks that do not go back"
    )]
    Order { path: PathBuf, line: usize, tick: u64, before: u64 },
    #[error("{path}, line {line}: a second input in tick {tick}; allowed: one")]
    Inputs { path: PathBuf, line: usize, tick: u64 },
    #[error(
        "{path}: no line `{name},...`; allowed: one of each of says, local, tick_ns, and one tick or more"
    )]
    Missing { path: PathBuf, name: &'static str },
    #[error(
        "{path}: {} are written as {written:?}; allowed: each once, all with the same value from 0 to 16",
        PRESCALES.join(", ")
    )]
    Prescales { path: PathBuf, written: Vec<u32> },
    #[error(
        "{path}: the recorded block has {wanted}, and not {given}; allowed: to leave that out, or --speedup above 1, with \
         which the log is not heeded"
    )]
    Key { path: PathBuf, given: String, wanted: String },
    #[error("{path}: `write,{name},...`: the block has no register of this name")]
    Register { path: PathBuf, name: String },
    #[error("{path}: {in_log} frames of the log {way}, and {in_capture} of {capture}; allowed: as many")]
    Frames { path: PathBuf, capture: PathBuf, way: &'static str, in_log: usize, in_capture: usize },
    #[error(
        "{capture}, frame {number}: {captured} of {bytes} bytes are captured; allowed beside a log: \
         whole frames"
    )]
    Short { capture: PathBuf, number: u64, captured: usize, bytes: usize },
}

impl Log {
    /// The log beside a capture, if there is one: a file of that name that says in its first line that it is such.
    pub fn beside(capture: &Path) -> Option<PathBuf> {
        let mut name = stem(capture)?;
        name.push(ENDING);
        Some(capture.with_file_name(name)).filter(|path| says_log(path))
    }

    /// A tick is two to the power of this many clock cycles; `None` if the registers are not written so that
    /// all clocks have one tick.
    pub fn prescale(&self) -> Option<u32> {
        let written = self.prescales();
        written.iter().all(|value| *value <= 16 && *value == written[0]).then_some(())?;
        (written.len() == PRESCALES.len()).then(|| written[0])
    }

    fn prescales(&self) -> Vec<u32> {
        let is_one = |name: &str| PRESCALES.contains(&name);
        self.writes.iter().filter(|(name, _)| is_one(name)).map(|(_, value)| *value).collect()
    }

    /// The first tick, in which something happened.
    pub fn first_tick(&self) -> u64 {
        self.steps.first().map_or(0, |(tick, _)| *tick)
    }

    /// The last one.
    pub fn last_tick(&self) -> u64 {
        self.steps.last().map_or(0, |(tick, _)| *tick)
    }

    /// Inputs of the block.
    pub fn inputs(&self) -> usize {
        self.steps.iter().filter(|(_, step)| step.is_input()).count()
    }

    /// The events of the host.
    pub fn events(&self) -> impl Iterator<Item = &Event> {
        self.steps.iter().filter_map(|(_, step)| match step {
            Step::Event(event) => Some(event),
            _ => None,
        })
    }

    /// Losses by each rule of 004, in the order of [`respray_golden::nic::rule_code`], and packets handed out
    /// by each.
    pub fn losses(&self) -> [(u64, u64); 3] {
        let mut losses = [(0, 0); 3];
        let mut rules = std::collections::BTreeMap::new();
        for event in self.events() {
            match event.kind {
                Kind::Loss => {
                    let rule = usize::from(event.detail.clamp(1, 3)) - 1;
                    losses[rule].0 += 1;
                    rules.insert(event.conn, rule);
                }
                Kind::Retransmit => losses[rules.get(&event.conn).copied().unwrap_or_default()].1 += 1,
                _ => {}
            }
        }
        losses
    }

    /// The same up to a tick, which is left out with all behind it.
    pub fn until(mut self, tick: u64) -> Log {
        self.steps.retain(|(at, _)| *at < tick);
        self
    }

    /// As text, a line for each of what it holds.
    pub fn text(&self) -> String {
        let Log { says, sets, local, tick_ns, paths, writes, steps } = self;
        let mut text = format!("{TITLE}\nsays,{says}\nlocal,{local}\ntick_ns,{tick_ns}\n");
        sets.iter().for_each(|(key, value)| _ = writeln!(text, "set,{key},{value}"));
        for PathFigures { packets, ce, dropped, evs } in paths {
            let evs: Vec<String> = evs.listed().unwrap_or_default().iter().map(u16::to_string).collect();
            _ = writeln!(text, "path,{packets},{ce},{dropped},{}", evs.join(" "));
        }
        writes.iter().for_each(|(name, value)| _ = writeln!(text, "write,{name},{value}"));
        for (tick, step) in steps {
            _ = match step {
                Step::Host(frame) => {
                    let bytes = hexadecimal::text(frame);
                    writeln!(text, "{tick},host,{bytes}")
                }
                Step::Came => writeln!(text, "{tick},came"),
                Step::Left => writeln!(text, "{tick},left"),
                Step::Event(event) => writeln!(text, "{tick},event,{:0EVENT_DIGITS$x}", event.to_bits()),
                Step::Delivered(status) => writeln!(text, "{tick},delivered,{status}"),
            };
        }
        text
    }

    /// Reads what [`Log::text`] wrote, packed or not. `known` says whether there is a register of a name.
    ///
    /// # Errors
    /// On a file that cannot be read, on the first line that is none of a log, and on what it lacks.
    pub fn read(path: &Path, known: &dyn Fn(&str) -> bool) -> Result<Log, LogError> {
        let failed = |source| LogError::Read { path: path.to_path_buf(), source };
        let bytes = fs::read(path).map_err(failed)?;
        let mut text = String::new();
        let mut unpacked = Unpacked::new(&bytes[..]);
        let is_packed = bytes.starts_with(&GZIP);
        let read = if is_packed {
            unpacked.read_to_string(&mut text)
        } else {
            (&bytes[..]).read_to_string(&mut text)
        };
        read.map_err(failed)?;
        let mut lines = Lines::new(path, known);
        for (line, text) in
            (1..).zip(text.lines()).filter(|(_, text)| !text.starts_with('#') && !text.is_empty())
        {
            lines.take(line, text)?;
        }
        lines.finish()
    }
}

/// Whether a file is a log, packed or not.
fn says_log(path: &Path) -> bool {
    let Some(file) = path.is_file().then(|| fs::File::open(path).ok()).flatten() else { return false };
    let mut plain = BufReader::new(file);
    let is_packed = plain.fill_buf().is_ok_and(|bytes| bytes.starts_with(&GZIP));
    let mut first = Vec::new();
    let length = SIGN.len() as u64;
    let read = match is_packed {
        true => Unpacked::new(plain).take(length).read_to_end(&mut first),
        false => plain.take(length).read_to_end(&mut first),
    };
    read.is_ok() && first == SIGN
}

/// A log that is being read.
struct Lines<'a> {
    path: &'a Path,
    known: &'a dyn Fn(&str) -> bool,
    says: Option<String>,
    local: Option<IpAddr>,
    tick_ns: Option<u64>,
    sets: Vec<(String, String)>,
    paths: Vec<PathFigures>,
    writes: Vec<(String, u32)>,
    steps: Vec<(u64, Step)>,
    /// The last tick with an input.
    given: Option<u64>,
}

impl<'a> Lines<'a> {
    fn new(path: &'a Path, known: &'a dyn Fn(&str) -> bool) -> Self {
        Lines {
            path,
            known,
            says: None,
            local: None,
            tick_ns: None,
            sets: Vec::new(),
            paths: Vec::new(),
            writes: Vec::new(),
            steps: Vec::new(),
            given: None,
        }
    }

    fn take(&mut self, line: usize, text: &str) -> Result<(), LogError> {
        let path = || self.path.to_path_buf();
        let wrong = || LogError::Line { path: path(), line, text: text.chars().take(60).collect() };
        let fields: Vec<&str> = text.split(',').collect();
        match fields[..] {
            ["says", ..] => self.says = Some(text["says,".len().min(text.len())..].to_string()),
            ["local", address] => self.local = Some(address.parse().map_err(|_| wrong())?),
            ["tick_ns", ns] => self.tick_ns = Some(ns.parse().ok().filter(|ns| *ns > 0).ok_or_else(wrong)?),
            ["path", packets, ce, dropped, evs] => {
                self.paths.push(path_figures([packets, ce, dropped], evs).ok_or_else(wrong)?);
            }
            ["set", key, value] => self.sets.push((key.to_string(), value.to_string())),
            ["write", name, value] if (self.known)(name) => {
                self.writes.push((name.to_string(), value.parse().map_err(|_| wrong())?));
            }
            [tick, ref what @ ..] => {
                let tick = tick.parse::<u32>().map_err(|_| wrong())?.into();
                let step = step(what).filter(|step| self.tells(step)).ok_or_else(wrong)?;
                let before = self.steps.last().map_or(0, |(tick, _)| *tick);
                if tick < before {
                    return Err(LogError::Order { path: path(), line, tick, before });
                }
                if step.is_input() && self.given.replace(tick) == Some(tick) {
                    return Err(LogError::Inputs { path: path(), line, tick });
                }
                self.steps.push((tick, step));
            }
            [] => return Err(wrong()),
        }
        Ok(())
    }

    /// Whether the recorded block can do that: only one whose host hears of closes tells of them.
    fn tells(&self, step: &Step) -> bool {
        let is_close = matches!(step, Step::Event(event) if event.kind == Kind::Closed);
        !is_close || self.sets.iter().any(|(key, value)| key == "nic.close" && value == "graceful")
    }

    fn finish(self) -> Result<Log, LogError> {
        let missing = |name| LogError::Missing { path: self.path.to_path_buf(), name };
        if self.steps.is_empty() {
            return Err(missing("TICK"));
        }
        let log = Log {
            says: self.says.ok_or_else(|| missing("says"))?,
            local: self.local.ok_or_else(|| missing("local"))?,
            tick_ns: self.tick_ns.ok_or_else(|| missing("tick_ns"))?,
            sets: self.sets,
            paths: self.paths,
            writes: self.writes,
            steps: self.steps,
        };
        match log.prescale() {
            Some(_) => Ok(log),
            None => Err(LogError::Prescales { path: self.path.to_path_buf(), written: log.prescales() }),
        }
    }
}

/// What a line says of a path.
fn path_figures(counts: [&str; 3], evs: &str) -> Option<PathFigures> {
    let [packets, ce, dropped] = counts.map(|count| count.parse().ok());
    let evs = evs.split_whitespace().map(|ev| ev.parse().ok()).collect::<Option<Vec<u16>>>()?;
    Some(PathFigures { packets: packets?, ce: ce?, dropped: dropped?, evs: PathEvs::Listed(evs) })
}

/// What stands behind the tick of a line.
fn step(fields: &[&str]) -> Option<Step> {
    match *fields {
        ["host", bytes] => hexadecimal::bytes(bytes).map(Step::Host),
        ["came"] => Some(Step::Came),
        ["left"] => Some(Step::Left),
        ["event", digits] if digits.len() == EVENT_DIGITS => {
            u128::from_str_radix(digits, 16).ok().and_then(Event::from_bits).map(Step::Event)
        }
        ["delivered", status] => {
            status.parse().ok().filter(|status| *status <= MOST_STATUS).map(Step::Delivered)
        }
        _ => None,
    }
}
