//! Gives a block what a stimulus says.

use super::around::Around;
use super::difference::Difference;
use super::end::End;
use super::stimulus::{Act, Entry, Stimulus};

/// Cycles behind the last frame that goes in, in which a difference may show.
pub(super) const REST_CYCLES: u64 = 20_000;
/// Cycles that are waited for the one in which the first frame was given.
const MOST_AHEAD_CYCLES: u64 = 20_000;
/// Cycles between two looks at the progress, or a little more.
const WATCH_CYCLES: u64 = 1 << 12;

impl Stimulus {
    /// Gives it to a block that was just made, and lets that come to rest; then counters have to be equal, too. `watch` hears now and then
    /// how many frames were given, and says whether to go on.
    ///
    /// # Errors
    /// The first difference.
    pub fn give(&self, end: &mut End, watch: &mut dyn FnMut(u64) -> bool) -> Result<(), Difference> {
        self.give_up_to(u64::MAX, end, watch)
    }

    /// The same up to a cycle of the block, from which on it is not looked at any more.
    ///
    /// # Errors
    /// The first difference.
    pub(super) fn give_up_to(
        &self,
        last: u64,
        end: &mut End,
        watch: &mut dyn FnMut(u64) -> bool,
    ) -> Result<(), Difference> {
        for (name, value) in &self.writes {
            end.write(name, *value)?;
        }
        if self.writes.is_empty() {
            // an access is answered when the reset is over
            end.read("version")?;
        }
        let Stimulus { frames, around, acts, .. } = self;
        let mut rest = Rest { frames, around, acts, given: 0 };
        let first = self.first();
        // what is free-running stands as it did then
        if (end.cycle()..end.cycle() + MOST_AHEAD_CYCLES).contains(&first) {
            while end.cycle() < first {
                end.step()?;
            }
        }
        let start = end.cycle();
        let cycle_of = |end: &End| first + (end.cycle() - start);
        let mut goes_on = true;
        let mut watched = start;
        // a second time, free, for what is held to the end
        for is_free in [false, true] {
            if is_free && end.around == Around::FREE && !end.is_paced() {
                break;
            }
            end.around = Around::FREE;
            if is_free {
                end.pace(None, 0);
            }
            let mut quiet = 0;
            while goes_on && quiet < REST_CYCLES && !end.waves_are_taken() {
                rest.give_until(cycle_of(end), end);
                let waiting = end.waiting();
                match rest.next_act(cycle_of(end)) {
                    Some(act) => end.act(act, &mut |end| rest.give_until(cycle_of(end), end))?,
                    None => end.step()?,
                }
                end.out = Default::default();
                let is_quiet = rest.is_given() && end.waiting() == waiting;
                quiet = if is_quiet { quiet + 1 } else { 0 };
                if end.cycle() >= watched + WATCH_CYCLES {
                    watched = end.cycle();
                    goes_on = watch(rest.given);
                }
                goes_on &= end.cycle() <= last;
            }
        }
        if goes_on && !end.waves_are_taken() { end.check_counters() } else { Ok(()) }
    }
}

/// What of a stimulus was not given yet.
struct Rest<'a> {
    frames: &'a [Entry],
    around: &'a [(u64, Around)],
    acts: &'a [(u64, Act)],
    /// Frames that were.
    given: u64,
}

impl<'a> Rest<'a> {
    fn is_given(&self) -> bool {
        self.frames.is_empty() && self.around.is_empty() && self.acts.is_empty()
    }

    /// The next access or reset, if it is to begin up to a cycle.
    fn next_act(&mut self, cycle: u64) -> Option<&'a Act> {
        let ((_, act), rest) = self.acts.split_first().filter(|((from, _), _)| *from <= cycle)?;
        self.acts = rest;
        Some(act)
    }

    /// All frames up to a cycle, and what is around then.
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
