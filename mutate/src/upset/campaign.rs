//! A campaign: many short runs of a core, each with a fault of its own.

use std::collections::BTreeMap;

use respray_cosim::cores::upsets::rules;
use respray_cosim::cores::{Visitor, visit};
use respray_cosim::interrupt;
use respray_cosim::lockstep::upset::rules::Rules;
use respray_cosim::lockstep::{Compiled, given};
use respray_cosim::stream::stream_core::RewriterSettings;
use respray_cosim::stream::{self, STREAM_CORES, Traffic};
use respray_cosim::traffic::frames::FrameKnobs;
use respray_cosim::traffic::random::Knobs;
use respray_cosim::upset::{Finding, Flip, Site, Upset};
use respray_cosim::verilator::Design;
use respray_files::parallel;
use respray_hdl::cores;
use respray_hdl::manifest::Generated;
use respray_hdl::nic::top::NAME;
use serde::{Deserialize, Serialize};

use super::kind::{CYCLES, Kind, built, of_probe};
use super::nic::NicRuns;
use super::verilog::{Hittable, hittable};
use crate::MutateError;
use crate::texts::watched;
use crate::verilog;

/// Runs between two calls of the progress.
const RUNS_AT_A_TIME: u64 = 128;
/// Findings that are kept of a core.
const MOST_FINDINGS: usize = 20;
/// Resets that a run has time for.
const RESETS: u64 = 3;

/// Something that must not be, and the run that shows it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Found {
    /// Seed of the run: a campaign of one run with it shows the same.
    pub seed: u64,
    pub flip: Option<Flip>,
    #[serde(flatten)]
    pub finding: Finding,
}

/// What came of the runs of a core.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Campaign {
    pub core: String,
    pub kind: Kind,
    pub runs: u64,
    pub seed: u64,
    pub cycles: u64,
    /// Of each memory: its size, how many bits flipped, and how many of these an op met.
    pub memories: BTreeMap<String, Hit>,
    /// Ops that read what was spoilt, and those among them that were answered otherwise.
    pub met: u64,
    pub differed: u64,
    /// The longest of them in cycles, in a core that works on one op at a time.
    pub longest: u64,
    /// Runs of the joined block behind which it had to be reset.
    pub resets: u64,
    /// Runs that found something, of which the first ones are listed.
    pub found: u64,
    pub findings: Vec<Found>,
}

/// What was done to a memory.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Hit {
    pub words: u32,
    pub width: u32,
    pub flips: u64,
    pub met: u64,
    /// Flips behind which the joined block had to be reset.
    pub resets: u64,
}

/// Runs a campaign of a generated core: so many runs, whose seeds follow from `seed` on. `progress` hears how many are done.
///
/// # Errors
/// [`MutateError`].
pub fn campaign(
    generated: &Generated,
    kind: Kind,
    runs: u64,
    seed: u64,
    progress: &dyn Fn(u64),
) -> Result<Campaign, MutateError> {
    let core = generated.manifest.module.as_str();
    check(generated, kind)?;
    let asked = Asked { generated, kind, runs, seed, progress };
    if let Some(text) = watched(generated)? {
        return asked.of_block(text);
    }
    if STREAM_CORES.contains(&core) {
        return asked.of_frames();
    }
    visit(core, asked).unwrap_or_else(|| Err(MutateError::Core { core: core.to_string() }))
}

/// The same of the joined block, as this text has it: as [`watched`] gives it, or changed.
///
/// # Errors
/// [`MutateError`].
pub fn campaign_of_block(
    generated: &Generated,
    text: String,
    kind: Kind,
    runs: u64,
    seed: u64,
) -> Result<Campaign, MutateError> {
    Asked { generated, kind, runs, seed, progress: &|_| () }.of_block(text)
}

/// Whether a core can be run with what happens to it, without building anything.
///
/// # Errors
/// [`MutateError`].
pub fn check(generated: &Generated, kind: Kind) -> Result<(), MutateError> {
    let core = generated.manifest.module.as_str();
    let has_acks = cores::find(core).is_some_and(|found| found.keys.contains(&"sack.acks"));
    if has_acks && !generated.manifest.config.sack.acks.is_default() {
        return Err(MutateError::Acks { core: core.to_string() });
    }
    match kind {
        Kind::Flip if core != NAME && !STREAM_CORES.contains(&core) => hit(generated).map(|_| ()),
        _ => Ok(()),
    }
}

/// The text with memories that can be hit, and to whom their words belong.
fn hit(generated: &Generated) -> Result<(&'static Rules, Hittable), MutateError> {
    let manifest = &generated.manifest;
    let core = manifest.module.as_str();
    let rules = rules(core).ok_or_else(|| MutateError::Core { core: core.to_string() })?;
    let (intervals, latencies) = (&manifest.initiation_interval_cycles, &manifest.latency_cycles);
    let is_pipelined = intervals.values().all(|cycles| cycles.fixed() == Some(1));
    // one op at a time: the next one begins where the result of the one before is shown
    let is_serial = latencies.iter().all(|(class, cycles)| intervals.get(class) == Some(cycles));
    if !is_pipelined && (!is_serial || !manifest.same_connection_interval_cycles.is_empty()) {
        return Err(MutateError::Overlapping { core: core.to_string() });
    }
    let text = generated.verilog.as_str();
    let made = hittable(core, text, &verilog::sites(text));
    if let Some(site) = made.sites.iter().find(|site| rules.memory(&site.module).is_none()) {
        return Err(MutateError::Unruled { core: core.to_string(), module: site.module.clone() });
    }
    Ok((rules, made))
}

