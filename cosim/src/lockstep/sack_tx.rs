//! The core `sack_tx`: what its outputs are at every edge, from the golden model and the manifest's cycles.
//!
//! The engine gives itself ops, the visits of the walker, and when it does so shows outside. So this side predicts each
//! of them to the edge: [`walker`] has the rule.

use respray_golden::sack_tx::{Class, Op as GoldenOp, OpKind, Outcome, Params, Rule, SackTx, Status};
use respray_hdl::config::Config;
use respray_hdl::manifest::Manifest;

pub use self::model::SackTxModel;
pub use self::op::SackTxOp;
use self::times::Times;
use self::walker::{Turn, Walker};
use super::core::{Core, Entry, Expected, Field, Inputs, Recorded, VerilatedCore, Word};
use super::pipeline::Pipeline;
use crate::traffic::capture::ops::sack_tx::SackTxListener;
use crate::traffic::optrace::sack_tx::{Limits, Row, Settings, Trace};
use crate::traffic::random::sack_tx::{Knobs, RandomOps};
use crate::traffic::recording::Recording;
use crate::verilator::{Model, ModelError};

mod model;
mod op;
mod times;
mod walker;

#[cfg(test)]
mod fake;
#[cfg(test)]
mod tests;

/// What is counted: ops that the core took and what became of them, and what the walker found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackTxCounts {
    pub ops: u64,
    /// Results of `sent`, `sack` and `next_rtx` by the code of their status.
    pub sent: [u64; 8],
    pub sacks: [u64; 8],
    pub next_rtx: [u64; 8],
    pub inits: u64,
    /// PSNs newly acknowledged.
    pub acked: u64,
    pub losses_ooo: u64,
    pub losses_probe: u64,
    pub losses_timeout: u64,
    pub probes_due: u64,
    pub recoveries_left: u64,
    /// Visits of the walker, and those among them that 16 ops in a row brought about.
    pub visits: u64,
    pub visits_forced: u64,
    /// Clock edges with `rst` high.
    pub reset_edges: u64,
}

/// The golden engine of a configuration.
pub fn params(config: &Config) -> Params {
    Params { connections: config.connections, window: config.sack.window }
}

// Where each output lies in the packed word.
const OP_READY: u32 = 0;
const RES_VALID: u32 = 1;
const LOSS_OOO: u32 = 2;
const LOSS_PROBE: u32 = 3;
const LOSS_TIMEOUT: u32 = 4;
const PROBE_DUE: u32 = 5;
const RECOVERY_LEFT: u32 = 6;
const RES_IN_RECOVERY: u32 = 7;
const RES_STATUS: u32 = 8;
const RES_ACKED: u32 = 11;
const RES_IN_FLIGHT: u32 = 21;
const RES_PSN: u32 = 32;
const RES_BYTES_IN_FLIGHT: u32 = 64;
const RES_CONN: u32 = 96;
/// Outputs that are promised in every cycle: `op_ready`, `res_valid` and the pulses.
const ALWAYS: u64 = 0x7f;
const PSN: u64 = 0xff_ffff << RES_PSN;
const ACKED: u64 = 0x3ff << RES_ACKED;
/// Fields of every result, in the two limbs.
const RESULT: [u64; 2] = [1 << RES_IN_RECOVERY | 7 << RES_STATUS | 0x3ff << RES_IN_FLIGHT, 0xffff_ffff];

/// The outputs of one cycle as read from the ports, packed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackTxOutputs {
    pub op_ready: bool,
    pub res_valid: bool,
    pub res_conn: u16,
    pub res_status: u8,
    pub res_psn: u32,
    pub res_acked: u16,
    pub res_in_flight: u16,
    pub res_bytes_in_flight: u32,
    pub res_in_recovery: bool,
    pub loss_ooo: bool,
    pub loss_probe: bool,
    pub loss_timeout: bool,
    pub probe_due: bool,
    pub recovery_left: bool,
}

impl SackTxOutputs {
    /// As the comparer wants it.
    #[inline(always)]
    pub fn pack(&self) -> [u64; 2] {
        [
            u64::from(self.op_ready) << OP_READY
                | u64::from(self.res_valid) << RES_VALID
                | u64::from(self.loss_ooo) << LOSS_OOO
                | u64::from(self.loss_probe) << LOSS_PROBE
                | u64::from(self.loss_timeout) << LOSS_TIMEOUT
                | u64::from(self.probe_due) << PROBE_DUE
                | u64::from(self.recovery_left) << RECOVERY_LEFT
                | u64::from(self.res_in_recovery) << RES_IN_RECOVERY
                | u64::from(self.res_status) << RES_STATUS
                | u64::from(self.res_acked) << RES_ACKED
                | u64::from(self.res_in_flight) << RES_IN_FLIGHT
                | u64::from(self.res_psn) << RES_PSN,
            u64::from(self.res_bytes_in_flight) | u64::from(self.res_conn) << (RES_CONN - 64),
        ]
    }

