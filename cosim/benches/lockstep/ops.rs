//! The cores that take ops.

use std::time::{Duration, Instant};

use criterion::Criterion;
use respray_cosim::lockstep::core::{Device, Inputs, VerilatedCore};
use respray_cosim::lockstep::reps::{RepsCore, RepsOp};
use respray_cosim::lockstep::run::{RESET_EDGES, run};
use respray_cosim::lockstep::sack_rx::{SackRxCore, SackRxOp};
use respray_cosim::lockstep::sack_tx::{SackTxCore, SackTxOp};
use respray_cosim::traffic::random::Knobs as _;
use respray_cosim::verilator::{Baseline, BuildOptions, Design, Source, Stimulus, build};
use respray_hdl::config::Config;
use respray_hdl::cores::generate;
use respray_hdl::manifest::Generated;

use super::{SEED, measure};

/// Cycles that the bare loop's table holds.
const TABLE_CYCLES: u64 = 1 << 16;

/// A core whose inputs the bare loop can drive.
trait BenchedCore: VerilatedCore {
    /// The inputs of one cycle by port, `rst`, `seed` and `op_valid` aside.
    fn row(op: &Self::Op) -> Vec<(&'static str, u64)>;

    /// It has a port `seed`.
    const HAS_SEED: bool;
}

impl BenchedCore for RepsCore {
    const HAS_SEED: bool = true;

    fn row(op: &RepsOp) -> Vec<(&'static str, u64)> {
        vec![
            ("op_kind", op.kind.into()),
            ("op_conn", op.conn.into()),
            ("op_ev", op.ev.into()),
            ("op_ecn", op.ecn.into()),
            ("now", op.now.into()),
            ("freeze_timeout", op.freeze_timeout.into()),
            ("bdp_packets", op.bdp_packets.into()),
        ]
    }
}

impl BenchedCore for SackRxCore {
    const HAS_SEED: bool = false;

    fn row(op: &SackRxOp) -> Vec<(&'static str, u64)> {
        vec![
            ("op_kind", op.kind.into()),
            ("op_conn", op.conn.into()),
            ("op_psn", op.psn.into()),
            ("op_bytes", op.bytes.into()),
            ("op_ecn", op.ecn.into()),
            ("op_ev", op.ev.into()),
            ("op_timestamp", op.timestamp.into()),
            ("op_ack_request", op.ack_request.into()),
            ("op_probe", op.probe.into()),
            ("sack_threshold", op.sack_threshold.into()),
        ]
    }
}

impl BenchedCore for SackTxCore {
    const HAS_SEED: bool = false;

