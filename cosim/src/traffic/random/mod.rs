//! What random generators of ops share. Each is bit for bit the same for the same seed and knobs.

use std::fmt::Debug;
use std::ops::RangeInclusive;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, RngExt};
use respray_files::quote::Quoted;
use thiserror::Error;

/// What a core's random stream is like.
pub trait Knobs: Clone + PartialEq + Debug {
    /// Their names.
    const NAMES: &'static [&'static str];

    /// A mix that reaches every behaviour of an engine with so many connections.
    fn new(connections: u32) -> Self;

    /// Sets the knob `given`, which is one of [`Knobs::NAMES`], for an engine with `connections`.
    fn put(&mut self, given: &Given<'_>, connections: u32) -> Result<(), KnobError>;

    /// The values, in the order of [`Knobs::NAMES`].
    fn values(&self) -> Vec<String>;

    /// Sets the knob that `given` names, e.g. `hot_set=2`, for an engine with `connections`.
    fn set(&mut self, given: &str, connections: u32) -> Result<(), KnobError> {
        let found = given.split_once('=').and_then(|(name, value)| {
            Self::NAMES.iter().find(|known| **known == name).map(|knob| Given { knob, value })
        });
        let unknown = || KnobError::Unknown { given: given.to_string(), knobs: Self::NAMES };
        self.put(&found.ok_or_else(unknown)?, connections)
    }

    /// What [`Knobs::set`] needs to come from [`Knobs::new`] to these.
    fn settings(&self, connections: u32) -> Vec<String> {
        let standard = Self::new(connections).values();
        let differing = self.values().into_iter().zip(standard).zip(Self::NAMES).filter(|((v, s), _)| v != s);
        differing.map(|((value, _), knob)| format!("{knob}={value}")).collect()
    }
}

/// Declares the knobs of a core's random stream: those that every stream has, and between them its own. A `share` is a
/// share from 0 to 1, a `set` a number of connections from 1 to [`MOST_HOT`].
macro_rules! knobs {
    ($(#[$about:meta])* $vis:vis struct $name:ident {
        $($(#[$knob_about:meta])* $knob:ident: $kind:ident = $standard:expr,)+
    }) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq)]
        $vis struct $name {
            /// Connections in use, from 0: 1 to `connections` of the configuration.
            pub connections: u32,
            $($(#[$knob_about])* pub $knob: $crate::traffic::random::knobs!(@type $kind),)+
            /// Share of phases that stay with what one before them was about, so that it gets old.
            pub deep_share: f64,
            /// Ops between resets on average; 0: none.
            pub ops_per_reset: u64,
        }

        impl $crate::traffic::random::Knobs for $name {
            const NAMES: &'static [&'static str] =
                &["connections", $(stringify!($knob),)+ "deep_share", "ops_per_reset"];

            fn new(connections: u32) -> Self {
                let ops_per_reset = 64 * u64::from(connections.max(256));
                let deep_share = $crate::traffic::random::DEEP_SHARE;
                $name { connections, $($knob: $standard,)+ deep_share, ops_per_reset }
            }

            fn put(
                &mut self,
                given: &$crate::traffic::random::Given<'_>,
                connections: u32,
            ) -> Result<(), $crate::traffic::random::KnobError> {
                match given.knob {
                    "connections" => self.connections = given.whole(1..=u64::from(connections))? as u32,
                    $(stringify!($knob) => {
                        self.$knob = $crate::traffic::random::knobs!(@value $kind given);
                    })+
                    "deep_share" => self.deep_share = given.share()?,
                    _ => self.ops_per_reset = given.whole(0..=u64::MAX)?,
                }
                Ok(())
            }

            fn values(&self) -> Vec<String> {
                let last = [self.deep_share.to_string(), self.ops_per_reset.to_string()];
                let own = [self.connections.to_string(), $(self.$knob.to_string(),)+];
                own.into_iter().chain(last).collect()
            }
        }
    };
    (@type share) => { f64 };
    (@type set) => { u32 };
    (@value share $given:ident) => { $given.share()? };
    (@value set $given:ident) => {
        $given.whole(1..=$crate::traffic::random::MOST_HOT as u64)? as u32
    };
}

pub(crate) use knobs;

/// Share of deep phases where no knob says another one.
pub(crate) const DEEP_SHARE: f64 = 0.25;
/// Of a deep phase the fewest ops, by how often these may be doubled, and how many deep phases are about one
/// connection.
const DEEP_OPS: u32 = 512;
const DEEP_DOUBLINGS: RangeInclusive<u32> = 0..=2;
const DEEP_PHASES: RangeInclusive<u32> = 1..=4;
/// In a deep phase so many of 256 ops are about its connection, at least; the others meet them in the pipeline.
const DEEP_BELOW: u16 = 240;

/// Most connections that are hot at a time.
pub(crate) const MOST_HOT: usize = 64;

/// A knob and the text that is to be its value.
#[derive(Clone, Copy, Debug)]
pub struct Given<'a> {
    pub knob: &'static str,
    pub value: &'a str,
}

impl Given<'_> {
    /// A whole number.
    pub fn whole(&self, allowed: RangeInclusive<u64>) -> Result<u64, KnobError> {
        let value = self.value.parse().ok().filter(|value| allowed.contains(value));
        value.ok_or_else(|| self.refused(format!("{} to {}", allowed.start(), allowed.end())))
    }

    /// A share, 0 to 1.
    pub fn share(&self) -> Result<f64, KnobError> {
        let value = self.value.parse().ok().filter(|value| (0.0..=1.0).contains(value));
        value.ok_or_else(|| self.refused("0 to 1".to_string()))
    }

    fn refused(&self, allowed: String) -> KnobError {
        KnobError::Value { knob: self.knob, value: self.value.to_string(), allowed }
    }
}