    /// The reverse of [`SackTxOutputs::pack`].
    pub fn unpack(word: &[u64; 2]) -> Self {
        let bit = |at: u32| word[0] >> at & 1 != 0;
        SackTxOutputs {
            op_ready: bit(OP_READY),
            res_valid: bit(RES_VALID),
            res_conn: (word[1] >> (RES_CONN - 64)) as u16,
            res_status: (word[0] >> RES_STATUS & 7) as u8,
            res_psn: (word[0] >> RES_PSN) as u32 & 0xff_ffff,
            res_acked: (word[0] >> RES_ACKED & 0x3ff) as u16,
            res_in_flight: (word[0] >> RES_IN_FLIGHT & 0x3ff) as u16,
            res_bytes_in_flight: word[1] as u32,
            res_in_recovery: bit(RES_IN_RECOVERY),
            loss_ooo: bit(LOSS_OOO),
            loss_probe: bit(LOSS_PROBE),
            loss_timeout: bit(LOSS_TIMEOUT),
            probe_due: bit(PROBE_DUE),
            recovery_left: bit(RECOVERY_LEFT),
        }
    }
}

/// What leaves the core in one cycle.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    value: [u64; 2],
    care: [u64; 2],
    /// Entry of the op; of a visit, the entry whose fields stood at the inputs when it began.
    entry: u64,
}

/// The golden side of the core `sack_tx`.
pub struct SackTxCore {
    golden: SackTx,
    layout: Vec<Field>,
    times: Times,
    walker: Walker,
    conn_bits: u32,
    pipeline: Pipeline<Slot>,
    /// Ops whose results are in the pipeline, inits in work included: what a run must wait for.
    last_op: u32,
    /// An edge with `rst` high was seen: before it nothing is promised.
    is_reset: bool,
    /// The golden engine is as after a reset.
    is_fresh: bool,
    counts: SackTxCounts,
}

impl SackTxCore {
    /// The golden side for a generated core.
    ///
    /// # Panics
    /// On a manifest that does not state the cycles of every class, or states them beyond
    /// [`super::pipeline::MAX_LATENCY`]: the generator's error.
    pub fn new(manifest: &Manifest) -> Self {
        let config = &manifest.config;
        let conn_bits = config.connection_bits();
        let count_bits = config.sack.window.trailing_zeros() + 1;
        let field = |port, offset, width| Field { port, offset, width };
        SackTxCore {
            golden: SackTx::new(params(config)),
            layout: vec![
                field("op_ready", OP_READY, 1),
                field("res_valid", RES_VALID, 1),
                field("res_conn", RES_CONN, conn_bits),
                field("res_status", RES_STATUS, 3),
                field("res_psn", RES_PSN, 24),
                field("res_acked", RES_ACKED, count_bits),
                field("res_in_flight", RES_IN_FLIGHT, count_bits),
                field("res_bytes_in_flight", RES_BYTES_IN_FLIGHT, 32),
                field("res_in_recovery", RES_IN_RECOVERY, 1),
                field("loss_ooo", LOSS_OOO, 1),
                field("loss_probe", LOSS_PROBE, 1),
                field("loss_timeout", LOSS_TIMEOUT, 1),
                field("probe_due", PROBE_DUE, 1),
                field("recovery_left", RECOVERY_LEFT, 1),
            ],
            times: Times::new(manifest),
            walker: Walker::new(config.connections),
            conn_bits,
            pipeline: Pipeline::default(),
            last_op: 0,
            is_reset: false,
            is_fresh: false,
            counts: SackTxCounts::default(),
        }
    }

    fn reset(&mut self) {
        if !self.is_fresh {
            self.golden.reset();
            self.is_fresh = true;
        }
        self.pipeline.clear();
        self.is_reset = true;
        self.last_op = self.times.reset;
        self.walker.reset(self.times.reset);
        self.counts.reset_edges += 1;
    }

    /// An op, or with `visit` a visit of the walker with the settings at the inputs, begins at the coming edge.
    #[inline(always)]
    fn begin(&mut self, inputs: &Inputs<SackTxOp>, visit: Option<u16>) {
        self.is_fresh = false;
        let op = &inputs.op;
        let (kind, conn) = match visit {
            Some(conn) => (OpKind::Visit, conn),
            None => (op.kind(), op.conn),
        };
        let outcome = self.golden.apply(&GoldenOp { kind, conn, inputs: op.settings });
        let time = self.times.of(&outcome.class);
        self.walker.begin(time.interval);
        if visit.is_none() {
            self.counts.ops += 1;
            self.last_op = time.interval.max(time.latency);
        }
        self.count(op.kind, &outcome);
        if outcome.class != Class::Init {
            let slot = self.slot(conn, &outcome, inputs.entry);
            self.pipeline.enter(time.latency, slot);
        }
    }

