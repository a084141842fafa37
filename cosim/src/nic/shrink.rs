//! Makes what a block was given as small as it can be and still differ.

use super::difference::Difference;
use super::end::End;
use super::error::NicError;
use super::give::REST_CYCLES;
use super::stimulus::Stimulus;

/// Runs of candidates at most, for each list that becomes shorter.
const MOST_RUNS: u32 = 500;
/// Their cycles at most, together.
const MOST_CYCLES: u64 = 10_000_000;
/// Cycles by which a difference may come later where less is given.
const LATER: u64 = 4096;
/// Frames that a person reads one by one.
const FEW: usize = 4;

/// A small stimulus and its difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Small {
    pub stimulus: Stimulus,
    pub difference: Difference,
}

impl Small {
    /// The cycle up to which less has to differ: what shows only behind the end, in a counter, is waited for.
    fn last(&self) -> u64 {
        let last = self.difference.cycle + LATER;
        if self.is_within() { last } else { u64::MAX }
    }

    /// The block is not at rest yet behind the last frame.
    fn is_within(&self) -> bool {
        self.difference.cycle < self.stimulus.last() + REST_CYCLES
    }

    /// What begins up to the difference, where cycles of the list are those of the block.
    fn up_to_difference(&self) -> Stimulus {
        let (cycle, mut stimulus) = (self.difference.cycle, self.stimulus.clone());
        stimulus.frames.retain(|entry| entry.cycle <= cycle);
        stimulus.around.retain(|(from, _)| *from <= cycle);
        stimulus.acts.retain(|(from, _)| *from <= cycle);
        stimulus
    }
}

/// Makes a block that was not given anything.
pub type Fresh<'a> = &'a mut dyn FnMut() -> Result<End, NicError>;

/// Leaves out frames, first all and then ever smaller parts, as long as the rest differs. While that makes them fewer and many are left, the
/// same is tried with all of the rest given at once and nothing held. Then accesses to registers, resets and changes of what is around the
/// block are left out in the same way, and registers that were written before. `None` if the stimulus does not differ by itself.
///
/// # Errors
/// If there is no block.
pub fn shrink(stimulus: &Stimulus, fresh: Fresh<'_>) -> Result<Option<Small>, NicError> {
    let mut trials = Trials { fresh, left: 0, cycles: 0 };
    let mut small = trials.least(stimulus.clone())?;
    if small.is_none() {
        small = trials.least(Stimulus { around: Vec::new(), ..stimulus.clone() })?;
    }
    let mut from = small.as_ref().map_or(stimulus, |small| &small.stimulus).clone();
    loop {
        let frames = small.as_ref().map_or(usize::MAX, |small| small.stimulus.frames.len());
        if frames <= FEW {
            break;
        }
        let first = from.first();
        from.around.clear();
        from.frames.iter_mut().for_each(|entry| entry.cycle = first);
        let at_once = trials.least(from.clone())?;
        let again = match &small {
            Some(small) => trials.least(small.stimulus.clone())?,
            None => None,
        };
        let fewest = [at_once, again].into_iter().flatten().min_by_key(|small| small.stimulus.frames.len());
        let Some(fewer) = fewest.filter(|fewer| fewer.stimulus.frames.len() < frames) else { break };
        from = fewer.stimulus.clone();
        small = Some(fewer);
    }
    let Some(mut small) = small else { return Ok(None) };
    trials.begin();
    trials.leave_out(&mut small, |stimulus| &mut stimulus.acts)?;
    trials.begin();
    trials.leave_out(&mut small, |stimulus| &mut stimulus.around)?;
    trials.begin();
    trials.leave_out(&mut small, |stimulus| &mut stimulus.writes)?;
    Ok(Some(small))
}

/// Runs of candidates.
struct Trials<'a> {
    fresh: Fresh<'a>,
    left: u32,
    /// Cycles of all of them since then.
    cycles: u64,
}

impl Trials<'_> {
    fn begin(&mut self) {
        (self.left, self.cycles) = (MOST_RUNS, 0);
    }

    fn may_go_on(&self) -> bool {
        self.left > 0 && self.cycles < MOST_CYCLES
    }

    /// The candidate with as few frames as can be, if it differs.
    fn least(&mut self, stimulus: Stimulus) -> Result<Option<Small>, NicError> {
        self.begin();
        let Some(mut small) = self.small(stimulus, u64::MAX)? else { return Ok(None) };
        let of_one = |stimulus: &Stimulus, is_of_host: bool| {
            let mut stimulus = stimulus.clone();
            stimulus.frames.retain(|entry| entry.is_of_host == is_of_host);
            stimulus
        };
        let parts: [&dyn Fn(&Small) -> Stimulus; 3] =
            [&Small::up_to_difference, &|small| of_one(&small.stimulus, true), &|small| {
                of_one(&small.stimulus, false)
            }];
        for part in parts {
            let candidate = part(&small);
            let last = small.last();
            small = self.small(candidate, last)?.unwrap_or(small);
        }
        self.leave_out(&mut small, |stimulus| &mut stimulus.frames)?;
        Ok(Some(small))
    }

    /// The candidate, if it differs up to a cycle.
    fn small(&mut self, stimulus: Stimulus, last: u64) -> Result<Option<Small>, NicError> {
        self.left = self.left.saturating_sub(1);
        let mut end = (self.fresh)()?;
        let given = stimulus.give_up_to(last, &mut end, &mut |_| true);
        self.cycles += end.cycle();
        Ok(given.err().map(|difference| Small { stimulus, difference }))
    }

    /// Leaves out parts of one list.
    fn leave_out<T>(
        &mut self,
        small: &mut Small,
        list: fn(&mut Stimulus) -> &mut Vec<T>,
    ) -> Result<(), NicError> {
        let mut part = list(&mut small.stimulus).len();
        while part > 0 && self.may_go_on() {
            let mut at = 0;
            let before = list(&mut small.stimulus).len();
            while at < list(&mut small.stimulus).len() && self.may_go_on() {
                let mut candidate = small.stimulus.clone();
                let entries = list(&mut candidate);
                let end = (at + part).min(entries.len());
                entries.drain(at..end);
                match self.small(candidate, small.last())? {
                    Some(smaller) => *small = smaller,
                    None => at = end,
                }
            }
            let is_least = part == 1 && list(&mut small.stimulus).len() == before;
            part = if is_least { 0 } else { (part / 2).max(1) };
        }
        Ok(())
    }
}
