//! The core `reps`: what its outputs are at every edge, from the golden model and the manifest's latency.

use respray_golden::reps::{self, OpKind, Outcome, Params, Reps, SendKind};
use respray_hdl::config::{Config, Variant};
use respray_hdl::cycles::Cycles;
use respray_hdl::manifest::Manifest;

pub use self::model::RepsModel;
pub use self::op::RepsOp;
use super::core::{Core, Entry, Expected, Field, Inputs, Recorded, VerilatedCore, Word};
use super::pipeline::{MAX_LATENCY, Pipeline};
use crate::traffic::capture::ops::reps::RepsListener;
use crate::traffic::optrace::reps::{Expect, Limits, Row, Settings, Trace};
use crate::traffic::random::reps::{Knobs, RandomOps};
use crate::traffic::recording::Recording;
use crate::verilator::{Model, ModelError};

mod model;
mod op;

/// What is counted: ops that the core took, and what the sends among them returned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RepsCounts {
    pub ops: u64,
    pub sends: u64,
    pub explore: u64,
    pub recycle: u64,
    pub replay: u64,
    /// Sends that returned the EV that their line of the op trace names: on a capture, the EV of the wire.
    pub evs_as_given: u64,
    pub evs_cached: u64,
    pub evs_dropped: u64,
    pub freezes_entered: u64,
    pub freezes_left: u64,
    /// Clock edges with `rst` high.
    pub reset_edges: u64,
}

/// The golden engine of a configuration.
pub fn params(config: &Config, seed: u16) -> Params {
    Params {
        connections: config.connections,
        depth: config.reps.depth as u8,
        variant: match config.reps.variant {
            Variant::Paper => reps::Variant::Paper,
            Variant::Uet => reps::Variant::Uet,
        },
        ev_base: config.selector.ev_base as u16,
        ev_bits: config.selector.ev_bits as u8,
        time_bits: config.selector.time_bits as u8,
        seed,
    }
}

// Where each output lies in the packed word. The layout has the order of the module's header.
const OP_READY: u32 = 0;
const RES_VALID: u32 = 1;
const EV_CACHED: u32 = 2;
const EV_DROPPED: u32 = 3;
const FREEZE_ENTERED: u32 = 4;
const FREEZE_LEFT: u32 = 5;
const RES_KIND: u32 = 6;
const RES_EV: u32 = 8;
const RES_CONN: u32 = 24;
/// Outputs that are promised in every cycle: `op_ready`, `res_valid` and the pulses.
const ALWAYS: u64 = 0x3f;
const RESULT: u64 = 0x3 << RES_KIND | 0xffff << RES_EV;

/// The outputs of one cycle as read from the ports, packed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RepsOutputs {
    pub op_ready: bool,
    pub res_valid: bool,
    pub res_conn: u16,
    pub res_kind: u8,
    pub res_ev: u16,
    pub ev_cached: bool,
    pub ev_dropped: bool,
    pub freeze_entered: bool,
    pub freeze_left: bool,
}

impl RepsOutputs {
    /// As the comparer wants it.
    #[inline(always)]
    pub fn pack(&self) -> [u64; 1] {
        [u64::from(self.op_ready) << OP_READY
            | u64::from(self.res_valid) << RES_VALID
            | u64::from(self.ev_cached) << EV_CACHED
            | u64::from(self.ev_dropped) << EV_DROPPED
            | u64::from(self.freeze_entered) << FREEZE_ENTERED
            | u64::from(self.freeze_left) << FREEZE_LEFT
            | u64::from(self.res_kind) << RES_KIND
            | u64::from(self.res_ev) << RES_EV
            | u64::from(self.res_conn) << RES_CONN]
    }
}

/// What leaves the core in one cycle.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    value: u64,
    care: u64,
    /// Entry of the op.
    entry: u64,
    expect: Option<Expect>,
}

/// The golden side of the core `reps`.
pub struct RepsCore {
    golden: Reps,
    layout: Vec<Field>,
    latency: u32,
    reset_cycles: u32,
    conn_care: u64,
    pipeline: Pipeline<Slot>,
    /// Edges with `rst` low until `op_ready` is high.
    wait: u32,
    /// An edge with `rst` high was seen: before it nothing is promised.
    is_reset: bool,
    /// The golden engine is as after a reset with its seed.
    is_fresh: bool,
    counts: RepsCounts,
}

