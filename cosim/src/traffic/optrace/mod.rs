//! Op traces: one op of a core per line of a CSV file, gzipped or not.
//!
//! What a line holds follows from the core's contract; the core's page shows its table of columns. Common to all:
//!
//! - The columns stand in any order; the first ones of the table are needed, the rest may be absent or their fields empty.
//! - Ops go back to back: a line holds `op_valid` until the core takes its op, then the next line begins with its `idle`
//!   edges, which show the coming op's fields with `op_valid` low. A `reset` line is one clock edge with `rst`
//!   high; lines of `reset` in a row make it longer. Meanwhile the other ports keep what the op before showed, so a `reset`
//!   line gives neither `now` nor a setting. The run's own reset at the start is not part of the trace.
//! - A field that an op does not use may hold anything; empty is 0. A setting that is empty is that of the run.
//! - The column `expect` holds a word for the result, and a column `expect_X` the value of a field of it; empty is any.
//! - Time goes on. Where it goes back, to the core its clock wraps, and [a warning](OpTrace::warnings) says so. Behind a `reset`
//!   time may begin anew.
//! - Lines that begin with `#` are comments. Before the column names, a comment such as
//!   `# respray: seed=7 freeze_timeout=100000 bdp_packets=16` carries settings of the run, each of which is optional and
//!   gives way to one on the command line. What they leave open is as the file [beside the trace](Beside) has it.

mod backwards;
mod beside;
mod columns;
mod read;
mod settings;
mod write;

use respray_files::quote::Quoted;
use respray_hdl::config::Config;
use respray_hdl::contract::{Contract, Value, Words};
use thiserror::Error;

pub use self::beside::Beside;
pub use self::columns::{Column, Content, columns};
pub use self::read::LONGEST_LINE;
pub use self::settings::Settings;
pub(crate) use self::write::number;
use super::stimulus::{Entry, Event, Expectation, Line};

const SETTINGS_MARK: &str = "respray:";

/// A whole op trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpTrace<O> {
    /// Seed of the run, which is what a port `seed` carries.
    pub seed: Option<u16>,
    /// Settings of the run that the trace carries.
    pub settings: Settings,
    /// Other comments before the column names, without `# `.
    pub notes: Vec<String>,
    /// The ops in order.
    pub lines: Vec<Line<O>>,
    /// What whoever runs the trace is told of the file that it was read from, a sentence each.
    pub warnings: Vec<String>,
}

impl<O> Default for OpTrace<O> {
    fn default() -> Self {
        let (settings, notes) = (Settings::default(), Vec::new());
        OpTrace { seed: None, settings, notes, lines: Vec::new(), warnings: Vec::new() }
    }
}

/// The ops of a trace as a run takes them.
#[derive(Clone, Debug)]
pub struct Ops<O> {
    /// The stimulus.
    pub entries: Vec<Entry<O>>,
    /// What its entries expect.
    pub expectations: Vec<Expectation>,
}

/// Why an op trace was refused. Its text is the whole sentence for the user.
#[derive(Debug, Error)]
pub enum OpTraceError {
    #[error("{file}: cannot be read: {source}")]
    File { file: String, source: std::io::Error },
    #[error("{file}:{line}: {message}")]
    Csv { file: String, line: u64, message: String },
    #[error("{file}:{line}: no column `{}`; the first line names the columns: {}", Quoted(column), columns.join(", "))]
    MissingColumn { file: String, line: u64, column: String, columns: Vec<String> },
    #[error("{file}:{line}: column `{}` is unknown or stands there twice; the columns are {}", Quoted(column), columns.join(", "))]
    Column { file: String, line: u64, column: String, columns: Vec<String> },
    #[error("{file}:{line}: `{column}` is `{}`; allowed: {allowed}", Quoted(value))]
    Field { file: String, line: u64, column: String, value: String, allowed: String },
}

impl<O: Words> OpTrace<O> {
    /// The ops as a run takes them. Settings that a line does not give itself are those of `settings`, and what these leave
    /// open is as the contract has it.
    pub fn ops(&self, contract: &Contract, settings: &Settings, config: &Config) -> Ops<O> {
        let of_run: Vec<(usize, u64, u32)> = contract
            .driver_settings()
            .enumerate()
            .map(|(index, (place, field, setting))| {
                let default = || setting.default.of(config);
                (place, settings.get(field.name).unwrap_or_else(default), 1 << index)
            })
            .collect();
        let clock = contract.clock_at().zip(contract.op_fields().find(|field| field.value == Value::Now));
        let clock = clock.map(|(place, field)| (place, field.last(config)));
        let mut expectations = Vec::new();
        let mut entry = |line: &Line<O>| {
            let mut event = line.event;
            if let Event::Op(op) = &mut event {
                if let Some((place, last)) = clock {
                    op.set(place, line.time & last);
                }
                let open = of_run.iter().filter(|(_, _, own)| line.own & own == 0);
                open.for_each(|&(place, value, _)| op.set(place, value));
            }
            let expect = line.expect.as_ref().map_or(0, |expectation| {
                expectations.push(expectation.as_ref().clone());
                expectations.len() as u32
            });
            Entry { idle: line.idle, event, expect }
        };
        Ops { entries: self.lines.iter().map(&mut entry).collect(), expectations }
    }

    /// The reverse of [`OpTrace::ops`]: a trace that replays entries, given the same seed. The values that most ops carry
    /// become its settings.
    pub fn of_entries(contract: &Contract, entries: &[Entry<O>], expectations: &[Expectation]) -> Self {
        let ops = || entries.iter().filter_map(|entry| entry.event.as_op());
        let mut settings = Settings::default();
        let frequent: Vec<(usize, u64)> = contract
            .driver_settings()
            .map(|(place, field, _)| {
                let value = most_frequent(ops().map(|op| op.get(place))).unwrap_or(0);
                settings.set(field.name, value);
                (place, value)
            })
            .collect();
        let clock = contract.clock_at();
        let line = |entry: &Entry<O>| {
            let mut line = Line { idle: entry.idle, event: entry.event, ..Line::reset(None) };
            if let Event::Op(op) = &entry.event {
                line.time = clock.map_or(0, |place| op.get(place));
                let own = frequent.iter().enumerate().filter(|(_, (place, value))| op.get(*place) != *value);
                line.own = own.fold(0, |own, (index, _)| own | 1 << index);
            }
            let expectation = (entry.expect as usize).checked_sub(1).map(|place| &expectations[place]);
            line.expect = expectation.map(|expectation| Box::new(expectation.clone()));
            line
        };
        let lines = entries.iter().map(line).collect();
        OpTrace { settings, lines, ..OpTrace::default() }
    }
}

/// The value that occurs most often.
fn most_frequent(values: impl Iterator<Item = u64>) -> Option<u64> {
    let mut uses = std::collections::BTreeMap::<u64, usize>::new();
    values.for_each(|value| *uses.entry(value).or_default() += 1);
    uses.into_iter().max_by_key(|(_, uses)| *uses).map(|(value, _)| value)
}
