//! Generated rewriters against their golden models, from frames to report.

mod pass;

use std::path::Path;

use respray_cosim::stream::report::StreamReport;
use respray_cosim::stream::{Pace, StreamError, StreamOptions, Traffic, cosim};
use respray_hdl::config::Config;
use respray_hdl::cores::generate;
use respray_hdl::manifest::Generated;

const WIDTHS: [&str; 4] = ["bus_bits=64", "bus_bits=128", "bus_bits=256", "bus_bits=512"];
const PROFILES: [&str; 2] = ["wire=strack", "wire=uet"];

fn generated(core: &str, sets: &[&str]) -> Generated {
    let sets: Vec<String> = sets.iter().map(|set| set.to_string()).collect();
    let config = Config::load(None, &sets).expect("a valid configuration");
    generate(core, &config).expect("the core is generated")
}

/// Options whose files go to `dir`.
fn options(core: &str, traffic: Traffic, pace: Pace, dir: &Path) -> StreamOptions {
    StreamOptions { reproducer: dir.join("failure.csv"), pace, ..StreamOptions::new(core, traffic) }
}

fn run(generated: &Generated, options: &StreamOptions) -> Result<StreamReport, StreamError> {
    cosim(generated, options, &mut |_| {})
}
