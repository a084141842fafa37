//! Runs side by side, with a progress bar, and the files that they go to.

use std::path::{Path, PathBuf};

use clap::Args;
use respray_fabric::engine::Kind;
use respray_fabric::record::{Ran, Record};
use respray_fabric::request::Unit;
use respray_fabric::results::Finished;
use respray_fabric::simulation::Outcome;
use respray_files::output::is_standard_output;
use respray_files::parallel;

use super::outputs::Outputs;
use super::study;
use crate::args::{ExitStatus, Refusal};
use crate::output::{self, Results};

/// Where runs go.
#[derive(Args)]
pub struct Files {
    /// Write a line of JSON a run; `-` is standard output. How the runs went on this machine stands in FILE.run.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    #[command(flatten)]
    outputs: Outputs,
}

/// Runs that are over.
pub struct Runs {
    pub runs: Vec<(Record, Ran, Outcome)>,
}

impl Runs {
    /// Does all of them, some at once. Nothing is begun before every model is built.
    pub fn of(units: &[Unit]) -> Result<Runs, Refusal> {
        let bar = output::progress(0, "flows");
        bar.set_length(units.iter().map(|unit| unit.flows() as u64).sum());
        let mut built: Vec<(&str, &respray_hdl::config::Config)> = Vec::new();
        for unit in units.iter().filter(|unit| unit.maker.kind != Kind::Golden) {
            let model = (unit.maker.selector.as_str(), &unit.config);
            if !built.contains(&model) {
                bar.set_message(format!("building {}", unit.maker.selector));
                unit.prepare()?;
                built.push(model);
            }
        }
        bar.set_message("");
        let results = parallel::map(units, |unit| {
            let mut told = 0;
            unit.run(Path::new("."), &mut |done, _| {
                bar.inc((done - told) as u64);
                told = done;
            })
        });
        bar.finish_and_clear();
        Ok(Runs { runs: results.into_iter().collect::<Result<_, _>>()? })
    }

    /// The results, for tables and pages.
    pub fn finished(&self) -> Vec<Finished> {
        self.runs.iter().map(|(record, _, outcome)| Finished::of(record, outcome)).collect()
    }

    /// A line of JSON a run.
    pub fn lines(&self) -> String {
        self.runs.iter().map(|(record, ..)| record.line()).collect()
    }

    /// How the runs went on this machine, a line of JSON each.
    pub fn ran(&self) -> String {
        let line = |ran: &Ran| serde_json::to_string(ran).expect("plain data, which JSON takes") + "\n";
        self.runs.iter().map(|(_, ran, _)| line(ran)).collect()
    }

    /// How a command ends that made them, with a sentence for each difference and for each run that left flows out.
    pub fn end(&self) -> (ExitStatus, String) {
        let failures = |(record, ran, _): &(Record, Ran, Outcome)| match &ran.difference {
            Some(difference) => Some(difference.clone()),
            None => record.left_out(),
        };
        let differences: Vec<String> = self.runs.iter().filter_map(failures).collect();
        let fails = differences.iter().map(|difference| format!("FAILS: {difference}\n")).collect();
        let status = match self.runs.iter().any(|(_, ran, _)| ran.is_interrupted) {
            true => ExitStatus::Interrupted,
            false if differences.is_empty() => ExitStatus::Success,
            false => ExitStatus::Mismatch,
        };
        (status, fails)
    }
}

impl Files {
    /// Refuses what cannot be written, before anything long begins.
    pub fn check(&self) -> Result<(), Refusal> {
        self.outputs.check(self.json.as_deref())
    }

    /// Whether anything shows ports over time.
    pub fn wants_series(&self) -> bool {
        self.outputs.shows_series()
    }

    /// Hands everything out. An interrupted run leaves no file.
    pub fn hand_out(&self, runs: &Runs) -> Result<ExitStatus, Refusal> {
        let (status, fails) = runs.end();
        if matches!(status, ExitStatus::Interrupted) {
            return Ok(status);
        }
        let finished = runs.finished();
        let beside = self.json.as_deref().filter(|path| !is_standard_output(path)).map(beside);
        let bottlenecks: String = runs
            .runs
            .iter()
            .filter_map(|(record, ..)| record.bottleneck())
            .map(|said| format!("An engine of a NIC is the bottleneck: {said}\n"))
            .collect();
        let results = Results::text(format!("{}{bottlenecks}{fails}", study::text(&finished)))
            .file(self.json.as_deref(), || runs.lines())
            .file(beside.as_deref(), || runs.ran());
        let sheet = || study::sheet("respray: path selectors in the fabric", &finished);
        self.outputs.add(results, &finished, sheet)?.hand_out()?;
        Ok(status)
    }
}

/// The file beside another that says how its runs went.
pub fn beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(".run");
    name.into()
}
