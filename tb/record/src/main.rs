//! `respray-record [-o DIR] [SCENARIO…]`: makes recordings.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use respray_record::{Scenario, page, record};

/// Records sprayed traffic between network namespaces (needs root).
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// Directory of the recordings.
    #[arg(short, default_value = "tb/recordings")]
    out: PathBuf,
    /// Which to make; all if none is named: losses, overload, flowcut-steady, flowcut-slow-path, reps-slow-path.
    scenarios: Vec<String>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let mut scenarios = Vec::new();
    for name in &arguments.scenarios {
        match Scenario::by_name(name) {
            Some(scenario) => scenarios.push(scenario),
            None => {
                eprintln!("scenario `{name}` is not known; there are {}", Scenario::names());
                return ExitCode::from(2);
            }
        }
    }
    if scenarios.is_empty() {
        scenarios = Scenario::all();
    }
    for scenario in scenarios {
        match record(&scenario, &arguments.out) {
            Ok(recorded) => println!("{recorded}"),
            Err(error) => {
                eprintln!("{error}");
                return ExitCode::from(2);
            }
        }
    }
    match page::update(&arguments.out) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}
