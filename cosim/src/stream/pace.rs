//! Idle cycles of the sender and backpressure of the receiver, chosen at random.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use respray_files::range::Real;

use crate::traffic::frames::mix;

/// Share of cycles in which a stream may pause.
pub const PAUSES: Real = Real::below(0.0, 1.0);

/// How often a stream pauses.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pace {
    /// Share of cycles in which the sender has nothing: [`PAUSES`].
    pub gap: f64,
    /// Share of cycles in which a receiver does not take: [`PAUSES`].
    pub stall: f64,
    pub seed: u64,
}

/// The pace of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pacing {
    /// The same all along, and for every lane.
    Constant(Pace),
    /// Another one for every lane in each phase of [`PHASE_CYCLES`].
    Phases {
        seed: u64,
        /// Phase with which the run begins, so that a phase of a longer run comes again in a shorter one.
        first: u64,
    },
}

/// Cycles of a phase: so many that even the queue of records fills, at the narrowest bus, while its receiver hardly takes any.
pub const PHASE_CYCLES: u64 = 2048;
/// Shares of the phases, all equally likely: in about half of the phases nothing pauses much, so that frames get through, and in
/// some of them a single lane is all but closed, so that its queue is the one that fills.
const PHASE_GAPS: [f64; 8] = [0.0, 0.0, 0.0, 0.0, 0.0, 0.3, 0.3, 0.9];
const PHASE_STALLS: [f64; 8] = [0.0, 0.0, 0.0, 0.0, 0.3, 0.3, 0.9, 0.995];

/// A pause of a sender, or of a receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Gap,
    Stall,
}

impl Pace {
    /// The option of a share that is none of [`PAUSES`], and its value.
    pub fn wrong_share(&self) -> Option<(&'static str, f64)> {
        let shares = [("gap", self.gap), ("stall", self.stall)];
        shares.into_iter().find(|(_, share)| !PAUSES.contains(*share))
    }
}

impl Default for Pacing {
    fn default() -> Self {
        Pacing::Constant(Pace::default())
    }
}

impl From<Pace> for Pacing {
    fn from(pace: Pace) -> Self {
        Pacing::Constant(pace)
    }
}

impl Pacing {
    /// Without any pause.
    pub fn free(seed: u64) -> Pacing {
        Pace { seed, ..Pace::default() }.into()
    }

    pub fn seed(&self) -> u64 {
        match *self {
            Pacing::Constant(Pace { seed, .. }) | Pacing::Phases { seed, .. } => seed,
        }
    }

    /// Cycle at which the next phase begins, of a run that is at `cycle`.
    pub fn next_phase(&self, cycle: u64) -> u64 {
        match self {
            Pacing::Constant(_) => u64::MAX,
            Pacing::Phases { .. } => (cycle / PHASE_CYCLES + 1) * PHASE_CYCLES,
        }
    }

    /// Paces with which a difference in this cycle may come again from reset, the plainest first.
    pub fn towards(&self, cycle: u64) -> Vec<Pacing> {
        let mut paces = vec![Pacing::free(self.seed())];
        match *self {
            Pacing::Constant(_) => paces.push(*self),
            Pacing::Phases { seed, first } => {
                // What fills a queue may lie in the phase before.
                let phase = first + cycle / PHASE_CYCLES;
                let phases = (first.max(phase.saturating_sub(1))..=phase).rev();
                paces.extend(phases.map(|first| Pacing::Phases { seed, first }));
            }
        }
        paces
    }

    /// The share of pauses of a channel, which `stream` tells from the others, in a cycle.
    pub fn share(&self, kind: Kind, stream: u64, cycle: u64) -> f64 {
        match (*self, kind) {
            (Pacing::Constant(Pace { gap, .. }), Kind::Gap) => gap,
            (Pacing::Constant(Pace { stall, .. }), Kind::Stall) => stall,
            (Pacing::Phases { seed, first }, _) => {
                let phase = first + cycle / PHASE_CYCLES;
                let shares = if kind == Kind::Gap { PHASE_GAPS } else { PHASE_STALLS };
                shares[mix(mix(mix(seed) ^ phase) ^ stream) as usize % shares.len()]
            }
        }
    }
}

/// Stretches of pausing and not pausing: most of them short, some of them longer than any queue, so that queues run full
/// and empty.
#[derive(Clone, Debug)]
pub struct Pauses {
    random: Xoshiro256PlusPlus,
    kind: Kind,
    stream: u64,
    share: f64,
    /// It never pauses.
    is_steady: bool,
    pausing: bool,
    left: u32,
}

const SHORT: u32 = 4;
const LONG: u32 = 96;
const LONG_IN: u32 = 24;

impl Pauses {
    /// `stream` tells the pauses of one channel from those of another.
    pub fn new(pacing: &Pacing, kind: Kind, stream: u64) -> Pauses {
        let random = Xoshiro256PlusPlus::seed_from_u64(mix(pacing.seed()) ^ stream);
        let mut pauses =
            Pauses { random, kind, stream, share: 0.0, is_steady: true, pausing: false, left: 0 };
        pauses.begin_phase(pacing, 0);
        pauses
    }

    /// The coming cycle, this one, is the first of a phase.
    pub fn begin_phase(&mut self, pacing: &Pacing, cycle: u64) {
        self.share = pacing.share(self.kind, self.stream, cycle);
        self.is_steady = self.share == 0.0;
        self.left = 0;
    }

    /// Whether the coming cycle is a pause.
    #[inline(always)]
    pub fn is_pause(&mut self) -> bool {
        if self.is_steady {
            return false;
        }
        if self.left == 0 {
            self.draw();
        }
        self.left -= 1;
        self.pausing
    }

    fn draw(&mut self) {
        self.pausing = self.random.random_bool(self.share);
        let longest = if self.random.random_ratio(1, LONG_IN) { LONG } else { SHORT };
        self.left = self.random.random_range(1..=longest);
    }
}
