//! `respray report` from its options to its verdict.

use std::path::{Path, PathBuf};

use respray_files::quote::Quoted;
use respray_hdl::config::Config;
use thiserror::Error;

use crate::baseline::{Baseline, BaselineError, Compared, Difference};
use crate::device::{CARDS, Target};
use crate::figures::{ROUTED, XCUP};
use crate::report::{
    Generate, Instance, Report, Request, Timing, instances, made_from, measure, parse_sweep, timing,
};
use crate::{Bench, SynthError};

/// What the user asked for.
#[derive(Clone, Debug, Default)]
pub struct Options {
    pub config: Config,
    /// Cores to measure; none: all.
    pub cores: Vec<String>,
    /// Targets as `--target` spells them; none: all.
    pub targets: Vec<String>,
    /// Place each core on UltraScale+, for the estimate of its clock by distance.
    pub place: bool,
    /// Each `KEY=a,b,c`.
    pub sweeps: Vec<String>,
    /// Targets of the sweeps; none: those of the cores.
    pub sweep_targets: Vec<String>,
    /// The accepted figures.
    pub baseline: PathBuf,
    /// Measure only the cores whose accepted figures are made from something else than what there is now.
    pub changed: bool,
    /// Show the accepted figures of what is not measured: other cores, and the same ones on other devices.
    pub accepted: bool,
    /// Hold the figures against the baseline.
    pub check: bool,
    /// Make the figures the baseline.
    pub accept: bool,
    /// Hold every core against a clock of so many MHz.
    pub clock_mhz: Option<f64>,
}

impl Options {
    /// The targets that are measured.
    fn all_targets(&self) -> Result<Vec<Target>, RunError> {
        targets(&self.targets, self.check || self.accept || self.changed)
    }

    /// Refuses to place where nothing would be placed.
    ///
    /// # Errors
    /// There is a target that is unknown, or none that is a card.
    pub fn check_place(&self) -> Result<(), RunError> {
        match self.place && !has_card(&self.all_targets()?) {
            true => Err(RunError::NotPlaced { cards: CARDS.iter().map(|card| card.name).collect() }),
            false => Ok(()),
        }
    }
}

/// Whether a card is among the targets.
fn has_card(targets: &[Target]) -> bool {
    targets.iter().any(|target| matches!(target, Target::Alveo(_)))
}

/// What came of it.
#[derive(Debug)]
pub struct Finished {
    pub report: Report,
    /// The figures against the baseline.
    pub compared: Compared,
    /// Whether the gate was asked for: a figure that got worse fails.
    pub gate: bool,
    /// The accepted figures as they are to be from now on, where that was asked for: the text of their file.
    pub accepted: Option<String>,
}

