//! `respray report`: what the cores take of each device, how that grows, and whether it got worse.

use std::path::{Path, PathBuf};

use clap::Args;
use respray_files::output::check_writable;
use respray_files::range::Real;
use respray_golden::hosts::scenarios::Scenario;
use respray_hdl::catalogue;
use respray_synth::SynthError;
use respray_synth::baseline::{self, Compared};
use respray_synth::ci;
use respray_synth::html::{self, Page, Run, Wave};
use respray_synth::report::{self, Origin, generate, tables};
use respray_synth::run::{Finished, Options, run, today};
use serde::Serialize;

use crate::args::{ConfigArgs, ExitStatus, Refusal};
use crate::checkout::Checkout;
use crate::example;
use crate::number::{Number, real};
use crate::output::{self, Results};
use crate::recordings::{Recordings, files_of};
use crate::waves;

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
    /// Show the accepted figures of what is not measured, core and device, with the day on which it was.
    #[arg(long)]
    accepted: bool,
    /// Hold the figures of the default configuration against the accepted ones; exit code 1 where one got worse.
    #[arg(long)]
    check: bool,
    /// Make the figures of the default configuration the accepted ones.
    #[arg(long)]
    accept: bool,
    /// The accepted figures [default: synth/baseline.json of the checkout].
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Exit code 1 where a core does not meet this clock: by its median Fmax where it is placed and routed, by an estimate from published
    /// delays on UltraScale+, where a clock that is out of reach fails and one that is doubtful is a warning.
    #[arg(long, value_name = "MHZ", value_parser = clock())]
    clock: Option<f64>,
    /// Place each core on UltraScale+ with nextpnr-generic, so that the estimate of its clock has wires by distance; the verdict is by
    /// these, then. Seconds for most cores, minutes for `nic`. Without that program the estimate is by fan-out.
    #[arg(long)]
    place: bool,
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
    /// For the HTML page: folder with recordings [default: tb/recordings of the checkout]. A capture without settings and op trace
    /// beside it, as NAME.json and NAME.csv.gz, is left out with a warning.
    #[arg(long, value_name = "DIR", requires = "html")]
    recordings: Option<PathBuf>,
    /// In place of the cores a design that tests itself on a board, placed and routed for that board: minutes for each of three
    /// seeds. Exit code 1 where the median does not meet the board's clock.
    #[arg(long, value_name = "NAME", value_parser = clap::builder::PossibleValuesParser::new(example::NAMES), conflicts_with_all = OF_CORES)]
    example: Option<String>,
    /// Write the bitstream of the example's fastest seed.
    #[arg(long, value_name = "FILE", requires = "example")]
    bitstream: Option<PathBuf>,
    #[command(flatten)]
    config: ConfigArgs,
}

/// Options that say something of cores, which an example does not take.
const OF_CORES: [&str; 17] = [
    "core",
    "target",
    "sweep",
    "sweep_target",
    "changed",
    "accepted",
    "check",
    "accept",
    "baseline",
    "clock",
    "place",
    "html",
    "junit",
    "plots",
    "runs",
    "config",
    "sets",
];

/// What stands on the HTML page beside the figures.
#[derive(Default)]
struct Shown {
    runs: Vec<Run>,
    recordings: Recordings,
    waves: Vec<Wave>,
}

/// What a run of the tools has come to, with what stands beside it.
#[derive(Serialize)]
struct Figures<'a> {
    #[serde(flatten)]
    origin: &'a Origin,
    #[serde(flatten)]
    report: &'a report::Report,
    /// Every figure against the accepted ones, or why they are not compared.
    #[serde(flatten)]
    compared: &'a Compared,
    /// What fails, a sentence each.
    failures: Vec<String>,
    /// What is doubtful, a sentence each.
    warnings: Vec<String>,
    /// Captures that are on no page, and why.
    captures_left_out: &'a [String],
    /// What the HTML page says beside all that, where one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<html::View<'a>>,
}

impl Report {
    pub fn run(&self) -> Result<ExitStatus, Refusal> {
        // Minutes of measuring come last: whatever can be refused is refused before.
        let checkout = Checkout::find();
        if self.example.is_some() {
            let (json, markdown, bitstream) =
                (self.json.as_deref(), self.markdown.as_deref(), self.bitstream.as_deref());
            return example::measure(&checkout.bench()?, &example::Outputs { json, markdown, bitstream });
        }
        let baseline = self.baseline.clone().unwrap_or_else(|| checkout.baseline());
        self.check_outputs(&baseline)?;
        let shown = self.shown(&checkout)?;
        let commit = checkout.commit();
        output::warn(&shown.recordings.left_out);
        let bench = checkout.bench()?;
        let mut options = Options {
            config: self.config.load()?,
            cores: self.core.clone(),
            targets: self.target.clone(),
            place: self.place,
            sweeps: self.sweep.clone(),
            sweep_targets: self.sweep_target.clone(),
            baseline,
            changed: self.changed,
            accepted: self.accepted,
            check: self.check,
            accept: self.accept,
            clock_mhz: self.clock,
        };
        if options.place {
            options.check_place()?;
            if let Err(missing) = bench.tools.nextpnr_generic() {
                output::warn(&[format!("{missing}; the estimate of the clock is by fan-out")]);
                options.place = false;
            }
        }
        let bar = output::progress(0, "runs");
        let finished = run(&bench, &options, catalogue::NAMES, &generate, &|done, of, what| {
            bar.set_length(of as u64);
            bar.set_position(done as u64);
            bar.set_message(what.to_string());
        });
        bar.finish_and_clear();
        let finished = finished?;
        let accepted = self.accept.then(|| format!("accepted: {}", options.baseline.display()));
        let results = Results::text(self.text(&finished)).once_written(accepted);
        let origin = Origin::new(&options.config, commit, today());
        self.with_files(results, &finished, &options.baseline, (&origin, &shown))?.hand_out()?;
        Ok(if finished.passes() { ExitStatus::Success } else { ExitStatus::Mismatch })
    }