    fn row(op: &SackTxOp) -> Vec<(&'static str, u64)> {
        let (sack, settings) = (&op.sack, &op.settings);
        vec![
            ("op_kind", op.kind.into()),
            ("op_conn", op.conn.into()),
            ("op_psn", op.psn.into()),
            ("op_bytes", op.bytes.into()),
            ("op_epsn", sack.epsn.into()),
            ("op_base", sack.base.into()),
            ("op_bitmap", sack.bitmap),
            ("op_ooo", sack.ooo.into()),
            ("op_bytes_recvd", sack.bytes_recvd.into()),
            ("op_timestamp", sack.timestamp.into()),
            ("op_probe", sack.probe.into()),
            ("now", settings.now.into()),
            ("cwnd_packets", settings.cwnd_packets.into()),
            ("probe_timeout", settings.probe_timeout.into()),
            ("probe_rtt", settings.probe_rtt.into()),
            ("rto", settings.rto.into()),
        ]
    }
}

struct Case<C: VerilatedCore> {
    core: Generated,
    knobs: C::Knobs,
    design: &'static Design,
    baseline: Baseline,
}

/// Keeps what the lockstep drives.
struct Recording<C: VerilatedCore> {
    device: C::Device,
    rows: Vec<Inputs<C::Op>>,
}

impl<C: VerilatedCore> Device<C> for Recording<C> {
    fn cycle(&mut self, inputs: &Inputs<C::Op>) -> C::Word {
        self.rows.push(*inputs);
        self.device.cycle(inputs)
    }
}

fn row<C: BenchedCore>(inputs: &Inputs<C::Op>) -> Vec<(&'static str, u64)> {
    let mut row = vec![("rst", inputs.rst.into()), ("op_valid", inputs.op_valid.into())];
    if C::HAS_SEED {
        row.push(("seed", inputs.seed.into()));
    }
    row.extend(C::row(&inputs.op));
    row
}

impl<C: BenchedCore> Case<C> {
    fn new(sets: &[&str], knobs: &[&str]) -> Case<C> {
        let sets: Vec<String> = sets.iter().map(|set| set.to_string()).collect();
        let config = Config::load(None, &sets).expect("the configuration is valid");
        let core = generate(C::NAME, &config).expect("the core is generated");
        let mut chosen = C::Knobs::new(config.connections);
        knobs.iter().for_each(|knob| chosen.set(knob, config.connections).expect("the knob is valid"));
        let source = Source::new(C::NAME, core.verilog.as_str());
        let design = build(&source, &BuildOptions::default()).expect("the model builds");
        let mut recording = Recording::<C> { device: device::<C>(design, &core), rows: Vec::new() };
        lockstep::<C>(&core, &chosen, &mut recording, TABLE_CYCLES);
        let rows = recording.rows.iter().map(row::<C>);
        let stimulus = Stimulus::recorded(design, RESET_EDGES as usize, rows).expect("its own inputs");
        let baseline = Baseline::build(&source, &stimulus).expect("the loop builds");
        Case { core, knobs: chosen, design, baseline }
    }

    fn lockstep(&self, cycles: u64) -> Duration {
        let mut device = device::<C>(self.design, &self.core);
        let begin = Instant::now();
        lockstep::<C>(&self.core, &self.knobs, &mut device, cycles);
        begin.elapsed()
    }

    fn measure(&self, criterion: &mut Criterion, name: &str) {
        let lockstep = |cycles| self.lockstep(cycles);
        measure(criterion, name, &self.baseline, lockstep);
    }
}

fn device<C: VerilatedCore>(design: &'static Design, core: &Generated) -> C::Device {
    let model = design.model(SEED.into()).expect("a model is made");
    C::device(model, &core.manifest).expect("it has the core's ports")
}

/// A run of random ops, which must pass.
fn lockstep<C: VerilatedCore>(core: &Generated, knobs: &C::Knobs, device: &mut impl Device<C>, cycles: u64) {
    let stimulus = C::random(SEED.into(), knobs, &core.manifest.config);
    let mut golden = C::new(&core.manifest);
    let end = run(&mut golden, device, stimulus, SEED, cycles, &mut |_| {});
    assert_eq!(end.difference, None);
}

pub fn measure_all(criterion: &mut Criterion) {
    for (name, sets, knobs) in [
        ("reps", &[][..], &[][..]),
        ("reps, two hot connections back to back", &[], &["hot_set=2", "hot_share=1", "idle_share=0"]),
        ("reps, 16384 connections of 32 EVs", &["connections=16384", "reps.depth=32"], &[]),
    ] {
        Case::<RepsCore>::new(sets, knobs).measure(criterion, name);
    }
    for (name, sets, knobs) in [
        ("sack_rx", &[][..], &[][..]),
        ("sack_rx, one hot connection back to back", &[], &["hot_set=1", "hot_share=1", "idle_share=0"]),
        ("sack_rx, engine fast", &["sack.engine=fast"], &[]),
    ] {
        Case::<SackRxCore>::new(sets, knobs).measure(criterion, name);
    }
    for (name, sets, knobs) in [
        ("sack_tx", &[][..], &[][..]),
        ("sack_tx, one hot connection back to back", &[], &["hot_set=1", "hot_share=1", "idle_share=0"]),
    ] {
        Case::<SackTxCore>::new(sets, knobs).measure(criterion, name);
    }
}
