//! The EV engine of a `nic`: any core of the selector contract.

use std::fmt::Debug;

use super::Config;
use crate::bitmap::{self, Bitmap};
use crate::ecmp::Ecmp;
use crate::flowlet::{self, Flowlet};
use crate::mixed::{self, Mixed};
use crate::mprdma::Mprdma;
use crate::ops::{self, Ops};
use crate::plb::Plb;
use crate::reps::{self, Reps};
use crate::selector::{Engine, Op, Outcome, Params, Selector};
use crate::strack::{self, Strack};
use crate::subflows::Subflows;

/// The selector and its own keys. A further core of the contract is one more of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    Reps(reps::Keys),
    Ops(ops::Keys),
    Ecmp,
    Subflows,
    Mprdma,
    Flowlet(flowlet::Keys),
    Plb,
    Strack(strack::Keys),
    Bitmap(bitmap::Keys),
    Mixed(mixed::Keys),
}

impl Choice {
    /// `reps` as 001 evaluates it: Algorithms 1 and 2, eight EVs a connection.
    pub const fn reps() -> Self {
        Choice::Reps(reps::Keys { depth: 8, variant: reps::Variant::Paper })
    }

    /// In the register `selector`.
    pub const fn code(&self) -> u32 {
        match self {
            Choice::Reps(_) => 0,
            Choice::Ops(_) => 1,
            Choice::Ecmp => 2,
            Choice::Subflows => 3,
            Choice::Mprdma => 4,
            Choice::Flowlet(_) => 5,
            Choice::Plb => 6,
            Choice::Strack(_) => 7,
            Choice::Bitmap(_) => 8,
            Choice::Mixed(_) => 9,
        }
    }

    pub(super) fn engine(&self, config: &Config, seed: u16) -> Box<dyn Spray> {
        match *self {
            Choice::Reps(keys) => Box::new(engine::<Reps>(config, seed, keys)),
            Choice::Ops(keys) => Box::new(engine::<Ops>(config, seed, keys)),
            Choice::Ecmp => Box::new(engine::<Ecmp>(config, seed, ())),
            Choice::Subflows => Box::new(engine::<Subflows>(config, seed, ())),
            Choice::Mprdma => Box::new(engine::<Mprdma>(config, seed, ())),
            Choice::Flowlet(keys) => Box::new(engine::<Flowlet>(config, seed, keys)),
            Choice::Plb => Box::new(engine::<Plb>(config, seed, ())),
            Choice::Strack(keys) => Box::new(engine::<Strack>(config, seed, keys)),
            Choice::Bitmap(keys) => Box::new(engine::<Bitmap>(config, seed, keys)),
            Choice::Mixed(keys) => Box::new(engine::<Mixed>(config, seed, keys)),
        }
    }
}

fn engine<S: Selector>(config: &Config, seed: u16, keys: S::Keys) -> Engine<S> {
    let Config { connections, ev_base, ev_bits, time_bits, .. } = *config;
    Engine::new(Params { connections, ev_base, ev_bits, time_bits, seed, keys })
}

/// An engine of the selector contract, whichever it is.
pub(super) trait Spray: Debug {
    /// The run-time settings, in the order of [`Op::settings`].
    fn settings(&self) -> &'static [&'static str];
    /// The names of the event pulses, from bit 0 of [`Outcome::events`] on.
    fn events(&self) -> &'static [&'static str];
    fn apply(&mut self, op: &Op) -> Outcome;
    fn reset(&mut self, seed: u16);
}

impl<S: Selector> Spray for Engine<S> {
    fn settings(&self) -> &'static [&'static str] {
        S::SETTINGS
    }

    fn events(&self) -> &'static [&'static str] {
        S::EVENTS
    }

    fn apply(&mut self, op: &Op) -> Outcome {
        Engine::apply(self, op)
    }

    fn reset(&mut self, seed: u16) {
        self.reset_with_seed(seed);
    }
}
