//! Times that go back.

use respray_hdl::config::Config;
use respray_hdl::contract::{Contract, Value};

use super::columns::clock;

/// Follows the times of a trace.
///
/// A column that is the clock itself wraps, so there a time lies behind the one before where it is nearer that way round. A column
/// that holds more than the clock never wraps.
pub(super) struct Backwards {
    column: Option<&'static str>,
    /// The clock's last value, and whether the column is the clock.
    clock: Option<(&'static str, u64, bool)>,
    before: Option<u64>,
    /// Line, time before and time of the first one that goes back; how many others do.
    first: Option<(u64, u64, u64)>,
    others: u64,
}

impl Backwards {
    pub(super) fn new(contract: &Contract, config: &Config) -> Self {
        let now = contract.op_fields().find(|field| field.value == Value::Now);
        Backwards {
            column: contract.trace.time,
            clock: now.map(|now| (now.name, now.last(config), clock(contract).is_some())),
            before: None,
            first: None,
            others: 0,
        }
    }

    /// A `reset`: the core knows of no time before.
    pub(super) fn reset(&mut self) {
        self.before = None;
    }

    /// An op of this line has this time.
    pub(super) fn op(&mut self, line: u64, time: u64) {
        let Some(before) = self.before.replace(time) else { return };
        let goes_back = match self.clock {
            Some((_, last, true)) => time.wrapping_sub(before) & last > last / 2,
            _ => time < before,
        };
        match self.first {
            _ if !goes_back => {}
            None => self.first = Some((line, before, time)),
            Some(_) => self.others += 1,
        }
    }

    /// What is said of a file of this name, if a time in it goes back.
    pub(super) fn warning(&self, file: &str) -> Option<String> {
        let ((line, before, time), column) = (self.first?, self.column?);
        let mut text = format!("{file}:{line}: `{column}` goes back from {before} to {time}");
        text += &match self.clock {
            Some((now, last, _)) => {
                let ticks = time.wrapping_sub(before) & last;
                format!("; to the core, whose `{now}` wraps behind {last}, {ticks} ticks pass")
            }
            None => ", which the core does not look at".to_string(),
        };
        match self.others {
            0 => {}
            1 => text += "; so does 1 line behind it",
            others => text += &format!("; so do {others} lines behind it"),
        }
        Some(text)
    }
}
