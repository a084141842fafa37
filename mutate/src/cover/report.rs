//! Coverage as text, as JSON and as a page.

use std::fmt::Write as _;

use respray_cosim::verilator::Verilator;
use respray_files::made_from::MadeFrom;
use respray_hdl::config::Config;
use serde::{Deserialize, Serialize};

use super::Covered;
use super::sizes::Random;
use crate::MutateError;

/// What was covered, and with what.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Report {
    pub commit: String,
    /// The day, as `2026-11-23`.
    pub date: String,
    /// Verilator with its version.
    pub verilator: String,
    pub config: Config,
    /// The Verilog of each core.
    pub made_from: MadeFrom,
    /// Cycles of random stimulus in the longest round.
    pub cycles: u64,
    pub cores: Vec<Covered>,
}

impl Report {
    /// # Errors
    /// If there is no Verilator.
    pub fn new(
        cores: Vec<Covered>,
        made_from: MadeFrom,
        config: Config,
        cycles: u64,
        commit: String,
        date: String,
    ) -> Result<Report, MutateError> {
        let verilator = Verilator::find()?.version.clone();
        Ok(Report { commit, date, verilator, config, made_from, cycles, cores })
    }

    /// Each point of each core was hit.
    pub fn is_whole(&self) -> bool {
        self.cores.iter().all(Covered::is_whole)
    }

    /// As a person reads it.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for core in &self.cores {
            let _ = writeln!(text, "{}: {}", core.core, figures(core));
            for hit in core.never_hit() {
                let _ = writeln!(text, "  never hit: {}: {}", hit.point, hit.means);
            }
            for point in core.random.iter().flat_map(|random| &random.only_small) {
                let _ = writeln!(text, "  hit by random ops at the smallest sizes alone: {point}");
            }
            for line in &core.lines_never_run {
                let _ = writeln!(text, "  never run: line {line}");
            }
        }
        let is_hit = self.cores.iter().all(|core| core.never_hit().next().is_none());
        let verdict = match self.is_whole() {
            true => "every point was hit",
            false if is_hit => "FAILED: random ops hit a point at the smallest sizes alone",
            false => "FAILED: a point was never hit",
        };
        text + verdict + "\n"
    }

    /// As a page.
    pub fn markdown(&self) -> String {
        let mut page = include_str!("page.md").to_string();
        let Report { commit, date, verilator, cycles, .. } = self;
        let _ = writeln!(
            page,
            "\nMade on {date} at {commit} by {verilator}, random rounds of up to {cycles} cycles.\n"
        );
        let _ = writeln!(page, "{}\n", self.made_from.block(&[]));
        page += "| core | points hit | lines that ran | bits that toggled | seed |\n| --- | --- | --- | --- | --- |\n";
        for core in &self.cores {
            let (hit, lines, bits) =
                (points(core), lines(core), bits(core).unwrap_or("not counted".to_string()));
            let _ =
                writeln!(page, "| [`{0}`](#{0}) | {hit} | {lines} | {bits} | {1} |", core.core, core.seed);
        }
        page += &self.by_size();
        for core in &self.cores {
            let _ = writeln!(
                page,
                "\n## `{}`\n\n| point | what happens | clock edges |\n| --- | --- | --- |",
                core.core
            );
            for hit in &core.points {
                let _ = writeln!(page, "| `{}` | {} | {} |", hit.point, cell(&hit.means), hit.count);
            }
            for beyond in &core.beyond {
                let _ = writeln!(page, "| `{}` | Never: {} | - |", beyond.point, cell(&beyond.why));
            }
            if !core.lines_never_run.is_empty() {
                page += "\nLines that never ran:\n\n```text\n";
                core.lines_never_run.iter().for_each(|line| page += &format!("{line}\n"));
                page += "```\n";
            }
        }
        page
    }
}

impl Report {
    /// What random ops hit by themselves, as a section of the page; empty if that was not looked at.
    fn by_size(&self) -> String {
        let mut rows = String::new();
        for core in &self.cores {
            let Some(random) = &core.random else { continue };
            let names = |names: &[String]| match names.is_empty() {
                true => "none".to_string(),
                false => names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
            };
            let Random { sizes, hit, hit_small, only_small, .. } = random;
            let (sizes, only) = (names(sizes), names(only_small));
            let _ = writeln!(rows, "| [`{0}`](#{0}) | {hit} | {hit_small} | {sizes} | {only} |", core.core);
        }
        if rows.is_empty() { rows } else { format!("{}{rows}", include_str!("sizes.md")) }
    }
}

/// The text of a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn points(core: &Covered) -> String {
    format!("{} of {}", core.points.iter().filter(|hit| hit.count > 0).count(), core.points.len())
}

fn lines(core: &Covered) -> String {
    format!("{} of {}", core.lines, core.lines_in_all)
}

fn bits(core: &Covered) -> Option<String> {
    core.bits.map(|(toggled, all)| format!("{toggled} of {all}"))
}

fn figures(core: &Covered) -> String {
    let bits = bits(core).map(|bits| format!(", bits that toggled {bits}")).unwrap_or_default();
    format!("points hit {}, lines that ran {}{bits}", points(core), lines(core))
}
