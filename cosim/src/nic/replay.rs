//! Frames of a capture, or of a list, replayed into both directions of one block; beside a log, what the
//! recorded block was given.

use respray_golden::paths::End as Side;

use super::bench::{Bench, Ended};
use super::end::End;
use super::error::NicError;
use super::files::{self, NoWaves};
use super::outcome::{Outcome, Seen};
use super::pair::Stop;
use super::plan::{Plan, What};
use super::report;
use super::shrink::shrink;
use super::stimulus::Stimulus;
use crate::interrupt;
use crate::lockstep::Progress;
use crate::report::Counts;
use crate::runner::{Flavour, Window};

/// Replays frames on one block.
///
/// # Errors
/// If there is no run.
pub(super) fn replay(
    bench: &mut Bench<'_>,
    plan: Plan,
    progress: &mut dyn FnMut(Progress),
) -> Result<Outcome, NicError> {
    let Plan { what, left_out: [acks_left_out, probes_left_out], mut account, numbers, warnings } = plan;
    let of = what.frames();
    let (given, ends) = bench.run(&mut |[mut end]: [End; 1]| {
        end.keep_account();
        let given = what.give(&mut end, &mut |done| {
            progress(Progress::Running { done, of });
            !interrupt::is_requested()
        });
        let agreed = given.is_ok() && end.noted().0.is_none();
        Ended { value: given, ends: Some([end]), agreed }
    })?;
    let [mut end] = ends.expect("the block is left");
    let Counts(mut counts) = report::counts(&[end.golden()]);
    counts.extend([("acks_left_out", acks_left_out), ("probes_left_out", probes_left_out)]);
    let counts = Counts(counts);
    let stop = given.err().map(|difference| Stop::Differs(Side::A, difference));
    let seen = Seen::of([&mut end].into_iter(), stop);
    let window = files::window(&end, seen.stop.as_ref());
    let small = match &what {
        What::Stimulus(stimulus) if seen.stop.is_some() && !bench.is_beside() => {
            progress(Progress::Shrinking);
            // what paused is kept as what was held
            let whole = if bench.options.own.pauses.is_some() { recorded(bench, &what) } else { Ok(None) };
            let whole = whole.map(|whole| whole.unwrap_or_else(|| stimulus.clone()));
            whole.and_then(|whole| shrink(&whole, &mut || Ok(bench.fresh(Flavour::Plain)?)))
        }
        // other simulators are slow; of a log what came out later follows from all that went in before
        What::Stimulus(_) | What::Logged(_) => Ok(None),
    };
    let waves = bench.options.wave.as_deref().filter(|_| !interrupt::is_requested()).map(|_| {
        progress(Progress::Recording);
        window.and_then(|window| record(bench, &what, window))
    });
    let [of_host, of_mac] = &numbers;
    end.ledger().expect("it is kept from the beginning on").enter([of_host, of_mac], &mut account);
    Ok(Outcome {
        cycles: end.cycle(),
        given: end.cycle(),
        is_empty: account.taken == 0,
        summary: report::summary_of_one(&counts),
        counts,
        seen,
        small: small.map_err(|error| error.to_string()),
        waves,
        warnings,
        account: Some(account),
    })
}

/// Repeats a run that differs, and keeps what the block is given.
fn recorded(bench: &Bench<'_>, what: &What) -> Result<Option<Stimulus>, NicError> {
    let mut end = bench.fresh(Flavour::Plain)?;
    end.pace(bench.options.own.pauses, 0);
    end.record();
    let differs = what.give(&mut end, &mut |_| true).is_err();
    Ok(differs.then(|| end.recorded()))
}

/// Repeats the run with waves.
fn record(bench: &Bench<'_>, what: &What, window: Window) -> Result<Vec<u8>, NoWaves> {
    let mut end = bench.fresh(Flavour::Waves)?;
    end.pace(bench.options.own.pauses, 0);
    end.record_waves(window);
    // a run that differs does so again
    what.give(&mut end, &mut |_| true).ok();
    Ok(end.take_waves()?)
}
