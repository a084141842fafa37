//! How the stimulus of a run is asked for on the command line, so that a report can say what repeats the run.

use super::shard::Shard;
use crate::traffic::optrace::Settings;

/// What a run was asked to run on.
pub(super) enum Asked {
    /// Random ops.
    Random {
        /// Clock edges of the run, or of all parts of its campaign; `None`: as many as there was time for.
        cycles: Option<u64>,
        /// Of the run, or of the campaign.
        seed: u64,
        shard: Option<Shard>,
        /// What is not as in [`Knobs::new`](crate::traffic::random::Knobs::new).
        knobs: Vec<String>,
    },
    /// A file, by these arguments.
    File { arguments: Vec<String>, seed: Option<u64> },
}

impl Asked {
    /// The arguments that repeat the run, or the part, as a run of its own of so many cycles.
    pub fn alone(&self, cycles: u64, settings: &Settings) -> Vec<String> {
        self.arguments(settings, |seed, shard| (cycles, shard.map_or(seed, |shard| shard.seed(seed)), None))
    }

    /// The arguments that repeat the run as it was asked for; it had `cycles`.
    pub fn whole(&self, cycles: u64, settings: &Settings) -> Vec<String> {
        match self {
            Asked::Random { cycles: Some(cycles), .. } => {
                self.arguments(settings, |seed, shard| (*cycles, seed, shard))
            }
            // how far it got is known of this part alone
            _ => self.alone(cycles, settings),
        }
    }

    fn arguments(
        &self,
        settings: &Settings,
        of_random: impl Fn(u64, Option<Shard>) -> (u64, u64, Option<Shard>),
    ) -> Vec<String> {
        let mut arguments = Vec::new();
        match self {
            Asked::Random { seed, shard, knobs, .. } => {
                let (cycles, seed, shard) = of_random(*seed, *shard);
                arguments.extend(["--random".into(), cycles.to_string(), "--seed".into(), seed.to_string()]);
                arguments.extend(shard.iter().flat_map(|shard| ["--shard".into(), shard.to_string()]));
                arguments.extend(knobs.iter().flat_map(|knob| ["--knob".into(), knob.clone()]));
            }
            Asked::File { arguments: own, seed } => {
                arguments.extend_from_slice(own);
                arguments.extend(seed.iter().flat_map(|seed| ["--seed".into(), seed.to_string()]));
            }
        }
        for (name, value) in settings.iter() {
            arguments.extend([format!("--{}", name.replace('_', "-")), value.to_string()]);
        }
        arguments
    }
}