    fn text(&self, finished: &Finished) -> String {
        let mut text = format!("{}\n\n", finished.report.tools.join(", "));
        for table in tables(&finished.report) {
            text += &format!("{}\n", table.text());
        }
        if let Some(differences) = finished.gated() {
            let changed = baseline::table(differences, false);
            match changed.rows.is_empty() {
                true => {
                    let count = differences.len();
                    text += &format!("Against the accepted figures: {count} figures, none changed\n");
                }
                false => text += &changed.text(),
            }
        }
        for sentence in finished.warnings() {
            text += &format!("WARNING: {sentence}\n");
        }
        for sentence in finished.failures() {
            text += &format!("FAILS: {sentence}\n");
        }
        text
    }

    /// The outputs that are one file, by their options.
    fn outputs(&self) -> [(&'static str, Option<&Path>); 4] {
        [
            ("--json", self.json.as_deref()),
            ("--markdown", self.markdown.as_deref()),
            ("--junit", self.junit.as_deref()),
            ("--html", self.html.as_deref()),
        ]
    }

    /// Refuses what could not be written at the end.
    fn check_outputs(&self, baseline: &Path) -> Result<(), Refusal> {
        output::one_standard_output(&self.outputs())?;
        let accepted = self.accept.then_some(baseline);
        let plot = self.plots.as_ref().map(|folder| folder.join("plot.svg"));
        let files = self.outputs().into_iter().filter_map(|(_, path)| path);
        files.chain(accepted).chain(plot.as_deref()).try_for_each(check_writable)?;
        Ok(())
    }

    /// Reads what the page shows.
    fn shown(&self, checkout: &Checkout) -> Result<Shown, Refusal> {
        let Some(page) = &self.html else { return Ok(Shown::default()) };
        let is_json = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "json");
        let runs = match &self.runs {
            Some(folder) => {
                files_of(folder)?.iter().filter(|path| is_json(path)).map(|path| run_of(path)).collect()
            }
            None => Ok(Vec::new()),
        };
        let usual = checkout.join("tb/recordings");
        let recordings = match &self.recordings {
            Some(folder) => Recordings::read(folder)?,
            None if usual.is_dir() => Recordings::read(&usual)?,
            None => Recordings::default(),
        };
        Ok(Shown { runs: runs?, recordings, waves: waves::beside(page) })
    }

    fn with_files(
        &self,
        mut results: Results,
        finished: &Finished,
        baseline: &Path,
        (origin, shown): (&Origin, &Shown),
    ) -> Result<Results, Refusal> {
        let differences = finished.gated();
        let page = Page {
            origin,
            report: &finished.report,
            compared: &finished.compared,
            gate: finished.gate,
            runs: &shown.runs,
            recordings: &shown.recordings.shown,
            waves: &shown.waves,
        };
        let figures = Figures {
            origin,
            report: &finished.report,
            compared: &finished.compared,
            failures: finished.failures(),
            warnings: finished.warnings(),
            captures_left_out: &shown.recordings.left_out,
            page: self.html.is_some().then(|| page.view()),
        };
        results = results
            .json(self.json.as_deref(), &figures)
            .file(self.markdown.as_deref(), || ci::markdown(&finished.report, differences))
            .file(finished.accepted.is_some().then_some(baseline), || {
                finished.accepted.clone().unwrap_or_default()
            })
            .file(self.junit.as_deref(), || ci::junit(differences.unwrap_or_default()));
        if let Some(folder) = &self.plots {
            for (name, chart) in finished.report.charts() {
                results = results.file(Some(&folder.join(name)), || chart.svg());
            }
        }
        if let Some(path) = &self.html {
            let html = page.html()?;
            results = results.file(Some(path), || html);
        }
        Ok(results)
    }
}

/// A lockstep run, with what its network was like if it had one.
fn run_of(path: &Path) -> Result<Run, SynthError> {
    let run = Run::read(path)?;
    let is_of = |scenario: &&Scenario| run.scenario.as_deref() == Some(scenario.name());
    let network = Scenario::ALL.iter().find(is_of).map(|scenario| scenario.meaning().to_string());
    Ok(Run { network, ..run })
}

/// A clock in MHz.
fn clock() -> Number<f64> {
    real(Real::new(1.0, 10_000.0))
}
