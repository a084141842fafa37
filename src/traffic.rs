//! `respray traffic`: what is in a capture, and a recording of one's own.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use respray_cosim::traffic::capture::info;
use respray_cosim::traffic::frames::profile;
use respray_record::{Scenario, page, record};

use crate::args::{ConfigArgs, ExitStatus, Refusal, cut};
use crate::output::{self, Results};

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
        let figures = info(&self.file, profile(&config).into(), cut(self.strict))?;
        output::warn(&figures.warnings);
        Results::text(format!("{figures}\n")).json(self.json.as_deref(), &figures).hand_out()?;
        Ok(ExitStatus::Success)
    }
}

#[derive(Args)]
pub struct Record {
    /// Folder of the recordings; it must exist.
    #[arg(short, long, value_name = "DIR", default_value = "tb/recordings")]
    output: PathBuf,
    /// Which to make: losses, overload; all if none is named.
    #[arg(value_parser = scenario)]
    scenarios: Vec<Scenario>,
}

impl Record {
    fn run(&self) -> Result<ExitStatus, Refusal> {
        let scenarios = if self.scenarios.is_empty() { Scenario::all() } else { self.scenarios.clone() };
        for scenario in scenarios {
            let recorded = record(&scenario, &self.output)?;
            Results::text(format!("{recorded}\n")).hand_out()?;
        }
        page::update(&self.output)?;
        Ok(ExitStatus::Success)
    }
}

fn scenario(name: &str) -> Result<Scenario, String> {
    Scenario::by_name(name).ok_or_else(|| format!("allowed: {}", Scenario::names()))
}