struct Asked<'a> {
    generated: &'a Generated,
    kind: Kind,
    runs: u64,
    seed: u64,
    progress: &'a dyn Fn(u64),
}

impl Visitor for Asked<'_> {
    type Output = Result<Campaign, MutateError>;

    fn visit<C: Compiled + 'static>(self) -> Self::Output {
        let generated = self.generated;
        let manifest = &generated.manifest;
        if self.kind == Kind::Flip {
            let (rules, Hittable { verilog, sites }) = hit(generated)?;
            let design = built(C::CONTRACT.core, &verilog)?;
            return self.all(&sites, |seed| {
                Ok(C::upset(generated, design.model(seed as u32)?, rules, &sites, seed)?)
            });
        }
        let (knobs, resets): (&[&str], u64) = match self.kind {
            Kind::Reset => (&["ops_per_reset=24", "hot_set=2"], RESETS),
            Kind::Stall => (&["ops_per_reset=0", "idle_share=1"], 1),
            _ => (&["ops_per_reset=0"], 1),
        };
        let is_known =
            |knob: &&&str| C::Knobs::NAMES.iter().any(|name| knob.split('=').next() == Some(*name));
        let knobs: Vec<String> = knobs.iter().filter(is_known).map(|knob| knob.to_string()).collect();
        let cycles = CYCLES + resets * u64::from(manifest.reset_cycles);
        let design = self.plain()?;
        self.all(&[], |seed| {
            let stimulus = given::random::<C>(cycles, &knobs, &manifest.config)?;
            Ok(of_probe(C::probed(generated, design.model(seed as u32)?, &stimulus, seed)?))
        })
    }
}

impl Asked<'_> {
    /// The design as it is given out.
    fn plain(&self) -> Result<&'static Design, MutateError> {
        built(&self.generated.manifest.module, &self.generated.verilog)
    }

    fn of_block(&self, text: String) -> Result<Campaign, MutateError> {
        let runs = NicRuns::new(self.generated, text, self.kind)?;
        self.all(&runs.sites, |seed| runs.run(seed))
    }

    fn of_frames(&self) -> Result<Campaign, MutateError> {
        let usual = FrameKnobs::default();
        let (knobs, flow_label) = match self.kind {
            Kind::Reset => (FrameKnobs { resets: 0.2, longest: 200, ..usual }, true),
            Kind::Flip | Kind::State => (FrameKnobs { longest: 200, ..usual }, true),
            Kind::Stall => (FrameKnobs { longest: 120, odd: 0.6, ..usual }, false),
        };
        let settings = RewriterSettings { flow_label, ..RewriterSettings::default() };
        if self.kind == Kind::Flip {
            let manifest = &self.generated.manifest;
            let text = self.generated.verilog.as_str();
            let Hittable { verilog, sites } = hittable(&manifest.module, text, &verilog::sites(text));
            let design = built(&manifest.module, &verilog)?;
            let knobs = FrameKnobs { resets: 0.0, ..knobs };
            return self.all(&sites, |seed| {
                let pacing = Traffic::Random { cycles: CYCLES, knobs }.pacing(seed);
                let model = design.model(seed as u32)?;
                Ok(stream::upset(self.generated, model, &sites, (CYCLES, knobs), (pacing, settings), seed)?)
            });
        }
        let design = self.plain()?;
        self.all(&[], |seed| {
            let traffic = Traffic::Random { cycles: CYCLES, knobs };
            let pacing = traffic.pacing(seed);
            let model = design.model(seed as u32)?;
            Ok(of_probe(stream::probed(self.generated, model, &traffic, pacing, settings)?))
        })
    }

    /// All runs, some at a time.
    fn all(
        &self,
        sites: &[Site],
        run: impl Fn(u64) -> Result<Upset, MutateError> + Sync,
    ) -> Result<Campaign, MutateError> {
        let core = self.generated.manifest.module.clone();
        let mut campaign = Campaign {
            core,
            kind: self.kind,
            runs: 0,
            seed: self.seed,
            cycles: 0,
            memories: BTreeMap::new(),
            met: 0,
            differed: 0,
            longest: 0,
            resets: 0,
            found: 0,
            findings: Vec::new(),
        };
        for site in sites {
            let Site { path, words, width, .. } = site.clone();
            campaign.memories.insert(path, Hit { words, width, ..Hit::default() });
        }
        while campaign.runs < self.runs && !interrupt::is_requested() {
            let first = self.seed + campaign.runs;
            let many = RUNS_AT_A_TIME.min(self.runs - campaign.runs);
            let seeds: Vec<u64> = (first..first + many).collect();
            for (seed, upset) in seeds.iter().zip(parallel::map(&seeds, |seed| run(*seed))) {
                campaign.add(*seed, upset?);
            }
            (self.progress)(campaign.runs);
        }
        Ok(campaign)
    }
}

impl Campaign {
    fn add(&mut self, seed: u64, upset: Upset) {
        self.runs += 1;
        self.cycles += upset.cycles;
        self.met += upset.met;
        self.differed += upset.differed;
        self.longest = self.longest.max(upset.longest);
        self.resets += u64::from(upset.reset);
        if let Some(hit) = upset.flip.as_ref().and_then(|flip| self.memories.get_mut(&flip.memory)) {
            hit.flips += 1;
            hit.met += u64::from(upset.met > 0);
            hit.resets += u64::from(upset.reset);
        }
        if let Some(finding) = upset.finding {
            self.found += 1;
            if self.findings.len() < MOST_FINDINGS {
                self.findings.push(Found { seed, flip: upset.flip, finding });
            }
        }
    }
}
