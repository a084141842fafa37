//! The core `sack_rx`: what its outputs are at every edge, from the golden model and the manifest's cycles.

use respray_golden::sack_rx::{self, Class, OpKind, Outcome, Params, SackRx, Status};
use respray_hdl::config::Config;
use respray_hdl::manifest::Manifest;

pub use self::model::SackRxModel;
pub use self::op::SackRxOp;
pub use self::outputs::SackRxOutputs;
use self::outputs::{ALWAYS, OP_READY, SACK, layout, result_care};
use self::timing::Timing;
use super::core::{Core, Entry, Expected, Field, Inputs, Recorded, VerilatedCore};
use super::pipeline::Pipeline;
use crate::traffic::capture::ops::sack_rx::SackRxListener;
use crate::traffic::optrace::sack_rx::{Expect, Limits, Row, Sack, Settings, Trace};
use crate::traffic::random::sack_rx::{Knobs, RandomOps};
use crate::traffic::recording::Recording;
use crate::verilator::{Model, ModelError};

mod model;
mod op;
mod outputs;
mod timing;

/// What is counted: ops that the core took, and what came of the packets among them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackRxCounts {
    pub ops: u64,
    pub inits: u64,
    pub packets: u64,
    pub new: u64,
    pub duplicates: u64,
    pub outside: u64,
    pub probes: u64,
    pub uninitialised: u64,
    pub sacks: u64,
    /// Segments that EPSN moved by, in all.
    pub advanced_segments: u64,
    /// Advances over a whole window.
    pub whole_windows: u64,
    /// Packets whose line of the op trace names the SACK that was on the wire.
    pub sacks_given: u64,
    /// Of these, those for which the engine sends exactly that SACK.
    pub sacks_as_given: u64,
    /// Ops that waited for an earlier one of their connection.
    pub waits: u64,
    /// Clock edges with `rst` high.
    pub reset_edges: u64,
}

/// What leaves the core in one cycle.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    value: [u64; 4],
    care: [u64; 4],
    /// Entry of the op.
    entry: u64,
    /// What the op trace demands.
    expect: Option<Expect>,
}

/// The golden side of the core `sack_rx`.
pub struct SackRxCore {
    golden: SackRx,
    layout: Vec<Field>,
    timing: Timing,
    reset_cycles: u32,
    result_care: [u64; 4],
    pipeline: Pipeline<Slot>,
    /// Edges until `op_ready` is high.
    wait: u32,
    /// An edge with `rst` high was seen: before it nothing is promised.
    is_reset: bool,
    /// The golden engine is as after a reset.
    is_fresh: bool,
    counts: SackRxCounts,
}

impl SackRxCore {
    /// The golden side for a generated core.
    ///
    /// # Panics
    /// On a manifest that does not state the cycles of every class of op, or more than the pipeline provides for: the
    /// generator's error.
    pub fn new(manifest: &Manifest) -> Self {
        let config = &manifest.config;
        let params = Params { connections: config.connections, window: config.sack.window };
        SackRxCore {
            golden: SackRx::new(params),
            layout: layout(config.connection_bits()),
            timing: Timing::new(manifest),
            reset_cycles: manifest.reset_cycles,
            result_care: result_care(config.connection_bits()),
            pipeline: Pipeline::default(),
            wait: 0,
            is_reset: false,
            is_fresh: false,
            counts: SackRxCounts::default(),
        }
    }

    fn reset(&mut self) {
        if !self.is_fresh {
            self.golden.reset();
            self.timing.reset();
            self.is_fresh = true;
        }
        self.pipeline.clear();
        self.is_reset = true;
        self.wait = self.reset_cycles;
        self.counts.reset_edges += 1;
    }

    #[inline(always)]
    fn take(&mut self, op: &SackRxOp, entry: u64) {
        self.is_fresh = false;
        let outcome = self.golden.apply(&sack_rx::Op {
            kind: if op.kind == 0 { OpKind::Packet } else { OpKind::Init },
            conn: op.conn,
            psn: op.psn,
            bytes: op.bytes,
            ecn: op.ecn,
            ev: op.ev,
            timestamp: op.timestamp,
            ack_request: op.ack_request,
            probe: op.probe,
            sack_threshold: op.sack_threshold,
        });
        let cycles = self.timing.take(op.conn, &outcome.class);
        self.wait = cycles.until_ready;
        self.count(op, &outcome, cycles.waited);
        if let Some(status) = outcome.status {
            let slot = self.slot(op, status, outcome.sack.as_ref(), entry);
            self.pipeline.enter(cycles.until_result, slot);
        }
    }

