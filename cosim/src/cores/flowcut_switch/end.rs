//! The core as Verilog in the place of the model, in the network that tells packet by packet whether the order is kept.
//!
//! The network waits for what comes of each op, while the core's walker goes on in each 16th cycle. So all that enters the pipeline is
//! noted, an op or a visit, and taken out again when its result stands at the outputs.

use std::collections::VecDeque;

use respray_golden::flowcut_switch::{self, Engine, OpKind, Outcome, Route};
use respray_golden::order::SwitchEnd;
use respray_hdl::cores::flowcut_switch::contract::{CONTRACT, Op, Shown};
use respray_hdl::manifest::Generated;

use super::params;
use crate::lockstep::single::Single;
use crate::verilator::ModelError;

/// What entered the pipeline at an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entered {
    Nothing,
    Op(u16),
    Visit(u16),
}

/// The core; with its golden model beside it, each outcome of an op and of a visit is held against that of the model.
pub struct VerilogEnd {
    core: Single,
    golden: Option<Engine>,
    buckets: u16,
    /// The bucket that the walker comes to next.
    walker: u16,
    /// What is in the pipeline, with what is expected of it.
    pipeline: VecDeque<(Entered, Outcome)>,
    visits: VecDeque<(u16, Outcome)>,
}

impl VerilogEnd {
    /// The core behind its reset. Without a model beside it, it may be a broken one. The Verilog is compiled for long runs or for short ones.
    ///
    /// # Errors
    /// [`ModelError`] if its model cannot be built.
    pub fn new(core: &Generated, seed: u16, is_checked: bool, is_long: bool) -> Result<Self, ModelError> {
        let config = &core.manifest.config;
        let mut single = Single::new(core, &CONTRACT, seed, is_long)?;
        // the memories are cleared, and the first slot passes unused
        single.put(&Op::default(), false);
        while !single.clock() {}
        Ok(VerilogEnd {
            core: single,
            golden: is_checked.then(|| Engine::new(params(config, seed))),
            buckets: config.flowcut_switch.buckets as u16,
            walker: 0,
            pipeline: VecDeque::new(),
            visits: VecDeque::new(),
        })
    }

    /// An edge at which `op` stands at the inputs, offered or not; whether it was taken, and what came of the op that leaves.
    fn edge(&mut self, op: &flowcut_switch::Op, is_offered: bool) -> (bool, Option<Outcome>) {
        self.core.put(&at_ports(op), is_offered);
        let is_ready = self.core.clock();
        let mut apply = |op: &flowcut_switch::Op| match &mut self.golden {
            Some(golden) => golden.apply(op),
            None => Outcome::default(),
        };
        let entered = if !is_ready {
            let bucket = self.walker;
            self.walker = (bucket + 1) % self.buckets;
            (Entered::Visit(bucket), apply(&flowcut_switch::Op { kind: OpKind::Visit, bucket, ..*op }))
        } else if is_offered {
            (Entered::Op(op.bucket), apply(op))
        } else {
            (Entered::Nothing, Outcome::default())
        };
        self.pipeline.push_back(entered);
        let is_taken = is_ready && is_offered;
        if self.pipeline.len() <= self.core.latency() as usize {
            return (is_taken, None);
        }
        let (left, expected) = self.pipeline.pop_front().expect("it is not empty");
        let seen = self.core.seen::<Shown>();
        let outcome = outcome(&seen);
        if self.golden.is_some() {
            assert_eq!(outcome, expected, "{left:?}");
        }
        let of_bucket = |bucket| {
            let is_shown = outcome == Outcome::default() || seen.ev_bucket == Some(bucket);
            assert!(is_shown, "{seen:?} of bucket {bucket}");
            outcome
        };
        match left {
            Entered::Nothing => (is_taken, None),
            Entered::Op(bucket) => (is_taken, Some(of_bucket(bucket))),
            Entered::Visit(bucket) => {
                self.visits.push_back((bucket, of_bucket(bucket)));
                (is_taken, None)
            }
        }
    }
}

impl SwitchEnd for VerilogEnd {
    fn apply(&mut self, op: &flowcut_switch::Op) -> Outcome {
        while !self.edge(op, true).0 {}
        loop {
            if let (_, Some(outcome)) = self.edge(op, false) {
                return outcome;
            }
        }
    }

    fn visit(&mut self, op: &flowcut_switch::Op) -> (u16, Outcome) {
        loop {
            if let Some(visit) = self.visits.pop_front() {
                return visit;
            }
            self.edge(op, false);
        }
    }

    fn visited(&mut self) -> Option<(u16, Outcome)> {
        self.visits.pop_front()
    }
}

/// An op as it stands at the ports.
fn at_ports(op: &flowcut_switch::Op) -> Op {
    let flowcut_switch::Settings { rtt_floor, ratio, alpha, entry_timeout, drain_after } = op.settings;
    // a visit is not offered, and has its time and settings there alone
    let kind = if op.kind == OpKind::Visit { OpKind::default() } else { op.kind };
    Op {
        kind: kind as u8,
        bucket: op.bucket,
        bytes: op.bytes,
        up: op.up,
        epoch: op.epoch,
        timestamp: op.timestamp,
        class: op.class,
        serial: op.serial,
        port: op.port,
        load: op.load,
        now: op.now,
        clock: op.clock,
        rtt_floor,
        ratio,
        alpha,
        entry_timeout,
        drain_after,
    }
}

/// An outcome as the outputs show it; of what is not promised there it has nothing.
fn outcome(shown: &Shown) -> Outcome {
    let port = shown.res_port.unwrap_or_default();
    let sent = shown.res_valid.then_some(match shown.res_kind {
        Some(0) => Route::New(port),
        Some(1) => Route::Same(port),
        Some(2) => Route::Forced(port),
        _ => Route::NoRoute,
    });
    let is_routed = sent.is_some_and(|route| route != Route::NoRoute);
    Outcome {
        sent,
        epoch: shown.res_epoch.filter(|_| is_routed).unwrap_or_default(),
        draining: is_routed && shown.res_xoff == Some(true),
        xoff: shown.xoff,
        xon: shown.xon,
        entry_cleared: shown.entry_cleared,
        order_risk: shown.order_risk,
        ack_refused: shown.ack_refused,
    }
}
