//! `respray fabric figure`: a figure of paper 001, the paper's own numbers beside ours, and what of it is reproduced.

use std::path::PathBuf;

use clap::Args;
use respray_fabric::engine::Kind;
use respray_fabric::figure::{Claim, FIGURES, Figure, Results as Of, figure, numbers};
use respray_fabric::metrics::Series;
use respray_fabric::record::Record;
use respray_fabric::request::{FIRST_SEED, SEEDS};
use respray_fabric::simulation::Outcome;
use respray_files::output::check_writable;
use respray_synth::report::Table;
use respray_synth::sheet::{Part, Sheet, Tile};
use serde::Serialize;

use super::runs::{Runs, beside};
use super::study::engine;
use super::{EngineArg, TransportArg, page};
use crate::args::{ExitStatus, Refusal};
use crate::number::{Number, within};
use crate::output::{self, Results};

#[derive(Args)]
pub struct FigureArgs {
    #[arg(value_name = "NUMBER", help = "Number of the figure", value_parser = numbered())]
    figure: u8,
    /// Seeds of each scenario and selector.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = within::<u64>(SEEDS))]
    seeds: u64,
    /// The first of them.
    #[arg(long, value_name = "SEED", default_value_t = 1, value_parser = within::<u64>(FIRST_SEED))]
    seed: u64,
    /// What chooses the EVs.
    #[arg(long, value_enum, default_value_t = EngineArg::Rtl)]
    engine: EngineArg,
    /// How hosts send packets, find losses and choose windows.
    #[arg(long, value_enum, default_value_t = TransportArg::Ideal)]
    transport: TransportArg,
    /// One key on top of those of the figure, e.g. sack.window=128 or fabric.loss_feedback=any.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    sets: Vec<String>,
    /// Of figure 12: permutations by seed, in place of those that the seeds draw.
    #[arg(long, value_name = "FILE")]
    permutations: Option<PathBuf>,
    /// Run only the scenario of this name, e.g. 3; may be given again.
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// Exit with 1 where a claim is not met.
    #[arg(long)]
    check: bool,
    /// Write claims and runs as JSON; `-` is standard output. How the runs went on this machine stands in FILE.run.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write one HTML page with table, bars, curves and claims.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write table and claims in Markdown.
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
}

/// The figures, a line each.
pub fn list() -> Result<ExitStatus, Refusal> {
    let line = |figure: &Figure| format!("{:2} {}\n", figure.number, figure.title);
    Results::text(FIGURES.iter().map(line).collect::<String>()).hand_out()?;
    Ok(ExitStatus::Success)
}

fn numbered() -> Number<u8> {
    Number::new(numbers(), |text| text.parse().ok().filter(|number| figure(*number).is_some()))
}

/// All of it, as JSON.
#[derive(Serialize)]
struct Figures<'a> {
    figure: u8,
    title: &'a str,
    paper: &'a str,
    version: &'a str,
    claims: &'a [Claim],
    runs: Vec<&'a Record>,
}

