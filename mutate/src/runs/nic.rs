//! The rounds of the joined block.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use respray_cosim::nic::{Around, CaptureReplay, Course, Stimulus, captured, golden, probed};
use respray_cosim::report::Probed;
use respray_cosim::traffic::capture::{Cut, Side};
use respray_cosim::verilator::Model;
use respray_golden::hosts::Setup;
use respray_golden::hosts::scenarios::Scenario;
use respray_golden::paths::End;
use respray_hdl::config::Config;
use respray_hdl::manifest::Generated;

use super::{FIRST, MIDDLE, Plan, Round, Runs, SHORT, recorded};
use crate::MutateError;

/// Nanoseconds of a capture in one of its run.
const SPEEDUP: u64 = 2000;
/// Captures of at most so many frames are given early, and once more with damages.
const FEW_FRAMES: usize = 8000;
/// Of the frames of a capture, which share is left out, comes twice, has another byte, is cut, has `tuser`.
const DAMAGED: f64 = 0.02;
/// Cycles between two changes of which streams are held, at most.
const HELD_CYCLES: u64 = 600;
/// Of a pair its scenario, the end at which the block is, its stage, the share of cycles in which each stream is held, and
/// `selector_prescale`.
type PairOf = (Scenario, End, usize, f64, u32);
const PAIRS: [PairOf; 11] = [
    (Scenario::Lossy, End::A, 0, 0.0, 0),
    (Scenario::Lossy, End::B, 0, 0.3, 0),
    (Scenario::Lossy, End::A, 2, 0.4, 8),
    (Scenario::Lossy, End::B, 2, 0.0, 1),
    (Scenario::Lossy, End::A, 2, 0.1, 3),
    (Scenario::Slow, End::A, 2, 0.0, 2),
    (Scenario::Failing, End::A, 2, 0.2, 12),
    (Scenario::Lossy, End::A, 3, 0.0, 16),
    (Scenario::Lossy, End::B, 3, 0.4, 9),
    (Scenario::Equal, End::B, 3, 0.4, 0),
    (Scenario::Failing, End::A, 3, 0.0, 4),
];
/// Bytes of a pair's messages in the rounds of each stage.
const BYTES: [u64; 4] = [6_000, 0, 150_000, 200_000];
/// Cycles in which a byte of a pair is delivered, about: so a plan's cycles bound bytes.
const CYCLES_PER_BYTE: u64 = 4;
/// The packets for which a SACK waits, in bytes of `sack_threshold`, in every other pair.
const SACK_THRESHOLD: u32 = 3000;

/// Rounds of random traffic: cycles, connections, stage.
const TRAFFIC: [(u64, usize, usize); 7] = [
    (FIRST, 8, 0),
    (FIRST, 8, 0),
    (4 * FIRST, 8, 1),
    (4 * FIRST, 64, 1),
    (MIDDLE / 2, 16, 2),
    (MIDDLE / 2, 256, 2),
    (MIDDLE, 64, 3),
];
/// Rounds of random traffic that `rst` ends many times: times, stage.
const RESTARTS: [(usize, usize); 6] = [(2, 0), (2, 0), (2, 0), (2, 0), (20, 1), (60, 2)];

/// Rounds of probes that `rst` ends many times: times, stage.
const RUSHES: [(usize, usize); 2] = [(4, 1), (40, 2)];
/// Rounds in which the window of a connection fills up: cycles, stage. The first may be without the event that tells of it.
const FLOODS: [(u64, usize); 2] = [(FIRST, 1), (FIRST, 2)];
/// Cycles of a freeze where its ticks are longer than a cycle.
const FREEZE_CYCLES: u32 = 6000;

pub(super) struct NicRuns {
    config: Config,
    rounds: Vec<Round>,
    courses: Vec<Course>,
}

