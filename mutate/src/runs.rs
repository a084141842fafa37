//! What mutants are run on: rounds, each longer than the one before, of random stimulus, of resets at any time, and of recordings.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use respray_cosim::cores::{Visitor, visit};
use respray_cosim::lockstep::op_core::OpCore;
use respray_cosim::lockstep::{Compiled, Stimulus, given};
use respray_cosim::report::Probed;
use respray_cosim::stream::stream_core::RewriterSettings;
use respray_cosim::stream::{self, Pacing, STREAM_CORES, Traffic};
use respray_cosim::traffic::capture::{Cut, Listener, Side};
use respray_cosim::traffic::frames::FrameKnobs;
use respray_cosim::traffic::optrace::OpTrace;
use respray_cosim::traffic::random::Knobs;
use respray_cosim::traffic::stimulus::{Entry, Event};
use respray_cosim::verilator::Model;
use respray_hdl::config::Config;
use respray_hdl::manifest::Generated;

use crate::MutateError;

/// Something that mutants are run on.
#[derive(Clone, Debug)]
pub struct Round {
    /// In words, e.g. `random ops, 20,000 cycles`.
    pub says: String,
    /// Of what is random in it, and of the state of the model before its reset.
    pub seed: u64,
    /// Mutants that are still alive are looked at only behind all rounds of this stage.
    pub stage: usize,
}

/// The rounds of a core, and how a model is run on them.
pub trait Runs: Sync {
    fn rounds(&self) -> &[Round];

    /// The first difference between a model of the core and the golden side in a round.
    ///
    /// # Errors
    /// If there is no run.
    fn run(&self, round: usize, model: Model) -> Result<Probed, MutateError>;
}

/// How long the rounds are, and where recordings are.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Cycles of random stimulus in the longest round.
    pub cycles: u64,
    pub seed: u64,
    /// The folder of the recordings.
    pub recordings: PathBuf,
}

/// Cycles of the first round, and of those in the middle.
const FIRST: u64 = 20_000;
const MIDDLE: u64 = 500_000;
/// Runs with resets at any time that are short, so that each begins with registers that hold something else.
const SHORT_RUNS: u64 = 8;
const SHORT: u64 = 4_000;

/// Resets that come in the midst of ops, and the stages in which they do.
const DIRECTED_RESETS: [(usize, usize); 2] = [(40, 0), (1500, 2)];
/// Ops between two of them, in most cases and in some, and cycles from the last op to the reset, in most cases and in some.
const OPS_BEFORE_RESET: RangeInclusive<usize> = 1..=8;
const OPS_IN_A_ROW: RangeInclusive<usize> = 15..=18;
const LATEST_RESET: u32 = 24;
const LONG_BEFORE_RESET: u32 = 400;

