//! A run of two blocks, from the setup to what it came to.

use respray_golden::hosts::Setup;
use respray_golden::nic::Transmitted;
use respray_golden::paths::End as Side;
use respray_hdl::config::Config;
use respray_hdl::nic::top::{NAME, observed};

use super::bench::{Bench, Ended, MODEL_SEED};
use super::end::End;
use super::error::NicError;
use super::files::{self, NoWaves};
use super::options::PairOf;
use super::outcome::{Outcome, Seen};
use super::pair::{Pair, Stop};
use super::registers;
use super::report::{self, PairFigures};
use super::shrink::{Small, shrink};
use crate::interrupt;
use crate::lockstep::Progress;
use crate::runner::{Flavour, Window, design_for};
use crate::stream::Pace;
use crate::verilator::{BuildOptions, Source};

/// Cycles for a packet, about.
const CYCLES_PER_PACKET: u64 = 120;
/// Cycles between two looks at the progress.
const PROGRESS_CYCLES: u64 = 1 << 12;
/// Cycles in which some packet is acknowledged, by far, where timers do not take longer: a path that fails is back within a tenth of them.
const MOST_IDLE_CYCLES: u64 = 1 << 23;
/// Timers that run out one after the other before a packet is acknowledged, by far.
const MOST_TIMERS: u64 = 16;

impl End {
    /// A block of a configuration, generated, compiled, powered up and reset.
    ///
    /// # Errors
    /// If it cannot be generated or compiled.
    pub fn generated(config: &Config) -> Result<End, NicError> {
        let source = Source::new(NAME, observed(config)?);
        let design = design_for(&source, BuildOptions::default(), 0)?;
        Ok(End::new(design.model(MODEL_SEED)?, super::golden(config))?)
    }
}

/// The hosts and the network of a pair.
///
/// # Errors
/// A register that the hosts cannot do with.
pub(super) fn setup(config: &Config, of: &PairOf, seed: u64) -> Result<Setup, NicError> {
    let mut setup = of.scenario.setup(super::golden(config), of.bytes, seed);
    registers::add(&mut setup, &of.registers)?;
    Ok(setup)
}

/// Cycles that a pair takes, about.
pub(super) fn cycles(setup: &Setup, bytes: u64) -> u64 {
    (bytes / u64::from(setup.payload) + 1) * CYCLES_PER_PACKET
}

/// Runs two blocks up to the last message or the first difference.
///
/// # Errors
/// If there is no run.
pub(super) fn pair(
    bench: &mut Bench<'_>,
    of: &PairOf,
    setup: &Setup,
    progress: &mut dyn FnMut(Progress),
) -> Result<(Outcome, PairFigures), NicError> {
    let (ran, mut ends) = bench.run(&mut |ends| run(setup, ends, progress))?;
    let seen = Seen::of(ends.iter_mut().flatten(), ran.stop);
    let side = match &seen.stop {
        Some(Stop::Differs(side, _) | Stop::Broken(side, ..)) => *side,
        None => Side::A,
    };
    let window = match &ends {
        None => Err(NoWaves::Setup),
        Some(ends) => files::window(&ends[side.index()], seen.stop.as_ref()),
    };
    let small = match &seen.stop {
        Some(Stop::Differs(side, _)) if !bench.is_beside() => {
            progress(Progress::Shrinking);
            let mut fresh = |_| Ok(bench.fresh(Flavour::Plain)?);
            let pauses = bench.options.own.pauses;
            smallest_paced(setup, *side, pauses, &mut fresh).map(|small| small.map(|(small, _)| small))
        }
        _ => Ok(None),
    };
    let waves = bench.options.wave.as_deref().filter(|_| !interrupt::is_requested()).map(|_| {
        progress(Progress::Recording);
        window.and_then(|window| record(bench, setup, side, window))
    });
    let bytes = Side::BOTH
        .map(|side| setup.messages[side.index()].iter().map(|message| u64::from(message.bytes)).sum());
    let time_us = (ran.cycles * setup.cycle_ps) as f64 / 1e6;
    let summary = report::summary(&ran.counts, &ran.paths, time_us, bytes);
    let figures = PairFigures { scenario: of.scenario.name(), time_us, paths: ran.paths };
    let outcome = Outcome {
        cycles: 2 * ran.cycles,
        given: 2 * ran.cycles,
        is_empty: false,
        counts: ran.counts,
        summary,
        seen,
        small: small.map_err(|error| error.to_string()),
        waves,
        warnings: Vec::new(),
        account: None,
    };
    Ok((outcome, figures))
}

