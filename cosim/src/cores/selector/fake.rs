//! A device made of a second golden engine and a latency pipe, with faults to order: what the tests of the comparer
//! and the shrinker run against.

use std::collections::{BTreeMap, VecDeque};

use respray_golden::reps::{self, OpKind, Outcome, Reps};
use respray_hdl::config::Config;
use respray_hdl::manifest::Manifest;

use super::core::{Device, Inputs};
use super::reps::{RepsCore, RepsOp, RepsOutputs, params};

pub const LATENCY: u32 = 5;
pub const CLEARING: u32 = 21;

/// A manifest as far as the lockstep reads it.
pub fn manifest(config: &Config) -> Manifest {
    Manifest {
        module: "reps".into(),
        source: String::new(),
        generator: String::new(),
        config: config.clone(),
        ports: Vec::new(),
        latency_cycles: BTreeMap::from([("op".to_string(), LATENCY.into())]),
        initiation_interval_cycles: BTreeMap::from([("op".to_string(), 1.into())]),
        same_connection_interval_cycles: Default::default(),
        stalls: Vec::new(),
        reset_cycles: CLEARING,
        memories: Vec::new(),
    }
}

/// What is wrong with a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    None,
    /// This bit of the packed outputs is wrong at this cycle.
    Bit {
        cycle: u64,
        bit: u32,
    },
    /// Results come this many cycles late; below 0: early.
    Late(i32),
    /// `op_ready` rises this many cycles late; below 0: early.
    ReadyLate(i32),
    /// Takes what stands at the op inputs in an idle cycle as well.
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

pub struct Fake {
    golden: Reps,
    fault: Fault,
    outputs: RepsOutputs,
    pipe: VecDeque<RepsOutputs>,
    wait: i32,
    cycle: u64,
    ops: u64,
    sends: (u16, u32),
    spare: u16,
    was_reset: bool,
}

pub fn sides(config: &Config, fault: Fault) -> (RepsCore, Fake) {
    (RepsCore::new(&manifest(config)), Fake::new(config, fault))
}

impl Fake {
    pub fn new(config: &Config, fault: Fault) -> Self {
        let latency = LATENCY as i32 + if let Fault::Late(cycles) = fault { cycles } else { 0 };
        Fake {
            golden: Reps::new(params(config, 0)),
            fault,
            outputs: RepsOutputs { res_valid: true, res_kind: 3, ev_cached: true, ..RepsOutputs::default() },
            pipe: vec![RepsOutputs::default(); latency as usize - 1].into(),
            wait: 0,
            cycle: 0,
            ops: 0,
            sends: (0, 0),
            spare: config.connections as u16 - 1,
            was_reset: false,
        }
    }

    fn reset(&mut self, seed: u16) {
        match self.fault {
            Fault::KeepsConnections if self.was_reset => {}
            Fault::KeepsSeed if self.was_reset => self.golden.reset(),
            _ => self.golden.reset_with_seed(seed),
        }
        if self.fault != Fault::KeepsPipeline {
            self.pipe.iter_mut().for_each(|stage| *stage = RepsOutputs::default());
        }
        self.outputs = RepsOutputs::default();
        self.wait = CLEARING as i32 + if let Fault::ReadyLate(cycles) = self.fault { cycles } else { 0 };
        self.was_reset |= self.cycle > 10;
    }

    fn take(&mut self, op: &RepsOp) -> RepsOutputs {
        let mut op = *op;
        self.ops += 1;
        match self.fault {
            Fault::IgnoresEcn => op.ecn = false,
            Fault::IgnoresInit if op.kind == 4 => op.kind = 5,
            Fault::IgnoresNow => op.now = 0,
            Fault::Alias(bit) => op.conn &= !bit,
            _ => {}
        }
        let mut outcome = self.apply(&op);
        if self.fault == Fault::StepsAlways
            && outcome.result.is_some_and(|r| r.kind != reps::SendKind::Explore)
        {
            // a connection that nothing was ever cached for explores
            self.apply(&RepsOp { kind: 4, conn: self.spare, ..op });
            self.apply(&RepsOp { kind: 0, conn: self.spare, ..op });
        }
        if let (Fault::FourSends { from }, Some(result)) = (self.fault, &mut outcome.result) {
            self.sends = (op.conn, if self.sends.0 == op.conn { self.sends.1 + 1 } else { 1 });
            result.ev ^= u16::from(self.sends.1 == 4 && self.ops >= from);
        } else if op.conn == self.sends.0 {
            self.sends.1 = 0;
        }
        let result = outcome.result;
        RepsOutputs {
            op_ready: false,
            res_valid: result.is_some(),
            res_conn: op.conn,
            // what is not promised may be anything
            res_kind: result.map_or(3, |result| result.kind.code()),
            res_ev: result.map_or(0xdead, |result| result.ev),
            ev_cached: outcome.ev_cached,
            ev_dropped: outcome.ev_dropped,
            freeze_entered: outcome.freeze_entered,
            freeze_left: outcome.freeze_left,
        }
    }

    fn apply(&mut self, op: &RepsOp) -> Outcome {
        self.golden.apply(&reps::Op {
            kind: OpKind::from_code(op.kind),
            conn: op.conn,
            ev: op.ev,
            ecn: op.ecn,
            now: op.now,
            freeze_timeout: op.freeze_timeout,
            bdp_packets: op.bdp_packets,
        })
    }
}

impl Device<RepsCore> for Fake {
    fn cycle(&mut self, inputs: &Inputs<RepsOp>) -> [u64; 1] {
        let [mut seen] = self.outputs.pack();
        if let Fault::Bit { cycle, bit } = self.fault
            && cycle == self.cycle
        {
            seen ^= 1 << bit;
        }
        let taken = inputs.op_valid || (self.fault == Fault::IgnoresValid && inputs.entry % 2 == 1);
        let entering = if taken && self.outputs.op_ready && !inputs.rst {
            self.take(&inputs.op)
        } else {
            RepsOutputs { res_conn: 3, res_ev: self.cycle as u16, ..RepsOutputs::default() }
        };
        self.pipe.push_back(entering);
        self.outputs = self.pipe.pop_front().expect("the pipe has a stage: one was just put in");
        if inputs.rst {
            self.reset(inputs.seed);
        } else {
            self.wait -= 1;
        }
        self.outputs.op_ready = self.wait <= 0 && !inputs.rst;
        self.cycle += 1;
        [seen]
    }
}
