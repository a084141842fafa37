//! The receiver's bitmap with `sack.acks` = uet: a contract of its own.

mod listener;
mod random;

use respray_golden::sack_rx::uet::{
    self as golden, Connection, OUT_OF_ORDER, OpKind, Outcome, SYN_OUTSIDE, Settings, Status, UetRx,
};
use respray_hdl::config::Config;
use respray_hdl::contract::Contract;
use respray_hdl::cores::sack_rx::uet::contract::{CONTRACT, Class, Op, Shown};

pub use self::listener::UetRxListener;
pub use self::random::{Knobs, RandomOps};
use super::params;
use crate::lockstep::op_core::{Effect, OpCore, Recorded, Taken, counts};
use crate::traffic::optrace;
use crate::traffic::recording::Recording;

counts! {
    /// What came of the ops.
    pub struct Counts {
        inits,
        closes,
        packets,
        new,
        duplicates,
        outside,
        /// Among them with SYN at or beyond the window's end, below EPSN, and too far ahead of what the host has cleared.
        syn_outside,
        too_old,
        beyond_limit,
        ahead,
        /// Among them those of which a NACK tells.
        ahead_told,
        probes,
        asks,
        asks_not_received,
        answers,
        answers_refused,
        /// Answers that cleared more than those before.
        cleared,
        trimmed,
        uninitialised,
        acks,
        /// ACKs of a packet that asks for none and fills the last gap.
        late_acks,
        /// Packets by which EPSN moved without an ACK.
        silent_advances,
        nacks,
        /// Segments that EPSN moved by, in all.
        advanced_segments,
        /// Advances over a whole window.
        whole_windows,
    }
}

/// The golden side of the core `sack_rx` with `sack.acks` = uet.
pub struct UetRxCore {
    golden: UetRx,
    counts: Counts,
}

/// An op as the golden model has it.
#[inline(always)]
pub fn golden_op(op: &Op) -> golden::Op {
    golden::Op {
        kind: match op.kind {
            0 => OpKind::Packet,
            1 => OpKind::Init,
            3 => OpKind::Probe,
            4 => OpKind::Ask,
            5 => OpKind::Answer,
            6 => OpKind::Trimmed,
            _ => OpKind::Close,
        },
        conn: op.conn,
        psn: op.psn,
        cum_next: op.cum_next,
        bytes: op.bytes,
        control: op.control,
        ack_request: op.ack_request,
        syn: op.syn,
        retransmit: op.retransmit,
        ecn: op.ecn,
        ordered: op.ordered,
        host: op.host,
        last_hop: op.last_hop,
        settings: Settings {
            ack_gen_trigger: op.ack_gen_trigger,
            ack_gen_min: op.ack_gen_min,
            ack_on_ecn: op.ack_on_ecn == 1,
            nominal_extra: op.nominal_extra,
        },
    }
}

/// What the outputs show of an op.
#[inline(always)]
fn shown(op: &Op, status: Status, outcome: &Outcome) -> Shown {
    let sack = outcome.sack.as_ref();
    Shown {
        res_valid: true,
        res_conn: Some(op.conn),
        res_status: Some(status as u8),
        res_psn: Some(op.psn),
        res_epsn: outcome.epsn,
        res_ecn: Some(op.ecn && op.kind != OpKind::Probe as u8),
        res_retransmit: Some(op.retransmit),
        res_ev: Some(op.ev),
        res_echo: Some(op.echo),
        sack_valid: sack.is_some(),
        nack_valid: outcome.nack.is_some(),
        nack_code: outcome.nack,
        sack_cum_next: sack.map(|sack| sack.cum_next),
        sack_base: sack.map(|sack| sack.base),
        sack_bitmap: sack.map(|sack| sack.bitmap),
        sack_mpr: sack.map(|sack| sack.mpr),
        sack_ooo: sack.map(|sack| sack.ooo),
        sack_rcvd: sack.map(|sack| sack.rcvd),
    }
}

/// Class of its cycles, and the segments of advance.
#[inline(always)]
fn class(class: &golden::Class) -> (Class, u32) {
    match class {
        golden::Class::Init => (Class::Init, 0),
        golden::Class::Close => (Class::Close, 0),
        golden::Class::Uninitialised => (Class::Uninitialised, 0),
        golden::Class::Probe => (Class::Probe, 0),
        golden::Class::Ask => (Class::Ask, 0),
        golden::Class::Answer => (Class::Answer, 0),
        golden::Class::Trimmed => (Class::Trimmed, 0),
        golden::Class::DuplicateBelow | golden::Class::DuplicateHeld => (Class::Duplicate, 0),
        golden::Class::Outside => (Class::Outside, 0),
        golden::Class::Ahead => (Class::Ahead, 0),
        golden::Class::NewAhead => (Class::NewAhead, 0),
        golden::Class::NewInOrder { advance_segments } => (Class::NewInOrder, *advance_segments),
    }
}

