//! The sender's scoreboard.
//!
//! The engine gives itself ops, the visits of the walker, and when it does so shows outside. So this side predicts each
//! of them to the edge: [`walker`] has the rule.

mod listener;
mod random;
pub mod uet;
pub mod walker;

use respray_golden::sack_tx::{self, Inputs, OpKind, Outcome, Rule, SackFields, SackTx, Status};
use respray_hdl::config::Config;
use respray_hdl::contract::Contract;
use respray_hdl::cores::sack_tx::contract::{CONTRACT, Class, Op, Shown};

pub use self::listener::SackTxListener;
pub use self::random::{Knobs, RandomOps};
use self::walker::Walker;
use super::sack_rx::params;
use crate::lockstep::op_core::{Effect, OpCore, Recorded, Taken, Turn, counts};
use crate::traffic::optrace::Settings;
use crate::traffic::recording::Recording;

counts! {
    /// What became of the ops, and what the walker found.
    pub struct Counts {
        sent,
        sent_again,
        sent_gap,
        sent_window_full,
        sacks,
        sacks_taken,
        sacks_old,
        sacks_never_sent,
        sacks_bad_base,
        sacks_beyond,
        sacks_contradict,
        next_rtx,
        retransmissions,
        reads,
        closes,
        inits,
        uninitialised,
        /// PSNs newly acknowledged.
        acked,
        losses_ooo,
        losses_probe,
        losses_timeout,
        /// Those among them that were not the first since EPSN moved.
        losses_timeout_in_a_row,
        probes_due,
        recoveries_left,
        /// Visits of the walker, and those among them that 16 ops in a row brought about.
        visits,
        visits_forced,
    }
}

/// The golden side of the core `sack_tx`.
pub struct SackTxCore {
    golden: SackTx,
    walker: Walker,
    counts: Counts,
}

/// What a SACK says, in the fields of an op.
pub fn set_sack(op: &mut Op, sack: &SackFields) {
    let SackFields { epsn, base, bitmap, ooo, bytes_recvd, timestamp, probe } = *sack;
    *op = Op { epsn, base, bitmap, ooo, bytes_recvd, timestamp, probe, ..*op };
}

/// `now` and the settings beside it, in the fields of an op.
pub fn set_inputs(op: &mut Op, inputs: &Inputs) {
    let Inputs { now, cwnd_packets, probe_timeout, probe_rtt, rto, rto_backoff_max } = *inputs;
    *op = Op { now, cwnd_packets, probe_timeout, probe_rtt, rto, rto_backoff_max, ..*op };
}

/// What stands at the inputs beside an op, which a visit samples too.
#[inline(always)]
pub fn inputs(op: &Op) -> Inputs {
    let Op { now, cwnd_packets, probe_timeout, probe_rtt, rto, rto_backoff_max, .. } = *op;
    Inputs { now, cwnd_packets, probe_timeout, probe_rtt, rto, rto_backoff_max }
}

/// An op as the golden model has it.
#[inline(always)]
pub fn kind(op: &Op) -> OpKind {
    let Op { psn, bytes, epsn, base, bitmap, ooo, bytes_recvd, timestamp, probe, .. } = *op;
    match op.kind {
        0 => OpKind::Sent { psn, bytes },
        1 => OpKind::Sack(SackFields { epsn, base, bitmap, ooo, bytes_recvd, timestamp, probe }),
        2 => OpKind::NextRtx,
        3 => OpKind::Init { psn },
        5 => OpKind::Close,
        _ => OpKind::Read,
    }
}

/// What the outputs show of an op or a visit.
#[inline(always)]
fn shown(conn: u16, outcome: &Outcome) -> Shown {
    let is_sack = matches!(outcome.class, sack_tx::Class::Sack { .. } | sack_tx::Class::SackRefused);
    let has_result = outcome.status.is_some();
    let says = has_result || outcome.loss.is_some() || outcome.probe_due || outcome.recovery_left;
    Shown {
        res_valid: has_result,
        res_conn: says.then_some(conn),
        res_status: outcome.status.map(Status::code),
        res_psn: outcome.psn,
        res_snd_nxt: outcome.snd_nxt,
        res_acked: (has_result && is_sack).then_some(outcome.acked),
        res_in_flight: has_result.then_some(outcome.in_flight),
        res_bytes_in_flight: has_result.then_some(outcome.in_flight_bytes),
        res_bytes_acked: outcome.acked_bytes,
        res_in_recovery: has_result.then_some(outcome.in_recovery),
        res_rtt_valid: outcome.rtt.is_some(),
        res_rtt: outcome.rtt,
        loss_ooo: outcome.loss == Some(Rule::Ooo),
        loss_probe: outcome.loss == Some(Rule::Probe),
        loss_timeout: outcome.loss == Some(Rule::Timeout),
        probe_due: outcome.probe_due,
        recovery_left: outcome.recovery_left,
    }
}

/// Class of its cycles, and what its formula counts.
#[inline(always)]
fn class(class: &sack_tx::Class) -> (Class, [u32; 3]) {
    match *class {
        sack_tx::Class::Init => (Class::Init, [0; 3]),
        sack_tx::Class::Sent => (Class::Sent, [0; 3]),
        sack_tx::Class::Sack { cum_segments, base_segment } => (Class::Sack, [cum_segments, base_segment, 0]),
        sack_tx::Class::SackRefused => (Class::SackRefused, [0; 3]),
        sack_tx::Class::NextRtx { search_segments } => (Class::NextRtx, [0, 0, search_segments]),
        sack_tx::Class::Read => (Class::Read, [0; 3]),
        sack_tx::Class::Close => (Class::Close, [0; 3]),
        sack_tx::Class::Visit => (Class::Visit, [0; 3]),
    }
}

