//! STrack's window.

mod listener;
mod random;

use respray_golden::strack_cc::{self, Action, Engine, OpKind, Outcome, Params, Status};
use respray_hdl::config::Config;
use respray_hdl::contract::Contract;
use respray_hdl::cores::strack_cc::contract::{CONTRACT, Class, Op, Shown};

pub use self::listener::StrackCcListener;
pub use self::random::{Knobs, RandomOps};
use crate::lockstep::op_core::{Effect, OpCore, Recorded, Taken, counts};
use crate::traffic::recording::Recording;

counts! {
    /// What came of the ops.
    pub struct Counts {
        inits,
        reads,
        acks,
        /// Reads and ACKs of connections that are not initialised, or with an MTU out of range.
        refused,
        hold,
        proportional,
        additive,
        multiplicative,
        achieved,
        /// Increases of a full window, which stays as it is.
        full,
        /// ACKs that increased the window for fairness.
        fair,
        /// ACKs after which the window is a packet.
        one_packet,
    }
}

/// The golden side of the core `strack_cc`.
pub struct StrackCcCore {
    golden: Engine,
    counts: Counts,
}

/// An op as the golden model has it.
#[inline(always)]
pub fn golden_op(op: &Op) -> strack_cc::Op {
    strack_cc::Op {
        kind: OpKind::from_code(op.kind),
        conn: op.conn,
        ecn: op.ecn,
        probe: op.probe,
        bytes: op.bytes,
        timestamp: op.timestamp,
        now: op.now,
        settings: strack_cc::Settings {
            net_base_rtt: op.net_base_rtt,
            min_base_rtt: op.min_base_rtt,
            target_qdelay: op.target_qdelay,
            target_qhigh: op.target_qhigh,
            alpha: op.alpha,
            beta: op.beta,
            eta: op.eta,
            gamma: op.gamma,
            max_cwnd: op.max_cwnd,
            mtu_log2: op.mtu_log2,
        },
    }
}

/// What the outputs show of an op with a result.
#[inline(always)]
fn shown(conn: u16, result: &strack_cc::Res) -> Shown {
    Shown {
        res_valid: true,
        res_conn: Some(conn),
        res_status: Some(result.status.code()),
        res_cwnd: Some(result.cwnd),
        res_cwnd_packets: Some(result.cwnd_packets),
        res_delay: Some(result.delay),
        res_action: Some(result.action.code()),
        res_fair: Some(result.fair),
    }
}

/// Class of its cycles.
#[inline(always)]
fn class(class: strack_cc::Class) -> Class {
    match class {
        strack_cc::Class::Idle => Class::Idle,
        strack_cc::Class::Read => Class::Read,
        strack_cc::Class::Init => Class::Init,
        strack_cc::Class::AckHold => Class::AckHold,
        strack_cc::Class::AckAchieved => Class::AckAchieved,
        strack_cc::Class::AckIncrease => Class::AckIncrease,
        strack_cc::Class::AckMultiplicative => Class::AckMultiplicative,
    }
}

impl StrackCcCore {
    #[inline(always)]
    fn count(&mut self, kind: OpKind, outcome: &Outcome) {
        let counts = &mut self.counts;
        counts.inits += u64::from(kind == OpKind::Init);
        let Some(result) = &outcome.result else { return };
        let is_ack = kind == OpKind::Ack;
        *(if is_ack { &mut counts.acks } else { &mut counts.reads }) += 1;
        if result.status != Status::Ok {
            counts.refused += 1;
            return;
        }
        if !is_ack {
            return;
        }
        let action = match result.action {
            Action::Hold => &mut counts.hold,
            Action::Proportional => &mut counts.proportional,
            Action::Additive => &mut counts.additive,
            Action::Multiplicative => &mut counts.multiplicative,
            Action::Achieved => &mut counts.achieved,
        };
        *action += 1;
        counts.full += u64::from(result.action != Action::Hold && outcome.class == strack_cc::Class::AckHold);
        counts.fair += u64::from(result.fair);
        counts.one_packet += u64::from(result.cwnd == strack_cc::ONE_PACKET);
    }
}

impl OpCore for StrackCcCore {
    const CONTRACT: &'static Contract = &CONTRACT;
    type Op = Op;
    type Shown = Shown;
    type Knobs = Knobs;
    type Random = RandomOps;
    type Listener = StrackCcListener;

    fn new(config: &Config) -> Self {
        let params = Params { connections: config.connections };
        StrackCcCore { golden: Engine::new(params), counts: Counts::default() }
    }

    fn reset(&mut self, _: u16) {
        self.golden.reset();
    }

    #[inline(always)]
    fn apply(&mut self, op: &Op) -> Effect<Shown> {
        let op = golden_op(op);
        let outcome = self.golden.apply(&op);
        self.count(op.kind, &outcome);
        Effect {
            shown: outcome.result.as_ref().map(|result| shown(op.conn, result)),
            class: class(outcome.class) as usize,
            counts: [0; 3],
        }
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
        let Counts { acks, hold, proportional, additive, multiplicative, achieved, full, fair, .. } =
            self.counts;
        vec![format!(
            "{} ops in {cycles} cycles, {acks} ACKs: {hold} hold the window, {proportional} increase it in proportion, \
             {additive} by addition, {multiplicative} cut it by a fraction, {achieved} to what was achieved; {full} \
             increases of a full window, {fair} increases for fairness",
            taken.ops
        )]
    }
}
