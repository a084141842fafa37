//! Flowcut in a NIC.

mod listener;
mod random;

use respray_golden::flowcut::{self, Engine, OpKind, Outcome, Params, Route, Variant};
use respray_golden::rng::Rng;
use respray_hdl::config::{Config, FlowcutVariant};
use respray_hdl::contract::Contract;
use respray_hdl::cores::flowcut::contract::{CONTRACT, Class, Op, Shown};

pub use self::listener::FlowcutListener;
pub use self::random::{Knobs, RandomOps};
use crate::lockstep::op_core::{Effect, OpCore, Recorded, Taken, counts};
use crate::traffic::recording::Recording;

counts! {
    /// What came of the ops.
    pub struct Counts {
        /// Sends with a new EV, with the connection's, and those that wait.
        new,
        same,
        wait,
        /// Sends that wait although their connection does not drain: half the circle of counts is on its way.
        full,
        retransmissions,
        acks,
        /// ACKs after which nothing is on its way.
        emptied,
        refused,
        timeouts,
        inits,
        minimums_set,
        drains_started,
        drains_done,
        drains_given_up,
        order_risks,
    }
}

/// The golden side of the core `flowcut`.
pub struct FlowcutCore {
    golden: Engine,
    counts: Counts,
}

/// The golden engine's parameters in a configuration.
pub fn params(config: &Config, seed: u16) -> Params {
    Params {
        connections: config.connections,
        variant: match config.flowcut.variant {
            FlowcutVariant::Paper => Variant::Paper,
            FlowcutVariant::Sticky => Variant::Sticky,
        },
        time_bits: config.flowcut.time_bits as u8,
        ev_base: config.selector.ev_base as u16,
        ev_bits: config.selector.ev_bits as u8,
        seed,
    }
}

/// An op as the golden model has it.
#[inline(always)]
pub fn golden_op(op: &Op) -> flowcut::Op {
    flowcut::Op {
        kind: OpKind::from_code(op.kind),
        conn: op.conn,
        bytes: op.bytes.into(),
        is_retransmission: op.rtx,
        recvd: op.recvd,
        timestamp: op.timestamp,
        class: op.class,
        serial: op.serial,
        now: op.now,
        settings: flowcut::Settings {
            rtt_floor: op.rtt_floor,
            ratio: op.ratio,
            alpha: op.alpha,
            hold: op.hold,
            timeout_reroutes: op.timeout_reroutes,
        },
    }
}

/// What the outputs show of an outcome.
#[inline(always)]
fn shown(conn: u16, outcome: &Outcome) -> Shown {
    let &Outcome { sent, drain_started, drain_done, drain_given_up, order_risk, ack_refused } = outcome;
    let is_event = drain_started | drain_done | drain_given_up | order_risk | ack_refused;
    let (kind, ev) = match sent {
        Some((Route::New(ev), _)) => (Some(0), Some(ev)),
        Some((Route::Same(ev), _)) => (Some(2), Some(ev)),
        Some((Route::Wait, _)) => (Some(3), None),
        None => (None, None),
    };
    Shown {
        res_valid: sent.is_some(),
        res_conn: (sent.is_some() || is_event).then_some(conn),
        res_kind: kind,
        res_ev: ev,
        res_draining: sent.map(|(_, draining)| draining),
        drain_started,
        drain_done,
        drain_given_up,
        order_risk,
        ack_refused,
    }
}

impl FlowcutCore {
    #[inline(always)]
    fn count(&mut self, op: &flowcut::Op, outcome: &Outcome) {
        let counts = &mut self.counts;
        match outcome.sent {
            Some((Route::New(_), _)) => counts.new += 1,
            Some((Route::Same(_), _)) => counts.same += 1,
            Some((Route::Wait, draining)) => {
                counts.wait += 1;
                counts.full += u64::from(!draining);
            }
            None => {}
        }
        counts.retransmissions += u64::from(op.kind == OpKind::Send && op.is_retransmission);
        if op.kind == OpKind::Ack {
            counts.acks += 1;
            let is_empty = self.golden.connection(op.conn).in_flight() == 0;
            counts.emptied += u64::from(!outcome.ack_refused && is_empty);
        }
        counts.timeouts += u64::from(op.kind == OpKind::Timeout);
        counts.inits += u64::from(op.kind == OpKind::Init);
        counts.minimums_set += u64::from(op.kind == OpKind::SetMin);
        counts.refused += u64::from(outcome.ack_refused);
        counts.drains_started += u64::from(outcome.drain_started);
        counts.drains_done += u64::from(outcome.drain_done);
        counts.drains_given_up += u64::from(outcome.drain_given_up);
        counts.order_risks += u64::from(outcome.order_risk);
    }
}

impl OpCore for FlowcutCore {
    const CONTRACT: &'static Contract = &CONTRACT;
    type Op = Op;
    type Shown = Shown;
    type Knobs = Knobs;
    type Random = RandomOps;
    type Listener = FlowcutListener;

    fn new(config: &Config) -> Self {
        FlowcutCore { golden: Engine::new(params(config, 0)), counts: Counts::default() }
    }

    fn reset(&mut self, seed: u16) {
        self.golden.reset(seed);
    }

    #[inline(always)]
    fn apply(&mut self, op: &Op) -> Effect<Shown> {
        let golden = golden_op(op);
        let outcome = self.golden.apply(&golden);
        self.count(&golden, &outcome);
        Effect { shown: Some(shown(op.conn, &outcome)), class: Class::Op as usize, counts: [0; 3] }
    }

    fn generator(&mut self) -> Option<&mut Rng> {
        Some(self.golden.generator())
    }

    fn random(seed: u64, knobs: &Knobs, config: &Config) -> RandomOps {
        RandomOps::new(seed, knobs, config)
    }

    fn recorded(recording: &Recording) -> Recorded {
        let mut recorded = Recorded { local: Some(recording.local), ..Recorded::default() };
        // another selector chose where the packets go, and held none of them back
        recorded.settings.set("hold", 0);
        recorded
    }

    fn counts(&self, taken: &Taken) -> Vec<(&'static str, u64)> {
        let mut counts = vec![("ops", taken.ops)];
        counts.extend(self.counts.named());
        counts.push(("reset_edges", taken.reset_edges));
        counts
    }

    fn summary(&self, taken: &Taken, cycles: u64, _: bool) -> Vec<String> {
        let Counts { new, same, wait, acks, refused, drains_started, drains_done, drains_given_up, .. } =
            self.counts;
        vec![format!(
            "{} ops in {cycles} cycles: {new} packets with a new EV, {same} with the connection's, {wait} wait; {acks} ACKs, {refused} \
             refused; {drains_started} drains, {drains_done} done, {drains_given_up} given up",
            taken.ops
        )]
    }
}
