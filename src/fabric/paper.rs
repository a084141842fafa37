//! `respray fabric paper`: every claim on the figures of paper 001, with the ideal transport and with that of the block.

use std::path::{Path, PathBuf};

use clap::Args;
use respray_cosim::pages::{code, table, wrapped};
use respray_fabric::figure::{Claim, FIGURES, Figure, Results as Of, numbers};
use respray_fabric::request::{FIRST_SEED, SEEDS, Transport};
use respray_files::output::{check_writable, write_all};
use serde::{Deserialize, Serialize};

use super::EngineArg;
use super::runs::Runs;
use super::study::engine;
use crate::args::{ExitStatus, Refusal};
use crate::number::{Number, within};
use crate::output::Results;

#[derive(Args)]
pub struct PaperArgs {
    #[arg(long, value_name = "NUMBER", value_delimiter = ',', help = "Only these figures, with commas", value_parser = numbered())]
    only: Vec<u8>,
    /// Seeds of each scenario and selector.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = within::<u64>(SEEDS))]
    seeds: u64,
    /// The first of them.
    #[arg(long, value_name = "SEED", default_value_t = 1, value_parser = within::<u64>(FIRST_SEED))]
    seed: u64,
    /// What chooses the EVs, and carries the transport of the block.
    #[arg(long, value_enum, default_value_t = EngineArg::Rtl)]
    engine: EngineArg,
    /// A further column: the block with these keys, with commas, e.g. sack.window=512; may be given again.
    #[arg(long, value_name = "KEY=VALUE")]
    beside: Vec<String>,
    /// Claims that this command wrote before (--json), with commas: their figures are not run again.
    #[arg(long, value_name = "FILE", value_delimiter = ',')]
    of: Vec<PathBuf>,
    /// Page whose part between `<!-- begin runs -->` and `<!-- end runs -->` is written anew.
    #[arg(long, value_name = "FILE")]
    page: Option<PathBuf>,
    /// Write the claims as JSON; `-` is standard output.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

fn numbered() -> Number<u8> {
    Number::new(numbers(), |text| {
        text.parse().ok().filter(|number| FIGURES.iter().any(|figure| figure.number == *number))
    })
}

/// A claim with what each column says of it.
#[derive(Serialize, Deserialize)]
struct Row {
    figure: u8,
    case: String,
    claim: String,
    allowed: String,
    /// A value, none where there is no number, and whether it is allowed, for each column.
    values: Vec<(Option<f64>, bool)>,
    command: String,
}

impl Row {
    fn cells(&self) -> Vec<String> {
        let verdict = if self.values[1].1 { "met" } else { "NOT MET" };
        let mut cells = vec![self.case.clone(), self.claim.clone(), self.allowed.clone()];
        cells.extend(self.values.iter().map(shown));
        cells.extend([verdict.to_string(), code(&self.command)]);
        cells
    }
}

/// Claims with what they were made with, as JSON.
#[derive(Serialize, Deserialize)]
struct All {
    version: String,
    engine: String,
    seeds: u64,
    seed: u64,
    columns: Vec<String>,
    rows: Vec<Row>,
}

/// A column: a transport, and keys that are set.
struct Column {
    name: String,
    transport: Transport,
    sets: Vec<String>,
}

impl PaperArgs {
    pub fn run(&self) -> Result<ExitStatus, Refusal> {
        if let Some(page) = &self.page {
            check_writable(page)?;
            self.filled(page, "")?;
        }
        self.json.as_deref().map_or(Ok(()), check_writable)?;
        let columns = self.columns();
        let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
        let mut parts = self.of.iter().map(|file| read(file, &names)).collect::<Result<Vec<_>, _>>()?;
        let is_known =
            |figure: &Figure| parts.iter().any(|all| all.rows.iter().any(|row| row.figure == figure.number));
        // nothing begins before every request is found right
        let mut plans = Vec::new();
        for figure in FIGURES.iter().filter(|figure| self.has(figure) && !is_known(figure)) {
            for column in &columns {
                plans.push((figure, self.plan(figure, column)?));
            }
        }
        let mut rows: Vec<Row> = Vec::new();
        let (mut figures, mut differing) = (plans.into_iter(), String::new());
        while let Some((figure, units)) = figures.next() {
            let mut all = vec![units];
            all.extend(figures.by_ref().take(columns.len() - 1).map(|(_, units)| units));
            let mut of_columns = Vec::new();
            for units in all {
                let runs = Runs::of(&units)?;
                let (status, fails) = runs.end();
                if matches!(status, ExitStatus::Interrupted) {
                    return Ok(status);
                }
                if runs.runs.iter().any(|(_, ran, _)| ran.difference.is_some()) {
                    differing += &fails;
                }
                let runs = runs.runs.into_iter().map(|(record, _, outcome)| (record, outcome)).collect();
                of_columns.push(figure.claims(&Of { runs }));
            }
            rows.extend(joined(figure, &of_columns));
        }
        let (version, engine) =
            (env!("CARGO_PKG_VERSION").to_string(), engine(self.engine.into()).to_string());
        parts.push(All { version, engine, seeds: self.seeds, seed: self.seed, columns: names, rows });
        let text = self.markdown(&parts);
        if let Some(page) = &self.page {
            write_all(&[(page.clone(), self.filled(page, &text)?.into_bytes())])?;
        }
        let all = parts.last().expect("it was put there");
        Results::text(format!("{text}{differing}")).json(self.json.as_deref(), all).hand_out()?;
        Ok(if differing.is_empty() { ExitStatus::Success } else { ExitStatus::Mismatch })
    }