/// What makes an end differ, as little as can be: the run is repeated and what it gives that end is kept. Beside it the frames that end
/// was given in all. `None` if they do not make it differ by themselves.
///
/// # Errors
/// If there is no block.
pub fn smallest(
    setup: &Setup,
    side: Side,
    fresh: &mut dyn FnMut(Side) -> Result<End, NicError>,
) -> Result<Option<(Small, usize)>, NicError> {
    smallest_paced(setup, side, None, fresh)
}

/// The same of a pair whose streams pause, which is kept as what was held.
fn smallest_paced(
    setup: &Setup,
    side: Side,
    pauses: Option<Pace>,
    fresh: &mut dyn FnMut(Side) -> Result<End, NicError>,
) -> Result<Option<(Small, usize)>, NicError> {
    let mut ends = [fresh(Side::A)?, fresh(Side::B)?];
    ends.iter_mut().zip(0..).for_each(|(end, number)| end.pace(pauses, number));
    ends[side.index()].record();
    let Ok(mut pair) = Pair::new(setup, ends) else { return Ok(None) };
    let again = to_the_end(&mut pair, setup, &mut |_| {});
    let stimulus = pair.end(side).recorded();
    if again.is_ok() {
        return Ok(None);
    }
    let small = shrink(&stimulus, &mut || fresh(side))?;
    Ok(small.map(|small| (small, stimulus.frames.len())))
}

/// Repeats the run with waves of one end.
fn record(bench: &Bench<'_>, setup: &Setup, side: Side, window: Window) -> Result<Vec<u8>, NoWaves> {
    let mut ends = Vec::new();
    for one in Side::BOTH {
        let mut end = bench.fresh(if one == side { Flavour::Waves } else { Flavour::Plain })?;
        end.pace(bench.options.own.pauses, one.index() as u64);
        ends.push(end);
    }
    ends[side.index()].record_waves(window);
    let ends: [End; 2] = ends.try_into().ok().expect("two ends");
    let mut pair = Pair::new(setup, ends).map_err(|_| NoWaves::Setup)?;
    let mut heard = |_, _, _: &Transmitted| {};
    let mut goes_on = true;
    while goes_on && !pair.end(side).waves_are_taken() {
        // a run that stopped stops where it did before
        goes_on = !pair.is_done() && pair.step(&mut heard).is_ok();
        if pair.is_done() {
            pair.finish(&mut heard).ok();
            goes_on = false;
        }
    }
    Ok(pair.end(side).take_waves()?)
}

/// What is left of a run.
struct Ran {
    cycles: u64,
    counts: crate::report::Counts,
    paths: Vec<report::PathReport>,
    stop: Option<Stop>,
}

fn run(setup: &Setup, ends: [End; 2], progress: &mut dyn FnMut(Progress)) -> Ended<Ran, 2> {
    let mut pair = match Pair::new(setup, ends) {
        Ok(pair) => pair,
        Err(stop) => {
            let value = Ran {
                cycles: 0,
                counts: crate::report::Counts::default(),
                paths: Vec::new(),
                stop: Some(stop),
            };
            return Ended { value, ends: None, agreed: false };
        }
    };
    let stop = to_the_end(&mut pair, setup, progress).err();
    let value = Ran {
        cycles: pair.cycles(),
        counts: report::counts_of_pair(&pair),
        paths: report::paths(pair.network(), setup),
        stop,
    };
    let agreed = value.stop.is_none() && pair.ends().iter().all(|end| end.noted().0.is_none());
    Ended { value, ends: Some(pair.into_ends()), agreed }
}

fn to_the_end(pair: &mut Pair<'_>, setup: &Setup, progress: &mut dyn FnMut(Progress)) -> Result<(), Stop> {
    let mut heard = |_, _, _: &Transmitted| {};
    let (mut delivered, mut since) = (0, 0);
    let most_idle = MOST_IDLE_CYCLES.max(MOST_TIMERS * registers::longest_wait(setup));
    while !pair.is_done() {
        pair.step(&mut heard)?;
        if pair.cycles().is_multiple_of(PROGRESS_CYCLES) {
            let (done, of) = pair.delivered();
            progress(Progress::Running { done, of });
            if done > delivered {
                (delivered, since) = (done, pair.cycles());
            }
            if pair.cycles() - since > most_idle {
                let what =
                    format!("nothing was acknowledged since cycle {since}, {done} of {of} packets are");
                return Err(Stop::Broken(Side::A, pair.cycles(), what));
            }
            if interrupt::is_requested() {
                return Ok(());
            }
        }
    }
    pair.finish(&mut heard)
}
