//! Generated rewriters against their golden models, from frames to report.

mod ahead;
mod bad;
mod beats;
mod capture;
mod coverage;
mod faults;
mod faults_rx;
mod faults_shims;
mod faults_tx;
mod joined;
mod lanes;
mod lengths;
mod list;
mod pace;
mod pass;
mod rules;
mod shims;
mod shims_joined;
mod shrink;
mod supply;
mod tables;
pub mod tshark;
mod uet;
mod wireshark;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use respray_cosim::report::Verdict;
use respray_cosim::stream::report::StreamReport;
use respray_cosim::stream::{Pace, StreamError, StreamOptions, Traffic, cosim};
use respray_golden::wire::Profile;
use respray_hdl::config::Config;
use respray_hdl::cores::generate;
use respray_hdl::manifest::Generated;

const CORES: [&str; 2] = ["rewrite_tx", "rewrite_rx"];
const WIDTHS: [&str; 4] = ["bus_bits=64", "bus_bits=128", "bus_bits=256", "bus_bits=512"];
const PROFILES: [&str; 2] = ["wire=strack", "wire=uet"];
const EACH_PROFILE: [(Profile, &str); 2] = [(Profile::Strack, "wire=strack"), (Profile::Uet, "wire=uet")];

/// A bus width and a profile, as the configuration takes them.
type Setup = (&'static str, &'static str);

/// Each width once and each profile twice, which is what the quick tests compile; the default is in nearly all the others.
const SOME: [Setup; 4] =
    [(WIDTHS[0], PROFILES[0]), (WIDTHS[1], PROFILES[1]), (WIDTHS[2], PROFILES[0]), (WIDTHS[3], PROFILES[1])];

/// Each width with each profile.
fn all() -> Vec<Setup> {
    WIDTHS.iter().flat_map(|width| PROFILES.map(|profile| (*width, profile))).collect()
}

/// The widths that `setups` have beside the profile.
fn widths(setups: &[Setup], profile: &str) -> Vec<&'static str> {
    setups.iter().filter(|setup| setup.1 == profile).map(|setup| setup.0).collect()
}

/// Generating takes a second at this optimisation level, and every test wants the same few.
fn generated(core: &str, sets: &[&str]) -> Generated {
    static DONE: Mutex<BTreeMap<(String, Vec<String>), Generated>> = Mutex::new(BTreeMap::new());
    let sets: Vec<String> = sets.iter().map(|set| set.to_string()).collect();
    let mut done = DONE.lock().unwrap_or_else(PoisonError::into_inner);
    let entry = done.entry((core.to_string(), sets.clone()));
    let make = || {
        let config = Config::load(None, &sets).expect("a valid configuration");
        generate(core, &config).expect("the core is generated")
    };
    entry.or_insert_with(make).clone()
}

/// Options whose files go to `dir`.
fn options(core: &Generated, traffic: Traffic, pace: Pace, dir: &Path) -> StreamOptions {
    let core = core.manifest.module.as_str();
    let reproducer = dir.join("failure.csv");
    let mut options = StreamOptions { reproducer, waves: false, ..StreamOptions::new(core, traffic) };
    options.own.pacing = pace.into();
    options
}

fn run(generated: &Generated, options: &StreamOptions) -> Result<StreamReport, StreamError> {
    cosim(generated, options, &mut |_| {})
}

/// The core passes on this traffic.
fn passes(core: &Generated, traffic: Traffic, pace: Pace) -> StreamReport {
    let dir = tempfile::tempdir().expect("there is room for a directory");
    let options = options(core, traffic, pace, dir.path());
    let report = run(core, &options).expect("it runs");
    let Config { bus_bits, wire, .. } = core.manifest.config;
    assert_eq!(
        report.result,
        Verdict::Pass,
        "{} of {bus_bits} bits, {wire:?}, {pace:?}: {}",
        report.core,
        report.failure.unwrap()
    );
    report
}
