//! The receiver's bitmap.

mod broken;
mod listener;
mod random;
pub mod uet;

use respray_golden::psn::PsnSpace;
use respray_golden::sack_rx::{self, Connection, OpKind, Outcome, Params, Sack, SackRx, Status};
use respray_hdl::config::Config;
use respray_hdl::contract::Contract;
use respray_hdl::cores::sack_rx::contract::{CONTRACT, Class, Op, Shown};

pub use self::listener::SackRxListener;
pub use self::random::{Knobs, RandomOps};
use crate::lockstep::op_core::{BrokenWord, Effect, OpCore, Recorded, Taken, Touched, counts};
use crate::traffic::optrace::Settings;
use crate::traffic::recording::Recording;

counts! {
    /// What came of the packets.
    pub struct Counts {
        inits,
        closes,
        packets,
        new,
        duplicates,
        outside,
        probes,
        uninitialised,
        sacks,
        /// Segments that EPSN moved by, in all.
        advanced_segments,
        /// Advances over a whole window.
        whole_windows,
    }
}

/// The golden side of the core `sack_rx`.
pub struct SackRxCore {
    golden: SackRx,
    counts: Counts,
    /// The connection before the op that was remembered.
    remembered: Connection,
}

/// The parameters of both golden SACK engines in a configuration.
pub fn params(config: &Config) -> Params {
    Params {
        connections: config.connections,
        window: config.sack.window,
        psns: PsnSpace::new(config.sack.psn_bits),
    }
}

impl SackRxCore {
    fn count(&mut self, outcome: &Outcome) {
        let window = self.golden.params().window;
        let counts = &mut self.counts;
        match outcome.status {
            None if outcome.class == sack_rx::Class::Close => counts.closes += 1,
            None => counts.inits += 1,
            Some(status) => {
                counts.packets += 1;
                *match status {
                    Status::New => &mut counts.new,
                    Status::Duplicate => &mut counts.duplicates,
                    Status::Outside => &mut counts.outside,
                    Status::Probe => &mut counts.probes,
                    Status::Uninitialised => &mut counts.uninitialised,
                } += 1;
            }
        }
        counts.sacks += u64::from(outcome.sack.is_some());
        if let sack_rx::Class::NewInOrder { advance_segments } = outcome.class {
            counts.advanced_segments += u64::from(advance_segments);
            counts.whole_windows += u64::from(advance_segments == window / 64);
        }
    }
}

/// What the outputs show of a packet.
fn shown(conn: u16, status: Status, sack: Option<&Sack>) -> Shown {
    Shown {
        res_valid: true,
        res_conn: Some(conn),
        res_status: Some(status as u8),
        sack_valid: sack.is_some(),
        sack_psn: sack.map(|sack| sack.psn),
        sack_epsn: sack.map(|sack| sack.epsn),
        sack_base: sack.map(|sack| sack.base),
        sack_bitmap: sack.map(|sack| sack.bitmap),
        sack_ooo: sack.map(|sack| sack.ooo),
        sack_bytes_recvd: sack.map(|sack| sack.bytes_recvd),
        sack_ecn: sack.map(|sack| sack.ecn),
        sack_ev: sack.map(|sack| sack.ev),
        sack_timestamp: sack.map(|sack| sack.timestamp),
        sack_probe: sack.map(|sack| sack.probe),
        state_lost: false,
    }
}

/// Class of its cycles, and the segments of advance.
fn class(class: &sack_rx::Class) -> (Class, u32) {
    match class {
        sack_rx::Class::Init => (Class::Init, 0),
        sack_rx::Class::Close => (Class::Close, 0),
        sack_rx::Class::Uninitialised => (Class::Uninitialised, 0),
        sack_rx::Class::Probe => (Class::Probe, 0),
        sack_rx::Class::DuplicateBelow | sack_rx::Class::DuplicateHeld => (Class::Duplicate, 0),
        sack_rx::Class::Outside => (Class::Outside, 0),
        sack_rx::Class::NewAhead => (Class::NewAhead, 0),
        sack_rx::Class::NewInOrder { advance_segments } => (Class::NewInOrder, *advance_segments),
    }
}

/// An op as the golden model has it.
#[inline(always)]
fn golden_op(op: &Op) -> sack_rx::Op {
    sack_rx::Op {
        kind: match op.kind {
            0 => OpKind::Packet,
            1 => OpKind::Init,
            _ => OpKind::Close,
        },
        conn: op.conn,
        psn: op.psn,
        bytes: op.bytes,
        ecn: op.ecn,
        ev: op.ev,
        timestamp: op.timestamp,
        ack_request: op.ack_request,
        probe: op.probe,
        sack_threshold: op.sack_threshold,
    }
}

/// What an op with this outcome does.
#[inline(always)]
fn effect(op: &Op, outcome: &Outcome) -> Effect<Shown> {
    let (class, segments) = class(&outcome.class);
    Effect {
        shown: outcome.status.map(|status| shown(op.conn, status, outcome.sack.as_ref())),
        class: class as usize,
        counts: [segments, 0, 0],
    }
}

impl OpCore for SackRxCore {
    const CONTRACT: &'static Contract = &CONTRACT;
    type Op = Op;
    type Shown = Shown;
    type Knobs = Knobs;
    type Random = RandomOps;
    type Listener = SackRxListener;

    fn new(config: &Config) -> Self {
        SackRxCore {
            golden: SackRx::new(params(config)),
            counts: Counts::default(),
            remembered: Connection::default(),
        }
    }

    fn reset(&mut self, _: u16) {
        self.golden.reset();
    }

    #[inline(always)]
    fn apply(&mut self, op: &Op) -> Effect<Shown> {
        let outcome = self.golden.apply(&golden_op(op));
        self.count(&outcome);
        effect(op, &outcome)
    }

    fn remember(&mut self, op: &Op) {
        self.remembered = *self.golden.connection(op.conn);
    }

    fn recall(&mut self, op: &Op) {
        self.golden.restore(op.conn, self.remembered);
    }

    fn apply_broken(&mut self, op: &Op, broken: &BrokenWord) -> (Effect<Shown>, Touched) {
        broken::apply(&mut self.golden, op, broken)
    }

    fn random(seed: u64, knobs: &Knobs, config: &Config) -> RandomOps {
        RandomOps::new(seed, knobs, params(config))
    }

    fn recorded(_: &Recording) -> Recorded {
        // the recorder's receiver answers every packet
        Recorded { settings: Settings::default().with("sack_threshold", 0), ..Recorded::default() }
    }

    fn counts(&self, taken: &Taken) -> Vec<(&'static str, u64)> {
        let mut counts = vec![("ops", taken.ops)];
        counts.extend(self.counts.named());
        counts.extend([("sacks_given", taken.named), ("sacks_as_given", taken.as_named)]);
        counts.extend([("waits", taken.waits), ("reset_edges", taken.reset_edges)]);
        counts
    }

    fn summary(&self, taken: &Taken, cycles: u64, is_capture: bool) -> Vec<String> {
        let Counts { packets, new, duplicates, outside, probes, uninitialised, sacks, .. } = self.counts;
        let mut lines = vec![format!(
            "{} ops in {cycles} cycles, {packets} packets: {new} new, {duplicates} duplicate, {outside} outside the \
             window, {probes} probes, {uninitialised} of connections not initialised; {sacks} SACKs",
            taken.ops
        )];
        if is_capture {
            lines.push(format!(
                "SACKs of the wire that the engine sent again exactly: {} of {}",
                taken.as_named, taken.named
            ));
        }
        lines
    }
}
