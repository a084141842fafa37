//! A recorded block replayed: the Verilog is given what the recorded block was given, in the same ticks, and
//! has to do what that did.

use std::path::{Path, PathBuf};

use respray_golden::nic::Event;
use respray_hdl::config::{self, Config};

use super::difference::{self, Difference, OF_RECORDING};
use super::end::{End, Out};
use super::error::NicError;
use super::log::{Log, LogError, Step, input_cycle};
use super::streams::Given;
use crate::report::config_value;
use crate::stream::StreamError;
use crate::traffic::capture::{Account, CaptureSource, Cut, Headers, Profile};

/// LINKTYPE_ETHERNET.
const ETHERNET: i32 = 1;
/// Ticks between two looks at the progress.
const WATCH_TICKS: u64 = 16;

/// A log, and the frames of the capture beside it.
#[derive(Clone, Debug, PartialEq)]
pub struct Logged {
    /// The file of the log.
    pub path: PathBuf,
    pub log: Log,
    /// Frames that came to the block.
    pub came: Vec<Vec<u8>>,
    /// Their numbers in the capture.
    pub came_numbers: Vec<u64>,
    /// Frames that left it.
    pub left: Vec<Vec<u8>>,
    /// What becomes of the frames of the capture that do not come to the block.
    pub account: Account,
}

/// What a tick brought out of a block.
#[derive(Debug, Default)]
struct Expected {
    left: Vec<Vec<u8>>,
    events: Vec<Event>,
    delivered: Vec<u8>,
}

impl Logged {
    /// Reads a log and the capture that it stands beside. `known` says whether there is a register of a name.
    ///
    /// # Errors
    /// If one cannot be read, if they do not belong together, and if the block of the configuration is
    /// another one.
    pub fn open(
        capture: &Path,
        log: &Path,
        config: &Config,
        known: &dyn Fn(&str) -> bool,
    ) -> Result<Logged, NicError> {
        // which registers there are follows from the keys
        let read = Log::read(log, &|_| true)?;
        let other = read.sets.iter().filter_map(|(key, value)| {
            let given = config_value(config, key).filter(|given| given != value)?;
            Some((format!("{key}={given}"), format!("{key}={value}")))
        });
        let (given, wanted): (Vec<String>, Vec<String>) = other.unzip();
        if !wanted.is_empty() {
            let path = log.to_path_buf();
            return Err(LogError::Key { path, given: given.join(", "), wanted: wanted.join(", ") }.into());
        }
        if let Some((name, _)) = read.writes.iter().find(|(name, _)| !known(name)) {
            return Err(LogError::Register { path: log.to_path_buf(), name: name.clone() }.into());
        }
        let path = log.to_path_buf();
        let mut logged = Logged {
            path,
            log: read,
            came: Vec::new(),
            came_numbers: Vec::new(),
            left: Vec::new(),
            account: Account::default(),
        };
        logged.read_capture(capture, Profile::of(config))?;
        let count = |step: &Step| logged.log.steps.iter().filter(|(_, one)| one == step).count();
        for (way, step, frames) in [("came", Step::Came, &logged.came), ("left", Step::Left, &logged.left)] {
            let (in_log, in_capture) = (count(&step), frames.len());
            if in_log != in_capture {
                let (path, capture) = (log.to_path_buf(), capture.to_path_buf());
                return Err(LogError::Frames { path, capture, way, in_log, in_capture }.into());
            }
        }
        Ok(logged)
    }

    /// The keys of the block of which a log stands beside a capture, for a configuration that is not given others; none where there
    /// is no log.
    ///
    /// # Errors
    /// On a log that cannot be read.
    pub fn keys_beside(capture: &Path) -> Result<Vec<config::Found>, NicError> {
        let Some(path) = Log::beside(capture) else { return Ok(Vec::new()) };
        let place = path.display().to_string();
        let found = |(key, value)| config::Found { place: place.clone(), key, value };
        Ok(Log::read(&path, &|_| true)?.sets.into_iter().map(found).collect())
    }

    fn read_capture(&mut self, path: &Path, profile: Profile) -> Result<(), NicError> {
        let source = CaptureSource::open(path, Cut::Refused).map_err(NicError::capture)?;
        let mut file = source.read().map_err(NicError::capture)?;
        while let Some(frame) = file.next_frame().map_err(NicError::capture)? {
            let number = frame.number;
            if frame.link_type != ETHERNET {
                let (path, link_type) = (path.to_path_buf(), frame.link_type);
                return Err(NicError::Capture(Box::new(StreamError::LinkType { path, number, link_type })));
            }
            let headers = Headers::parse(&frame).unwrap_or_default();
            if let Some(why) = profile.find(&frame, &headers).why_not() {
                self.account.left(number, why);
                continue;
            }
            if frame.data.len() < frame.wire_len {
                let (capture, captured, bytes) = (path.to_path_buf(), frame.data.len(), frame.wire_len);
                return Err(LogError::Short { capture, number, captured, bytes }.into());
            }
            let is_of_host = headers.ip.is_some_and(|ip| ip.source == self.log.local);
            if is_of_host {
                self.account.taken(number, "sent by the recorded block, compared with what leaves this one");
                self.left.push(frame.data.to_vec());
            } else {
                self.came_numbers.push(number);
                self.came.push(frame.data.to_vec());
            }
        }
        Ok(())
    }