/// Random stimulus of a round: how it is in words, its knobs, its cycles, its stage.
type Random = (&'static str, &'static [&'static str], u64, usize);

impl Plan {
    /// Random stimuli of ops. `cycles` bounds each of them.
    fn of_ops(&self) -> Vec<Random> {
        const RESETS: &[&str] = &["ops_per_reset=24", "hot_set=2"];
        const RARE_RESETS: &[&str] = &["ops_per_reset=600", "hot_set=2", "hot_share=0.9"];
        const ONE: &[&str] = &["hot_set=1", "hot_share=1"];
        let mut rounds: Vec<Random> = vec![("random ops", &[], FIRST, 0)];
        rounds.extend((0..SHORT_RUNS).map(|_| ("random ops, resets at any time", RESETS, SHORT, 0)));
        rounds.extend([
            ("random ops", &[] as &[_], MIDDLE, 2),
            ("random ops, resets at any time", RESETS, MIDDLE, 2),
            ("random ops, resets now and then", RARE_RESETS, MIDDLE, 2),
            ("random ops on one connection", ONE, MIDDLE, 2),
            ("random ops", &[], self.cycles, 3),
            ("random ops, resets at any time", RESETS, self.cycles / 2, 3),
            ("random ops, resets now and then", RARE_RESETS, self.cycles / 2, 3),
        ]);
        rounds
            .into_iter()
            .map(|(says, knobs, cycles, stage)| (says, knobs, cycles.min(self.cycles), stage))
            .collect()
    }

    fn round(&self, number: usize, says: &str, cycles: u64, stage: usize) -> Round {
        Round { says: format!("{says}, {cycles} cycles"), seed: self.seed + number as u64, stage }
    }

    /// The captures of the end at which a core stands, in the order of their names.
    ///
    /// # Errors
    /// If the folder cannot be read.
    fn captures(&self, side: Side) -> Result<Vec<PathBuf>, MutateError> {
        let failed = |source| MutateError::Recordings { path: self.recordings.clone(), source };
        let end = if side == Side::Sender { "-sender.pcap.gz" } else { "-receiver.pcap.gz" };
        let mut found = Vec::new();
        for entry in std::fs::read_dir(&self.recordings).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            if path.to_string_lossy().ends_with(end) {
                found.push(path);
            }
        }
        found.sort();
        Ok(found)
    }
}

fn recorded(path: &Path, seed: u64) -> Round {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    Round { says: format!("recording {name}"), seed, stage: 1 }
}

/// The rounds of a generated core.
///
/// # Errors
/// If the recordings cannot be read.
pub fn runs(generated: &Generated, plan: &Plan) -> Result<Box<dyn Runs>, MutateError> {
    let core = generated.manifest.module.as_str();
    if STREAM_CORES.contains(&core) {
        return Ok(Box::new(FrameRuns::new(generated, plan)?));
    }
    let of_ops = visit(core, OpRunsOf { generated, plan });
    of_ops.unwrap_or_else(|| Err(MutateError::Core { core: core.to_string() }))
}

struct OpRuns<C: OpCore> {
    generated: Generated,
    rounds: Vec<Round>,
    stimuli: Vec<Ops<C>>,
}

/// What a round gives a core; of random ops, their knobs.
enum Ops<C: OpCore> {
    Random { cycles: u64, knobs: Vec<String> },
    Recorded(OpTrace<C::Op>),
}

/// The knobs of these that a core has.
fn known<C: OpCore>(knobs: &[&str]) -> Vec<String> {
    let is_known = |knob: &&&str| C::Knobs::NAMES.iter().any(|name| knob.split('=').next() == Some(*name));
    knobs.iter().filter(is_known).map(|knob| knob.to_string()).collect()
}

/// A few random ops, then `rst`, over and over: it comes so many cycles behind the last op that each state of an engine is met, mostly for
/// one edge, so that what one register leaves to another behind the reset is not lost at a second one.
fn directed_resets<C: OpCore>(
    seed: u64,
    resets: usize,
    config: &Config,
) -> Result<OpTrace<C::Op>, MutateError> {
    let knobs = known::<C>(&["ops_per_reset=0", "hot_set=2", "hot_share=1", "init_share=0.3"]);
    let Stimulus::Random { knobs, .. } = given::random::<C>(0, &knobs, config)? else {
        unreachable!("random ops were asked for")
    };
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut ops = C::random(seed, &knobs, config);
    let mut entries: Vec<Entry<C::Op>> = Vec::new();
    for _ in 0..resets {
        // without a pause, so that the engine comes to what it does only when ops leave it no time
        let in_a_row = random.random_range(0..4) == 0;
        let count = random.random_range(if in_a_row { OPS_IN_A_ROW } else { OPS_BEFORE_RESET });
        let given = ops.by_ref().take(count);
        entries.extend(given.map(|entry| if in_a_row { Entry { idle: 0, ..entry } } else { entry }));
        let last = if random.random_range(0..8) == 0 { LONG_BEFORE_RESET } else { LATEST_RESET };
        entries.push(Entry::after(random.random_range(0..=last), Event::Reset { seed: None }));
        if random.random_range(0..4) == 0 {
            entries.push(Entry::after(0, Event::Reset { seed: None }));
        }
    }
    Ok(OpTrace::of_entries(C::CONTRACT, &entries, &[]))
}

/// Ops that random ones come to too seldom, in words and as the lines of a trace. In `sack_tx` that is a whole window on its way of which the
/// receiver has told nothing yet, and a packet more.
fn seldom(core: &str, config: &Config) -> Option<(&'static str, String)> {
    let sent = |psn: u32| format!("0,sent,1,{psn},64\n");
    let trace = |window: u32| {
        format!(
            "now,op,conn,psn,bytes\n0,init,1,0,\n{}0,read,1,,\n",
            (0..=window).map(sent).collect::<String>()
        )
    };
    (core == "sack_tx").then(|| ("a whole window is sent", trace(config.sack.window)))
}

struct OpRunsOf<'a> {
    generated: &'a Generated,
    plan: &'a Plan,
}

