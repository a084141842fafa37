//! The sender's scoreboard with `sack.acks` = uet: a contract of its own, and the same walker.

mod listener;
mod random;

use respray_golden::sack_tx::uet::{self as golden, AckFields, Inputs, OpKind, Outcome, Rule, Status, UetTx};
use respray_hdl::config::Config;
use respray_hdl::contract::Contract;
use respray_hdl::cores::sack_tx::uet::contract::{CONTRACT, Class, Op, Shown};

pub use self::listener::UetTxListener;
pub use self::random::{Knobs, RandomOps};
use super::super::sack_rx::params;
use super::walker::Walker;
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
        acks,
        acks_taken,
        acks_overtaken,
        acks_never_sent,
        acks_beyond,
        /// Answers to probes of which nothing was taken that they say of PSNs.
        acks_void,
        nacks,
        nacks_outside,
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
        /// Those among them that were not the first since the cumulative PSN moved.
        losses_timeout_in_a_row,
        losses_nack,
        /// PSNs that NACKs asked for.
        refused,
        ack_requests,
        deaths,
        probes_due,
        recoveries_left,
        /// Visits of the walker, and those among them that 16 ops in a row brought about.
        visits,
        visits_forced,
    }
}

/// The golden side of the core `sack_tx` with `sack.acks` = uet.
pub struct UetTxCore {
    golden: UetTx,
    walker: Walker,
    counts: Counts,
}

/// What an ACK says, in the fields of an op.
pub fn set_ack(op: &mut Op, ack: &AckFields) {
    let AckFields { cum_next, psn, probe, has_sack, mpr, base, bitmap, has_state, rcvd, ooo, timestamp } =
        *ack;
    *op = Op { cum_next, psn, probe, has_sack, mpr, base, bitmap, has_state, rcvd, ooo, timestamp, ..*op };
}

/// What stands at the inputs beside an op, which a visit samples too.
#[inline(always)]
pub fn inputs(op: &Op) -> Inputs {
    let Op { now, ooo_packets, probe_timeout, probe_rtt, rto, rto_backoff_max, rules, max_rto_retx, .. } =
        *op;
    Inputs { now, ooo_packets, probe_timeout, probe_rtt, rto, rto_backoff_max, rules, max_rto_retx }
}

/// An op as the golden model has it.
#[inline(always)]
pub fn kind(op: &Op) -> OpKind {
    let Op { psn, bytes, ordered, code, mpr, .. } = *op;
    let Op { cum_next, probe, has_sack, base, bitmap, has_state, rcvd, ooo, timestamp, .. } = *op;
    match op.kind {
        0 => OpKind::Sent { psn, bytes },
        1 => OpKind::Ack(AckFields {
            cum_next,
            psn,
            probe,
            has_sack,
            mpr,
            base,
            bitmap,
            has_state,
            rcvd,
            ooo,
            timestamp,
        }),
        2 => OpKind::NextRtx,
        3 => OpKind::Init { psn, is_ordered: ordered, mpr },
        5 => OpKind::Close,
        6 => OpKind::Nack { psn, code },
        _ => OpKind::Read,
    }
}

/// What the outputs show of an op or a visit.
#[inline(always)]
fn shown(conn: u16, outcome: &Outcome) -> Shown {
    let is_ack = matches!(outcome.class, golden::Class::Ack { .. } | golden::Class::AckRefused);
    let has_result = outcome.status.is_some();
    let is_event = outcome.loss.is_some() || outcome.probe_due || outcome.ack_request || outcome.dead;
    Shown {
        res_valid: has_result,
        res_conn: (has_result || is_event).then_some(conn),
        res_status: outcome.status.map(Status::code),
        res_psn: outcome.psn,
        res_snd_nxt: outcome.snd_nxt,
        res_acked: (has_result && is_ack).then_some(outcome.acked),
        res_in_flight: has_result.then_some(outcome.in_flight),
        res_bytes_in_flight: has_result.then_some(outcome.in_flight_bytes),
        res_bytes_acked: outcome.acked_bytes,
        res_in_recovery: has_result.then_some(outcome.in_recovery),
        res_rtt_valid: outcome.rtt.is_some(),
        res_rtt: outcome.rtt,
        loss_ooo: outcome.loss == Some(Rule::Ooo),
        loss_probe: outcome.loss == Some(Rule::Probe),
        loss_timeout: outcome.loss == Some(Rule::Timeout),
        loss_nack: outcome.loss == Some(Rule::Nack),
        retransmit: outcome.retransmit,
        ack_request: outcome.ack_request,
        dead: outcome.dead,
        probe_due: outcome.probe_due,
        recovery_left: outcome.recovery_left,
    }
}