impl RepsCore {
    /// The golden side for a generated core.
    ///
    /// # Panics
    /// On a manifest without a latency for class `op`, or beyond [`MAX_LATENCY`]: the generator's error.
    pub fn new(manifest: &Manifest) -> Self {
        let config = &manifest.config;
        let latency = manifest
            .latency_cycles
            .get("op")
            .and_then(Cycles::fixed)
            .expect("the manifest states the latency of `op`");
        assert!(
            (1..=MAX_LATENCY).contains(&latency),
            "a latency of {latency} cycles; allowed: 1 to {MAX_LATENCY}"
        );
        let conn_bits = config.connection_bits();
        let field = |port, offset, width| Field { port, offset, width };
        RepsCore {
            golden: Reps::new(params(config, 0)),
            layout: vec![
                field("op_ready", OP_READY, 1),
                field("res_valid", RES_VALID, 1),
                field("res_conn", RES_CONN, conn_bits),
                field("res_kind", RES_KIND, 2),
                field("res_ev", RES_EV, 16),
                field("ev_cached", EV_CACHED, 1),
                field("ev_dropped", EV_DROPPED, 1),
                field("freeze_entered", FREEZE_ENTERED, 1),
                field("freeze_left", FREEZE_LEFT, 1),
            ],
            latency,
            reset_cycles: manifest.reset_cycles,
            conn_care: ((1 << conn_bits) - 1) << RES_CONN,
            pipeline: Pipeline::default(),
            wait: 0,
            is_reset: false,
            is_fresh: false,
            counts: RepsCounts::default(),
        }
    }

    fn reset(&mut self, seed: u16) {
        if !self.is_fresh || self.golden.params().seed != seed {
            self.golden.reset_with_seed(seed);
            self.is_fresh = true;
        }
        self.pipeline.clear();
        self.is_reset = true;
        self.wait = self.reset_cycles;
        self.counts.reset_edges += 1;
    }

    #[inline(always)]
    fn take(&mut self, op: &RepsOp, entry: u64) {
        self.is_fresh = false;
        self.counts.ops += 1;
        let outcome = self.golden.apply(&reps::Op {
            kind: OpKind::from_code(op.kind),
            conn: op.conn,
            ev: op.ev,
            ecn: op.ecn,
            now: op.now,
            freeze_timeout: op.freeze_timeout,
            bdp_packets: op.bdp_packets,
        });
        let slot = self.slot(op, &outcome, entry);
        self.pipeline.enter(self.latency, slot);
    }

    #[inline(always)]
    fn slot(&mut self, op: &RepsOp, outcome: &Outcome, entry: u64) -> Slot {
        let mut outputs = RepsOutputs {
            res_conn: op.conn,
            ev_cached: outcome.ev_cached,
            ev_dropped: outcome.ev_dropped,
            freeze_entered: outcome.freeze_entered,
            freeze_left: outcome.freeze_left,
            ..RepsOutputs::default()
        };
        let counts = &mut self.counts;
        counts.evs_cached += u64::from(outcome.ev_cached);
        counts.evs_dropped += u64::from(outcome.ev_dropped);
        counts.freezes_entered += u64::from(outcome.freeze_entered);
        counts.freezes_left += u64::from(outcome.freeze_left);
        let mut care = 0;
        let mut expect = None;
        if let Some(result) = outcome.result {
            outputs.res_valid = true;
            outputs.res_kind = result.kind.code();
            outputs.res_ev = result.ev;
            care |= RESULT;
            expect = op.expect;
            counts.sends += 1;
            counts.explore += u64::from(result.kind == SendKind::Explore);
            counts.recycle += u64::from(result.kind == SendKind::Recycle);
            counts.replay += u64::from(result.kind == SendKind::Replay);
            counts.evs_as_given += u64::from(result.ev == op.ev);
        }
        let [value] = outputs.pack();
        if value & ALWAYS != 0 {
            care |= self.conn_care;
        }
        Slot { value, care, entry, expect }
    }
}

impl Core for RepsCore {
    const NAME: &'static str = "reps";
    const WISHED: &'static str = "a send";
    type Op = RepsOp;
    type Word = [u64; 1];
    type Counts = RepsCounts;

    fn layout(&self) -> &[Field] {
        &self.layout
    }

    #[inline(always)]
    fn expected(&self) -> Expected<[u64; 1]> {
        let ready = u64::from(self.is_ready()) << OP_READY;
        let (value, care, entry, wished) = match self.pipeline.leaving() {
            Some(slot) => (slot.value | ready, slot.care, Some(slot.entry), slot.expect.is_some()),
            None => (ready, 0, None, false),
        };
        let care = if self.is_reset { care | ALWAYS } else { 0 };
        Expected { value: [value], care: [care], entry, wished }
    }