    #[inline(always)]
    fn slot(&self, op: &SackRxOp, status: Status, sack: Option<&sack_rx::Sack>, entry: u64) -> Slot {
        let mut outputs = SackRxOutputs {
            res_valid: true,
            res_conn: op.conn,
            res_status: status as u8,
            ..SackRxOutputs::default()
        };
        let mut care = self.result_care;
        if let Some(sack) = sack {
            outputs.sack_valid = true;
            outputs.sack_psn = sack.psn;
            outputs.sack_epsn = sack.epsn;
            outputs.sack_base = sack.base;
            outputs.sack_bitmap = sack.bitmap;
            outputs.sack_ooo = sack.ooo;
            outputs.sack_bytes_recvd = sack.bytes_recvd;
            outputs.sack_ecn = sack.ecn;
            outputs.sack_ev = sack.ev;
            outputs.sack_timestamp = sack.timestamp;
            outputs.sack_probe = sack.probe;
            for (care, sack) in care.iter_mut().zip(SACK) {
                *care |= sack;
            }
        }
        let expect = op.expect.filter(|expect| !matches!(expect, Expect::Wire(_)));
        Slot { value: outputs.pack(), care, entry, expect }
    }

    #[inline(always)]
    fn count(&mut self, op: &SackRxOp, outcome: &Outcome, waited: bool) {
        let counts = &mut self.counts;
        counts.ops += 1;
        counts.waits += u64::from(waited);
        match outcome.status {
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
        if let Class::NewInOrder { advance_segments } = outcome.class {
            counts.advanced_segments += u64::from(advance_segments);
            counts.whole_windows += u64::from(advance_segments == self.golden.params().window / 64);
        }
        if let Some(Expect::Wire(wire)) = op.expect {
            counts.sacks_given += 1;
            counts.sacks_as_given += u64::from(outcome.sack.is_some_and(|sack| state_of(&sack) == wire));
        }
    }
}

/// What a SACK says of the receiver's state.
fn state_of(sack: &sack_rx::Sack) -> Sack {
    let sack_rx::Sack { epsn, base, bitmap, ooo, bytes_recvd, .. } = *sack;
    Sack { epsn, base, bitmap, ooo, bytes_recvd }
}

impl Core for SackRxCore {
    const NAME: &'static str = "sack_rx";
    const WISHED: &'static str = "a packet";
    type Op = SackRxOp;
    type Word = [u64; 4];
    type Counts = SackRxCounts;

    fn layout(&self) -> &[Field] {
        &self.layout
    }

    #[inline(always)]
    fn expected(&self) -> Expected<[u64; 4]> {
        let mut expected = Expected::default();
        if let Some(slot) = self.pipeline.leaving() {
            expected = Expected {
                value: slot.value,
                care: slot.care,
                entry: Some(slot.entry),
                wished: slot.expect.is_some(),
            };
        }
        expected.value[0] |= u64::from(self.is_ready()) << OP_READY;
        if self.is_reset {
            expected.care[0] |= ALWAYS;
        } else {
            expected.care = [0; 4];
        }
        expected
    }

    #[inline(always)]
    fn is_ready(&self) -> bool {
        self.wait == 0
    }

    fn unmet(&self, seen: &[u64; 4]) -> Option<(String, String)> {
        let outputs = SackRxOutputs::unpack(seen);
        let wanted = match self.pipeline.leaving()?.expect? {
            Expect::Sack(wanted) => Some(wanted),
            Expect::None => None,
            Expect::Wire(_) => return None,
        };
        let seen = outputs.sack_valid.then_some(Sack {
            epsn: outputs.sack_epsn,
            base: outputs.sack_base,
            bitmap: outputs.sack_bitmap,
            ooo: outputs.sack_ooo,
            bytes_recvd: outputs.sack_bytes_recvd,
        });
        (seen != wanted).then(|| (words(wanted), words(seen)))
    }

