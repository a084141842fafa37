//! `respray report`: what the cores take of each device, how that grows, and whether it got worse.

use std::path::{Path, PathBuf};

use clap::Args;
use respray_cosim::cores::reps::RepsCore;
use respray_cosim::cores::selector::recorded;
use respray_cosim::lockstep::op_core::OpCore;
use respray_cosim::traffic::optrace::OpTrace;
use respray_cosim::traffic::recording::Recording;
use respray_hdl::cores::selector::{self, SelectorOp};
use respray_hdl::cores::{self, CORES};
use respray_synth::Bench;
use respray_synth::baseline;
use respray_synth::ci;
use respray_synth::html::{self, Page, Run};
use respray_synth::report::tables;
use respray_synth::run::{Finished, Options, run};

use crate::args::{ConfigArgs, ExitStatus, Refusal};
use crate::output::{self, Results};

#[derive(Args)]
pub struct Report {
    /// One core only, or several with commas; without it every core there is.
    #[arg(long, value_name = "CORE", value_delimiter = ',')]
    core: Vec<String>,
    /// Targets with commas: u50, u200, u250, u280, u55c, ecp5, ice40 [default: all].
    #[arg(long, value_name = "TARGET", value_delimiter = ',')]
    target: Vec<String>,
    /// Measure at each of these values, e.g. connections=16,256,4096; may be given again.
    #[arg(long, value_name = "KEY=A,B,C")]
    sweep: Vec<String>,
    /// Targets of the sweeps: a card alone takes seconds a point, ECP5 minutes [default: those of --target].
    #[arg(long, value_name = "TARGET", value_delimiter = ',', requires = "sweep")]
    sweep_target: Vec<String>,
    /// Measure only the cores that are others than when their figures were accepted, and show what was accepted of the rest.
    #[arg(long)]
    changed: bool,
    /// Show the accepted figures of the cores that are not measured, with the day on which they were.
    #[arg(long)]
    accepted: bool,
    /// Hold the figures of the default configuration against the accepted ones; exit code 1 where one got worse.
    #[arg(long)]
    check: bool,
    /// Make the figures of the default configuration the accepted ones.
    #[arg(long)]
    accept: bool,
    /// The accepted figures.
    #[arg(long, value_name = "FILE", default_value = "synth/baseline.json")]
    baseline: PathBuf,
    /// Refuse a core whose median Fmax is below this.
    #[arg(long, value_name = "MHZ")]
    clock: Option<f64>,
    /// Write all figures as JSON; `-` is standard output.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write one HTML page that shows all of it.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write a summary in Markdown.
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// Write the outcome of --check as JUnit XML.
    #[arg(long, value_name = "FILE", requires = "check")]
    junit: Option<PathBuf>,
    /// Write the plots of the sweeps as SVG files into this folder.
    #[arg(long, value_name = "DIR", requires = "sweep")]
    plots: Option<PathBuf>,
    /// For the HTML page: folder with what `respray cosim --json` wrote.
    #[arg(long, value_name = "DIR", requires = "html")]
    runs: Option<PathBuf>,
    /// For the HTML page: folder with recordings.
    #[arg(long, value_name = "DIR", default_value = "tb/recordings", requires = "html")]
    recordings: PathBuf,
    #[command(flatten)]
    config: ConfigArgs,
}

