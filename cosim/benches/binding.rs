//! Speed of the binding against a bare C++ Verilator loop over the same model and stimulus, within one run.
//!
//! `cargo bench -p respray-cosim --bench binding` measures a cycle of each with criterion, then alternates short runs
//! of both and prints the median of their ratios, which the noise of a shared machine moves little.

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput};
use respray_cosim::verilator::{Baseline, BuildOptions, Design, Source, Stimulus, build, linked};

const SEED: u32 = 1;
/// Cycles of one run when ratios are taken, and how many of them.
const CYCLES: u64 = 1_000_000;
const ROUNDS: usize = 9;

const TRACED: &str = "loaded, trace closed";

struct Case {
    name: &'static str,
    baseline: Baseline,
    stimulus: Stimulus,
    ways: Vec<(&'static str, &'static Design)>,
}

impl Case {
    fn new(name: &'static str, source: &Source, stimulus: fn(&Design) -> Stimulus) -> Case {
        let loaded = build(source, &BuildOptions::default()).expect("the model builds");
        let traced = BuildOptions { trace: true, ..BuildOptions::default() };
        let traced = build(source, &traced).expect("the model builds with tracing");
        let mut ways = vec![("loaded", loaded), (TRACED, traced)];
        ways.extend(linked::design(name).map(|design| ("linked", design)));
        let stimulus = stimulus(loaded);
        Case { name, baseline: Baseline::build(source, &stimulus).expect("the loop builds"), stimulus, ways }
    }

    fn cpp(&self, cycles: u64) -> (Duration, u64) {
        let run = self.baseline.run(cycles, SEED).expect("the loop runs");
        (run.time, run.checksum)
    }

    fn rust(&self, design: &'static Design, cycles: u64) -> (Duration, u64) {
        let mut model = design.model(SEED).expect("a model is made");
        let begin = Instant::now();
        let checksum = self.stimulus.run(&mut model, black_box(cycles)).expect("the stimulus fits");
        (begin.elapsed(), checksum)
    }

    fn measure(&self, criterion: &mut Criterion) {
        let mut group = criterion.benchmark_group(self.name);
        group.throughput(Throughput::Elements(1));
        group.bench_function("C++ loop", |bench| bench.iter_custom(|cycles| self.cpp(cycles).0));
        for (way, design) in &self.ways {
            group.bench_function(*way, |bench| bench.iter_custom(|cycles| self.rust(design, cycles).0));
        }
        group.finish();
        for (way, design) in &self.ways {
            let mut ratios: Vec<f64> = (0..ROUNDS)
                .map(|_| {
                    let ((cpp, expected), (rust, seen)) = (self.cpp(CYCLES), self.rust(design, CYCLES));
                    // Tracing keeps signals that are optimized away without it, so that a seed gives other contents.
                    assert!(seen == expected || *way == TRACED, "{way}: both loops see the same outputs");
                    cpp.as_secs_f64() / rust.as_secs_f64()
                })
                .collect();
            ratios.sort_by(f64::total_cmp);
            println!("{}: {way} runs at {:.2} of the bare C++ loop", self.name, ratios[ROUNDS / 2]);
        }
    }
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args().sample_size(20);
    let wide = Source::new("wide", include_str!("../tests/fixtures/wide.v"));
    Case::new("wide", &wide, |design| Stimulus::random(design, 4096, 1, &[]).expect("no port is fixed"))
        .measure(&mut criterion);
    if let Ok(reps) = linked::source("reps") {
        Case::new("reps", &reps, |design| Stimulus::reps(design, 4096, 1).expect("it is the core's own"))
            .measure(&mut criterion);
    }
    criterion.final_summary();
}
