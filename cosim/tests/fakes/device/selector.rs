//! A device made of a second golden engine and a latency pipe, with faults to order: what the tests of the comparer
//! and the shrinker run against.

use std::collections::VecDeque;

use respray_cosim::cores::reps::RepsCore;
use respray_cosim::cores::selector::{golden_op, params};
use respray_cosim::lockstep::op_core::{Inputs, OpCore};
use respray_golden::reps::Reps;
use respray_golden::selector::{Engine, Outcome, SendKind};
use respray_hdl::config::Config;
use respray_hdl::cores::selector::{SelectorOp, SelectorShown};
use respray_hdl::manifest::Manifest;

use super::{Fake, Flip};

pub const LATENCY: u32 = 5;
pub const CLEARING: u32 = 21;

/// The manifest of the core, with the fake's cycles.
pub fn manifest(config: &Config) -> Manifest {
    let mut manifest = RepsCore::CONTRACT.manifest(config);
    manifest.latency_cycles = [("op".to_string(), LATENCY.into())].into();
    manifest.reset_cycles = CLEARING;
    manifest
}

/// What is wrong with a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    None,
    Bit(Flip),
    /// Results come this many cycles late; below 0: early.
    Late(i32),
    /// `op_ready` rises this many cycles late; below 0: early.
    ReadyLate(i32),
    /// Takes what stands at the op inputs in an idle cycle as well, for odd connections.
    IgnoresValid,
    /// Reset leaves what is in the pipeline.
    KeepsPipeline,
    /// Reset leaves the connections.
    KeepsConnections,
    /// Takes the seed at the end of the run's own reset only.
    KeepsSeed,
    IgnoresEcn,
    IgnoresInit,
    IgnoresNow,
    /// Connections that differ only in this bit are one.
    Alias(u16),
    /// Every send steps the random generator.
    StepsAlways,
    /// The fourth send in a row of one connection goes wrong, from this op on.
    FourSends {
        from: u64,
    },
}

/// The state of the device.
struct Selector {
    golden: Engine<Reps>,
    fault: Fault,
    is_ready: bool,
    shown: SelectorShown,
    pipe: VecDeque<SelectorShown>,
    wait: i32,
    cycle: u64,
    ops: u64,
    sends: (u16, u32),
    spare: u16,
    was_reset: bool,
}

/// A device of `reps` with this fault.
pub fn device(
    config: &Config,
    fault: Fault,
) -> Fake<RepsCore, impl FnMut(&Inputs<SelectorOp>) -> (bool, SelectorShown) + use<>> {
    let mut selector = Selector::new(config, fault);
    let flip = if let Fault::Bit(flip) = fault { Some(flip) } else { None };
    Fake::new(config, move |inputs: &Inputs<SelectorOp>| selector.cycle(inputs)).with_flip(flip)
}

impl Selector {
    fn new(config: &Config, fault: Fault) -> Self {
        let latency = LATENCY as i32 + if let Fault::Late(cycles) = fault { cycles } else { 0 };
        Selector {
            golden: Engine::new(params::<Reps>(config, 0)),
            fault,
            is_ready: false,
            shown: SelectorShown { res_valid: true, events: 1, ..SelectorShown::default() },
            pipe: vec![SelectorShown::default(); latency as usize - 1].into(),
            wait: 0,
            cycle: 0,
            ops: 0,
            sends: (0, 0),
            spare: config.connections as u16 - 1,
            was_reset: false,
        }
    }

    fn cycle(&mut self, inputs: &Inputs<SelectorOp>) -> (bool, SelectorShown) {
        let before = (self.is_ready, self.shown);
        let is_taken = inputs.op_valid || self.fault == Fault::IgnoresValid && inputs.op.conn % 2 == 1;
        let entering = if is_taken && self.is_ready && !inputs.rst {
            self.take(&inputs.op)
        } else {
            SelectorShown::default()
        };
        self.pipe.push_back(entering);
        self.shown = self.pipe.pop_front().expect("the pipe has a stage: one was just put in");
        if inputs.rst {
            self.reset(inputs.seed);
        } else {
            self.wait -= 1;
        }
        self.is_ready = self.wait <= 0 && !inputs.rst;
        self.cycle += 1;
        before
    }

    fn reset(&mut self, seed: u16) {
        match self.fault {
            Fault::KeepsConnections if self.was_reset => {}
            Fault::KeepsSeed if self.was_reset => self.golden.reset(),
            _ => self.golden.reset_with_seed(seed),
        }
        if self.fault != Fault::KeepsPipeline {
            self.pipe.iter_mut().for_each(|stage| *stage = SelectorShown::default());
        }
        self.shown = SelectorShown::default();
        self.wait = CLEARING as i32 + if let Fault::ReadyLate(cycles) = self.fault { cycles } else { 0 };
        self.was_reset |= self.cycle > 10;
    }

    fn take(&mut self, op: &SelectorOp) -> SelectorShown {
        let mut op = *op;
        self.ops += 1;
        match self.fault {
            Fault::IgnoresEcn => op.ecn = false,
            Fault::IgnoresInit if op.kind == 4 => op.kind = 5,
            Fault::IgnoresNow => op.more[0] = 0,
            Fault::Alias(bit) => op.conn &= !bit,
            _ => {}
        }
        let mut outcome = self.apply(&op);
        if self.fault == Fault::StepsAlways && outcome.result.is_some_and(|r| r.kind != SendKind::Explore) {
            // a connection that nothing was ever cached for explores
            self.apply(&SelectorOp { kind: 4, conn: self.spare, ..op });
            self.apply(&SelectorOp { kind: 0, conn: self.spare, ..op });
        }
        if let (Fault::FourSends { from }, Some(result)) = (self.fault, &mut outcome.result) {
            self.sends = (op.conn, if self.sends.0 == op.conn { self.sends.1 + 1 } else { 1 });
            result.ev ^= u16::from(self.sends.1 == 4 && self.ops >= from);
        } else if op.conn == self.sends.0 {
            self.sends.1 = 0;
        }
        SelectorShown {
            res_valid: outcome.result.is_some(),
            res_conn: Some(op.conn),
            res_kind: outcome.result.map(|result| result.kind.code()),
            res_ev: outcome.result.map(|result| result.ev),
            events: outcome.events,
        }
    }

    fn apply(&mut self, op: &SelectorOp) -> Outcome {
        self.golden.apply(&golden_op::<Reps>(op))
    }
}