impl NicRuns {
    /// # Errors
    /// If the recordings cannot be read.
    pub fn new(generated: &Generated, plan: &Plan) -> Result<NicRuns, MutateError> {
        let config = generated.manifest.config.clone();
        let mut runs = NicRuns { config, rounds: Vec::new(), courses: Vec::new() };
        for _ in 0..3 {
            let seed = runs.seed(plan);
            runs.add("all registers".to_string(), seed, 0, Course::Registers { seed });
        }
        for (cycles, connections, stage) in TRAFFIC {
            let (seed, cycles) = (runs.seed(plan), cycles.min(plan.cycles));
            let says = format!("random traffic on {connections} connections, {cycles} cycles");
            runs.add(says, seed, stage, Course::Traffic { cycles, connections, seed });
        }
        for (times, stage) in RESTARTS {
            let seed = runs.seed(plan);
            let says = format!("random traffic, {times} times ended by rst");
            runs.add(says, seed, stage, Course::Restarts { times, seed });
        }
        for pair in PAIRS {
            runs.pair(plan, pair);
        }
        for path in plan.captures(Side::Sender)? {
            let replay = CaptureReplay { path, local: None, speedup: SPEEDUP, cut: Cut::Warned };
            let stimulus = captured(&runs.config, &replay)?;
            let Round { says, seed, mut stage } = recorded(&replay.path, runs.seed(plan));
            let says = format!("{says}, {SPEEDUP} times as fast");
            if stimulus.frames.len() > FEW_FRAMES {
                stage = 3;
            } else {
                let seed = seed + 1;
                let damaged = damaged(&stimulus, seed);
                let resets = Course::Resets { stimulus: stimulus.clone(), seed };
                runs.add(format!("{says}, frames damaged"), seed, 2, Course::Given(damaged));
                runs.add(format!("{says}, resets"), seed, 1, resets);
            }
            runs.add(says, seed, stage, Course::Given(stimulus));
        }
        for (times, stage) in RUSHES {
            let seed = runs.seed(plan);
            let says = format!("probes, {times} times ended by rst");
            runs.add(says, seed, stage, Course::Rushes { times, seed });
        }
        for (cycles, stage) in FLOODS {
            let seed = runs.seed(plan);
            let says = format!("a window that fills up, {cycles} cycles");
            runs.add(says, seed, stage, Course::Flood { cycles, seed });
        }
        Ok(runs)
    }

    /// The seed of the next round.
    fn seed(&self, plan: &Plan) -> u64 {
        plan.seed + self.rounds.len() as u64
    }

    fn add(&mut self, says: String, seed: u64, stage: usize, course: Course) {
        self.rounds.push(Round { says, seed, stage });
        self.courses.push(course);
    }

    /// The block at one end of a pair.
    fn pair(&mut self, plan: &Plan, (scenario, side, stage, held, prescale): PairOf) {
        let seed = self.seed(plan);
        let bytes = BYTES[stage].min(plan.cycles.max(SHORT) / CYCLES_PER_BYTE);
        let mut setup: Setup = scenario.setup(golden(&self.config), bytes, seed);
        if seed % 2 == 1 {
            setup.settings.push(("sack_threshold", SACK_THRESHOLD));
            for path in &mut setup.network.paths {
                // nearly every packet is marked
                (path.kmin_bytes, path.kmax_bytes) = (0, 1000);
            }
        }
        if prescale > 0 {
            let freeze = (FREEZE_CYCLES >> prescale).max(1);
            setup.settings.extend([("selector_prescale", prescale), ("freeze_timeout", freeze)]);
        }
        let says = format!(
            "end {side:?} of a pair, {}, {bytes} bytes, streams held {held}, ticks of 2^{prescale} cycles",
            scenario.name()
        );
        let setup = Box::new(setup);
        self.add(says, seed, stage, Course::Pair { setup, side, held, seed });
    }
}

impl Runs for NicRuns {
    fn rounds(&self) -> &[Round] {
        &self.rounds
    }

    fn run(&self, round: usize, model: Model) -> Result<Probed, MutateError> {
        Ok(probed(&self.config, model, &self.courses[round])?)
    }
}

/// The same frames, of which some are left out, come twice, have another byte, are cut or bad; and each stream is held now and then.
fn damaged(stimulus: &Stimulus, seed: u64) -> Stimulus {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut damaged = Stimulus { writes: stimulus.writes.clone(), ..Stimulus::default() };
    for entry in &stimulus.frames {
        if random.random_bool(DAMAGED) {
            continue;
        }
        let mut entry = entry.clone();
        if random.random_bool(DAMAGED) {
            damaged.frames.push(entry.clone());
        }
        let bytes = &mut entry.frame.bytes;
        if random.random_bool(DAMAGED) {
            let at = random.random_range(0..bytes.len());
            bytes[at] ^= 1 << random.random_range(0..8);
        }
        if random.random_bool(DAMAGED) {
            bytes.truncate(random.random_range(1..=bytes.len()));
        }
        entry.frame.user = random.random_bool(DAMAGED);
        damaged.frames.push(entry);
    }
    let last = stimulus.frames.last().map_or(0, |entry| entry.cycle);
    let mut cycle = stimulus.frames.first().map_or(0, |entry| entry.cycle);
    while cycle < last {
        let held = |random: &mut Xoshiro256PlusPlus| random.random_bool(0.2);
        let around = Around {
            tx_out_ready: !held(&mut random),
            rx_out_ready: !held(&mut random),
            event_ready: !held(&mut random),
            tx_in_pauses: held(&mut random),
            rx_in_pauses: held(&mut random),
        };
        damaged.around.push((cycle, around));
        cycle += random.random_range(1..=HELD_CYCLES);
    }
    damaged.around.push((last, Around::FREE));
    damaged
}
