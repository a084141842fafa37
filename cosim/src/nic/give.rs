//! Gives a block what a stimulus says.

use super::around::Around;
use super::difference::Difference;
use super::end::End;
use super::stimulus::{Entry, Stimulus};

/// Cycles behind the last frame that goes in, in which a difference may show.
const REST_CYCLES: u64 = 20_000;
/// Cycles that are waited for the one in which the first frame was given.
const MOST_AHEAD_CYCLES: u64 = 20_000;
/// Cycles between two looks at the progress.
const WATCH_CYCLES: u64 = 1 << 12;

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
                goes_on = !end.cycle().is_multiple_of(WATCH_CYCLES) || watch(rest.given);
            }
        }
        if goes_on && !end.waves_are_taken() { end.check_counters() } else { Ok(()) }
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
