//! What a model counts: how often each line of the Verilog ran, named points were hit, and bits toggled.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::error::ModelError;

/// Counts of one or more runs of a design.
///
/// Verilator counts at points: a block, a branch, an arm of a `case`. A point stands for the lines of its basic block,
/// in all instances of its module; the line of an `if` belongs to what follows when it holds. A line counts as often as
/// the least of its points, so that a line which holds two branches is covered only if both were taken. An `else` that
/// is not written has no line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    points: BTreeMap<Point, u64>,
    /// Of each `cover property` of the Verilog, by its label.
    named: BTreeMap<String, u64>,
    /// Of each bit of a signal, by the module's instance and its name.
    toggles: BTreeMap<String, u64>,
}

/// Line and column, kind (`block`, `if`, `else`, `case`, …) and lines, e.g. `5-7,9`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Point {
    line: u32,
    column: u32,
    kind: String,
    lines: String,
}

impl Coverage {
    /// Reads what [`super::Model::coverage_data`] gives.
    ///
    /// # Errors
    /// [`ModelError::Coverage`] with the line that is not understood.
    pub fn parse(text: &str) -> Result<Coverage, ModelError> {
        let mut coverage = Coverage::default();
        for counted in counted(text) {
            let Counted { line, keys, count } = counted?;
            let wrong = |what| ModelError::Coverage { line, what };
            let key = |name: &str| {
                let pairs = keys.split('\x01').filter_map(|pair| pair.split_once('\x02'));
                pairs.into_iter().find(|(key, _)| *key == name).map(|(_, value)| value)
            };
            let page = key("page").unwrap_or_default();
            let name = || key("o").unwrap_or_default().to_string();
            if page.starts_with("v_user/") {
                *coverage.named.entry(name()).or_default() += count;
                continue;
            }
            if page.starts_with("v_toggle/") {
                let bit = format!("{}.{}", key("h").unwrap_or_default(), name());
                *coverage.toggles.entry(bit).or_default() += count;
                continue;
            }
            let of_lines = |page: &str| page.starts_with("v_line/") || page.starts_with("v_branch/");
            let Some(lines) = key("S").filter(|_| of_lines(page)) else { continue };
            let number = |name| key(name).and_then(|value| value.parse().ok());
            let line = number("l").ok_or_else(|| wrong("a point has no line"))?;
            let point =
                Point { line, column: number("n").unwrap_or(0), kind: name(), lines: lines.to_string() };
            if ranges(&point.lines).is_none() {
                return Err(wrong("the lines of a point are not like 5-7,9"));
            }
            *coverage.points.entry(point).or_default() += count;
        }
        Ok(coverage)
    }

    /// Adds the counts of another run.
    pub fn merge(&mut self, other: &Coverage) {
        for (point, count) in &other.points {
            *self.points.entry(point.clone()).or_default() += count;
        }
        for (mine, others) in [(&mut self.named, &other.named), (&mut self.toggles, &other.toggles)] {
            for (name, count) in others {
                *mine.entry(name.clone()).or_default() += count;
            }
        }
    }

    /// How often each `cover property` of the Verilog was hit, by its label.
    pub fn named(&self) -> &BTreeMap<String, u64> {
        &self.named
    }

    /// How often each bit of a signal rose or fell, by the path of its instance and its name.
    pub fn toggles(&self) -> &BTreeMap<String, u64> {
        &self.toggles
    }

    /// How often each line ran that can run, by line number from 1.
    pub fn lines(&self) -> BTreeMap<u32, u64> {
        let mut lines = BTreeMap::new();
        for (point, &count) in &self.points {
            for line in ranges(&point.lines).into_iter().flatten().flatten() {
                lines.entry(line).and_modify(|least: &mut u64| *least = count.min(*least)).or_insert(count);
            }
        }
        lines
    }

    /// Lines that ran, and lines that can run.
    pub fn covered_and_total(&self) -> (usize, usize) {
        let lines = self.lines();
        (lines.values().filter(|&&count| count > 0).count(), lines.len())
    }

    /// Lines that never ran, ascending.
    pub fn uncovered(&self) -> Vec<u32> {
        self.lines().into_iter().filter(|&(_, count)| count == 0).map(|(line, _)| line).collect()
    }

    /// The Verilog with each line's count before it; lines that never ran are marked with `!`.
    pub fn annotate(&self, verilog: &str) -> String {
        let lines = self.lines();
        let mut text = String::new();
        for (number, line) in (1u32..).zip(verilog.lines()) {
            let _ = match lines.get(&number) {
                None => writeln!(text, "{:>14} {line}", ""),
                Some(0) => writeln!(text, "!{:>13} {line}", 0),
                Some(count) => writeln!(text, "{count:>14} {line}"),
            };
        }
        text
    }
}

/// A line of coverage data.
struct Counted<'a> {
    /// Its number, from 1.
    line: usize,
    /// What is counted, in Verilator's form.
    keys: &'a str,
    count: u64,
}

fn counted(text: &str) -> impl Iterator<Item = Result<Counted<'_>, ModelError>> {
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.starts_with('#'));
    lines.map(|(line, text)| {
        let wrong = |what| ModelError::Coverage { line, what };
        let (keys, count) = text
            .strip_prefix("C '")
            .and_then(|rest| rest.rsplit_once("' "))
            .ok_or_else(|| wrong("a line is \"C 'keys' count\""))?;
        let count = count.parse().map_err(|_| wrong("the count is no number"))?;
        Ok(Counted { line, keys, count })
    })
}

/// What [`super::Model::coverage_data`] gives of several models of a design, as one text: counts of the same are added.
///
/// # Errors
/// [`ModelError::Coverage`] with the line that is not understood.
pub fn sum(texts: &[String]) -> Result<String, ModelError> {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for counted in texts.iter().flat_map(|text| counted(text)) {
        let Counted { keys, count, .. } = counted?;
        *counts.entry(keys).or_default() += count;
    }
    let title = texts.iter().flat_map(|text| text.lines()).find(|line| line.starts_with('#'));
    let mut sum: String = title.into_iter().flat_map(|title| [title, "\n"]).collect();
    for (keys, count) in counts {
        let _ = writeln!(sum, "C '{keys}' {count}");
    }
    Ok(sum)
}

/// `5-7,9` as ranges of lines.
fn ranges(lines: &str) -> Option<Vec<std::ops::RangeInclusive<u32>>> {
    let one = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(first.parse().ok()?..=last.parse().ok()?)
    };
    lines.split(',').map(one).collect()
}
