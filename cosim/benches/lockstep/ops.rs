//! The cores that take ops.

use std::time::{Duration, Instant};

use criterion::Criterion;
use respray_cosim::cores::{Visitor, visit};
use respray_cosim::lockstep::Compiled;
use respray_cosim::lockstep::device::PortDevice;
use respray_cosim::lockstep::op_core::OpCore;
use respray_cosim::lockstep::rows::{Device, Layout};
use respray_cosim::lockstep::run::{Given, RESET_EDGES, run};
use respray_cosim::traffic::random::Knobs as _;
use respray_cosim::traffic::stimulus::Entries;
use respray_cosim::verilator::{Baseline, BuildOptions, Design, Source, Stimulus, build};
use respray_hdl::config::Config;
use respray_hdl::cores::generate;
use respray_hdl::manifest::Generated;

use super::{SEED, bare, is_wanted, measure};

/// Cycles that the bare loop's table holds.
const TABLE_CYCLES: u64 = 1 << 16;

/// One connection, or two, with an op at every edge.
const ONE_HOT: &[&str] = &["hot_set=1", "hot_share=1", "idle_share=0"];
const TWO_HOT: &[&str] = &["hot_set=2", "hot_share=1", "idle_share=0"];

/// A core, what the measurement is called, keys of the configuration, and knobs of the random ops.
const CASES: &[(&str, &str, &[&str], &[&str])] = &[
    ("reps", "reps", &[], &[]),
    ("reps", "reps, two hot connections back to back", &[], TWO_HOT),
    ("reps", "reps, 16384 connections of 32 EVs", &["connections=16384", "reps.depth=32"], &[]),
    ("sack_rx", "sack_rx", &[], &[]),
    ("sack_rx", "sack_rx, one hot connection back to back", &[], ONE_HOT),
    ("sack_rx", "sack_rx, engine fast", &["sack.engine=fast"], &[]),
    ("sack_tx", "sack_tx", &[], &[]),
    ("sack_tx", "sack_tx, one hot connection back to back", &[], ONE_HOT),
    ("sack_tx", "sack_tx, engine fast", &["sack.engine=fast"], &[]),
];

struct Case<C: OpCore> {
    core: Generated,
    knobs: C::Knobs,
    design: &'static Design,
    baseline: Baseline,
}

/// Keeps the rows that the lockstep drives.
struct Recording {
    device: PortDevice,
    rows: Vec<u64>,
}

impl Device for Recording {
    fn layout(&self) -> &Layout {
        self.device.layout()
    }

    fn cycles(&mut self, inputs: &[u64], outputs: &mut [u64]) -> usize {
        self.rows.extend(inputs);
        self.device.cycles(inputs, outputs)
    }
}

impl<C: OpCore> Case<C> {
    fn new(sets: &[&str], knobs: &[&str]) -> Case<C> {
        let sets: Vec<String> = sets.iter().map(|set| set.to_string()).collect();
        let config = Config::load(None, &sets).expect("the configuration is valid");
        let name = C::CONTRACT.core;
        let core = generate(name, &config).expect("the core is generated");
        let mut chosen = C::Knobs::new(config.connections);
        knobs.iter().for_each(|knob| chosen.set(knob, config.connections).expect("the knob is valid"));
        let source = Source::new(name, core.verilog.as_str());
        let design = build(&source, &BuildOptions::default()).expect("the model builds");
        let mut recording = Recording { device: device::<C>(design, &core), rows: Vec::new() };
        lockstep::<C>(&core, &chosen, &mut recording, TABLE_CYCLES);
        let stimulus = Stimulus::of_rows(design, RESET_EDGES as usize, recording.rows);
        let baseline = Baseline::build(&source, &stimulus).expect("the loop builds");
        Case { core, knobs: chosen, design, baseline }
    }

    fn lockstep(&self, cycles: u64) -> Duration {
        let mut device = device::<C>(self.design, &self.core);
        let begin = Instant::now();
        lockstep::<C>(&self.core, &self.knobs, &mut device, cycles);
        begin.elapsed()
    }
}

fn device<C: OpCore>(design: &'static Design, core: &Generated) -> PortDevice {
    let model = design.model(SEED.into()).expect("a model is made");
    PortDevice::new(model, C::CONTRACT, &core.manifest).expect("it has the core's ports")
}

/// A run of random ops, which must pass.
fn lockstep<C: OpCore>(core: &Generated, knobs: &C::Knobs, device: &mut impl Device, cycles: u64) {
    let entries = Entries::new(C::random(SEED.into(), knobs, &core.manifest.config));
    let given = Given { entries, expectations: &[], seed: SEED };
    let end = run::<C, _>(&core.manifest, device, given, cycles, &mut |_| {});
    assert_eq!(end.difference, None);
}

/// Measures the case of a core.
struct Measurement<'a> {
    criterion: &'a mut Criterion,
    title: &'a str,
    sets: &'a [&'a str],
    knobs: &'a [&'a str],
}

impl Visitor for Measurement<'_> {
    type Output = ();

    fn visit<C: Compiled + 'static>(self) {
        let case = Case::<C>::new(self.sets, self.knobs);
        measure(self.criterion, self.title, bare(&case.baseline), |cycles| case.lockstep(cycles));
    }
}

pub fn measure_all(criterion: &mut Criterion) {
    for &(core, title, sets, knobs) in CASES.iter().filter(|case| is_wanted(case.1)) {
        visit(core, Measurement { criterion, title, sets, knobs }).expect("the core takes ops");
    }
}
