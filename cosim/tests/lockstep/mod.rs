//! Generated cores in lockstep with their golden models, from stimulus to report.

mod arguments;
mod blocks;
mod broken_network;
mod campaign;
mod ci;
mod deep;
mod failure;
mod faults;
mod faults_caver;
mod faults_caver_per_port;
mod faults_flowcut;
mod faults_flowcut_switch;
mod faults_reps;
mod faults_sack_rx;
mod faults_sack_rx_uet;
mod faults_sack_tx;
mod faults_sack_tx_fast;
mod faults_sack_tx_uet;
mod faults_selectors;
mod faults_strack_cc;
mod faults_walking;
mod finish;
mod input;
mod leaving;
mod network;
mod pass;
pub mod pass_caver;
pub mod pass_caver_per_port;
mod pass_flowcut;
pub mod pass_flowcut_switch;
mod pass_sack_rx;
mod pass_sack_rx_uet;
mod pass_sack_tx;
mod pass_sack_tx_uet;
mod pass_strack_cc;
mod passing;
mod plain;
mod promised;
mod rows;
mod schedule;
mod selectors;
mod shard;
mod walker;
mod walking;

use std::path::{Path, PathBuf};

use respray_cosim::cores::reps::RepsCore;
use respray_cosim::cores::selector::Knobs;
use respray_cosim::lockstep::Compiled;
use respray_cosim::lockstep::{CosimError, CosimOptions, Report, Stimulus, cosim};
use respray_cosim::traffic::random::Knobs as _;
use respray_hdl::config::Config;
use respray_hdl::cores::generate;
use respray_hdl::manifest::Generated;

/// The core of this name with these keys set.
fn generated(core: &str, sets: &[&str]) -> Generated {
    let sets: Vec<String> = sets.iter().map(|set| set.to_string()).collect();
    let config = Config::load(None, &sets).expect("a valid configuration");
    generate(core, &config).expect("the core is generated")
}

fn reps(sets: &[&str]) -> Generated {
    generated("reps", sets)
}

/// Random ops for so many clock edges, with resets among them.
fn random(generated: &Generated, cycles: u64) -> Stimulus<RepsCore> {
    let knobs = Knobs::new(generated.manifest.config.connections);
    Stimulus::Random { cycles, knobs: Knobs { ops_per_reset: 10_000, ..knobs } }
}

/// Options whose files go to `dir`.
fn options<C: Compiled>(stimulus: Stimulus<C>, dir: &Path) -> CosimOptions<C> {
    CosimOptions { reproducer: dir.join("failure.csv"), ..CosimOptions::new(stimulus) }
}

fn run<C: Compiled>(generated: &Generated, options: &CosimOptions<C>) -> Result<Report, CosimError> {
    cosim(generated, options, &mut |_| {})
}

fn file(dir: &Path, name: &str, text: &str) -> PathBuf {
    let path = dir.join(name);
    std::fs::write(&path, text).expect("the test's directory can be written");
    path
}
