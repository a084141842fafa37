//! The rounds of cores that take ops.

use std::ops::RangeInclusive;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use respray_cosim::cores::Visitor;
use respray_cosim::lockstep::op_core::OpCore;
use respray_cosim::lockstep::{Compiled, Stimulus, given};
use respray_cosim::report::Probed;
use respray_cosim::traffic::capture::{Cut, Listener};
use respray_cosim::traffic::optrace::OpTrace;
use respray_cosim::traffic::random::Knobs;
use respray_cosim::traffic::stimulus::{Entry, Event};
use respray_cosim::verilator::Model;
use respray_hdl::manifest::{Generated, Manifest};

use super::seldom::{Seldom, seldom};
use super::{FIRST, MIDDLE, Plan, Round, Runs, SHORT, SHORT_RUNS, recorded};
use crate::MutateError;

/// Resets that come in the midst of ops, and the stages in which they do.
const DIRECTED_RESETS: [(usize, usize); 2] = [(40, 0), (1500, 2)];
/// Ops between two of them, in most cases and in some, and cycles from the last op to the reset: in most cases as many as the longest op takes
/// and somewhat more, of short ones these, and in some cases more.
const OPS_BEFORE_RESET: RangeInclusive<usize> = 1..=8;
const OPS_IN_A_ROW: RangeInclusive<usize> = 15..=18;
const LATEST_RESET: u32 = 24;
const MARGIN: u32 = 6;
const LONG_BEFORE_RESET: u32 = 400;

/// Random stimulus of a round: how it is in words, its knobs, its cycles, its stage.
type Random = (&'static str, &'static [&'static str], u64, usize);

impl Plan {
    /// Random stimuli of ops. `cycles` bounds each of them.
    fn of_ops(&self) -> Vec<Random> {
        const RESETS: &[&str] = &["ops_per_reset=24", "hot_set=2"];
        const RARE_RESETS: &[&str] = &["ops_per_reset=600", "hot_set=2", "hot_share=0.9"];
        const ONE: &[&str] = &["hot_set=1", "hot_share=1"];
        // sums and counters of a connection come to their ends, and averages to rest, only where nothing begins anew
        const MARKED: &[&str] =
            &["hot_set=1", "hot_share=1", "ecn_share=1", "timeout_share=0", "init_share=0"];
        const UNMARKED: &[&str] =
            &["hot_set=1", "hot_share=1", "ecn_share=0", "timeout_share=0", "init_share=0"];
        const FEW: &[&str] = &["hot_set=2", "emptying_share=0.02"];
        let mut rounds: Vec<Random> = vec![("random ops", &[], FIRST, 0)];
        rounds.extend((0..SHORT_RUNS).map(|_| ("random ops, resets at any time", RESETS, SHORT, 0)));
        rounds.extend([
            ("random ops", &[] as &[_], MIDDLE, 2),
            ("random ops, resets at any time", RESETS, MIDDLE, 2),
            ("random ops, resets now and then", RARE_RESETS, MIDDLE, 2),
            ("random ops on one connection", ONE, MIDDLE, 2),
            ("random ops on one connection, all feedback marked", MARKED, 2 * MIDDLE, 2),
            ("random ops on one connection, no feedback marked", UNMARKED, 2 * MIDDLE, 2),
            ("random ops on few connections, few emptied", FEW, 2 * MIDDLE, 2),
            ("random ops", &[], self.cycles, 3),
            ("random ops, resets at any time", RESETS, self.cycles / 2, 3),
            ("random ops, resets now and then", RARE_RESETS, self.cycles / 2, 3),
        ]);
        rounds
            .into_iter()
            .map(|(says, knobs, cycles, stage)| (says, knobs, cycles.min(self.cycles), stage))
            .collect()
    }
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
    generated: &Generated,
) -> Result<OpTrace<C::Op>, MutateError> {
    let Manifest { config, latency_cycles, .. } = &generated.manifest;
    let longest = latency_cycles.values().map(|cycles| cycles.base).max().unwrap_or(0);
    let latest = LATEST_RESET.max(longest + MARGIN);
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
        let last = if random.random_range(0..8) == 0 { LONG_BEFORE_RESET } else { latest };
        entries.push(Entry::after(random.random_range(0..=last), Event::Reset { seed: None }));
        if random.random_range(0..4) == 0 {
            entries.push(Entry::after(0, Event::Reset { seed: None }));
        }
    }
    Ok(OpTrace::of_entries(C::CONTRACT, &entries, &[]))
}

pub(super) struct OpRunsOf<'a> {
    pub generated: &'a Generated,
    pub plan: &'a Plan,
}

impl Visitor for OpRunsOf<'_> {
    type Output = Result<Box<dyn Runs>, MutateError>;

    fn visit<C: Compiled + 'static>(self) -> Self::Output {
        let OpRunsOf { generated, plan } = self;
        let config = &generated.manifest.config;
        let mut runs = OpRuns::<C> { generated: generated.clone(), rounds: Vec::new(), stimuli: Vec::new() };
        for (resets, stage) in DIRECTED_RESETS {
            let seed = plan.seed + runs.rounds.len() as u64;
            runs.stimuli.push(Ops::Recorded(directed_resets::<C>(seed, resets, generated)?));
            runs.rounds.push(Round { says: format!("{resets} resets in the midst of ops"), seed, stage });
        }
        for Seldom { says, trace, stage } in seldom(C::CONTRACT.core, config) {
            let trace = OpTrace::parse(trace.as_bytes(), says, C::CONTRACT, config)?;
            runs.stimuli.push(Ops::Recorded(trace));
            runs.rounds.push(Round { says: says.to_string(), seed: plan.seed, stage });
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
            Ops::Recorded(trace) => Stimulus::Made {
                trace: trace.clone(),
                arguments: Vec::new(),
                warnings: Vec::new(),
                account: None,
            },
        };
        Ok(C::probed(&self.generated, model, &stimulus, self.rounds[round].seed)?)
    }
}