impl Report {
    pub fn run(&self) -> Result<ExitStatus, Refusal> {
        output::one_standard_output(&[
            ("--json", self.json.as_deref()),
            ("--markdown", self.markdown.as_deref()),
            ("--junit", self.junit.as_deref()),
            ("--html", self.html.as_deref()),
        ])?;
        let options = Options {
            config: self.config.load()?,
            cores: self.core.clone(),
            targets: self.target.clone(),
            sweeps: self.sweep.clone(),
            sweep_targets: self.sweep_target.clone(),
            baseline: self.baseline.clone(),
            changed: self.changed,
            accepted: self.accepted,
            check: self.check,
            accept: self.accept,
            clock_mhz: self.clock,
        };
        let bar = output::progress(0, "runs");
        let finished = run(
            &Bench::new(Path::new(".")),
            &options,
            CORES,
            &|core, config| cores::generate(core, config).map_err(|error| error.to_string()),
            &|done, of, what| {
                bar.set_length(of as u64);
                bar.set_position(done as u64);
                bar.set_message(what.to_string());
            },
        );
        bar.finish_and_clear();
        let finished = finished?;
        let accepted = self.accept.then(|| format!("accepted: {}", self.baseline.display()));
        let results = Results::text(self.text(&finished)).once_written(accepted);
        self.with_files(results, &finished)?.hand_out()?;
        Ok(if finished.passes() { ExitStatus::Success } else { ExitStatus::Mismatch })
    }

    fn text(&self, finished: &Finished) -> String {
        let mut text = format!("{}\n\n", finished.report.tools.join(", "));
        for table in tables(&finished.report) {
            text += &format!("{}\n", table.text());
        }
        if let Some(differences) = &finished.differences {
            let changed = baseline::table(differences, false);
            match changed.rows.is_empty() {
                true => {
                    let count = differences.len();
                    text += &format!("Against the accepted figures: {count} figures, none changed\n");
                }
                false => text += &changed.text(),
            }
            for failing in differences.iter().filter(|difference| difference.fails) {
                text += &format!("FAILS: {}\n", failing.sentence());
            }
        }
        text
    }

    fn with_files(&self, mut results: Results, finished: &Finished) -> Result<Results, Refusal> {
        let differences = finished.differences.as_deref();
        results = results
            .json(self.json.as_deref(), &finished.report)
            .file(self.markdown.as_deref(), || ci::markdown(&finished.report, differences))
            .file(finished.accepted.is_some().then_some(self.baseline.as_path()), || {
                finished.accepted.clone().unwrap_or_default()
            })
            .file(self.junit.as_deref(), || ci::junit(differences.unwrap_or_default()));
        if let Some(folder) = &self.plots {
            for (name, chart) in finished.report.charts() {
                results = results.file(Some(&folder.join(name)), || chart.svg(true));
            }
        }
        if let Some(path) = &self.html {
            let runs = match &self.runs {
                Some(folder) => {
                    files_of(folder, "json")?.iter().map(|path| Run::read(path)).collect::<Result<_, _>>()?
                }
                None => Vec::new(),
            };
            let recordings = recordings(&self.recordings)?;
            let page = Page { report: &finished.report, differences, runs, recordings };
            let html = page.html()?;
            results = results.file(Some(path), || html);
        }
        Ok(results)
    }
}

/// Files of `folder` with this extension, in the order of their names.
fn files_of(folder: &Path, extension: &str) -> Result<Vec<PathBuf>, Refusal> {
    let entries = std::fs::read_dir(folder)
        .map_err(|error| format!("{}: cannot be read: {error}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|found| found == extension));
    paths.sort();
    Ok(paths)
}

/// What each recording's sender heard, from the op traces beside the recordings' settings.
fn recordings(folder: &Path) -> Result<Vec<html::Recording>, Refusal> {
    let mut recordings = Vec::new();
    for path in files_of(folder, "json")? {
        let settings = Recording::load(&path)?;
        let ops = path.with_extension("csv.gz");
        let config = recorded::config(&settings.engine);
        let trace = OpTrace::<SelectorOp>::read(&ops, RepsCore::CONTRACT, &config)?;
        let mut recording =
            html::Recording { name: settings.name, says: settings.says, ..html::Recording::default() };
        for line in &trace.lines {
            match line.event.as_op() {
                Some(SelectorOp { kind: selector::ACK, ev, ecn, .. }) => {
                    recording.acks.push((line.time, *ev, *ecn));
                }
                Some(SelectorOp { kind: selector::TIMEOUT, .. }) => recording.timeouts.push(line.time),
                _ => {}
            }
        }
        recordings.push(recording);
    }
    Ok(recordings)
}