impl Visitor for OpRunsOf<'_> {
    type Output = Result<Box<dyn Runs>, MutateError>;

    fn visit<C: Compiled + 'static>(self) -> Self::Output {
        let OpRunsOf { generated, plan } = self;
        let config = &generated.manifest.config;
        let mut runs = OpRuns::<C> { generated: generated.clone(), rounds: Vec::new(), stimuli: Vec::new() };
        for (resets, stage) in DIRECTED_RESETS {
            let seed = plan.seed + runs.rounds.len() as u64;
            runs.stimuli.push(Ops::Recorded(directed_resets::<C>(seed, resets, config)?));
            runs.rounds.push(Round { says: format!("{resets} resets in the midst of ops"), seed, stage });
        }
        if let Some((says, trace)) = seldom(C::CONTRACT.core, config) {
            let trace = OpTrace::parse(trace.as_bytes(), says, C::CONTRACT, config)?;
            runs.stimuli.push(Ops::Recorded(trace));
            runs.rounds.push(Round { says: says.to_string(), seed: plan.seed, stage: 0 });
        }
        for (says, knobs, cycles, stage) in plan.of_ops() {
            let knobs = known::<C>(knobs);
            given::random::<C>(cycles, &knobs, config)?;
            runs.stimuli.push(Ops::Random { cycles, knobs });
            runs.rounds.push(plan.round(runs.rounds.len(), says, cycles, stage));
        }
        for path in plan.captures(<C::Listener as Listener>::SIDE)? {
            if let Stimulus::Made { trace, .. } = given::capture::<C>(&path, None, None, Cut::Warned, config)?
            {
                runs.stimuli.push(Ops::Recorded(trace));
                runs.rounds.push(recorded(&path, plan.seed));
            }
        }
        Ok(Box::new(runs))
    }
}

impl<C: Compiled> Runs for OpRuns<C> {
    fn rounds(&self) -> &[Round] {
        &self.rounds
    }

    fn run(&self, round: usize, model: Model) -> Result<Probed, MutateError> {
        let stimulus = match &self.stimuli[round] {
            Ops::Random { cycles, knobs } => {
                given::random::<C>(*cycles, knobs, &self.generated.manifest.config)?
            }
            Ops::Recorded(trace) => {
                Stimulus::Made { trace: trace.clone(), arguments: Vec::new(), warnings: Vec::new() }
            }
        };
        Ok(C::probed(&self.generated, model, &stimulus, self.rounds[round].seed)?)
    }
}

struct FrameRuns {
    generated: Generated,
    rounds: Vec<Round>,
    traffic: Vec<(Traffic, RewriterSettings)>,
}

impl FrameRuns {
    fn new(generated: &Generated, plan: &Plan) -> Result<FrameRuns, MutateError> {
        let mut runs = FrameRuns { generated: generated.clone(), rounds: Vec::new(), traffic: Vec::new() };
        let usual = FrameKnobs::default();
        let resets = FrameKnobs { resets: 0.2, longest: 200, ..usual };
        let short = FrameKnobs { longest: 120, odd: 0.6, ..usual };
        let mut random: Vec<(&str, FrameKnobs, u64, usize, bool)> =
            vec![("random frames", usual, FIRST, 0, false)];
        random.extend((0..SHORT_RUNS).map(|_| ("random frames, resets at any time", resets, SHORT, 0, true)));
        random.extend([
            ("random frames", usual, MIDDLE, 2, true),
            ("random frames, resets at any time", resets, MIDDLE, 2, false),
            ("random short frames", short, MIDDLE, 2, true),
            ("random frames", usual, plan.cycles, 3, false),
            ("random frames, resets at any time", resets, plan.cycles / 2, 3, true),
            ("random short frames", short, plan.cycles / 2, 3, false),
        ]);
        for (says, knobs, cycles, stage, flow_label) in random {
            let cycles = cycles.min(plan.cycles);
            runs.traffic.push((
                Traffic::Random { cycles, knobs },
                RewriterSettings { flow_label, ..RewriterSettings::default() },
            ));
            runs.rounds.push(plan.round(runs.rounds.len(), says, cycles, stage));
        }
        for path in plan.captures(stream::side(&generated.manifest.module))? {
            runs.traffic.push((Traffic::Capture(path.clone()), RewriterSettings::default()));
            runs.rounds.push(recorded(&path, plan.seed));
        }
        Ok(runs)
    }
}

impl Runs for FrameRuns {
    fn rounds(&self) -> &[Round] {
        &self.rounds
    }

    fn run(&self, round: usize, model: Model) -> Result<Probed, MutateError> {
        let (traffic, settings) = &self.traffic[round];
        let seed = self.rounds[round].seed;
        let pacing: Pacing = traffic.pacing(seed);
        Ok(stream::probed(&self.generated, model, traffic, pacing, *settings)?)
    }
}
