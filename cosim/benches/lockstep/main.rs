//! Speed of the lockstep with all its checks against a bare C++ Verilator loop over the same model and stimulus, within
//! one run.
//!
//! `cargo bench -p respray-cosim --bench lockstep` measures a cycle of each with criterion, then alternates short runs
//! of both and prints the median of their ratios, which the noise of a shared machine moves little. A word behind `--` chooses the cases with it in
//! their names. The lockstep makes
//! its random ops or frames as it goes; the loop reads the first of them from a table, over and over.

mod nic;
mod ops;
mod streams;

use std::time::Duration;

use criterion::{Criterion, Throughput};
use respray_cosim::verilator::Baseline;

const SEED: u16 = 1;
/// Cycles of one run when ratios are taken, and how many of them.
const CYCLES: u64 = 1_000_000;
const ROUNDS: usize = 15;

/// Whether a case is asked for: its name holds the word given behind `--`, if one is.
fn is_wanted(name: &str) -> bool {
    let words = || std::env::args().skip(1).filter(|word| !word.starts_with('-'));
    words().next().is_none_or(|word| name.contains(&word))
}

/// The time of a bare loop's run of so many cycles.
fn bare(baseline: &Baseline) -> impl Fn(u64) -> Duration {
    |cycles| baseline.run(cycles, SEED.into()).expect("the loop runs").time
}

/// `cpp` and `lockstep` take the time of a run of so many cycles.
fn measure(
    criterion: &mut Criterion,
    name: &str,
    cpp: impl Fn(u64) -> Duration,
    lockstep: impl Fn(u64) -> Duration,
) {
    let mut group = criterion.benchmark_group(name);
    group.throughput(Throughput::Elements(1));
    group.bench_function("C++ loop", |bench| bench.iter_custom(&cpp));
    group.bench_function("lockstep", |bench| bench.iter_custom(&lockstep));
    group.finish();
    let mut ratios: Vec<f64> =
        (0..ROUNDS).map(|_| cpp(CYCLES).as_secs_f64() / lockstep(CYCLES).as_secs_f64()).collect();
    ratios.sort_by(f64::total_cmp);
    println!("{name}: the lockstep runs at {:.2} of the bare C++ loop", ratios[ROUNDS / 2]);
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args().sample_size(10);
    ops::measure_all(&mut criterion);
    streams::measure_all(&mut criterion);
    nic::measure_all(&mut criterion);
    criterion.final_summary();
}
