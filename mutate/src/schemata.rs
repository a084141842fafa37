//! Many mutants in one Verilog: an input chooses which of them it is, so that one build serves all.
//!
//! Where a mutant differs stands a choice between its expression and that of the text, and in front of an assignment that it
//! leaves out a condition. The input passes through every module. Lines keep their numbers.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::mutants::{Change, Mutant};
use crate::verilog::Sites;

/// The input that chooses the mutant: 0 is the text itself, and n the n-th mutant, counted from 1.
pub const SELECT: &str = "mutant_select";

/// Width of [`SELECT`] in bits, and with that the most mutants that one Verilog can hold.
pub const SELECT_BITS: u32 = 8;
pub const MOST_MUTANTS: usize = (1 << SELECT_BITS) - 1;

/// The Verilog that holds all of these mutants of a text.
///
/// # Panics
/// If there are more of them than [`MOST_MUTANTS`].
pub fn schemata(text: &str, sites: &Sites, mutants: &[Mutant]) -> String {
    assert!(mutants.len() <= MOST_MUTANTS, "{} mutants; allowed: {MOST_MUTANTS}", mutants.len());
    // bytes that are replaced, by where they begin and end; nothing is replaced where something is only put in
    let mut edits: BTreeMap<(usize, usize), String> = BTreeMap::new();
    for at in &sites.ports {
        edits.insert((*at, *at), format!(" input wire [{}:0] {SELECT},", SELECT_BITS - 1));
    }
    for at in &sites.connections {
        edits.insert((*at, *at), format!(" .{SELECT}({SELECT}),"));
    }
    let chosen = |number: usize| format!("{SELECT} == {SELECT_BITS}'d{number}");
    let mut choices: BTreeMap<usize, String> = BTreeMap::new();
    let mut left_out: BTreeMap<usize, (Range<usize>, Vec<String>)> = BTreeMap::new();
    for (number, mutant) in (1..).zip(mutants) {
        match &mutant.change {
            Change::Replaces { expression, bytes, with } => {
                let whole = bytes_of(sites, &sites.expressions[*expression].tokens);
                let parts = [&text[whole.start..bytes.start], with, &text[bytes.end..whole.end]];
                let other = one_line(&parts.concat());
                let choice = choices.entry(*expression).or_default();
                *choice += &format!("({}) ? ({other}) : ", chosen(number));
            }
            Change::LeavesOut { assignment, bytes } => {
                let all = left_out.entry(*assignment).or_insert_with(|| (bytes.clone(), Vec::new()));
                all.1.push(format!("({SELECT} != {SELECT_BITS}'d{number})"));
            }
            Change::Unknown => {}
        }
    }
    for (expression, choice) in choices {
        let whole = bytes_of(sites, &sites.expressions[expression].tokens);
        edits.insert((whole.start, whole.start), format!("{choice}("));
        edits.insert((whole.end, whole.end), ")".to_string());
    }
    for (bytes, conditions) in left_out.into_values() {
        edits.insert((bytes.start, bytes.start), format!("begin if ({}) ", conditions.join(" & ")));
        edits.insert((bytes.end, bytes.end), " end".to_string());
    }
    let (mut made, mut at) = (String::new(), 0);
    for ((begin, end), with) in edits {
        made += &text[at..begin];
        made += &with;
        at = end;
    }
    made + &text[at..]
}

fn bytes_of(sites: &Sites, tokens: &Range<usize>) -> Range<usize> {
    sites.tokens[tokens.start].range.start..sites.tokens[tokens.end - 1].range.end
}

/// An expression without line breaks and comments.
fn one_line(expression: &str) -> String {
    let lines = expression.lines().map(|line| line.split("//").next().unwrap_or("").trim());
    lines.collect::<Vec<_>>().join(" ")
}
