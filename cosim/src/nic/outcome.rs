//! What a run came to, and the report of it.

use respray_files::output;
use respray_golden::paths::End as Side;
use respray_hdl::nic::top::NAME;

use super::bench::Bench;
use super::end::End;
use super::files::NoWaves;
use super::pair::Stop;
use super::report::{NicFailure, Shrunk};
use super::shrink::Small;
use crate::interrupt;
use crate::report::{Counts, Differing, Report, Verdict};
use crate::traffic::capture::Account;

/// What was seen of differences.
pub(super) struct Seen {
    /// The first one, or the property that does not hold.
    pub stop: Option<Stop>,
    /// How often there was one, of a run that goes on behind the first.
    pub differing: Differing,
}

impl Seen {
    /// At these ends, of which a run went on behind differences, or was stopped.
    pub fn of<'a>(ends: impl Iterator<Item = &'a mut End>, stop: Option<Stop>) -> Seen {
        let mut seen = Seen { stop, differing: Differing::default() };
        let mut first = None;
        for (end, side) in ends.zip(Side::BOTH) {
            let (difference, differing) = end.noted();
            seen.add(differing);
            first = [first, difference.map(|difference| (difference, side))]
                .into_iter()
                .flatten()
                .min_by_key(|(difference, _)| difference.cycle);
        }
        if let Some((difference, side)) = first {
            seen.stop = Some(Stop::Differs(side, difference));
        }
        seen
    }

    /// More cycles that differ.
    pub fn add(&mut self, more: Differing) {
        self.differing.cycles += more.cycles;
        for (port, cycles) in more.ports {
            *self.differing.ports.entry(port).or_default() += cycles;
        }
    }
}

/// What a run came to.
pub(super) struct Outcome {
    /// Cycles that were compared, of all blocks.
    pub cycles: u64,
    /// Cycles of random traffic that give the same again.
    pub given: u64,
    /// No frame reached the block.
    pub is_empty: bool,
    pub counts: Counts,
    pub summary: Vec<String>,
    pub seen: Seen,
    /// What is left of a run that differed, or why nothing is.
    pub small: Result<Option<Small>, String>,
    /// Waves, if they were asked for.
    pub waves: Option<Result<Vec<u8>, NoWaves>>,
    pub warnings: Vec<String>,
    /// What became of each frame, where they were given.
    pub account: Option<Account>,
}

impl Outcome {
    /// The report of a run whose difference is said so. Reproducer and waves are written.
    pub fn report(self, bench: &Bench<'_>, say: impl Fn(&Stop) -> String) -> Report<NicFailure> {
        let mut not_done = Vec::new();
        let coverage = bench.write_coverage().unwrap_or_else(|sentence| {
            not_done.push(sentence);
            None
        });
        let keeps_going = bench.options.keep_going;
        let mismatches = match (&self.seen.stop, self.seen.differing.cycles) {
            (None, _) => 0,
            (Some(_), cycles) => cycles.max(1),
        };
        let small = self.small.unwrap_or_else(|sentence| {
            not_done.push(sentence);
            None
        });
        let command = bench.command(self.given);
        let mut failure = self.seen.stop.map(|stop| {
            let what = say(&stop);
            left(bench, what, small, command, &mut not_done)
        });
        if let (Some(waves), Some(path)) = (self.waves, &bench.options.wave) {
            let written = match waves {
                Ok(waves) => output::write(path, &waves).map_err(|error| error.to_string()),
                Err(error) => Err(error.to_string()),
            };
            match (written, &mut failure) {
                (Err(sentence), _) => not_done.push(sentence),
                (Ok(()), Some(failure)) => failure.wave = Some(path.clone()),
                (Ok(()), None) => {}
            }
        }
        let result = match &failure {
            Some(_) => Verdict::Fail,
            None if interrupt::is_requested() => Verdict::Interrupted,
            None if self.is_empty => Verdict::Empty,
            None => Verdict::Pass,
        };
        let report = Report {
            core: NAME.to_string(),
            config: bench.config.clone(),
            provenance: bench.provenance(self.given),
            cycles: self.cycles,
            mismatches,
            differing_ports: keeps_going.then_some(self.seen.differing.ports),
            cycles_per_second: (self.cycles as f64 / bench.seconds).round(),
            result,
            summary: self.summary,
            counts: self.counts,
            coverage,
            account: None,
            warnings: self.warnings,
            failure,
            not_done,
        };
        match self.account {
            Some(account) => report.with_account(account),
            None => report,
        }
    }
}

/// What is said of a run that stopped, and the list of frames that is left of it.
fn left(
    bench: &Bench<'_>,
    what: String,
    small: Option<Small>,
    command: String,
    not_done: &mut Vec<String>,
) -> NicFailure {
    let Some(small) = small else { return NicFailure { what, shrunk: None, wave: None, command } };
    let reproducer = bench.options.reproducer.clone();
    let written = output::write_all(&[(reproducer.clone(), small.stimulus.text().into_bytes())]);
    if let Err(error) = written {
        not_done.push(error.to_string());
        return NicFailure { what, shrunk: None, wave: None, command };
    }
    NicFailure {
        what,
        shrunk: Some(Shrunk {
            frames: small.stimulus.frames.len(),
            what: small.difference.to_string(),
            reproducer,
        }),
        wave: None,
        command: bench.command_of_list(),
    }
}
