//! The waveform of a few ops as the golden side and the manifest have it, which is what the lockstep holds the RTL against.

use respray_hdl::config::Config;
use respray_hdl::contract::{Base, Field};

use super::PageError;
use super::designs::design;
use super::wavedrom::{Lane, drawn};
use crate::cores::Visitor;
use crate::lockstep::op_core::OpCore;
use crate::lockstep::produce::{Given, rows};
use crate::lockstep::rows::{Block, Layout};
use crate::traffic::optrace::{OpTrace, Settings};
use crate::traffic::stimulus::Entries;

/// Cycles that a waveform shows at most.
const MOST_CYCLES: usize = 48;

/// The seed of the run.
const SEED: u16 = 1;

/// Draws ops that are given as in `op=init conn=5 // op=ack conn=5 ev=7 / op=send conn=5`, with the columns of op traces.
/// The waveform begins with the first op behind `//`.
pub(super) struct Waveform<'a> {
    pub page: &'a str,
    pub ops: &'a str,
    pub config: &'a Config,
}

impl Waveform<'_> {
    /// The ops as an op trace.
    fn csv(&self) -> String {
        let ops: Vec<Vec<(&str, &str)>> = self
            .ops
            .split(" // ")
            .flat_map(|ops| ops.split(" / "))
            .map(|op| op.split_whitespace().filter_map(|given| given.split_once('=')).collect())
            .collect();
        let mut columns: Vec<&str> = Vec::new();
        for (column, _) in ops.iter().flatten() {
            if !columns.contains(column) {
                columns.push(column);
            }
        }
        let line = |op: &Vec<(&str, &str)>| {
            let of =
                |column: &&str| op.iter().find(|(name, _)| name == column).map_or("", |(_, value)| *value);
            columns.iter().map(of).collect::<Vec<_>>().join(",") + "\n"
        };
        columns.join(",") + "\n" + &ops.iter().map(line).collect::<String>()
    }
}

impl Visitor for Waveform<'_> {
    type Output = Result<String, PageError>;

    fn visit<C: OpCore + 'static>(self) -> Self::Output {
        let (contract, config) = (C::CONTRACT, self.config);
        let csv = self.csv();
        let trace = OpTrace::parse(csv.as_bytes(), self.page, contract, config)?;
        let ops = trace.ops(contract, &Settings::default(), config);
        let generated = design(contract.core, config)?;
        let manifest = &generated.manifest;
        let given = Given {
            entries: Entries::new(ops.entries.iter().copied()),
            expectations: &ops.expectations,
            seed: SEED,
        };
        let layout = Layout::plain(contract, config);
        let block = rows::<C>(manifest, &layout, given);
        let inputs: Vec<&Field> = contract.op_fields().collect();
        let outputs: Vec<&Field> = contract.shown_fields().collect();
        let before = self.ops.split_once(" // ").map_or(0, |(before, _)| before.split(" / ").count());
        let rows = Rows { layout: &layout, block: &block, before, settings: contract.settings_at().start };
        Ok(drawn(&lanes(&rows, &inputs, &outputs)))
    }
}

/// What the ports carry and must show.
struct Rows<'a> {
    layout: &'a Layout,
    block: &'a Block,
    /// Ops before the first that is shown.
    before: usize,
    /// Inputs from this place on count in the cycle only that takes the op.
    settings: usize,
}

impl Rows<'_> {
    fn input(&self, row: usize, column: usize) -> u64 {
        self.block.inputs[row * self.layout.words.0 + column]
    }

    /// `None` if it is not promised.
    fn output(&self, row: usize, column: usize) -> Option<u64> {
        let at = row * self.layout.words.1 + column;
        (self.block.care[at] != 0).then(|| self.block.expected[at])
    }

    fn is_offered(&self, row: usize) -> bool {
        self.input(row, self.layout.op_valid) == 1
    }

    fn is_taken(&self, row: usize) -> bool {
        let is_reset = self.input(row, self.layout.rst) == 1;
        self.is_offered(row) && !is_reset && self.output(row, self.layout.op_ready) == Some(1)
    }

    /// From the cycle before the first op is taken to the one behind the last that shows anything.
    fn shown(&self) -> std::ops::Range<usize> {
        let layout = self.layout;
        let first = (0..self.block.cycles).filter(|row| self.is_taken(*row)).nth(self.before).unwrap_or(0);
        let is_busy = |row: &usize| {
            let shows = |column: &usize| self.output(*row, *column).is_some_and(|value| value != 0);
            self.is_offered(*row) || layout.shown.iter().any(shows)
        };
        let last = (0..self.block.cycles).rev().find(is_busy).unwrap_or(first);
        let begin = first.saturating_sub(1);
        begin..(last + 2).min(self.block.cycles).min(begin + MOST_CYCLES)
    }
}

/// A lane for each port that has something to show.
fn lanes(rows: &Rows<'_>, inputs: &[&Field], outputs: &[&Field]) -> Vec<Lane> {
    let (layout, cycles) = (rows.layout, rows.shown());
    let bit = |of: &dyn Fn(usize) -> Option<u64>| cycles.clone().map(of).collect::<Vec<_>>();
    let mut lanes = vec![
        Lane::bit("op_valid", &bit(&|row| Some(rows.is_offered(row).into()))),
        Lane::bit("op_ready", &bit(&|row| rows.output(row, layout.op_ready))),
    ];
    for (place, (field, &column)) in inputs.iter().zip(&layout.op).enumerate() {
        let counts = |row| if place >= rows.settings { rows.is_taken(row) } else { rows.is_offered(row) };
        let of = |row| counts(row).then(|| rows.input(row, column));
        if cycles.clone().any(|row| of(row).is_some_and(|value| value != 0)) {
            let text = |row| of(row).map(|value| spelt(field, value));
            lanes.push(Lane::bus(field.port, cycles.clone().map(text).collect()));
        }
    }
    for (field, &column) in outputs.iter().zip(&layout.shown) {
        let values = bit(&|row| rows.output(row, column));
        let is_pulse = values.iter().all(Option::is_some);
        // what is never promised says nothing, and neither does a pulse that never comes
        if !values.iter().any(|value| value.is_some_and(|value| value != 0 || !is_pulse)) {
            continue;
        }
        lanes.push(match is_pulse {
            true => Lane::bit(field.port, &values),
            false => Lane::bus(
                field.port,
                values.iter().map(|value| value.map(|value| spelt(field, value))).collect(),
            ),
        });
    }
    lanes
}

fn spelt(field: &Field, value: u64) -> String {
    match field.base {
        Base::Decimal => value.to_string(),
        Base::Hexadecimal => format!("{value:#x}"),
    }
}
