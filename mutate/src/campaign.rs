//! A campaign: mutants of a core, each run until the lockstep sees it, and what cannot be seen looked at by a solver.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use respray_cosim::report::Seen;
use respray_cosim::verilator::{BuildOptions, Design, Source, build};
use respray_files::parallel;
use respray_hdl::manifest::Generated;
use respray_synth::tool::Toolbox;
use serde::{Deserialize, Serialize};

use crate::MutateError;
use crate::equivalence::Equivalence;
use crate::explained::Explained;
use crate::lint::refused;
use crate::mutants::{Mutant, candidates, choose};
use crate::outcome::{Judged, Outcome};
use crate::runs::{Plan, Round, Runs, runs};
use crate::schemata::{SELECT, SELECT_BITS, schemata};
use crate::texts::{Texts, lines_of, modules_of_cores, watched};
use crate::verilog::sites;

/// Mutants in one model: more make it slower, fewer make more models.
const MUTANTS_IN_MODEL: usize = 100;

/// What a campaign is asked for.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// Mutants, at most.
    pub number: usize,
    pub plan: Plan,
    /// Where the tools are that prove equivalence; without them nothing is shown to be equivalent.
    pub tools: Option<&'a Toolbox>,
    /// Reasons for mutants that survive.
    pub explained: &'a Explained,
    /// Where the formulas of the proofs go.
    pub folder: &'a Path,
}

/// What a campaign came to.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Campaign {
    pub core: String,
    /// Mutants that there are; those that were chosen of them are listed.
    pub candidates: usize,
    pub seed: u64,
    /// Cycles of random stimulus in the longest round.
    pub cycles: u64,
    pub mutants: Vec<Judged>,
}

/// Runs a campaign of a generated core. `progress` hears how many mutants of how many are judged.
///
/// # Errors
/// [`MutateError`].
pub fn campaign(
    generated: &Generated,
    request: &Request<'_>,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<Campaign, MutateError> {
    let core = generated.manifest.module.as_str();
    let runs = runs(generated, &request.plan)?;
    let watched = watched(generated)?;
    let shown = generated.verilog.as_str();
    let spared = modules_of_cores(generated)?;
    let texts = Texts { run: watched.as_deref().unwrap_or(shown), shown, spared: &spared };
    judged(core, texts, runs.as_ref(), request, progress)
}

/// The same of any Verilog with the ports of a core, and with any rounds.
///
/// # Errors
/// [`MutateError`].
pub fn judged(
    core: &str,
    texts: Texts<'_>,
    runs: &dyn Runs,
    request: &Request<'_>,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<Campaign, MutateError> {
    let text = texts.run;
    let lines = texts.lines();
    let mut sites = sites(text);
    sites.keep(&lines_of(text, |line| lines[line].is_some()), texts.spared);
    let chosen = choose(text, &sites, request.number, request.plan.seed);
    let warnings = refused(core, text, &sites, &chosen)?;
    let mut outcomes: Vec<Option<Outcome>> =
        warnings.into_iter().map(|warning| warning.map(|warning| Outcome::Invalid { warning })).collect();
    let valid: Vec<usize> = (0..chosen.len()).filter(|place| outcomes[*place].is_none()).collect();
    let done = AtomicUsize::new(chosen.len() - valid.len());
    let of = chosen.len();
    let tell = || progress(1 + done.fetch_add(1, Ordering::Relaxed), of);
    for group in valid.chunks(MUTANTS_IN_MODEL) {
        let mutants: Vec<Mutant> = group.iter().map(|place| chosen[*place].clone()).collect();
        let source = Source::new(core, schemata(text, &sites, &mutants));
        let design = build(&source, &BuildOptions { quick: true, ..BuildOptions::default() })?;
        let found = killed(core, design, runs, mutants.len(), &tell)?;
        for (place, found) in group.iter().zip(found) {
            outcomes[*place] = found;
        }
    }
    let alive: Vec<usize> = (0..chosen.len()).filter(|place| outcomes[*place].is_none()).collect();
    let equivalence = request.tools.map(|tools| Equivalence::new(tools, core, text, &sites, request.folder));
    let answers = parallel::map(&alive, |place| {
        let mutant = &chosen[*place];
        let answer = match request.explained.reason(core, mutant) {
            Some(reason) => Ok(Outcome::Explained { reason }),
            None => {
                let shown = equivalence.as_ref().map_or(Ok(None), |equivalence| equivalence.shown(mutant));
                shown.map(|by| by.map_or(Outcome::Survived, |by| Outcome::Equivalent { by }))
            }
        };
        tell();
        answer
    });
    for (place, answer) in alive.iter().zip(answers) {
        outcomes[*place] = Some(answer?);
    }
    let shown = |mutant: Mutant| Mutant { line: lines[mutant.line - 1].expect("it is shown"), ..mutant };
    let judged = chosen.into_iter().map(shown).zip(outcomes);
    Ok(Campaign {
        core: core.to_string(),
        candidates: candidates(text, &sites).len(),
        seed: request.plan.seed,
        cycles: request.plan.cycles,
        mutants: judged
            .map(|(mutant, outcome)| Judged { mutant, outcome: outcome.expect("each mutant was judged") })
            .collect(),
    })
}

/// Which mutants of a model the rounds see. The text itself must pass them all.
fn killed(
    core: &str,
    design: &'static Design,
    runs: &dyn Runs,
    mutants: usize,
    tell: &(dyn Fn() + Sync),
) -> Result<Vec<Option<Outcome>>, MutateError> {
    let mut found: Vec<Option<Outcome>> = vec![None; mutants];
    let mut rounds: Vec<(usize, &Round)> = runs.rounds().iter().enumerate().collect();
    rounds.sort_by_key(|(_, round)| round.stage);
    for (number, round) in rounds {
        // the text itself is the first one
        let mut alive: Vec<usize> =
            (0..mutants).filter(|place| found[*place].is_none()).map(|place| place + 1).collect();
        if alive.is_empty() {
            break;
        }
        alive.insert(0, 0);
        let seen = parallel::map(&alive, |select| -> Result<Option<Seen>, MutateError> {
            let mut model = design.model(round.seed as u32)?;
            let port = model.input(SELECT, SELECT_BITS)?;
            model.hold(port, *select as u64);
            Ok(runs.run(number, model)?.seen)
        });
        for (select, seen) in alive.into_iter().zip(seen) {
            let Some(Seen { cycle, port }) = seen? else { continue };
            if select == 0 {
                let (core, round) = (core.to_string(), round.says.clone());
                return Err(MutateError::Differs { core, round, cycle, port });
            }
            found[select - 1] = Some(Outcome::Killed { round: round.says.clone(), cycle, port });
            tell();
        }
    }
    Ok(found)
}
