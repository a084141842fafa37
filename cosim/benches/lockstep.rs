//! Speed of the lockstep with all its checks against a bare C++ Verilator loop over the same model and stimulus, within
//! one run.
//!
//! `cargo bench -p respray-cosim --bench lockstep` measures a cycle of each with criterion, then alternates short runs
//! of both and prints the median of their ratios, which the noise of a shared machine moves little. The lockstep makes
//! its random ops as it goes; the loop reads the first of them from a table, over and over.

use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput};
use respray_cosim::lockstep::core::{Core, Device, Inputs, VerilatedCore};
use respray_cosim::lockstep::reps::{RepsCore, RepsModel, RepsOp};
use respray_cosim::lockstep::run::{RESET_EDGES, run};
use respray_cosim::traffic::random::Knobs as _;
use respray_cosim::traffic::random::reps::{Knobs, RandomOps};
use respray_cosim::verilator::{Baseline, BuildOptions, Design, Source, Stimulus, build};
use respray_hdl::config::Config;
use respray_hdl::cores::generate;
use respray_hdl::manifest::Generated;

const SEED: u16 = 1;
/// Cycles that the bare loop's table holds.
const TABLE_CYCLES: u64 = 1 << 16;
/// Cycles of one run when ratios are taken, and how many of them.
const CYCLES: u64 = 1_000_000;
const ROUNDS: usize = 15;

struct Case {
    core: Generated,
    knobs: Knobs,
    design: &'static Design,
    baseline: Baseline,
}

/// Keeps what the lockstep drives.
struct Recording {
    device: RepsModel,
    rows: Vec<Inputs<RepsOp>>,
}

impl Device<RepsCore> for Recording {
    fn cycle(&mut self, inputs: &Inputs<RepsOp>) -> <RepsCore as Core>::Word {
        self.rows.push(*inputs);
        self.device.cycle(inputs)
    }
}

fn row(inputs: &Inputs<RepsOp>) -> [(&'static str, u64); 10] {
    let op = &inputs.op;
    [
        ("rst", inputs.rst.into()),
        ("seed", inputs.seed.into()),
        ("op_valid", inputs.op_valid.into()),
        ("op_kind", op.kind.into()),
        ("op_conn", op.conn.into()),
        ("op_ev", op.ev.into()),
        ("op_ecn", op.ecn.into()),
        ("now", op.now.into()),
        ("freeze_timeout", op.freeze_timeout.into()),
        ("bdp_packets", op.bdp_packets.into()),
    ]
}

impl Case {
    fn new(sets: &[&str], knobs: &[&str]) -> Case {
        let sets: Vec<String> = sets.iter().map(|set| set.to_string()).collect();
        let config = Config::load(None, &sets).expect("the configuration is valid");
        let core = generate("reps", &config).expect("the core is generated");
        let mut chosen = Knobs::new(config.connections);
        knobs.iter().for_each(|knob| chosen.set(knob, config.connections).expect("the knob is valid"));
        let source = Source::new("reps", core.verilog.as_str());
        let design = build(&source, &BuildOptions::default()).expect("the model builds");
        let mut recording = Recording { device: device(design, &core), rows: Vec::new() };
        lockstep(&core, &chosen, &mut recording, TABLE_CYCLES);
        let rows = recording.rows.iter().map(row);
        let stimulus = Stimulus::recorded(design, RESET_EDGES as usize, rows).expect("its own inputs");
        let baseline = Baseline::build(&source, &stimulus).expect("the loop builds");
        Case { core, knobs: chosen, design, baseline }
    }

    fn cpp(&self, cycles: u64) -> Duration {
        self.baseline.run(cycles, SEED.into()).expect("the loop runs").time
    }

    fn lockstep(&self, cycles: u64) -> Duration {
        let mut device = device(self.design, &self.core);
        let begin = Instant::now();
        lockstep(&self.core, &self.knobs, &mut device, cycles);
        begin.elapsed()
    }

    fn measure(&self, criterion: &mut Criterion, name: &str) {
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Elements(1));
        group.bench_function("C++ loop", |bench| bench.iter_custom(|cycles| self.cpp(cycles)));
        group.bench_function("lockstep", |bench| bench.iter_custom(|cycles| self.lockstep(cycles)));
        group.finish();
        let mut ratios: Vec<f64> = (0..ROUNDS)
            .map(|_| self.cpp(CYCLES).as_secs_f64() / self.lockstep(CYCLES).as_secs_f64())
            .collect();
        ratios.sort_by(f64::total_cmp);
        println!("{name}: the lockstep runs at {:.2} of the bare C++ loop", ratios[ROUNDS / 2]);
    }
}

fn device(design: &'static Design, core: &Generated) -> RepsModel {
    let model = design.model(SEED.into()).expect("a model is made");
    RepsCore::device(model, &core.manifest).expect("it has the core's ports")
}

/// A run of random ops, which must pass.
fn lockstep(core: &Generated, knobs: &Knobs, device: &mut impl Device<RepsCore>, cycles: u64) {
    let stimulus = RandomOps::new(SEED.into(), knobs, core.manifest.config.reps.time_bits);
    let mut golden = RepsCore::new(&core.manifest);
    let end = run(&mut golden, device, stimulus, SEED, cycles, &mut |_| {});
    assert_eq!(end.difference, None);
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args().sample_size(10);
    for (name, sets, knobs) in [
        ("reps", &[][..], &[][..]),
        ("reps, two hot connections back to back", &[], &["hot_set=2", "hot_share=1", "idle_share=0"]),
        ("reps, 16384 connections of 32 EVs", &["connections=16384", "reps.depth=32"], &[]),
    ] {
        Case::new(sets, knobs).measure(&mut criterion, name);
    }
    criterion.final_summary();
}