/// Why a knob was refused. Its text is the whole sentence for the user.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum KnobError {
    #[error("`{}`: expected KNOB=VALUE; the knobs are {}", Quoted(given), knobs.join(", "))]
    Unknown { given: String, knobs: &'static [&'static str] },
    #[error("`{knob}` is {}; allowed: {allowed}", Quoted(value))]
    Value { knob: &'static str, value: String, allowed: String },
}

/// A share as a bound for a random byte, up to 256.
pub(crate) fn below(share: f64) -> u16 {
    (share * 256.0).round() as u16
}

/// Phases that stay with one connection, which does not start anew then. What needs many ops of one connection comes to
/// pass in them however many connections there are: rounds and windows end, counters and sums come to their ends, times
/// get old.
#[derive(Clone, Debug)]
pub(crate) struct Deep {
    share: f64,
    connection: u16,
    /// Deep phases that are still to be about it.
    phases_left: u32,
    is_on: bool,
}

impl Deep {
    pub fn new(share: f64) -> Self {
        Deep { share, connection: 0, phases_left: 0, is_on: false }
    }

    /// A phase begins, of a stream about so many connections; whether it is a deep one.
    pub fn begin_phase(&mut self, rng: &mut Xoshiro256PlusPlus, connections: u32) -> bool {
        self.is_on = rng.random::<f64>() < self.share;
        if self.is_on {
            if self.phases_left == 0 {
                self.phases_left = rng.random_range(DEEP_PHASES);
                self.connection = rng.random_range(0..connections) as u16;
            }
            self.phases_left -= 1;
        }
        self.is_on
    }

    /// Ops of a deep phase.
    pub fn ops(&self, rng: &mut Xoshiro256PlusPlus) -> u32 {
        (DEEP_OPS << rng.random_range(DEEP_DOUBLINGS)) + rng.random_range(0..DEEP_OPS)
    }

    /// What is hot in the phase that has begun: the one connection in a deep one, else what `draw` gives.
    pub fn heat(&self, hot: &mut [u16; MOST_HOT], mut draw: impl FnMut() -> u16) {
        hot.iter_mut().for_each(|hot| *hot = if self.is_on { self.connection } else { draw() });
    }

    /// Ops are about what is hot below this, of 256; `usual`: in other phases.
    #[inline(always)]
    pub fn hot_below(&self, usual: u16) -> u16 {
        if self.is_on { usual.max(DEEP_BELOW) } else { usual }
    }

    /// Whether a connection does not start anew in this phase.
    #[inline(always)]
    pub fn keeps(&self, connection: u16) -> bool {
        self.is_on && connection == self.connection
    }
}

/// When the next reset comes, and its edges: one to four with `rst` high; now and then, another reset comes while the
/// first is still at work.
#[derive(Clone, Debug)]
pub(crate) struct Resets {
    /// Ops between resets on average; 0: none.
    ops_per_reset: u64,
    ops_left: u64,
    /// Edges of the reset under way that are still to come.
    edges_left: u32,
}

impl Resets {
    pub fn new(ops_per_reset: u64, rng: &mut Xoshiro256PlusPlus) -> Self {
        let mut resets = Resets { ops_per_reset, ops_left: 0, edges_left: 0 };
        resets.draw(rng);
        resets
    }

    fn draw(&mut self, rng: &mut Xoshiro256PlusPlus) {
        self.ops_left = match self.ops_per_reset {
            0 => u64::MAX,
            mean => rng.random_range(1..=mean.saturating_mul(2)),
        };
    }

    /// Whether an op comes next, and not a reset.
    #[inline(always)]
    pub fn op_is_next(&mut self) -> bool {
        if self.ops_left == 0 || self.edges_left > 0 {
            return false;
        }
        self.ops_left -= 1;
        true
    }

    /// Idle edges before an edge with `rst` high, and a new seed.
    #[cold]
    pub fn next_edge(&mut self, rng: &mut Xoshiro256PlusPlus) -> (u32, Option<u16>) {
        if self.edges_left == 0 {
            self.edges_left = rng.random_range(1..=4);
        }
        self.edges_left -= 1;
        let idle = match rng.random_range(0..8_u32) {
            0 => rng.random_range(0..64),
            _ => 0,
        };
        let seed = rng.random::<bool>().then(|| rng.random());
        if self.edges_left == 0 {
            self.draw(rng);
        }
        (idle, seed)
    }
}

/// Idle edges before an op: one in half of all cases, up to eight, and one time in eight four times as many, so that an
/// engine that works on an op for some cycles rests before the next one. `bits` are random.
#[inline(always)]
pub(crate) fn idle_edges(bits: u64) -> u32 {
    let edges = 1 + (bits >> 57 | 1 << 7).trailing_zeros();
    if bits >> 54 & 7 == 0 { 4 * edges } else { edges }
}

/// A whole number from 0 to `n - 1` from 16 random bits.
#[inline(always)]
pub(crate) fn scaled(bits: u16, n: u32) -> u32 {
    (u32::from(bits) * n) >> 16
}

/// True once in `n` times.
pub(crate) fn one_in(rng: &mut impl Rng, n: u32) -> bool {
    rng.random_range(0..n) == 0
}
