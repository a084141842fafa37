//! Makes what a block was given as small as it can be and still differ.

use super::difference::Difference;
use super::end::End;
use super::stimulus::Stimulus;
use crate::verilator::ModelError;

/// Runs of candidates at most, for each list that becomes shorter.
const MOST_RUNS: u32 = 200;
/// Frames that a person reads one by one.
const FEW: usize = 4;

/// A small stimulus and its difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Small {
    pub stimulus: Stimulus,
    pub difference: Difference,
}

/// Makes a block that was not given anything.
pub type Fresh<'a> = &'a mut dyn FnMut() -> Result<End, ModelError>;

/// Leaves out frames, first all and then ever smaller parts, as long as the rest differs. Where many are left, the same is tried with all frames
/// given at once and nothing held, and the fewer frames are kept. Then changes of what is around the block are left out in the same way.
/// `None` if the stimulus does not differ by itself.
///
/// # Errors
/// If there is no block.
pub fn shrink(stimulus: &Stimulus, fresh: Fresh<'_>) -> Result<Option<Small>, ModelError> {
    let mut trials = Trials { fresh, left: 0 };
    let free = Stimulus { around: Vec::new(), ..stimulus.clone() };
    let mut at_once = free.clone();
    let first = at_once.frames.first().map_or(0, |entry| entry.cycle);
    at_once.frames.iter_mut().for_each(|entry| entry.cycle = first);
    let mut small = trials.least(stimulus.clone())?;
    for candidate in [free, at_once] {
        let frames = small.as_ref().map_or(usize::MAX, |small| small.stimulus.frames.len());
        let is_to_try = if candidate.frames == stimulus.frames { small.is_none() } else { frames > FEW };
        if is_to_try {
            let other = trials.least(candidate)?;
            small = other.filter(|other| other.stimulus.frames.len() < frames).or(small);
        }
    }
    let Some(mut small) = small else { return Ok(None) };
    trials.left = MOST_RUNS;
    trials.leave_out(&mut small, |stimulus| &mut stimulus.around)?;
    Ok(Some(small))
}

/// Runs of candidates.
struct Trials<'a> {
    fresh: Fresh<'a>,
    left: u32,
}

impl Trials<'_> {
    /// The candidate with as few frames as can be, if it differs.
    fn least(&mut self, stimulus: Stimulus) -> Result<Option<Small>, ModelError> {
        self.left = MOST_RUNS;
        let Some(mut small) = self.small(stimulus)? else { return Ok(None) };
        self.leave_out(&mut small, |stimulus| &mut stimulus.frames)?;
        Ok(Some(small))
    }

    /// The candidate, if it differs.
    fn small(&mut self, stimulus: Stimulus) -> Result<Option<Small>, ModelError> {
        self.left = self.left.saturating_sub(1);
        let given = stimulus.give(&mut (self.fresh)()?, &mut |_| true);
        Ok(given.err().map(|difference| Small { stimulus, difference }))
    }

    /// Leaves out parts of one list.
    fn leave_out<T>(
        &mut self,
        small: &mut Small,
        list: fn(&mut Stimulus) -> &mut Vec<T>,
    ) -> Result<(), ModelError> {
        let mut part = list(&mut small.stimulus).len();
        while part > 0 && self.left > 0 {
            let mut at = 0;
            let before = list(&mut small.stimulus).len();
            while at < list(&mut small.stimulus).len() && self.left > 0 {
                let mut candidate = small.stimulus.clone();
                let entries = list(&mut candidate);
                let end = (at + part).min(entries.len());
                entries.drain(at..end);
                match self.small(candidate)? {
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