    #[inline(always)]
    fn slot(&self, conn: u16, outcome: &Outcome, entry: u64) -> Slot {
        let outputs = SackTxOutputs {
            op_ready: false,
            res_valid: outcome.status.is_some(),
            res_conn: conn,
            res_status: outcome.status.map_or(0, Status::code),
            res_psn: outcome.psn.unwrap_or(0),
            res_acked: outcome.acked,
            res_in_flight: outcome.in_flight,
            res_bytes_in_flight: outcome.in_flight_bytes,
            res_in_recovery: outcome.in_recovery,
            loss_ooo: outcome.loss == Some(Rule::Ooo),
            loss_probe: outcome.loss == Some(Rule::Probe),
            loss_timeout: outcome.loss == Some(Rule::Timeout),
            probe_due: outcome.probe_due,
            recovery_left: outcome.recovery_left,
        };
        let value = outputs.pack();
        let mut care = [0; 2];
        if outputs.res_valid {
            care = RESULT;
            if matches!(outcome.class, Class::Sack { .. } | Class::SackRefused) {
                care[0] |= ACKED;
            }
        }
        if outcome.psn.is_some() {
            care[0] |= PSN;
        }
        if value[0] & ALWAYS != 0 {
            care[1] |= ((1 << self.conn_bits) - 1) << (RES_CONN - 64);
        }
        Slot { value, care, entry }
    }

    #[inline(always)]
    fn count(&mut self, kind: u8, outcome: &Outcome) {
        let counts = &mut self.counts;
        match outcome.status {
            Some(status) => {
                let of_kind = match kind {
                    0 => &mut counts.sent,
                    1 => &mut counts.sacks,
                    _ => &mut counts.next_rtx,
                };
                of_kind[usize::from(status.code())] += 1;
            }
            None if outcome.class == Class::Init => counts.inits += 1,
            None => counts.visits += 1,
        }
        counts.acked += u64::from(outcome.acked);
        counts.losses_ooo += u64::from(outcome.loss == Some(Rule::Ooo));
        counts.losses_probe += u64::from(outcome.loss == Some(Rule::Probe));
        counts.losses_timeout += u64::from(outcome.loss == Some(Rule::Timeout));
        counts.probes_due += u64::from(outcome.probe_due);
        counts.recoveries_left += u64::from(outcome.recovery_left);
    }
}

impl Core for SackTxCore {
    const NAME: &'static str = "sack_tx";
    const WISHED: &'static str = "an op";
    const SCRAMBLES: bool = true;
    type Op = SackTxOp;
    type Word = [u64; 2];
    type Counts = SackTxCounts;

    fn layout(&self) -> &[Field] {
        &self.layout
    }

    #[inline(always)]
    fn expected(&self) -> Expected<[u64; 2]> {
        let ready = u64::from(self.is_ready()) << OP_READY;
        let (mut value, mut care, entry) = match self.pipeline.leaving() {
            // of a visit that shows nothing there is nothing to blame on an entry
            Some(slot) => (slot.value, slot.care, (slot.value[0] & ALWAYS != 0).then_some(slot.entry)),
            None => ([0; 2], [0; 2], None),
        };
        value[0] |= ready;
        care[0] |= ALWAYS;
        Expected { value, care: if self.is_reset { care } else { [0; 2] }, entry, wished: false }
    }

    #[inline(always)]
    fn is_ready(&self) -> bool {
        self.walker.is_ready()
    }

