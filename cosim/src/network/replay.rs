//! A network once more, with all that its engines are given kept: each engine alone, as a run of ops, leaves the waves and
//! the small op trace that a run of ops leaves.

use std::path::{Path, PathBuf};

use respray_golden::network::{self as golden, Network, Stop};
use respray_hdl::manifest::Generated;

use super::pair::Differs;
use super::report::EngineFailure;
use super::{Engines, NetworkError, SEED};
use crate::cores::sack_rx::SackRxCore;
use crate::cores::sack_tx::SackTxCore;
use crate::lockstep::op_core::OpCore;
use crate::lockstep::{Compiled, CosimOptions, Progress, Report, Stimulus};
use crate::traffic::optrace::OpTrace;
use crate::traffic::stimulus::Entry;

/// Ops of both engines in one network.
pub(super) struct Replay {
    sack_tx: Option<Vec<Entry<<SackTxCore as OpCore>::Op>>>,
    sack_rx: Option<Vec<Entry<<SackRxCore as OpCore>::Op>>>,
    /// The engine that differs.
    differs: Option<&'static str>,
}

/// Where the files go.
pub(super) struct Places<'a> {
    /// Waves, for which each engine adds its name to the file's.
    pub wave: Option<&'a Path>,
    /// Whether a difference leaves waves without being asked.
    pub waves: bool,
    pub reproducer: &'a Path,
}

impl Replay {
    /// Runs a network on engines of its own.
    pub fn of(network: &Network, engines: &Engines<'_>) -> Result<Replay, NetworkError> {
        let (mut sender, mut arrivals) = engines.make()?;
        sender.pair.keep();
        arrivals.pair.keep();
        let reset = sender.pair.reset().and_then(|()| arrivals.pair.reset());
        let end = reset
            .map_err(Stop::Engine)
            .and_then(|()| golden::run(network, &mut sender, &mut arrivals, &mut |_| {}).map(|_| ()));
        let differs = match end {
            Err(Stop::Engine(Differs { core, .. })) => Some(core),
            Err(Stop::Broken(_)) | Ok(()) => None,
        };
        Ok(Replay { sack_tx: sender.pair.kept(), sack_rx: arrivals.pair.kept(), differs })
    }

    /// What is made of the difference of an engine: `None` if its ops alone do not differ, or are more than are kept. `again`
    /// is the command that fails on the whole network.
    pub fn failure(
        self,
        engines: &Engines<'_>,
        places: &Places<'_>,
        again: &str,
        not_done: &mut Vec<String>,
        progress: &mut dyn FnMut(Progress),
    ) -> Option<EngineFailure> {
        let core = self.differs?;
        let report = if core == SackTxCore::CONTRACT.core {
            alone::<SackTxCore>(engines.sack_tx, self.sack_tx?, places, false, progress)
        } else {
            alone::<SackRxCore>(engines.sack_rx, self.sack_rx?, places, false, progress)
        };
        let report = heard(report, not_done)?;
        let mut failure = report.failure?;
        if failure.reproducer.is_none() {
            failure.command = again.to_string();
        }
        Some(EngineFailure { core, failure })
    }

    /// Writes waves of both engines, which agree: of their first cycles, or of their last ones.
    pub fn waves(
        self,
        engines: &Engines<'_>,
        places: &Places<'_>,
        at_end: bool,
        not_done: &mut Vec<String>,
        progress: &mut dyn FnMut(Progress),
    ) -> Vec<PathBuf> {
        let Some(wave) = places.wave else { return Vec::new() };
        let (Some(sack_tx), Some(sack_rx)) = (self.sack_tx, self.sack_rx) else {
            not_done.push("the network is too long for waves of it: it has more ops than are kept".into());
            return Vec::new();
        };
        let reports = [
            alone::<SackTxCore>(engines.sack_tx, sack_tx, places, at_end, progress),
            alone::<SackRxCore>(engines.sack_rx, sack_rx, places, at_end, progress),
        ];
        let cores = [SackTxCore::CONTRACT.core, SackRxCore::CONTRACT.core];
        let mut written = Vec::new();
        for (report, core) in reports.into_iter().zip(cores) {
            let before = not_done.len();
            let is_run = heard(report, not_done).is_some();
            written.extend((is_run && not_done.len() == before).then(|| wave_of(wave, core)));
        }
        written
    }
}

/// The report, and what could not be done told.
fn heard(report: Result<Report, String>, not_done: &mut Vec<String>) -> Option<Report> {
    match report {
        Ok(report) => {
            not_done.extend_from_slice(&report.not_done);
            Some(report)
        }
        Err(sentence) => {
            not_done.push(sentence);
            None
        }
    }
}

/// Runs the ops of an engine in lockstep.
fn alone<C: Compiled>(
    generated: &Generated,
    entries: Vec<Entry<C::Op>>,
    places: &Places<'_>,
    at_end: bool,
    progress: &mut dyn FnMut(Progress),
) -> Result<Report, String> {
    let trace = OpTrace { seed: Some(SEED), ..OpTrace::of_entries(C::CONTRACT, &entries, &[]) };
    let stimulus = Stimulus::Made { trace, arguments: Vec::new(), warnings: Vec::new(), account: None };
    let options = CosimOptions {
        wave: places.wave.map(|wave| wave_of(wave, C::CONTRACT.core)),
        waves: places.waves,
        wave_of_end: at_end,
        reproducer: places.reproducer.to_path_buf(),
        ..CosimOptions::<C>::new(stimulus)
    };
    C::cosim(generated, &options, progress).map_err(|error| error.to_string())
}

/// `run_sack_tx.fst` of `run.fst`.
fn wave_of(wave: &Path, core: &str) -> PathBuf {
    let stem = wave.file_stem().unwrap_or_default().to_string_lossy();
    let extension = wave.extension().map_or(String::new(), |found| format!(".{}", found.to_string_lossy()));
    wave.with_file_name(format!("{stem}_{core}{extension}"))
}
