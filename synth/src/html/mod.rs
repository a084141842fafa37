//! The report as one HTML file that needs nothing else: no network, no script, light and dark by the reader's setting.

mod cores;
mod recording;
mod runs;
mod sweeps;

pub use recording::Recording;
pub use runs::Run;

use minijinja::{AutoEscape, Environment};
use serde::Serialize;

use crate::SynthError;
use crate::baseline::{self, Difference};
use crate::plot;
use crate::report::{Report, Table, tables};

const TEMPLATE: &str = include_str!("page.html");
const PATH_PICTURE: &str = include_str!("path.svg");

/// What the page shows.
#[derive(Debug)]
pub struct Page<'a> {
    pub report: &'a Report,
    /// Against the accepted figures, where they were compared.
    pub differences: Option<&'a [Difference]>,
    /// Lockstep runs.
    pub runs: Vec<Run>,
    pub recordings: Vec<Recording>,
}

/// What the template is given.
#[derive(Serialize)]
struct View<'a> {
    tools: &'a [String],
    version: &'static str,
    tiles: Vec<Tile>,
    path: &'static str,
    chart_style: &'static str,
    cores: Vec<cores::View>,
    claim: Option<String>,
    sweeps: Vec<sweeps::View>,
    runs: &'a [Run],
    recordings: Vec<recording::View>,
    gate: Option<TableView>,
    tables: Vec<TableView>,
}

/// One number at the head of the page.
#[derive(Debug, Serialize)]
struct Tile {
    value: String,
    name: String,
    good: bool,
}

/// A table, with the columns that hold numbers.
#[derive(Debug, Serialize)]
struct TableView {
    title: String,
    note: String,
    header: Vec<Cell>,
    rows: Vec<Vec<Cell>>,
}

#[derive(Debug, Serialize)]
struct Cell {
    text: String,
    number: bool,
}

impl Page<'_> {
    /// The whole file.
    pub fn html(&self) -> Result<String, SynthError> {
        let mut environment = Environment::new();
        environment.set_auto_escape_callback(|_| AutoEscape::Html);
        let failed = |error: minijinja::Error| SynthError::Page { message: format!("{error:#}") };
        environment.add_template("page", TEMPLATE).map_err(failed)?;
        let all: Vec<TableView> = tables(self.report).iter().map(view).collect();
        let changed = self.differences.map(|differences| baseline::table(differences, false));
        environment
            .get_template("page")
            .and_then(|page| {
                page.render(minijinja::value::Serde(View {
                    tools: &self.report.tools,
                    version: env!("CARGO_PKG_VERSION"),
                    tiles: self.tiles(),
                    path: PATH_PICTURE,
                    chart_style: plot::STYLE,
                    cores: cores::views(self.report),
                    claim: cores::claim(self.report),
                    sweeps: sweeps::views(&self.report.sweeps),
                    runs: &self.runs,
                    recordings: self.recordings.iter().map(Recording::view).collect(),
                    gate: changed.as_ref().map(view),
                    tables: all,
                }))
            })
            .map_err(failed)
    }

    fn tiles(&self) -> Vec<Tile> {
        let mut tiles = vec![
            Tile { value: self.report.cores.len().to_string(), name: "cores measured".into(), good: true },
            Tile { value: self.report.targets.len().to_string(), name: "targets".into(), good: true },
        ];
        if let Some(differences) = self.differences {
            let failing = differences.iter().filter(|difference| difference.fails).count();
            let value = if failing == 0 { "passes".into() } else { format!("{failing} fail") };
            tiles.push(Tile { value, name: "gate on accepted figures".into(), good: failing == 0 });
        }
        if !self.runs.is_empty() {
            let mismatches: u64 = self.runs.iter().map(|run| run.mismatches).sum();
            let cycles: u64 = self.runs.iter().map(|run| run.cycles).sum();
            tiles.push(Tile { value: runs::grouped(cycles), name: "cycles in lockstep".into(), good: true });
            tiles.push(Tile {
                value: mismatches.to_string(),
                name: "mismatches".into(),
                good: mismatches == 0,
            });
        }
        tiles
    }
}

fn view(table: &Table) -> TableView {
    let cell =
        |(column, text): (usize, &String)| Cell { text: text.clone(), number: table.is_number(column) };
    TableView {
        title: table.title.clone(),
        note: table.note.clone(),
        header: table.header.iter().enumerate().map(cell).collect(),
        rows: table.rows.iter().map(|row| row.iter().enumerate().map(cell).collect()).collect(),
    }
}
