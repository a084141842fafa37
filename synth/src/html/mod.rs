//! The report as one HTML file that needs nothing else: no network, no script, light and dark by the reader's setting.

mod answers;
mod bars;
mod contents;
mod cores;
pub mod index;
mod matrix;
mod paths;
mod recording;
mod runs;
mod speeds;
mod sweeps;
mod targets;
mod waves;

pub use recording::Recording;
pub use runs::Run;
pub use waves::Wave;

use serde::Serialize;

use crate::SynthError;
use crate::baseline::{self, Compared};
use crate::report::{self, Origin, Report};
use crate::sheet::{TableView, Tile, render, style};
use contents::Part;
use matrix::Matrix;
use speeds::Speeds;

const PATH_PICTURE: &str = include_str!("../templates/path.svg");

/// What the page shows.
#[derive(Debug)]
pub struct Page<'a> {
    pub origin: &'a Origin,
    pub report: &'a Report,
    /// Against the accepted figures.
    pub compared: &'a Compared,
    /// Whether a figure that got worse fails.
    pub gate: bool,
    /// Lockstep runs.
    pub runs: &'a [Run],
    pub recordings: &'a [Recording],
    /// Waves beside the page.
    pub waves: &'a [Wave],
}

/// What the page says beside the report and its origin, as data.
#[derive(Debug, Serialize)]
pub struct View<'a> {
    tiles: Vec<Tile>,
    cores: Vec<cores::View>,
    /// The claim of the paper, in one sentence.
    claim: Option<String>,
    targets: Vec<targets::View>,
    runs: Vec<runs::View<'a>>,
    recordings: Vec<recording::View>,
    waves: Vec<waves::View<'a>>,
}

/// What the template is given.
#[derive(Serialize)]
struct Context<'a> {
    #[serde(flatten)]
    view: &'a View<'a>,
    title: &'static str,
    /// What the page was made of, and when, a line.
    made: String,
    text: Vec<String>,
    style: String,
    origin: &'a Origin,
    tools: &'a [String],
    matrix: Matrix,
    fullness: Vec<cores::Fullness<'a>>,
    /// Each limit of a budget that is broken, as a sentence.
    broken: Vec<String>,
    /// Core, device and critical path.
    paths: Vec<(&'a str, &'static str, &'a str)>,
    /// What the estimate of a clock is and is not.
    caveat: &'static str,
    speeds: Option<Speeds>,
    contents: Vec<Part>,
    changes: Option<TableView>,
    /// Why there are no changes to show.
    no_changes: Option<String>,
    /// Packets a second.
    throughput: Option<TableView>,
    sweeps: Vec<sweeps::View>,
    /// Those of each recording.
    plots: Vec<recording::Plots>,
    tables: Vec<TableView>,
    path: &'static str,
}

impl Page<'_> {
    /// What the page says, as data.
    pub fn view(&self) -> View<'_> {
        View {
            tiles: self.tiles(),
            cores: cores::views(self.report),
            claim: cores::claim(self.report),
            targets: targets::views(self.report),
            runs: self.runs.iter().map(|run| run.view(self.waves)).collect(),
            recordings: self.recordings.iter().map(Recording::view).collect(),
            waves: self.waves.iter().map(Wave::view).collect(),
        }
    }

    /// The whole file.
    ///
    /// # Errors
    /// [`SynthError::Page`], where a template is broken.
    pub fn html(&self) -> Result<String, SynthError> {
        let view = self.view();
        let sweeps = sweeps::views(&self.report.sweeps);
        let (changes, no_changes) = self.changes();
        let throughput = report::throughput_table(self.report);
        let speeds = Speeds::of(self.report);
        let Origin { version, commit, date, .. } = self.origin;
        let parts = [format!("respray {version}"), format!("commit {commit}"), date.clone()];
        let parts: Vec<String> = parts.into_iter().chain(self.report.tools.iter().cloned()).collect();
        let context = Context {
            title: "respray: what the cores cost, and whether they are right",
            made: parts.join(" · "),
            text: Vec::new(),
            style: style(),
            contents: contents::parts(&view, &sweeps, speeds.is_some()),
            throughput: throughput.as_ref().map(TableView::of),
            matrix: Matrix::of(&view.cores),
            fullness: cores::fullness(&view.cores, &view.targets),
            broken: cores::broken_budgets(self.report),
            paths: paths(&view.cores),
            caveat: self.report.caveat(),
            speeds,
            view: &view,
            origin: self.origin,
            tools: &self.report.tools,
            changes,
            no_changes,
            sweeps,
            plots: self.recordings.iter().map(Recording::plots).collect(),
            tables: report::tables(self.report)
                .iter()
                .filter(|table| Some(*table) != throughput.as_ref())
                .map(TableView::of)
                .collect(),
            path: PATH_PICTURE,
        };
        render("report", &context)
    }

    /// The figures that changed since they were accepted, or a sentence that says why there are none to show.
    fn changes(&self) -> (Option<TableView>, Option<String>) {
        let differences = match self.compared {
            Compared::NotCompared(why) => return (None, Some(format!("Not compared: {why}."))),
            Compared::Differences(differences) => differences,
        };
        let changed = baseline::table(differences, false);
        match changed.rows.is_empty() {
            true => (None, Some(format!("None of {} figures changed.", differences.len()))),
            false => (Some(TableView::of(&changed)), None),
        }
    }
}

/// The critical path of each core on each device where there is one.
fn paths(cores: &[cores::View]) -> Vec<(&str, &'static str, &str)> {
    let mut paths = Vec::new();
    for core in cores {
        for (device, path) in [("UltraScale+, estimated", &core.estimated_path), ("ECP5", &core.path)] {
            paths.extend(path.iter().map(|path| (core.label.as_str(), device, path.as_str())));
        }
    }
    paths
}

/// The anchor of something that is named by two words: letters, digits and hyphens.
fn anchor(kind: &str, name: &str) -> String {
    let letter =
        |letter: char| if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '-' };
    format!("{kind}-{name}").chars().map(letter).collect()
}
