//! Flowcut in the switch of the hosts.

mod end;
mod listener;
mod random;
mod slots;

use respray_golden::flowcut_switch::{self, Engine, OpKind, Outcome, Params, Pick, Route};
use respray_hdl::config::{self, Config};
use respray_hdl::contract::Contract;
use respray_hdl::cores::flowcut_switch::contract::{CONTRACT, Class, Op, Shown};

pub use self::end::VerilogEnd;
pub use self::listener::FlowcutSwitchListener;
pub use self::random::{Knobs, RandomOps};
use self::slots::Slots;
use crate::lockstep::op_core::{Effect, OpCore, Recorded, Taken, Turn, counts};
use crate::traffic::recording::Recording;

counts! {
    /// What came of the ops.
    pub struct Counts {
        /// Data packets with which a flowcut begins, with the bucket's uplink, with another one as that is down, and without a route.
        new,
        same,
        forced,
        no_route,
        /// Data packets of a bucket that holds more bytes than it can count.
        saturated,
        acks,
        /// ACKs after which nothing is on its way.
        emptied,
        refused,
        loads,
        minimums_set,
        xoffs,
        xons,
        visits,
        /// Drains that the walker began, as a flowcut was old.
        aged,
        entries_cleared,
    }
}

/// The golden side of the core `flowcut_switch`.
pub struct FlowcutSwitchCore {
    golden: Engine,
    slots: Slots,
    counts: Counts,
}

/// The golden engine's parameters in a configuration.
pub fn params(config: &Config, seed: u16) -> Params {
    Params {
        buckets: config.flowcut_switch.buckets,
        uplinks: config.flowcut_switch.uplinks,
        pick: match config.flowcut_switch.pick {
            config::Pick::All => Pick::All,
            config::Pick::Two => Pick::Two,
        },
        seed,
    }
}

/// An op as the golden model has it.
#[inline(always)]
pub fn golden_op(op: &Op) -> flowcut_switch::Op {
    flowcut_switch::Op {
        kind: OpKind::from_code(op.kind),
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
        settings: flowcut_switch::Settings {
            rtt_floor: op.rtt_floor,
            ratio: op.ratio,
            alpha: op.alpha,
            entry_timeout: op.entry_timeout,
            drain_after: op.drain_after,
        },
    }
}

/// What the outputs show of an outcome.
#[inline(always)]
fn shown(bucket: u16, outcome: &Outcome) -> Shown {
    let &Outcome { sent, epoch, draining, xoff, xon, entry_cleared, order_risk, ack_refused } = outcome;
    let is_event = xoff | xon | entry_cleared | order_risk | ack_refused;
    let port = sent.and_then(Route::port);
    Shown {
        res_valid: sent.is_some(),
        res_port: port,
        res_kind: sent.map(|route| match route {
            Route::New(_) => 0,
            Route::Same(_) => 1,
            Route::Forced(_) => 2,
            Route::NoRoute => 3,
        }),
        res_epoch: port.map(|_| epoch),
        res_xoff: port.map(|_| draining),
        ev_bucket: (sent.is_some() || is_event).then_some(bucket),
        xoff,
        xon,
        entry_cleared,
        order_risk,
        ack_refused,
    }
}

impl FlowcutSwitchCore {
    #[inline(always)]
    fn count(&mut self, op: &flowcut_switch::Op, outcome: &Outcome) {
        let counts = &mut self.counts;
        match op.kind {
            OpKind::Data => {
                match outcome.sent {
                    Some(Route::New(_)) => counts.new += 1,
                    Some(Route::Same(_)) => counts.same += 1,
                    Some(Route::Forced(_)) => counts.forced += 1,
                    Some(Route::NoRoute) | None => counts.no_route += 1,
                }
                counts.saturated += u64::from(self.golden.bucket(op.bucket).saturated);
            }
            OpKind::Ack => {
                counts.acks += 1;
                let is_empty = self.golden.bucket(op.bucket).in_flight == 0;
                counts.emptied += u64::from(!outcome.ack_refused && is_empty);
            }
            OpKind::Load => counts.loads += 1,
            OpKind::SetMin => counts.minimums_set += 1,
            OpKind::Visit => {
                counts.visits += 1;
                counts.aged += u64::from(outcome.xoff);
            }
        }
        counts.refused += u64::from(outcome.ack_refused);
        counts.xoffs += u64::from(outcome.xoff);
        counts.xons += u64::from(outcome.xon);
        counts.entries_cleared += u64::from(outcome.entry_cleared);
    }

    #[inline(always)]
    fn execute(&mut self, op: &flowcut_switch::Op, class: Class) -> Effect<Shown> {
        let outcome = self.golden.apply(op);
        self.count(op, &outcome);
        Effect { shown: Some(shown(op.bucket, &outcome)), class: class as usize, counts: [0; 3] }
    }
}

impl OpCore for FlowcutSwitchCore {
    const CONTRACT: &'static Contract = &CONTRACT;
    type Op = Op;
    type Shown = Shown;
    type Knobs = Knobs;
    type Random = RandomOps;
    type Listener = FlowcutSwitchListener;

    fn new(config: &Config) -> Self {
        FlowcutSwitchCore {
            golden: Engine::new(params(config, 0)),
            slots: Slots::new(config.flowcut_switch.buckets),
            counts: Counts::default(),
        }
    }

    fn reset(&mut self, seed: u16) {
        self.golden.reset(seed);
        self.slots.reset();
    }

    #[inline(always)]
    fn apply(&mut self, op: &Op) -> Effect<Shown> {
        self.execute(&golden_op(op), Class::Op)
    }

    #[inline(always)]
    fn takes_ops(&self) -> bool {
        self.slots.is_ops()
    }

    #[inline(always)]
    fn turn(&mut self, is_offered: bool) -> Turn {
        self.slots.turn(is_offered)
    }

    #[inline(always)]
    fn visit(&mut self, bucket: u16, inputs: &Op) -> Effect<Shown> {
        self.execute(&flowcut_switch::Op { kind: OpKind::Visit, bucket, ..golden_op(inputs) }, Class::Visit)
    }

    #[inline(always)]
    fn samples(&self, is_free: bool) -> u64 {
        if is_free && !self.slots.is_ops() { u64::MAX } else { 0 }
    }

    fn random(seed: u64, knobs: &Knobs, config: &Config) -> RandomOps {
        RandomOps::new(seed, knobs, config)
    }

    fn recorded(recording: &Recording) -> Recorded {
        Recorded { local: Some(recording.local), ..Recorded::default() }
    }

    fn counts(&self, taken: &Taken) -> Vec<(&'static str, u64)> {
        let mut counts = vec![("ops", taken.ops)];
        counts.extend(self.counts.named());
        counts.push(("reset_edges", taken.reset_edges));
        counts
    }

    fn summary(&self, taken: &Taken, cycles: u64, _: bool) -> Vec<String> {
        let Counts { new, same, forced, no_route, acks, refused, xoffs, xons, entries_cleared, .. } =
            self.counts;
        vec![format!(
            "{} ops in {cycles} cycles: {new} packets begin a flowcut, {same} follow, {forced} are forced to another uplink, {no_route} have \
             no route; {acks} ACKs, {refused} refused; {xoffs} XOFFs, {xons} XONs, {entries_cleared} silent buckets emptied",
            taken.ops
        )]
    }
}
