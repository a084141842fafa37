//! The report as one HTML file that needs nothing else: no network, no script, light and dark by the reader's setting.

mod bars;
mod contents;
mod cores;
mod paths;
mod recording;
mod runs;
mod sweeps;
mod tables;
mod targets;
mod waves;

pub use recording::Recording;
pub use runs::Run;
pub use waves::Wave;

use minijinja::{AutoEscape, Environment};
use serde::Serialize;

use crate::SynthError;
use crate::baseline::{self, Compared};
use crate::plot;
use crate::report::{self, Origin, Report};
use contents::Part;
pub(crate) use tables::TableView;

pub(crate) const STYLE: &str = include_str!("page.css");
const PATH_PICTURE: &str = include_str!("path.svg");

/// The page, and the parts of it that it includes.
const TEMPLATES: [(&str, &str); 4] = [
    ("page", include_str!("page.html")),
    ("head", include_str!("head.html")),
    ("cores", include_str!("cores.html")),
    ("runs", include_str!("runs.html")),
];

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
    origin: &'a Origin,
    tools: &'a [String],
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
    style: &'static str,
    chart_style: &'static str,
    path: &'static str,
}

/// One number at the head of the page.
#[derive(Debug, Serialize)]
struct Tile {
    value: String,
    name: &'static str,
    good: bool,
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
        let context = Context {
            contents: contents::parts(&view, &sweeps, throughput.is_some()),
            throughput: throughput.as_ref().map(TableView::of),
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
            style: STYLE,
            chart_style: plot::STYLE,
            path: PATH_PICTURE,
        };
        let mut environment = Environment::new();
        environment.set_auto_escape_callback(|_| AutoEscape::Html);
        let failed = |error: minijinja::Error| SynthError::Page { message: format!("{error:#}") };
        for (name, template) in TEMPLATES {
            environment.add_template(name, template).map_err(failed)?;
        }
        let page = environment.get_template(TEMPLATES[0].0);
        page.and_then(|page| page.render(minijinja::value::Serde(context))).map_err(failed)
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

    fn tiles(&self) -> Vec<Tile> {
        let number = |value: usize, name| Tile { value: value.to_string(), name, good: true };
        let mut tiles = vec![
            number(self.report.cores.len(), "cores measured"),
            number(self.report.targets.len(), "targets"),
        ];
        if let Compared::Differences(differences) = self.compared {
            let failing = differences.iter().filter(|difference| difference.fails).count();
            let changed =
                differences.iter().filter(|difference| difference.accepted != difference.now).count();
            tiles.push(number(changed, "figures changed since they were accepted"));
            if self.gate {
                let value = if failing == 0 { "passes".into() } else { format!("{failing} fail") };
                tiles.push(Tile { value, name: "gate on accepted figures", good: failing == 0 });
            }
        }
        if !self.runs.is_empty() {
            let mismatches: u64 = self.runs.iter().map(|run| run.mismatches).sum();
            let cycles: u64 = self.runs.iter().map(|run| run.cycles).sum();
            tiles.push(Tile { value: runs::grouped(cycles), name: "cycles in lockstep", good: true });
            tiles.push(Tile { value: mismatches.to_string(), name: "mismatches", good: mismatches == 0 });
        }
        tiles
    }
}

/// The anchor of something that is named by two words: letters, digits and hyphens.
fn anchor(kind: &str, name: &str) -> String {
    let letter =
        |letter: char| if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '-' };
    format!("{kind}-{name}").chars().map(letter).collect()
}