    fn connection(&self, seen: &[u64; 4]) -> Option<u32> {
        let outputs = SackRxOutputs::unpack(seen);
        let connections = self.golden.params().connections;
        outputs.res_valid.then_some(u32::from(outputs.res_conn) % connections)
    }

    #[inline(always)]
    fn edge(&mut self, inputs: &Inputs<SackRxOp>) {
        if inputs.rst {
            self.reset();
        } else if self.wait > 0 {
            self.wait -= 1;
        } else if inputs.op_valid {
            self.take(&inputs.op, inputs.entry);
        }
        self.pipeline.step();
        self.timing.step();
    }

    fn is_busy(&self) -> bool {
        self.wait > 0 || !self.pipeline.is_empty()
    }

    fn counts(&self) -> SackRxCounts {
        self.counts
    }

    fn named_counts(counts: &SackRxCounts) -> Vec<(&'static str, u64)> {
        vec![
            ("ops", counts.ops),
            ("inits", counts.inits),
            ("packets", counts.packets),
            ("new", counts.new),
            ("duplicates", counts.duplicates),
            ("outside", counts.outside),
            ("probes", counts.probes),
            ("uninitialised", counts.uninitialised),
            ("sacks", counts.sacks),
            ("advanced_segments", counts.advanced_segments),
            ("whole_windows", counts.whole_windows),
            ("sacks_given", counts.sacks_given),
            ("sacks_as_given", counts.sacks_as_given),
            ("waits", counts.waits),
            ("reset_edges", counts.reset_edges),
        ]
    }
}

/// A SACK's state in words.
fn words(sack: Option<Sack>) -> String {
    let Some(Sack { epsn, base, bitmap, ooo, bytes_recvd }) = sack else { return "no SACK".to_string() };
    format!("a SACK of EPSN {epsn}, base {base}, bitmap {bitmap:#x}, {ooo} out of order, {bytes_recvd} bytes")
}

impl VerilatedCore for SackRxCore {
    type Device = SackRxModel;
    type Row = Row;
    type Knobs = Knobs;
    type Random = RandomOps;
    type Listener = SackRxListener;

    fn new(manifest: &Manifest) -> Self {
        SackRxCore::new(manifest)
    }

    fn device(model: Model, manifest: &Manifest) -> Result<SackRxModel, ModelError> {
        SackRxModel::new(model, manifest.config.connection_bits())
    }

    fn model(device: &mut SackRxModel) -> &mut Model {
        device.model()
    }

    fn random(seed: u64, knobs: &Knobs, config: &Config) -> RandomOps {
        RandomOps::new(seed, knobs, config.sack.window)
    }

    fn limits(config: &Config) -> Limits {
        Limits { connections: config.connections }
    }

    fn entries(rows: &[Row], settings: &Settings, _: &Config) -> Vec<Entry<SackRxOp>> {
        rows.iter().map(|row| op::entry_of_row(row, settings)).collect()
    }

    fn trace(entries: &[Entry<SackRxOp>]) -> Trace {
        op::trace_of_entries(entries)
    }

    fn recorded(_: &Recording) -> Recorded<SackRxCore> {
        // the recorder's receiver answers every packet
        Recorded { local: None, seed: None, settings: Settings { sack_threshold: Some(0) } }
    }

    fn summary(counts: &SackRxCounts, cycles: u64, is_capture: bool) -> Vec<String> {
        let SackRxCounts { ops, packets, new, duplicates, outside, probes, sacks, .. } = counts;
        let SackRxCounts { uninitialised, sacks_given, sacks_as_given, .. } = counts;
        let mut lines = vec![format!(
            "{ops} ops in {cycles} cycles, {packets} packets: {new} new, {duplicates} duplicate, {outside} outside the \
             window, {probes} probes, {uninitialised} of connections not initialised; {sacks} SACKs"
        )];
        if is_capture {
            lines.push(format!(
                "SACKs of the wire that the engine sent again exactly: {sacks_as_given} of {sacks_given}"
            ));
        }
        lines
    }
}
