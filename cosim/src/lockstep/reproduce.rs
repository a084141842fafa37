//! From a failed run to a small trace that fails from reset in the same way.

use std::marker::PhantomData;

use respray_hdl::manifest::Manifest;

use super::compare::Against;
use super::op_core::OpCore;
use super::plain::Plainness;
use super::rows::Device;
use super::run::{Given, Run, run};
use super::shrink::{Tail, Trial, shrink};
use crate::traffic::stimulus::{Entries, Entry, Event, Expectation};

/// Cycles that the search and the shrinker may simulate in all.
const BUDGET_CYCLES: u64 = 60_000_000;

/// Ops of the failing connection that a report shows.
const LAST_OPS: usize = 16;

/// What is left of a failed run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reproducer<O> {
    /// The failing connection's last ops and the resets among them, oldest first.
    pub last_ops: Vec<Entry<O>>,
    /// Which of them leaves the core in the cycle of the difference, if one does.
    pub culprit: Option<usize>,
    /// The shrunken trace; `None` if no end of the run within reach fails from reset.
    pub shrunken: Option<Vec<Entry<O>>>,
}

/// Finds why `failed` failed: `given` is the run's from its start, `device` makes a fresh device.
pub fn reproduce<C: OpCore, D: Device, E>(
    manifest: &Manifest,
    failed: &Run<C>,
    given: Given<'_, C::Op>,
    device: impl FnMut() -> Result<D, E>,
) -> Result<Reproducer<C::Op>, E> {
    let Some(difference) = &failed.difference else {
        return Ok(Reproducer::default());
    };
    let Given { entries, expectations, seed } = given;
    // a difference before the first op is that of a trace of one op, since one without any is refused
    let prefix = entries.take(failed.entries.max(1) as usize);
    if let (Against::Trace, Some(entry)) = (difference.against, difference.entry) {
        let tail = Tail::new(prefix.take(entry as usize + 1), difference.connection);
        return Ok(Reproducer {
            last_ops: tail.last_of_connection(LAST_OPS),
            culprit: tail.place_of(entry, LAST_OPS),
            shrunken: Some(since_init(tail.last_of_connection(usize::MAX))),
        });
    }
    let tail = Tail::new(prefix, difference.connection);
    let mut trial =
        Trials { manifest, expectations, seed, device, core: PhantomData::<C>, spent: 0, error: None };
    let failing = tail.shortest_failing(&mut trial);
    let plainness = Plainness::new(C::CONTRACT, &manifest.config);
    let shrunken = failing.map(|entries| shrink(entries, &plainness, &mut trial));
    match trial.error {
        Some(error) => Err(error),
        None => Ok(Reproducer {
            last_ops: tail.last_of_connection(LAST_OPS),
            culprit: difference.entry.and_then(|entry| tail.place_of(entry, LAST_OPS)),
            shrunken,
        }),
    }
}

/// Runs of a core from reset, while there are cycles left to spend.
struct Trials<'a, C, F, E> {
    manifest: &'a Manifest,
    expectations: &'a [Expectation],
    seed: u16,
    device: F,
    core: PhantomData<C>,
    /// Cycles so far.
    spent: u64,
    /// Why there was no device.
    error: Option<E>,
}

impl<C: OpCore, D: Device, E, F: FnMut() -> Result<D, E>> Trial<C::Op> for Trials<'_, C, F, E> {
    fn fails(&mut self, entries: &[Entry<C::Op>]) -> Option<usize> {
        if entries.is_empty() || self.is_over() {
            return None;
        }
        let mut device = (self.device)().map_err(|failed| self.error = Some(failed)).ok()?;
        let entries = Entries::new(entries.iter().copied());
        let given = Given { entries, expectations: self.expectations, seed: self.seed };
        let run: Run<C> = run(self.manifest, &mut device, given, BUDGET_CYCLES, &mut |_| {});
        self.spent += run.cycles;
        let golden = run.difference.is_some_and(|difference| difference.against == Against::Golden);
        golden.then_some(run.entries as usize)
    }

    fn is_over(&self) -> bool {
        self.spent > BUDGET_CYCLES || self.error.is_some()
    }
}

/// What a trace expects hangs on all that its connection did since it began: of the other expectations nothing is
/// kept, and of the ops only those after the last reset.
fn since_init<O: Copy>(entries: Vec<Entry<O>>) -> Vec<Entry<O>> {
    let is_reset = |entry: &Entry<O>| matches!(entry.event, Event::Reset { .. });
    let start = entries.iter().rposition(is_reset).map_or(0, |reset| reset + 1);
    let mut kept = entries[start..].to_vec();
    if let Some((_, before)) = kept.split_last_mut() {
        before.iter_mut().for_each(|entry| entry.expect = 0);
    }
    kept
}