    /// The same up to a tick, which is left out with all behind it.
    pub fn until(self, tick: u64) -> Logged {
        Logged { log: self.log.until(tick), ..self }
    }

    /// Clock cycles up to the end of the last tick.
    pub fn cycles(&self) -> u64 {
        (self.log.last_tick() + 1) << self.prescale()
    }

    fn prescale(&self) -> u32 {
        self.log.prescale().expect("a log without it is refused")
    }

    /// Gives it to a block that was just made. `watch` hears now and then how many inputs were given, and
    /// says whether to go on.
    ///
    /// # Errors
    /// The first difference, from the golden block in step with the Verilog or from what was recorded.
    pub fn give(&self, end: &mut End, watch: &mut dyn FnMut(u64) -> bool) -> Result<(), Difference> {
        for (name, value) in &self.log.writes {
            end.write(name, *value)?;
        }
        let prescale = self.prescale();
        let first = self.log.first_tick();
        self.wait(end, first << prescale)?;
        if end.cycle() > first << prescale {
            let (expected, seen) = (format!("cycle {}", first << prescale), "it is past".to_string());
            return Err(Difference { cycle: end.cycle(), what: "the first tick".into(), expected, seen });
        }
        let (mut came, mut left) = (self.came.iter(), self.left.iter());
        let mut steps = self.log.steps.iter().peekable();
        let mut given = 0;
        for tick in first..=self.log.last_tick() {
            let mut expected = Expected::default();
            let mut input = None;
            while let Some((_, step)) = steps.next_if(|(at, _)| *at == tick) {
                match step {
                    Step::Host(frame) => input = Some((true, frame)),
                    Step::Came => input = came.next().map(|frame| (false, frame)),
                    Step::Left => expected.left.extend(left.next().cloned()),
                    Step::Event(event) => expected.events.push(*event),
                    Step::Delivered(status) => expected.delivered.push(*status),
                }
            }
            self.wait(end, input_cycle(tick, prescale))?;
            if let Some((is_of_host, frame)) = input {
                let frame = Given::from(frame.clone());
                if is_of_host {
                    end.send(frame)
                } else {
                    end.receive(frame)
                }
                given += 1;
            }
            self.wait(end, (tick + 1) << prescale)?;
            let compared = expected.compare(tick, end);
            end.follower.heed(compared)?;
            if tick % WATCH_TICKS == 0 && (!watch(given) || end.waves_are_taken()) {
                return Ok(());
            }
        }
        end.check_counters()
    }

    /// Goes on to a cycle.
    fn wait(&self, end: &mut End, cycle: u64) -> Result<(), Difference> {
        while end.cycle() < cycle {
            end.step()?;
        }
        Ok(())
    }
}

impl Expected {
    /// Compares with what came out of a block meanwhile.
    fn compare(&self, tick: u64, end: &mut End) -> Result<(), Difference> {
        let Out { transmitted, delivered, events } = std::mem::take(&mut end.out);
        let cycle = end.cycle();
        let differs = |what: &str, seen: String, expected: String| {
            let what = format!("tick {tick}{OF_RECORDING}{what}");
            Err(Difference { cycle, what, expected, seen })
        };
        let counts = [
            ("frames that left", transmitted.len(), self.left.len()),
            ("events", events.len(), self.events.len()),
            ("frames for the host", delivered.len(), self.delivered.len()),
        ];
        for (seen, expected) in transmitted.iter().zip(&self.left) {
            if seen.frame != *expected {
                let (expected, seen) = difference::frames(expected, &seen.frame);
                return differs("a frame that left", seen, expected);
            }
        }
        for (seen, expected) in events.iter().zip(&self.events) {
            if seen != expected {
                return differs("an event", format!("{seen:?}"), format!("{expected:?}"));
            }
        }
        for (seen, expected) in delivered.iter().zip(&self.delivered) {
            if seen.status_code() != *expected {
                let [seen, expected] = [seen.status_code(), *expected].map(|status| status.to_string());
                return differs("status of a frame for the host", seen, expected);
            }
        }
        match counts.into_iter().find(|(_, seen, expected)| seen != expected) {
            Some((what, seen, expected)) => differs(what, seen.to_string(), expected.to_string()),
            None => Ok(()),
        }
    }
}