    /// While the engine is at work it samples no setting.
    #[inline(always)]
    fn scramble(&self, inputs: &mut Inputs<SackTxOp>, cycle: u64) {
        if self.walker.is_at_work() {
            let random = (cycle + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            inputs.op.settings = respray_golden::sack_tx::Inputs {
                now: random as u16,
                cwnd_packets: (random >> 52) as u16,
                probe_timeout: (random >> 16) as u16,
                probe_rtt: (random >> 32) as u16,
                rto: (random >> 48) as u16,
            };
        }
    }

    fn unmet(&self, _: &[u64; 2]) -> Option<(String, String)> {
        None
    }

    fn connection(&self, seen: &[u64; 2]) -> Option<u32> {
        let valid = seen[0] & ALWAYS & !(1 << OP_READY) != 0;
        valid.then(|| seen.bits(RES_CONN, self.conn_bits)[0] as u32)
    }

    #[inline(always)]
    fn edge(&mut self, inputs: &Inputs<SackTxOp>) {
        if inputs.rst {
            self.reset();
        } else {
            self.last_op = self.last_op.saturating_sub(1);
            match self.walker.edge(inputs.op_valid) {
                Turn::Wait => {}
                Turn::Op => self.begin(inputs, None),
                Turn::Visit { conn, forced } => {
                    self.counts.visits_forced += u64::from(forced);
                    self.begin(inputs, Some(conn));
                }
            }
        }
        self.pipeline.step();
    }

    /// The walker never rests; an op in work or a reset is what there is to wait for.
    fn is_busy(&self) -> bool {
        self.last_op > 0
    }

    fn counts(&self) -> SackTxCounts {
        self.counts
    }

    fn named_counts(counts: &SackTxCounts) -> Vec<(&'static str, u64)> {
        let SackTxCounts { sent, sacks, next_rtx, .. } = counts;
        vec![
            ("ops", counts.ops),
            ("sent", sent.iter().sum()),
            ("sent_again", sent[1]),
            ("sent_gap", sent[2]),
            ("sent_window_full", sent[3]),
            ("sacks", sacks.iter().sum()),
            ("sacks_taken", sacks[0]),
            ("sacks_old", sacks[1]),
            ("sacks_never_sent", sacks[2]),
            ("sacks_bad_base", sacks[3]),
            ("sacks_beyond", sacks[4]),
            ("next_rtx", next_rtx.iter().sum()),
            ("retransmissions", next_rtx[0]),
            ("inits", counts.inits),
            ("uninitialised", sent[7] + sacks[7] + next_rtx[7]),
            ("acked", counts.acked),
            ("losses_ooo", counts.losses_ooo),
            ("losses_probe", counts.losses_probe),
            ("losses_timeout", counts.losses_timeout),
            ("probes_due", counts.probes_due),
            ("recoveries_left", counts.recoveries_left),
            ("visits", counts.visits),
            ("visits_forced", counts.visits_forced),
            ("reset_edges", counts.reset_edges),
        ]
    }
}

impl VerilatedCore for SackTxCore {
    type Device = SackTxModel;
    type Row = Row;
    type Knobs = Knobs;
    type Random = RandomOps;
    type Listener = SackTxListener;

    fn new(manifest: &Manifest) -> Self {
        SackTxCore::new(manifest)
    }

    fn device(model: Model, manifest: &Manifest) -> Result<SackTxModel, ModelError> {
        let config = &manifest.config;
        SackTxModel::new(model, config.connection_bits(), config.sack.window.trailing_zeros() + 1)
    }

    fn model(device: &mut SackTxModel) -> &mut Model {
        device.model()
    }

    fn random(seed: u64, knobs: &Knobs, config: &Config) -> RandomOps {
        RandomOps::new(seed, knobs, config.sack.window)
    }

    fn limits(config: &Config) -> Limits {
        Limits { connections: config.connections }
    }

    fn entries(rows: &[Row], settings: &Settings, _: &Config) -> Vec<Entry<SackTxOp>> {
        let defaults = op::defaults(settings);
        rows.iter().map(|row| op::entry_of_row(row, &defaults)).collect()
    }

    fn trace(entries: &[Entry<SackTxOp>]) -> Trace {
        op::trace_of_entries(entries)
    }

    fn recorded(recording: &Recording) -> Recorded<SackTxCore> {
        let rto = Some((recording.rto_ns / 1000).min(0xffff) as u16);
        let settings = Settings { rto, ..Settings::default() };
        Recorded { local: Some(recording.local), seed: None, settings }
    }

    fn summary(counts: &SackTxCounts, cycles: u64, _: bool) -> Vec<String> {
        let SackTxCounts { ops, sent, sacks, next_rtx, .. } = counts;
        let SackTxCounts { losses_ooo, losses_probe, losses_timeout, probes_due, recoveries_left, .. } =
            counts;
        let all = |of_kind: &[u64; 8]| of_kind.iter().sum::<u64>();
        vec![
            format!(
                "{ops} ops in {cycles} cycles and {} visits: {} sent, {} of them again; {} SACKs, {} taken; {} PSNs to \
                 retransmit in {} asked for",
                counts.visits,
                all(sent),
                sent[1],
                all(sacks),
                sacks[0],
                next_rtx[0],
                all(next_rtx),
            ),
            format!(
                "losses by the out-of-order count {losses_ooo}, by a probe {losses_probe}, by the timeout \
                 {losses_timeout}; {probes_due} probes due, {recoveries_left} recoveries left"
            ),
        ]
    }
}
