//! Two joined blocks in lockstep, hosts behind them and a network between.

use std::time::{Duration, Instant};

use criterion::Criterion;
use respray_cosim::nic::{End, Pair, golden};
use respray_cosim::verilator::{Baseline, BuildOptions, Design, Source, Stimulus, build};
use respray_golden::hosts::Setup;
use respray_golden::hosts::scenarios::Scenario;
use respray_golden::paths::End as Side;
use respray_hdl::config::Config;
use respray_hdl::nic::top;

use super::{SEED, is_wanted, measure};

/// Cycles behind the setup that the bare loop's tables hold.
const TABLE_CYCLES: u64 = 1 << 13;
/// More bytes than are sent in any run.
const BYTES: u64 = 1 << 30;

fn pair<'a>(setup: &'a Setup, design: &'static Design, keeps_rows: bool) -> Pair<'a> {
    let end = || {
        let model = design.model(SEED.into()).expect("a model is made");
        let mut end = End::new(model, setup.nic.clone()).expect("it has the block's ports");
        if keeps_rows {
            end.keep_rows();
        }
        end
    };
    Pair::new(setup, [end(), end()]).unwrap_or_else(|stop| panic!("{stop}"))
}

fn run(pair: &mut Pair<'_>, cycles: u64) {
    for _ in 0..cycles {
        pair.step(&mut |_, _, _| {}).unwrap_or_else(|stop| panic!("{stop}"));
    }
}

/// The time in which two bare loops do what the two ends of a pair do, each with the inputs of its end.
fn baselines(source: &Source, setup: &Setup, design: &'static Design) -> [Baseline; 2] {
    let mut pair = pair(setup, design, true);
    let row_words = design.row_words().0;
    let rows_of_setup = Side::BOTH.map(|side| pair.end(side).rows().len() / row_words);
    run(&mut pair, TABLE_CYCLES);
    Side::BOTH.map(|side| {
        let rows = pair.end(side).rows().to_vec();
        let stimulus = Stimulus::of_rows(design, rows_of_setup[side.index()], rows);
        Baseline::build(source, &stimulus).expect("the loop builds")
    })
}

pub fn measure_all(criterion: &mut Criterion) {
    let title = "nic, a pair";
    if !is_wanted(title) {
        return;
    }
    let config = Config::default();
    let setup = Scenario::Equal.setup(golden(&config), BYTES, SEED.into());
    let source = Source::new(top::NAME, top::observed(&config).expect("the block is generated"));
    let design = build(&source, &BuildOptions::default()).expect("the model builds");
    let loops = baselines(&source, &setup, design);
    let cpp = |cycles| -> Duration {
        loops.iter().map(|one| one.run(cycles, SEED.into()).expect("the loop runs").time).sum()
    };
    measure(criterion, title, cpp, |cycles| {
        let mut pair = pair(&setup, design, false);
        let begin = Instant::now();
        run(&mut pair, cycles);
        begin.elapsed()
    });
}