impl SackTxCore {
    #[inline(always)]
    fn execute(&mut self, kind: OpKind, conn: u16, inputs: Inputs) -> Effect<Shown> {
        let outcome = self.golden.apply(&sack_tx::Op { kind, conn, inputs });
        self.count(&kind, &outcome);
        let in_a_row = outcome.loss == Some(Rule::Timeout) && self.golden.connection(conn).timeouts > 1;
        self.counts.losses_timeout_in_a_row += u64::from(in_a_row);
        let (class, counts) = class(&outcome.class);
        let shown = (class != Class::Init).then(|| shown(conn, &outcome));
        Effect { shown, class: class as usize, counts }
    }

    #[inline(always)]
    fn count(&mut self, kind: &OpKind, outcome: &Outcome) {
        let counts = &mut self.counts;
        let code = outcome.status.map(Status::code);
        counts.uninitialised += u64::from(code == Some(7));
        match kind {
            OpKind::Sent { .. } => {
                counts.sent += 1;
                counts.sent_again += u64::from(code == Some(1));
                counts.sent_gap += u64::from(code == Some(2));
                counts.sent_window_full += u64::from(code == Some(3));
            }
            OpKind::Sack(_) => {
                counts.sacks += 1;
                counts.sacks_taken += u64::from(code == Some(0));
                counts.sacks_old += u64::from(code == Some(1));
                counts.sacks_never_sent += u64::from(code == Some(2));
                counts.sacks_bad_base += u64::from(code == Some(3));
                counts.sacks_beyond += u64::from(code == Some(4));
                counts.sacks_contradict += u64::from(code == Some(5));
            }
            OpKind::NextRtx => {
                counts.next_rtx += 1;
                counts.retransmissions += u64::from(code == Some(0));
            }
            OpKind::Init { .. } => counts.inits += 1,
            OpKind::Read => counts.reads += 1,
            OpKind::Close => counts.closes += 1,
            OpKind::Visit => counts.visits += 1,
        }
        counts.acked += u64::from(outcome.acked);
        counts.losses_ooo += u64::from(outcome.loss == Some(Rule::Ooo));
        counts.losses_probe += u64::from(outcome.loss == Some(Rule::Probe));
        counts.losses_timeout += u64::from(outcome.loss == Some(Rule::Timeout));
        counts.probes_due += u64::from(outcome.probe_due);
        counts.recoveries_left += u64::from(outcome.recovery_left);
    }
}

impl OpCore for SackTxCore {
    const CONTRACT: &'static Contract = &CONTRACT;
    type Op = Op;
    type Shown = Shown;
    type Knobs = Knobs;
    type Random = RandomOps;
    type Listener = SackTxListener;

    fn new(config: &Config) -> Self {
        SackTxCore {
            golden: SackTx::new(params(config)),
            walker: Walker::new(config.connections),
            counts: Counts::default(),
        }
    }

    fn reset(&mut self, _: u16) {
        self.golden.reset();
        self.walker.reset();
    }

    #[inline(always)]
    fn apply(&mut self, op: &Op) -> Effect<Shown> {
        self.execute(kind(op), op.conn, inputs(op))
    }

    #[inline(always)]
    fn takes_ops(&self) -> bool {
        !self.walker.is_forced()
    }

    #[inline(always)]
    fn turn(&mut self, is_offered: bool) -> Turn {
        self.counts.visits_forced += u64::from(self.walker.is_forced());
        self.walker.turn(is_offered)
    }

    #[inline(always)]
    fn visit(&mut self, connection: u16, op: &Op) -> Effect<Shown> {
        self.execute(OpKind::Visit, connection, inputs(op))
    }

    /// Where it takes no op it visits, as soon as it is free.
    #[inline(always)]
    fn samples(&self, is_free: bool) -> u64 {
        if is_free { u64::MAX } else { 0 }
    }

    fn random(seed: u64, knobs: &Knobs, config: &Config) -> RandomOps {
        RandomOps::new(seed, knobs, params(config))
    }

    fn recorded(recording: &Recording) -> Recorded {
        let settings = Settings::default().with("rto", (recording.rto_ns / 1000).min(0xffff));
        Recorded { local: Some(recording.local), seed: None, settings }
    }

    fn counts(&self, taken: &Taken) -> Vec<(&'static str, u64)> {
        let mut counts = vec![("ops", taken.ops)];
        counts.extend(self.counts.named());
        counts.push(("reset_edges", taken.reset_edges));
        counts
    }

    fn summary(&self, taken: &Taken, cycles: u64, _: bool) -> Vec<String> {
        let Counts { sent, sent_again, sacks, sacks_taken, next_rtx, retransmissions, visits, .. } =
            self.counts;
        let Counts { losses_ooo, losses_probe, losses_timeout, probes_due, recoveries_left, .. } =
            self.counts;
        vec![
            format!(
                "{} ops in {cycles} cycles and {visits} visits: {sent} sent, {sent_again} of them again; {sacks} SACKs, \
                 {sacks_taken} taken; {retransmissions} PSNs to retransmit in {next_rtx} asked for",
                taken.ops
            ),
            format!(
                "losses by the out-of-order count {losses_ooo}, by a probe {losses_probe}, by the timeout \
                 {losses_timeout}; {probes_due} probes due, {recoveries_left} recoveries left"
            ),
        ]
    }
}
