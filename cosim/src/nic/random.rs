//! Random traffic on a block, in rounds: frames of both sides, accesses to registers, commands, pauses, and resets.

use std::fmt;
use std::time::Instant;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use respray_golden::paths::End as Side;

use super::bench::{Bench, Ended};
use super::difference::Difference;
use super::end::End;
use super::error::NicError;
use super::files::{self, NoWaves};
use super::outcome::{Outcome, Seen};
use super::pair::Stop;
use super::probe::{is_kept, registers};
use super::report;
use super::shrink::{Small, shrink};
use super::traffic::{GoesOn, Traffic};
use crate::interrupt;
use crate::limit::Limit;
use crate::lockstep::Progress;
use crate::report::{Counts, Differing};
use crate::runner::{Flavour, Window};
use crate::traffic::frames::mix;

/// Connections of a round, of those that there are.
const CONNECTIONS: [usize; 6] = [1, 2, 8, 8, 64, 256];
/// Logarithms of the cycles of traffic in the first round, in which most differences show, and in the longest.
const FIRST: u32 = 11;
const LONGEST: u32 = 16;
/// One round in so many goes through all registers, and one in so many is ended by `rst` many times.
const ROUNDS_OF_REGISTERS: u32 = 24;
const ROUNDS_OF_RESTARTS: u32 = 5;
/// Cycles of traffic before `rst`, of probes before it, and of `rst`; registers that are read behind it.
const CYCLES_BEFORE_RST: std::ops::RangeInclusive<u64> = 0..=1200;
const CYCLES_OF_RUSH: std::ops::RangeInclusive<u64> = 20..=100;
const CYCLES_OF_RST: std::ops::RangeInclusive<u64> = 1..=3;
const REGISTERS_BEHIND_RST: usize = 3;

/// A round, on a block that was just powered up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Round {
    /// From 1 on.
    number: u64,
    kind: Kind,
    connections: usize,
    /// Of traffic.
    cycles: u64,
    seed: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Traffic,
    /// Every register is written with values that it takes and with ones that it refuses, and is read.
    Registers,
    /// `rst` ends traffic, and probes, again and again.
    Restarts,
}

impl fmt::Display for Round {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "round {}", self.number)
    }
}

impl Round {
    /// A round of a run with this seed, of at most so many cycles of traffic.
    fn new(seed: u64, number: u64, left: u64) -> Round {
        let seed = mix(mix(seed) ^ number);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let length = if number == 1 { FIRST } else { random.random_range(FIRST..=LONGEST) };
        let cycles = random.random_range(1 << (length - 1)..=1 << length);
        let connections = CONNECTIONS[random.random_range(0..CONNECTIONS.len())];
        let kind = match () {
            () if number == 1 => Kind::Traffic,
            () if random.random_ratio(1, ROUNDS_OF_REGISTERS) => Kind::Registers,
            () if random.random_ratio(1, ROUNDS_OF_RESTARTS) => Kind::Restarts,
            () => Kind::Traffic,
        };
        Round { number, kind, connections, cycles: left.min(cycles), seed }
    }

    /// Runs it up to its end, or as long as it is to go on.
    fn run(&self, end: &mut End, goes_on: GoesOn<'_>) -> Result<(), Difference> {
        match self.kind {
            Kind::Registers => registers(end, self.seed),
            Kind::Traffic => self.traffic(end, self.cycles, self.seed, goes_on),
            Kind::Restarts => self.restarts(end, goes_on),
        }
    }

    fn traffic(&self, end: &mut End, cycles: u64, seed: u64, goes_on: GoesOn<'_>) -> Result<(), Difference> {
        let mut traffic = Traffic::begin(end, self.connections, seed)?.with_accesses(seed);
        if traffic.run_while(cycles, goes_on)? { traffic.finish() } else { Ok(()) }
    }

    fn restarts(&self, end: &mut End, goes_on: GoesOn<'_>) -> Result<(), Difference> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(self.seed);
        let registers = end.golden().registers().iter().filter(is_kept).map(|register| register.name.clone());
        let registers: Vec<String> = registers.collect();
        while end.cycle() < self.cycles {
            let seed = random.random();
            let mut traffic = Traffic::begin(end, self.connections, seed)?.with_accesses(seed);
            if !traffic.run_while(random.random_range(CYCLES_BEFORE_RST), goes_on)? {
                return Ok(());
            }
            if random.random_ratio(1, 4) {
                traffic.rush(random.random_range(CYCLES_OF_RUSH))?;
            }
            traffic.restart(random.random_range(CYCLES_OF_RST));
            for _ in 0..REGISTERS_BEHIND_RST {
                end.check_register(&registers[random.random_range(0..registers.len())])?;
            }
        }
        self.traffic(end, *CYCLES_BEFORE_RST.end(), random.random(), goes_on)
    }
}