/// Why there is no verdict. Its text is the whole sentence for the user.
#[derive(Debug, Error)]
pub enum RunError {
    #[error(transparent)]
    Synth(#[from] SynthError),
    #[error(transparent)]
    Baseline(#[from] BaselineError),
    #[error("--{option}: {message}")]
    Target { option: &'static str, message: String },
    #[error("--core {}: no such core; the cores are {}", Quoted(given), known.join(", "))]
    Core { given: String, known: Vec<String> },
    #[error("--{option} is for the default configuration: it takes neither --config nor --set")]
    NotDefault { option: &'static str },
    #[error("--core {core}: it is not placed and routed; give an Alveo card with --target, e.g. u50")]
    NotRouted { core: String },
    #[error("--place: it is for the estimate of the clock on UltraScale+; allowed: --target with an Alveo card, {}", cards.join(", "))]
    NotPlaced { cards: Vec<&'static str> },
    #[error("--accept is for all cores at once: it takes no --core")]
    AcceptOne,
    #[error("{0}")]
    Unfit(String),
}

/// Measures, then checks or accepts. `known` are the cores there are.
pub fn run(
    bench: &Bench,
    options: &Options,
    known: &[&str],
    generate: Generate,
    progress: &(dyn Fn(usize, usize, &str) + Sync),
) -> Result<Finished, RunError> {
    for (option, wanted) in [
        ("changed", options.changed),
        ("accepted", options.accepted),
        ("check", options.check),
        ("accept", options.accept),
    ] {
        if wanted && options.config != Config::default() {
            return Err(RunError::NotDefault { option });
        }
    }
    if options.accept && !options.cores.is_empty() {
        return Err(RunError::AcceptOne);
    }
    if let Some(given) = options.cores.iter().find(|core| !known.contains(&core.as_str())) {
        let known = known.iter().map(|core| core.to_string()).collect();
        return Err(RunError::Core { given: given.clone(), known });
    }
    let chosen: Vec<&str> = known
        .iter()
        .copied()
        .filter(|core| options.cores.is_empty() || options.cores.iter().any(|chosen| chosen == core))
        .collect();
    options.check_place()?;
    let targets = options.all_targets()?;
    let shows_accepted = options.accepted || options.changed;
    let before = match options.check || shows_accepted {
        true => Some(Baseline::read(&options.baseline)?),
        false => None,
    };
    let every = instances(known, &options.config);
    let mut measured = instances(&chosen, &options.config);
    if !has_card(&targets) {
        refuse_unrouted(&measured, options)?;
    }
    if let (true, Some(before)) = (options.changed, &before) {
        measured = changed(before, bench, generate, measured)?;
    }
    let earlier = match &before {
        Some(before) if shows_accepted => {
            let is_measured = |label: &str, device: &str| {
                measured.iter().any(|one| one.label == label) && devices(&targets).contains(&device)
            };
            let labels: Vec<&str> = every.iter().map(|one| one.label.as_str()).collect();
            let all = before.earlier(&labels).into_iter();
            all.filter(|one| !is_measured(&one.label, one.device.as_str())).collect()
        }
        _ => Vec::new(),
    };
    let request = Request {
        instances: measured,
        sweep_targets: match options.sweep_targets.as_slice() {
            [] => targets.clone(),
            given => named("sweep-target", given)?,
        },
        targets,
        place: options.place,
        sweeps: options.sweeps.iter().map(|given| parse_sweep(given)).collect::<Result<_, _>>()?,
    };
    let measured = measure(bench, &request, generate, progress)?;
    let timing = options.clock_mhz.map(|asked_mhz| timing(&measured.cores, asked_mhz)).unwrap_or_default();
    let report = Report { accepted: earlier, timing, ..measured };
    if let (false, Some(sentence)) = (options.targets.is_empty(), report.unfit()) {
        return Err(RunError::Unfit(sentence.into()));
    }
    let compared = match (options.check, &before) {
        (true, Some(before)) => {
            let labels: Vec<&str> = every.iter().map(|instance| instance.label.as_str()).collect();
            before.check_cores(&labels, &options.baseline)?;
            Compared::Differences(before.compare(&Baseline::of(&report, &today())?, &options.baseline)?)
        }
        _ => compared(&report, options),
    };
    let mut accepted = None;
    if options.accept {
        // what cannot be read is written anew
        let before = Baseline::read(&options.baseline).ok();
        let now = Baseline::of(&report, &today())?;
        let now = now.with_earlier(&report.accepted);
        accepted = Some(before.iter().fold(now, |now, before| now.keep_days(before)).text());
    }
    Ok(Finished { report, compared, gate: options.check, accepted })
}

/// The devices of the baseline on which these targets have cores measured.
fn devices(targets: &[Target]) -> Vec<&'static str> {
    let device = |target: &Target| match target {
        Target::Alveo(_) => Some(XCUP),
        Target::Ecp5 => Some(ROUTED),
        Target::Ice40 => None,
    };
    targets.iter().filter_map(device).collect()
}

/// Refuses a core that was asked for by name, where nothing of it would be measured.
fn refuse_unrouted(measured: &[Instance], options: &Options) -> Result<(), RunError> {
    let is_asked = |instance: &&Instance| options.cores.contains(&instance.core);
    match measured.iter().filter(is_asked).find(|instance| !instance.is_routed()) {
        Some(instance) => Err(RunError::NotRouted { core: instance.core.clone() }),
        None => Ok(()),
    }
}

/// What has changed since the figures were accepted, for a reader: where that cannot be said, nothing fails.
fn compared(report: &Report, options: &Options) -> Compared {
    if options.config != Config::default() {
        return Compared::NotCompared("the accepted figures are those of the default configuration".into());
    }
    let differences = Baseline::read(&options.baseline)
        .and_then(|before| before.compare(&Baseline::of(report, &today())?, &options.baseline));
    match differences {
        Ok(differences) if differences.is_empty() => {
            Compared::NotCompared("nothing was measured of which there are accepted figures".into())
        }
        Ok(differences) => Compared::Differences(differences),
        Err(error) => Compared::NotCompared(error.to_string()),
    }
}

/// Those of `instances` whose accepted figures are made from another design, or with other tools.
fn changed(
    before: &Baseline,
    bench: &Bench,
    generate: Generate,
    instances: Vec<Instance>,
) -> Result<Vec<Instance>, SynthError> {
    let tools = [bench.tools.yosys()?, bench.tools.nextpnr_ecp5()?];
    let has_same_tools = tools.iter().all(|tool| before.tools.get(tool.name) == Some(&tool.version));
    let mut changed = Vec::new();
    for instance in instances {
        let made_from = made_from(generate, &instance)?;
        let is_same = |(device, made_from): &(&str, String)| before.same(&instance.label, device, made_from);
        if !has_same_tools || !made_from.iter().all(|on| is_same(on).is_some()) {
            changed.push(instance);
        }
    }
    Ok(changed)
}

/// The day, in UTC.
pub fn today() -> String {
    chrono::Utc::now().format("%Y-%m-%d").to_string()
}

impl Finished {
    /// Every figure against the baseline, where the gate was asked for.
    pub fn gated(&self) -> Option<&[Difference]> {
        match &self.compared {
            Compared::Differences(differences) if self.gate => Some(differences),
            _ => None,
        }
    }

    /// Whether the gate and the clock, where they were asked for, hold.
    pub fn passes(&self) -> bool {
        self.failures().is_empty()
    }

    /// What is doubtful about the clock that was asked for, a sentence each.
    pub fn warnings(&self) -> Vec<String> {
        self.report.timing.iter().filter_map(Timing::warning).collect()
    }

    /// What does not hold, a sentence each.
    pub fn failures(&self) -> Vec<String> {
        let failing = self.gated().into_iter().flatten().filter(|difference| difference.fails);
        let late = self.report.timing.iter().filter_map(Timing::failure);
        failing.map(Difference::sentence).chain(late).collect()
    }
}

/// The targets that `given` names; all of them where it names none, but for the gate only those that it looks at.
fn targets(given: &[String], gate: bool) -> Result<Vec<Target>, RunError> {
    let mut targets = named("target", given)?;
    if targets.is_empty() {
        targets = Target::all();
        targets.retain(|target| !gate || *target != Target::Ice40);
    } else if gate {
        for needed in [Target::all()[0], Target::Ecp5] {
            let there = |target: &Target| std::mem::discriminant(target) == std::mem::discriminant(&needed);
            if !targets.iter().any(there) {
                targets.push(needed);
            }
        }
    }
    targets.dedup();
    Ok(targets)
}

/// Targets by their names, as `--option` gives them.
fn named(option: &'static str, names: &[String]) -> Result<Vec<Target>, RunError> {
    let target = |name: &String| name.parse().map_err(|message| RunError::Target { option, message });
    names.iter().map(target).collect()
}

/// Where the baseline stands in the project whose root is `root`.
pub fn baseline_path(root: &Path) -> PathBuf {
    root.join("synth/baseline.json")
}
