//! Makes what a block was given as small as it can be and still differ.

use super::difference::Difference;
use super::end::End;
use super::stimulus::Stimulus;
use crate::verilator::ModelError;

/// Runs of candidates at most.
const MOST_RUNS: u32 = 200;

/// A small stimulus and its difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Small {
    pub stimulus: Stimulus,
    pub difference: Difference,
}

/// Makes a block that was not given anything.
pub type Fresh<'a> = &'a mut dyn FnMut() -> Result<End, ModelError>;

/// Leaves out frames, in large parts first, as long as the rest differs. `None` if the stimulus does not differ by itself.
///
/// # Errors
/// If there is no block.
pub fn shrink(stimulus: &Stimulus, fresh: Fresh<'_>) -> Result<Option<Small>, ModelError> {
    let mut differs = |stimulus: &Stimulus| -> Result<Option<Difference>, ModelError> {
        Ok(stimulus.give(&mut fresh()?, &mut |_| true).err())
    };
    let Some(difference) = differs(stimulus)? else { return Ok(None) };
    let mut small = Small { stimulus: stimulus.clone(), difference };
    let (mut part, mut runs) = (small.stimulus.frames.len().div_ceil(2), 0);
    while part > 0 && runs < MOST_RUNS {
        let mut at = 0;
        let before = small.stimulus.frames.len();
        while at < small.stimulus.frames.len() && runs < MOST_RUNS {
            let mut candidate = small.stimulus.clone();
            let end = (at + part).min(candidate.frames.len());
            candidate.frames.drain(at..end);
            runs += 1;
            match differs(&candidate)? {
                Some(difference) => small = Small { stimulus: candidate, difference },
                None => at = end,
            }
        }
        part = if part == 1 && small.stimulus.frames.len() == before { 0 } else { (part / 2).max(1) };
    }
    Ok(Some(small))
}