impl FigureArgs {
    pub fn run(&self) -> Result<ExitStatus, Refusal> {
        let figure = figure(self.figure).expect("the parser lets no other number pass");
        let files = [("--json", &self.json), ("--html", &self.html), ("--markdown", &self.markdown)];
        let files = files.map(|(option, path)| (option, path.as_deref()));
        output::one_standard_output(&files)?;
        files.iter().filter_map(|(_, path)| *path).try_for_each(check_writable)?;
        let names: Vec<&str> = figure.cases.iter().map(|case| case.name).collect();
        if let Some(unknown) = self.only.iter().find(|name| !names.contains(&name.as_str())) {
            return Err(format!("--only {unknown}: no such scenario; allowed: {}", names.join("; ")).into());
        }
        if self.permutations.is_some() && figure.cases.iter().all(|case| !case.reads_permutations()) {
            return Err(format!("--permutations is of figure 12; figure {} reads none", figure.number).into());
        }
        let kind: Kind = self.engine.into();
        let mut units = Vec::new();
        for case in figure
            .cases
            .iter()
            .filter(|case| self.only.is_empty() || self.only.iter().any(|of| of == case.name))
        {
            let permutations = self.permutations.as_deref();
            let mut request = case.request(kind, self.seeds, self.seed, permutations);
            request.transport = self.transport.into();
            request.set.extend(self.sets.iter().cloned());
            units.extend(request.plan()?);
        }
        let runs = Runs::of(&units)?;
        let (status, fails) = runs.end();
        if matches!(status, ExitStatus::Interrupted) {
            return Ok(status);
        }
        let of = Of {
            runs: runs.runs.iter().map(|(record, _, outcome)| (record.clone(), outcome.clone())).collect(),
        };
        // a claim on what was not run is none
        let claims: Vec<Claim> =
            figure.claims(&of).into_iter().filter(|claim| claim.value.is_finite()).collect();
        let (table, met) = (self.table(figure, &of), claims_table(&claims));
        let figures = Figures {
            figure: figure.number,
            title: figure.title,
            paper: figure.paper,
            version: env!("CARGO_PKG_VERSION"),
            claims: &claims,
            runs: of.runs.iter().map(|(record, _)| record).collect(),
        };
        let page = self.sheet(figure, &of, &table, &claims).html()?;
        let ran = self.json.as_deref().filter(|path| *path != std::path::Path::new("-")).map(beside);
        Results::text(format!("{}\n{}{fails}", table.text(), met.text()))
            .json(self.json.as_deref(), &figures)
            .file(ran.as_deref(), || runs.ran())
            .file(self.html.as_deref(), || page)
            .file(self.markdown.as_deref(), || format!("{}\n{}", table.markdown(), met.markdown()))
            .hand_out()?;
        let is_met = claims.iter().all(|claim| claim.is_met);
        Ok(if self.check && !is_met { ExitStatus::Mismatch } else { status })
    }

    /// Every scenario and selector, with what the paper's simulator says.
    fn table(&self, figure: &Figure, of: &Of) -> Table {
        let note = format!(
            "{} seeds from {} on; {}. The paper: {} Flows are in us, mean (least..greatest) of the seeds. Lost: trimmed, dropped or lost to a failure. \
             Simulator: what the paper's own simulator says of the figure to the left.",
            self.seeds,
            self.seed,
            engine(self.engine.into()),
            figure.paper
        );
        let header = [
            "scenario",
            "selector",
            "longest flow",
            "simulator",
            "mean flow",
            "simulator",
            "Gb/s a flow",
            "packets lost",
            "simulator",
            "freezes",
        ];
        let title = format!("Figure {}: {}", figure.number, figure.title);
        let mut table = Table::new(title, note, &header);
        for case in figure.cases {
            for selector in case.selectors() {
                let shown = |figure: fn(&Record) -> f64| of.spread(case.name, selector, figure);
                let Some(longest) = shown(|record| record.times.max_fct_us) else { continue };
                let mean = |figure: fn(&Record) -> f64, digits: usize| {
                    shown(figure).map_or("-".to_string(), |spread| format!("{:.digits$}", spread.mean))
                };
                let reference = case.reference(selector);
                let r_longest = reference.and_then(|reference| reference.max_fct_us);
                table.row([
                    case.name.to_string(),
                    selector.to_string(),
                    // a run that was ended before its flows has none
                    if longest.greatest > 0.0 { longest.to_string() } else { "-".to_string() },
                    r_longest.map_or("-".into(), |[mean, least, most]| format!("{mean} ({least}..{most})")),
                    mean(|record| record.times.mean_fct_us, 1),
                    reference.map_or("-".into(), |reference| format!("{:.1}", reference.mean_fct_us)),
                    mean(|record| record.times.mean_goodput_gbps, 1),
                    mean(|record| record.lost() as f64, 0),
                    reference.map_or("-".into(), |reference| format!("{:.0}", reference.lost[0])),
                    mean(|record| record.engine_event("freeze_entered") as f64, 1),
                ]);
            }
        }
        table
    }