/// Class of its cycles, and what its formula counts.
#[inline(always)]
fn class(class: &golden::Class) -> (Class, u32) {
    match *class {
        golden::Class::Init => (Class::Init, 0),
        golden::Class::Sent => (Class::Sent, 0),
        golden::Class::Ack { words } => (Class::Ack, words),
        golden::Class::AckRefused => (Class::AckRefused, 0),
        golden::Class::Nack { words } => (Class::Nack, words),
        golden::Class::NackBack { words } => (Class::NackBack, words),
        golden::Class::NackIdle => (Class::NackIdle, 0),
        golden::Class::NextRtx { words } => (Class::NextRtx, words),
        golden::Class::NextRtxIdle => (Class::NextRtxIdle, 0),
        golden::Class::Read => (Class::Read, 0),
        golden::Class::Close => (Class::Close, 0),
        golden::Class::Visit => (Class::Visit, 0),
        golden::Class::VisitTimedOut { words } => (Class::VisitTimedOut, words),
    }
}

impl UetTxCore {
    #[inline(always)]
    fn execute(&mut self, kind: OpKind, conn: u16, inputs: Inputs) -> Effect<Shown> {
        let before = *self.golden.connection(conn);
        let outcome = self.golden.apply(&golden::Op { kind, conn, inputs });
        self.count(&kind, &outcome);
        let after = self.golden.connection(conn);
        let in_a_row = outcome.loss == Some(Rule::Timeout) && after.timeouts > 1;
        self.counts.losses_timeout_in_a_row += u64::from(in_a_row);
        if let OpKind::Ack(ack) = kind {
            let is_behind = after.snd_una == before.snd_una && ack.cum_next != before.snd_una;
            self.counts.acks_void += u64::from(is_behind && outcome.status == Some(Status::Ok));
        }
        let (class, words) = class(&outcome.class);
        let shown = (class != Class::Init).then(|| shown(conn, &outcome));
        Effect { shown, class: class as usize, counts: [words, 0, 0] }
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
            OpKind::Ack(_) => {
                counts.acks += 1;
                counts.acks_taken += u64::from(code == Some(0));
                counts.acks_overtaken += u64::from(code == Some(1));
                counts.acks_never_sent += u64::from(code == Some(2));
                counts.acks_beyond += u64::from(code == Some(4));
            }
            OpKind::NextRtx => {
                counts.next_rtx += 1;
                counts.retransmissions += u64::from(code == Some(0));
            }
            OpKind::Nack { .. } => {
                counts.nacks += 1;
                counts.nacks_outside += u64::from(code == Some(1));
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
        counts.losses_nack += u64::from(outcome.loss == Some(Rule::Nack));
        counts.refused += u64::from(outcome.retransmit);
        counts.ack_requests += u64::from(outcome.ack_request);
        counts.deaths += u64::from(outcome.dead);
        counts.probes_due += u64::from(outcome.probe_due);
        counts.recoveries_left += u64::from(outcome.recovery_left);
    }
}

impl OpCore for UetTxCore {
    const CONTRACT: &'static Contract = &CONTRACT;
    type Op = Op;
    type Shown = Shown;
    type Knobs = Knobs;
    type Random = RandomOps;
    type Listener = UetTxListener;

    fn new(config: &Config) -> Self {
        UetTxCore {
            golden: UetTx::new(params(config)),
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
        let Counts { sent, sent_again, acks, acks_taken, nacks, next_rtx, retransmissions, visits, .. } =
            self.counts;
        let Counts { losses_ooo, losses_probe, losses_timeout, losses_nack, refused, .. } = self.counts;
        let Counts { ack_requests, deaths, probes_due, recoveries_left, .. } = self.counts;
        vec![
            format!(
                "{} ops in {cycles} cycles and {visits} visits: {sent} sent, {sent_again} of them again; {acks} ACKs, \
                 {acks_taken} taken; {nacks} NACKs, {refused} PSNs asked for at once; {retransmissions} PSNs to retransmit in \
                 {next_rtx} asked for",
                taken.ops
            ),
            format!(
                "losses by the out-of-order count {losses_ooo}, by a probe {losses_probe}, by the timeout \
                 {losses_timeout}, by NACKs in order {losses_nack}; {probes_due} probes due, {ack_requests} ACKs to be asked for, \
                 {deaths} connections dead, {recoveries_left} recoveries left"
            ),
        ]
    }
}
