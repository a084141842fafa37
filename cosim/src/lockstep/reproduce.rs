//! From a failed run to a small trace that fails from reset in the same way.

use respray_hdl::manifest::Manifest;

use super::compare::Against;
use super::op_core::OpCore;
use super::plain::Plainness;
use super::rows::Device;
use super::run::{Given, Run, run};
use super::shrink::{Tail, shrink};
use crate::traffic::stimulus::{Entries, Entry, Event};

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
    mut device: impl FnMut() -> Result<D, E>,
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
    let mut spent = 0;
    let mut error = None;
    let mut trial = |entries: &[Entry<C::Op>]| {
        if entries.is_empty() || spent > BUDGET_CYCLES || error.is_some() {
            return None;
        }
        let mut device = device().map_err(|failed| error = Some(failed)).ok()?;
        let given = Given { entries: Entries::new(entries.iter().copied()), expectations, seed };
        let run: Run<C> = run(manifest, &mut device, given, BUDGET_CYCLES, &mut |_| {});
        spent += run.cycles;
        let golden = run.difference.is_some_and(|difference| difference.against == Against::Golden);
        golden.then_some(run.entries as usize)
    };
    let failing = tail.shortest_failing(&mut trial);
    let plainness = Plainness::new(C::CONTRACT, &manifest.config);
    let shrunken = failing.map(|entries| shrink(entries, &plainness, &mut trial));
    match error {
        Some(error) => Err(error),
        None => Ok(Reproducer {
            last_ops: tail.last_of_connection(LAST_OPS),
            culprit: difference.entry.and_then(|entry| tail.place_of(entry, LAST_OPS)),
            shrunken,
        }),
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
