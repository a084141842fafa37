//! `respray traffic`: what is in a capture, and a recording of one's own.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use respray_cosim::lockstep::given::wire;
use respray_cosim::traffic::capture::info;
use respray_record::{RecordOptions, Scenario, page, record};

use crate::args::{ConfigArgs, ExitStatus, Refusal, cut};
use crate::output;

#[derive(Subcommand)]
pub enum Traffic {
    /// Show frames, profile, connections, EVs, ECN codepoints, span and rate of a capture.
    Info(Info),
    /// Record sprayed traffic between two hosts in network namespaces, over four paths (needs root).
    Record(Record),
}

#[derive(Args)]
pub struct Info {
    /// pcap or pcapng, gzipped or not.
    file: PathBuf,
    /// Write the figures as JSON too; `-` is standard output.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Refuse a capture that ends within a record, in place of reading it up to there with a warning.
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    config: ConfigArgs,
}

impl Traffic {
    pub fn run(&self) -> Result<ExitStatus, Refusal> {
        match self {
            Traffic::Info(command) => command.run(),
            Traffic::Record(command) => command.run(),
        }
    }
}

impl Info {
    fn run(&self) -> Result<ExitStatus, Refusal> {
        let config = self.config.load()?;
        let figures = info(&self.file, wire(config.wire).into(), cut(self.strict))?;
        output::warn(&figures.warnings);
        if self.json.as_deref() != Some(Path::new("-")) {
            println!("{figures}");
        }
        if let Some(path) = &self.json {
            output::write_json(path, &figures)?;
        }
        Ok(ExitStatus::Success)
    }
}

#[derive(Args)]
pub struct Record {
    /// Folder of the recordings; it must exist.
    #[arg(short, long, value_name = "DIR", default_value = "tb/recordings")]
    output: PathBuf,
    /// Which to make: steady, slow-path, path-failure; all if none is named.
    #[arg(value_parser = scenario)]
    scenarios: Vec<Scenario>,
}

impl Record {
    fn run(&self) -> Result<ExitStatus, Refusal> {
        let scenarios = if self.scenarios.is_empty() { Scenario::all() } else { self.scenarios.clone() };
        for scenario in scenarios {
            println!("{}", record(&RecordOptions { scenario, out: self.output.clone() })?);
        }
        page::update(&self.output)?;
        Ok(ExitStatus::Success)
    }
}

fn scenario(name: &str) -> Result<Scenario, String> {
    let names = || Scenario::all().into_iter().map(|scenario| scenario.name).collect::<Vec<_>>().join(", ");
    Scenario::by_name(name).ok_or_else(|| format!("allowed: {}", names()))
}