    /// The page.
    fn sheet(&self, figure: &Figure, of: &Of, table: &Table, claims: &[Claim]) -> Sheet {
        let mut parts = Vec::new();
        for case in figure.cases {
            let records: Vec<&Record> =
                of.runs.iter().map(|(record, _)| record).filter(|record| record.name == case.name).collect();
            if records.is_empty() {
                continue;
            }
            parts.push(Part {
                heading: format!("{}: {}", case.name, case.title),
                panels: vec![page::longest_flows(&records, case.selectors(), Some(case))],
                ..Part::default()
            });
            let first = |selector: &&str| {
                let is_first = |(record, _): &&(Record, Outcome)| {
                    record.name == case.name && record.selector == **selector
                };
                let (record, outcome) = of.runs.iter().find(is_first)?;
                Some((record, outcome.series.as_ref()?))
            };
            let runs: Vec<(&Record, &Series)> = case.selectors().iter().filter_map(first).collect();
            parts.extend(page::over_time(&runs, Some(case)));
        }
        let met = claims_table(claims);
        parts.push(Part { heading: met.title.clone(), table: Some(met), ..Part::default() });
        parts.push(Part { heading: "All figures".into(), table: Some(table.clone()), ..Part::default() });
        let text = vec![
            format!("The paper: {}", figure.paper),
            format!(
                "{} seed{}; {}.",
                self.seeds,
                if self.seeds == 1 { "" } else { "s" },
                engine(self.engine.into())
            ),
        ];
        let title = format!("respray: figure {}, {}", figure.number, figure.title.to_lowercase());
        Sheet { title, origin: page::origin(), text, tiles: tiles(figure, of, claims), parts }
    }
}

/// What is reproduced, and the longest flows of the first scenario beside those of the paper.
fn tiles(figure: &Figure, of: &Of, claims: &[Claim]) -> Vec<Tile> {
    let met = claims.iter().filter(|claim| claim.is_met).count();
    let mut tiles = vec![Tile {
        value: format!("{met} of {}", claims.len()),
        name: "claims on the paper's figure are met".into(),
        is_good: Some(met == claims.len()),
        ..Tile::default()
    }];
    let records: Vec<&Record> = of.runs.iter().map(|(record, _)| record).collect();
    let is_run = |name: &str| records.iter().any(|record| record.name == name);
    let Some(case) = figure.cases.iter().find(|case| is_run(case.name)) else { return tiles };
    let of_case: Vec<&Record> = records.iter().copied().filter(|record| record.name == case.name).collect();
    tiles.extend(case.selectors().iter().filter_map(|selector| {
        let spread = page::longest(&of_case, selector)?;
        let simulator = case.reference(selector)?.max_fct_us?;
        let said = case.paper_us(selector).map(|us| format!("the paper {us:.0}, "));
        Some(Tile {
            value: format!("{:.0} us", spread.mean),
            name: format!("longest flow with {selector}"),
            detail: format!("{}the paper's simulator {:.0}", said.unwrap_or_default(), simulator[0]),
            is_good: None,
        })
    }));
    tiles
}

/// What is reproduced.
fn claims_table(claims: &[Claim]) -> Table {
    let met = claims.iter().filter(|claim| claim.is_met).count();
    let title = format!("Reproduced: {met} of {}", claims.len());
    let note = "Bands are of the variant uet, which is that of the paper's simulator.";
    let mut table = Table::new(title, note, &["scenario", "what", "here", "allowed", "verdict"]);
    for claim in claims {
        let digits = if claim.value >= 100.0 || claim.value.fract() == 0.0 { 0 } else { 2 };
        table.row([
            claim.case.clone(),
            claim.text.clone(),
            format!("{:.digits$}", claim.value),
            claim.band.to_string(),
            if claim.is_met { "met" } else { "NOT MET" }.to_string(),
        ]);
    }
    table
}