    #[inline(always)]
    fn is_ready(&self) -> bool {
        self.wait == 0
    }

    fn unmet(&self, seen: &[u64; 1]) -> Option<(String, String)> {
        let kind = seen.bits(RES_KIND, 2)[0] as u8;
        let ev = seen.bits(RES_EV, 16)[0] as u16;
        let explored = kind == SendKind::Explore.code();
        let wanted = match self.pipeline.leaving()?.expect? {
            Expect::Explore if explored => return None,
            Expect::Cached(wanted) if !explored && wanted == ev => return None,
            Expect::Explore => "explore".to_string(),
            Expect::Cached(wanted) => format!("cached {wanted}"),
        };
        let name = if explored {
            "explore"
        } else if kind == SendKind::Recycle.code() {
            "recycle"
        } else {
            "replay"
        };
        Some((wanted, format!("{name} {ev}")))
    }

    fn connection(&self, seen: &[u64; 1]) -> Option<u32> {
        let valid = seen[0] & ALWAYS & !(1 << OP_READY) != 0;
        valid.then(|| seen.bits(RES_CONN, self.golden.params().connections.trailing_zeros())[0] as u32)
    }

    #[inline(always)]
    fn edge(&mut self, inputs: &Inputs<RepsOp>) {
        if inputs.rst {
            self.reset(inputs.seed);
        } else if self.wait > 0 {
            self.wait -= 1;
        } else if inputs.op_valid {
            self.take(&inputs.op, inputs.entry);
        }
        self.pipeline.step();
    }

    fn is_busy(&self) -> bool {
        self.wait > 0 || !self.pipeline.is_empty()
    }

    fn counts(&self) -> RepsCounts {
        self.counts
    }

    fn named_counts(counts: &RepsCounts) -> Vec<(&'static str, u64)> {
        vec![
            ("ops", counts.ops),
            ("sends", counts.sends),
            ("explore", counts.explore),
            ("recycle", counts.recycle),
            ("replay", counts.replay),
            ("evs_as_given", counts.evs_as_given),
            ("evs_cached", counts.evs_cached),
            ("evs_dropped", counts.evs_dropped),
            ("freezes_entered", counts.freezes_entered),
            ("freezes_left", counts.freezes_left),
            ("reset_edges", counts.reset_edges),
        ]
    }
}

impl VerilatedCore for RepsCore {
    type Device = RepsModel;
    type Row = Row;
    type Knobs = Knobs;
    type Random = RandomOps;
    type Listener = RepsListener;

    fn new(manifest: &Manifest) -> Self {
        RepsCore::new(manifest)
    }

    fn device(model: Model, manifest: &Manifest) -> Result<RepsModel, ModelError> {
        RepsModel::new(model, manifest.config.connection_bits(), manifest.config.selector.time_bits)
    }

    fn model(device: &mut RepsModel) -> &mut Model {
        device.model()
    }

    fn random(seed: u64, knobs: &Knobs, config: &Config) -> RandomOps {
        RandomOps::new(seed, knobs, config.selector.time_bits)
    }

    fn limits(config: &Config) -> Limits {
        op::limits(config)
    }

    fn entries(rows: &[Row], settings: &Settings, config: &Config) -> Vec<Entry<RepsOp>> {
        let defaults = op::Defaults::new(settings, config);
        rows.iter().map(|row| op::entry_of_row(row, config.selector.time_bits, &defaults)).collect()
    }

    fn trace(entries: &[Entry<RepsOp>]) -> Trace {
        op::trace_of_entries(entries)
    }

    fn recorded(recording: &Recording) -> Recorded<RepsCore> {
        let engine = &recording.engine;
        Recorded { local: Some(recording.local), seed: Some(engine.seed), settings: engine.settings() }
    }

    fn summary(counts: &RepsCounts, cycles: u64, is_capture: bool) -> Vec<String> {
        let RepsCounts { ops, sends, explore, recycle, replay, freezes_entered, evs_as_given, .. } = counts;
        let mut lines = vec![format!(
            "{ops} ops in {cycles} cycles, {sends} sends: {explore} explore, {recycle} recycle, {replay} replay; \
             {freezes_entered} freezes"
        )];
        if is_capture {
            lines.push(format!(
                "EVs of the wire that the engine chose again exactly: {evs_as_given} of {sends}"
            ));
        }
        lines
    }
}