impl UetRxCore {
    #[inline(always)]
    fn count(&mut self, op: &golden::Op, outcome: &Outcome, before: &Connection) {
        let params = *self.golden.params();
        let after = self.golden.connection(op.conn);
        let counts = &mut self.counts;
        let status = outcome.status;
        let is = |expected| u64::from(status == Some(expected));
        counts.uninitialised += is(Status::Uninitialised);
        match op.kind {
            OpKind::Init => counts.inits += 1,
            OpKind::Close => counts.closes += 1,
            OpKind::Probe => counts.probes += is(Status::Probe),
            OpKind::Trimmed => counts.trimmed += 1,
            OpKind::Ask => {
                counts.asks += 1;
                counts.asks_not_received += is(Status::Missing);
            }
            OpKind::Answer => {
                counts.answers += 1;
                counts.answers_refused += is(Status::Missing) + is(Status::Outside);
                counts.cleared += u64::from(after.host && after.cleared != before.cleared);
            }
            OpKind::Packet => {
                counts.packets += 1;
                counts.new += is(Status::New);
                counts.duplicates += is(Status::Duplicate);
                counts.outside += is(Status::Outside);
                counts.ahead += is(Status::Ahead);
                let ahead = params.psns.distance(before.arrivals.epsn, op.psn);
                let is_below = params.psns.is_below(op.psn, before.arrivals.epsn);
                counts.syn_outside += u64::from(outcome.nack == Some(SYN_OUTSIDE));
                counts.too_old += u64::from(status == Some(Status::Outside) && is_below);
                counts.beyond_limit += u64::from(status == Some(Status::Outside) && ahead < params.window);
                counts.ahead_told += u64::from(outcome.nack == Some(OUT_OF_ORDER));
                let is_late = before.asked && !after.asked && !op.ack_request && status == Some(Status::New);
                counts.late_acks += u64::from(is_late && outcome.sack.is_some());
            }
        }
        counts.acks += u64::from(outcome.sack.is_some());
        counts.nacks += u64::from(outcome.nack.is_some());
        if let golden::Class::NewInOrder { advance_segments } = outcome.class {
            counts.silent_advances += u64::from(outcome.sack.is_none());
            counts.advanced_segments += u64::from(advance_segments);
            counts.whole_windows += u64::from(advance_segments == params.window / 64);
        }
    }
}

impl OpCore for UetRxCore {
    const CONTRACT: &'static Contract = &CONTRACT;
    type Op = Op;
    type Shown = Shown;
    type Knobs = Knobs;
    type Random = RandomOps;
    type Listener = UetRxListener;

    fn new(config: &Config) -> Self {
        UetRxCore { golden: UetRx::new(params(config)), counts: Counts::default() }
    }

    fn reset(&mut self, _: u16) {
        self.golden.reset();
    }

    #[inline(always)]
    fn apply(&mut self, op: &Op) -> Effect<Shown> {
        let given = golden_op(op);
        let before = *self.golden.connection(op.conn);
        let outcome = self.golden.apply(&given);
        self.count(&given, &outcome, &before);
        let (class, segments) = class(&outcome.class);
        Effect {
            shown: outcome.status.map(|status| shown(op, status, &outcome)),
            class: class as usize,
            counts: [segments, 0, 0],
        }
    }

    fn random(seed: u64, knobs: &Knobs, config: &Config) -> RandomOps {
        RandomOps::new(seed, knobs, params(config))
    }

    fn recorded(_: &Recording) -> Recorded {
        // the recorder's receiver answers every packet
        let settings = optrace::Settings::default().with("ack_gen_trigger", 0);
        Recorded { settings, ..Recorded::default() }
    }

    fn counts(&self, taken: &Taken) -> Vec<(&'static str, u64)> {
        let mut counts = vec![("ops", taken.ops)];
        counts.extend(self.counts.named());
        counts.extend([("acks_given", taken.named), ("acks_as_given", taken.as_named)]);
        counts.extend([("waits", taken.waits), ("reset_edges", taken.reset_edges)]);
        counts
    }

    fn summary(&self, taken: &Taken, cycles: u64, is_capture: bool) -> Vec<String> {
        let Counts { packets, new, duplicates, outside, ahead, .. } = self.counts;
        let Counts { probes, asks, answers, trimmed, acks, nacks, .. } = self.counts;
        let mut lines = vec![
            format!(
                "{} ops in {cycles} cycles, {packets} packets: {new} new, {duplicates} received before, {outside} outside the \
                 window, {ahead} ahead in connections in order",
                taken.ops
            ),
            format!(
                "{probes} probes, {asks} ACKs asked for, {answers} answers of the host, {trimmed} trimmed packets; {acks} ACKs, \
                 {nacks} NACKs"
            ),
        ];
        if is_capture {
            lines.push(format!(
                "ACKs of the wire that the engine sent again exactly: {} of {}",
                taken.as_named, taken.named
            ));
        }
        lines
    }
}