    fn has(&self, figure: &Figure) -> bool {
        self.only.is_empty() || self.only.contains(&figure.number)
    }

    fn columns(&self) -> Vec<Column> {
        let column = |name: &str, transport, sets| Column { name: name.to_string(), transport, sets };
        let mut columns =
            vec![column("ideal", Transport::Ideal, vec![]), column("block", Transport::Nic, vec![])];
        columns.extend(self.beside.iter().map(|sets| {
            let keys = sets.split(',').map(str::to_string).collect();
            column(&format!("block, `{sets}`"), Transport::Nic, keys)
        }));
        columns
    }

    fn plan(&self, figure: &Figure, column: &Column) -> Result<Vec<respray_fabric::request::Unit>, Refusal> {
        let mut units = Vec::new();
        for case in figure.cases {
            let mut request = case.request(self.engine.into(), self.seeds, self.seed, None);
            request.transport = column.transport;
            request.set.extend(column.sets.iter().cloned());
            units.extend(request.plan()?);
        }
        Ok(units)
    }

    /// The part of the page: a table for each figure, and what it was made with.
    fn markdown(&self, parts: &[All]) -> String {
        let columns = &parts[0].columns;
        let shown = |row: &&Row| FIGURES.iter().any(|figure| figure.number == row.figure && self.has(figure));
        let all: Vec<&Row> = parts.iter().flat_map(|part| &part.rows).filter(shown).collect();
        let met = |column: usize| all.iter().filter(|row| row.values[column].1).count();
        let counts: Vec<String> = columns
            .iter()
            .enumerate()
            .map(|(column, name)| format!("{name}: {} of {}", met(column), all.len()))
            .collect();
        let met = format!(
            "Claims that are met: {}. A value that is not allowed stands in bold. The verdict is that of the block.",
            counts.join("; "),
        );
        let mut text = paragraph(&met);
        let columns = columns.iter().map(String::as_str);
        let heads: Vec<&str> = ["scenario", "claim", "allowed"]
            .into_iter()
            .chain(columns)
            .chain(["verdict", "command"])
            .collect();
        for figure in FIGURES.iter().filter(|figure| self.has(figure)) {
            text += &format!("\n### Figure {}: {}\n\n", figure.number, figure.title);
            let part = parts.iter().find(|part| part.rows.iter().any(|row| row.figure == figure.number));
            let Some(All { engine, seeds, seed, rows, .. }) = part else { continue };
            let paper = format!("{} {seeds} seeds from {seed} on; {engine}.", figure.paper);
            text += &format!("{}\n", paragraph(&paper));
            let of_figure = rows.iter().filter(|row| row.figure == figure.number);
            text += &table(&heads, of_figure.map(Row::cells));
        }
        text
    }

    /// The page with this part.
    fn filled(&self, page: &Path, part: &str) -> Result<String, Refusal> {
        let text = std::fs::read_to_string(page)
            .map_err(|error| format!("{}: cannot be read: {error}", page.display()))?;
        let found = text.split_once(BEGIN).and_then(|(before, rest)| Some((before, rest.split_once(END)?.1)));
        let Some((before, behind)) = found else {
            return Err(format!("{}: has no part from `{BEGIN}` to `{END}`", page.display()).into());
        };
        Ok(format!("{before}{BEGIN}\n\n{part}\n{END}{behind}"))
    }
}

/// Where the part of the page begins and ends.
const BEGIN: &str = "<!-- begin runs -->";
const END: &str = "<!-- end runs -->";

fn paragraph(text: &str) -> String {
    wrapped(text, "", "") + "\n"
}

/// Claims that were written before, of the same columns.
fn read(file: &Path, columns: &[String]) -> Result<All, Refusal> {
    let place = file.display();
    let text = std::fs::read_to_string(file).map_err(|error| format!("{place}: cannot be read: {error}"))?;
    let all: All = serde_json::from_str(&text)
        .map_err(|error| format!("{place}: not what `respray fabric paper --json` writes: {error}"))?;
    if all.columns != columns {
        let [has, asked] = [&all.columns[..], columns].map(|columns| columns.join(", "));
        return Err(format!("{place}: has the columns {has}; allowed: {asked}").into());
    }
    Ok(all)
}

fn shown((value, is_met): &(Option<f64>, bool)) -> String {
    let Some(value) = value.filter(|value| value.is_finite()) else { return "-".into() };
    let digits = if value.abs() >= 100.0 || value.fract() == 0.0 { 0 } else { 2 };
    if *is_met { format!("{value:.digits$}") } else { format!("**{value:.digits$}**") }
}

/// The claims of a figure, a row each.
fn joined(figure: &Figure, columns: &[Vec<Claim>]) -> Vec<Row> {
    let row = |(place, claim): (usize, &Claim)| Row {
        figure: figure.number,
        case: claim.case.clone(),
        claim: claim.text.clone(),
        allowed: claim.band.to_string(),
        values: columns.iter().map(|claims| (Some(claims[place].value), claims[place].is_met)).collect(),
        command: format!("respray fabric figure {} --transport nic", figure.number),
    };
    columns[0].iter().enumerate().map(row).collect()
}
