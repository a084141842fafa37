//! The rounds of cores that take frames.

use respray_cosim::report::Probed;
use respray_cosim::stream::stream_core::RewriterSettings;
use respray_cosim::stream::{self, Pacing, Traffic};
use respray_cosim::traffic::frames::{Frame, FrameKnobs, RandomFrames, profile};
use respray_cosim::verilator::Model;
use respray_hdl::config::Config;
use respray_hdl::manifest::Generated;

use super::{FIRST, MIDDLE, Plan, Round, Runs, SHORT, SHORT_RUNS, recorded};
use crate::MutateError;

/// Lengths of frames beside the greatest one that is counted.
const GREATEST: std::ops::RangeInclusive<usize> = 16_381..=16_386;

/// Frames of the profile, as long as a frame can be and some bytes longer and shorter.
fn greatest_frames(seed: u64, config: &Config) -> Vec<Frame> {
    const EACH: usize = 6;
    let profile = profile(config);
    let mut random = RandomFrames::new(seed, profile, profile.udp_port(), FrameKnobs::clean());
    GREATEST.flat_map(|bytes| [bytes; EACH]).map(|bytes| random.of_length(bytes)).collect()
}

pub(super) struct FrameRuns {
    generated: Generated,
    rounds: Vec<Round>,
    traffic: Vec<(Traffic, RewriterSettings)>,
}

impl FrameRuns {
    pub fn new(generated: &Generated, plan: &Plan) -> Result<FrameRuns, MutateError> {
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
        let seed = plan.seed + runs.rounds.len() as u64;
        let frames = greatest_frames(seed, &generated.manifest.config);
        runs.traffic.push((Traffic::Given(frames), RewriterSettings::default()));
        runs.rounds.push(Round { says: "the longest frames".to_string(), seed, stage: 2 });
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