/// Runs random traffic for so many cycles, about. Beside what that came to stands the round of the first difference, or the last one.
///
/// # Errors
/// If there is no run.
pub(super) fn random(
    bench: &mut Bench<'_>,
    cycles: u64,
    progress: &mut dyn FnMut(Progress),
) -> Result<(Outcome, Round), NicError> {
    let limit = Limit { cycles, time: bench.options.time };
    let (deadline, begun) = (limit.begin(), Instant::now());
    let seed = bench.options.own.seed;
    let mut total = 0;
    let mut counts = report::counts(&[]);
    let mut seen = Seen { stop: None, differing: Differing::default() };
    // the first round that differs and the cycles before it, and the first one of all
    let mut found: Option<(Round, u64)> = None;
    let mut first: Option<(Round, Result<Window, NoWaves>)> = None;
    let mut number = 0;
    let goes_on = || !interrupt::is_requested() && !deadline.has_passed();
    while total < cycles && (number == 0 || goes_on()) {
        number += 1;
        let round = Round::new(seed, number, cycles - total);
        let (given, ends) = bench.run_from(total, &mut |[mut end]: [End; 1]| {
            let given = round.run(&mut end, &mut |end| {
                let done = total + end.cycle();
                progress(Progress::Running { done, of: limit.total(cycles, done, begun.elapsed()) });
                goes_on()
            });
            let agreed = given.is_ok() && end.noted().0.is_none();
            Ended { value: given, ends: Some([end]), agreed }
        })?;
        let [mut end] = ends.expect("the block is left");
        let stop = given.err().map(|difference| Stop::Differs(Side::A, difference));
        let Seen { stop, differing } = Seen::of([&mut end].into_iter(), stop);
        counts = sum(counts, report::counts(&[end.golden()]));
        seen.add(differing);
        if first.is_none() {
            first = Some((round, files::window(&end, None)));
        }
        if seen.stop.is_none() && stop.is_some() {
            found = Some((round, total));
            seen.stop = stop;
        }
        total += end.cycle();
        if seen.stop.is_some() && !bench.options.keep_going {
            break;
        }
    }
    let (round, before) = found.or(first.as_ref().map(|(round, _)| (*round, 0))).expect("there is a round");
    let given = match &seen.stop {
        // as far as the round of the difference goes before that
        Some(Stop::Differs(_, difference)) if !bench.options.keep_going => before + difference.cycle + 1,
        _ => total,
    };
    let small = match &seen.stop {
        Some(_) if !bench.is_beside() => {
            progress(Progress::Shrinking);
            smallest(bench, round)
        }
        _ => Ok(None),
    };
    let waves = bench.options.wave.as_deref().filter(|_| !interrupt::is_requested()).map(|_| {
        progress(Progress::Recording);
        let window = match (&seen.stop, first) {
            (Some(Stop::Differs(_, difference)), _) => Ok(Window::around(difference.cycle, 0)),
            (_, Some((_, window))) => window,
            (_, None) => Err(NoWaves::NoFrames),
        };
        window.and_then(|window| record(bench, round, window))
    });
    let is_empty = counts.get("data_packets") + counts.get("packets_delivered") + counts.get("acks") == 0;
    let mut summary = vec![format!("{number} rounds, each on a block that was just powered up")];
    summary.extend(report::summary_of_one(&counts));
    let outcome = Outcome {
        cycles: total,
        given,
        is_empty,
        summary,
        counts,
        seen,
        small: small.map_err(|error| error.to_string()),
        waves,
        warnings: Vec::new(),
        account: None,
    };
    Ok((outcome, round))
}

/// What of a round makes the block differ, as little as can be: the round is repeated and what it gives is kept.
fn smallest(bench: &Bench<'_>, round: Round) -> Result<Option<Small>, NicError> {
    let mut end = bench.fresh(Flavour::Plain)?;
    end.pace(bench.options.own.pauses, 0);
    end.record();
    if round.run(&mut end, &mut |_| true).is_ok() {
        return Ok(None);
    }
    shrink(&end.recorded(), &mut || Ok(bench.fresh(Flavour::Plain)?))
}

/// Repeats a round with waves.
fn record(bench: &Bench<'_>, round: Round, window: Window) -> Result<Vec<u8>, NoWaves> {
    let mut end = bench.fresh(Flavour::Waves)?;
    end.pace(bench.options.own.pauses, 0);
    end.record_waves(window);
    // a round that differs does so again
    round.run(&mut end, &mut |end| !end.waves_are_taken()).ok();
    Ok(end.take_waves()?)
}

fn sum(one: Counts, other: Counts) -> Counts {
    let both = one.0.into_iter().zip(other.0);
    Counts(both.map(|((name, one), (_, other))| (name, one + other)).collect())
}
