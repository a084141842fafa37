//! How far a run goes.

use std::time::{Duration, Instant};

/// Where a run ends that finds no difference and whose stimulus does not end before.
///
/// Only the run that a user asks for has a limit of time: what repeats a run to explain, to shrink or to record a difference
/// goes as far as that run did, however long it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Clock edges at most.
    pub cycles: u64,
    /// Time by the clock on the wall, from the first edge on; the run ends with the block of edges that is under way then,
    /// and has one block at least.
    pub time: Option<Duration>,
}

impl From<u64> for Limit {
    fn from(cycles: u64) -> Self {
        Limit { cycles, time: None }
    }
}

impl Limit {
    /// Clock edges that there will be of a run that wants `about` of them and had `done` after `elapsed`.
    pub fn total(&self, about: u64, done: u64, elapsed: Duration) -> u64 {
        let in_time = self.time.filter(|_| !elapsed.is_zero()).map(|time| {
            let share = time.as_secs_f64() / elapsed.as_secs_f64();
            (done as f64 * share) as u64
        });
        in_time.map_or(about, |cycles| cycles.min(about)).max(done)
    }

    /// The run begins now.
    pub fn begin(self) -> Deadline {
        // one that lies beyond what the clock can tell is none
        Deadline(self.time.and_then(|time| Instant::now().checked_add(time)))
    }
}

/// When a run that has begun is to end, if the clock says so.
#[derive(Clone, Copy, Debug)]
pub struct Deadline(Option<Instant>);

impl Deadline {
    pub fn has_passed(&self) -> bool {
        self.0.is_some_and(|end| Instant::now() >= end)
    }
}
