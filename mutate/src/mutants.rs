//! The mutants of a text: every one differs from it in one place of one line.

use std::collections::HashSet;
use std::ops::Range;

use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};

use crate::verilog::{Expression, Kind as Token, Sites, Use};

/// What is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Another operator, none, or the other branch of `?`.
    Operator,
    /// A number is one more or one less.
    Literal,
    /// A signal keeps what it had.
    Drop,
    /// The bits beside those that are taken.
    Slice,
    /// A register has another value after reset, or is not reset.
    Reset,
    /// A branch is taken always, never, or when it must not be.
    Enable,
}

impl Kind {
    /// All kinds, in the order of the page.
    pub const ALL: [Kind; 6] =
        [Kind::Operator, Kind::Literal, Kind::Drop, Kind::Slice, Kind::Reset, Kind::Enable];

    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Operator => "operator",
            Kind::Literal => "literal",
            Kind::Drop => "drop",
            Kind::Slice => "slice",
            Kind::Reset => "reset",
            Kind::Enable => "enable",
        }
    }
}

/// Where a mutant differs from the text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Change {
    /// Not known, since a report does not hold it.
    #[default]
    Unknown,
    /// Bytes of an expression, which is known by its place in [`Sites::expressions`], are replaced.
    Replaces { expression: usize, bytes: Range<usize>, with: String },
    /// An assignment, by its place in [`Sites::assignments`], is left out: these bytes.
    LeavesOut { assignment: usize, bytes: Range<usize> },
}

impl Change {
    /// The bytes that are others, and what stands in their place.
    pub fn replacement(&self) -> (Range<usize>, &str) {
        match self {
            Change::Replaces { bytes, with, .. } => (bytes.clone(), with),
            Change::LeavesOut { bytes, .. } => (bytes.clone(), "begin end"),
            Change::Unknown => (0..0, ""),
        }
    }
}

/// A mutant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mutant {
    pub kind: Kind,
    /// Module in which it differs.
    pub module: String,
    /// Line of the text, counted from 1.
    pub line: usize,
    /// The line in the text, and in the mutant, without the space around it; the statement where several stand on it.
    pub before: String,
    pub after: String,
    #[serde(skip)]
    pub change: Change,
}

impl Mutant {
    /// The whole text of the mutant.
    pub fn text(&self, original: &str) -> String {
        let (bytes, with) = self.change.replacement();
        [&original[..bytes.start], with, &original[bytes.end..]].concat()
    }
}

/// Chooses `number` of the mutants of a text, in the order of their lines; all of them if there are no more. The kinds take
/// turns, so that a kind with few places is not lost among one with many. One seed always gives the same mutants.
pub fn choose(text: &str, sites: &Sites, number: usize, seed: u64) -> Vec<Mutant> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let all = candidates(text, sites);
    let mut turns: Vec<Vec<Mutant>> = Kind::ALL
        .iter()
        .map(|kind| {
            let mut of_kind: Vec<Mutant> =
                all.iter().filter(|mutant| mutant.kind == *kind).cloned().collect();
            of_kind.shuffle(&mut rng);
            of_kind
        })
        .collect();
    let mut chosen = Vec::new();
    while chosen.len() < number && turns.iter().any(|turn| !turn.is_empty()) {
        let left = number - chosen.len();
        chosen.extend(turns.iter_mut().filter_map(Vec::pop).take(left));
    }
    chosen.sort_by_key(|mutant| {
        let (bytes, with) = mutant.change.replacement();
        (bytes.start, bytes.end, with.to_string())
    });
    chosen
}

/// Every mutant of a text.
pub fn candidates(text: &str, sites: &Sites) -> Vec<Mutant> {
    let ends = text.match_indices('\n').map(|(at, _)| at).collect();
    let mut maker = Maker { text, sites, ends, made: Vec::new(), seen: HashSet::new() };
    for place in 0..sites.expressions.len() {
        maker.of_expression(place);
    }
    for (place, assignment) in sites.assignments.iter().enumerate() {
        let bytes = maker.bytes(&assignment.tokens);
        let bytes = bytes.start..bytes.end + 1;
        // one that is longer than a line would change several
        if !text[bytes.clone()].contains('\n') {
            let kind = if assignment.is_reset { Kind::Reset } else { Kind::Drop };
            maker.add(kind, Change::LeavesOut { assignment: place, bytes });
        }
    }
    maker.made
}

struct Maker<'a> {
    text: &'a str,
    sites: &'a Sites,
    /// Where the lines of the text end.
    ends: Vec<usize>,
    made: Vec<Mutant>,
    /// What was made: the bytes, and what stands in their place.
    seen: HashSet<(usize, usize, String)>,
}

impl<'a> Maker<'a> {
    fn word(&self, token: usize) -> &'a str {
        &self.text[self.sites.tokens[token].range.clone()]
    }

    fn bytes(&self, tokens: &Range<usize>) -> Range<usize> {
        self.sites.tokens[tokens.start].range.start..self.sites.tokens[tokens.end - 1].range.end
    }

    fn add(&mut self, kind: Kind, change: Change) {
        let (bytes, with) = change.replacement();
        if self.text[bytes.clone()] == *with || !self.seen.insert((bytes.start, bytes.end, with.to_string()))
        {
            return;
        }
        let line = self.text[..bytes.start].rfind('\n').map_or(0, |newline| newline + 1);
        // of several statements on the line the one that it is in
        let ahead = &self.text[line..bytes.start];
        let begin = ["; ", "begin "].iter().filter_map(|mark| Some(ahead.rfind(mark)? + mark.len())).max();
        let begin = line + begin.unwrap_or(0);
        let rest = &self.text[bytes.end..];
        let rest = &rest[..rest.find('\n').unwrap_or(rest.len())];
        let ends = [("; ", 1), ("begin ", "begin".len())];
        let end = ends.iter().filter_map(|(mark, length)| Some(rest.find(mark)? + length)).min();
        let is_whole = self.text[..bytes.end].ends_with(';');
        let end = bytes.end + if is_whole { 0 } else { end.unwrap_or(rest.len()) };
        let after = [&self.text[begin..bytes.start], with, &self.text[bytes.end..end]].concat();
        let module = self.sites.modules.iter().find(|module| module.bytes.contains(&bytes.start));
        self.made.push(Mutant {
            kind,
            module: module.expect("all is in a module").name.clone(),
            line: 1 + self.ends.partition_point(|end| *end < bytes.start),
            before: self.text[begin..end].trim().to_string(),
            after: after.trim().to_string(),
            change,
        });
    }

    fn of_expression(&mut self, place: usize) {
        let Expression { tokens, is_of, is_reset, module } = self.sites.expressions[place].clone();
        let kind = |kind| if is_reset { Kind::Reset } else { kind };
        let replaces = |bytes, with| Change::Replaces { expression: place, bytes, with };
        if is_of == Use::Condition {
            let bytes = self.bytes(&tokens);
            let condition = &self.text[bytes.clone()];
            if !condition.contains('\n') {
                for with in [format!("!({condition})"), "1'b1".to_string(), "1'b0".to_string()] {
                    self.add(kind(Kind::Enable), replaces(bytes.clone(), with));
                }
            }
        }
        for at in tokens.clone() {
            let bytes = self.sites.tokens[at].range.clone();
            match self.sites.tokens[at].kind {
                Token::Sized => {
                    for with in literals(self.word(at)) {
                        self.add(kind(Kind::Literal), replaces(bytes.clone(), with));
                    }
                }
                Token::Mark if self.word(at) == "?" => {
                    let from = self.begin_of_condition(&tokens, at);
                    let bytes = self.bytes(&(from..at));
                    let with = format!("!({})", &self.text[bytes.clone()]);
                    if !with.contains('\n') {
                        self.add(kind(Kind::Operator), replaces(bytes, with));
                    }
                }
                Token::Mark if self.word(at) == "[" => {
                    if let Some((bytes, with)) = self.beside(at, &tokens, module) {
                        self.add(kind(Kind::Slice), replaces(bytes, with));
                    }
                }
                Token::Mark => {
                    for with in operators(self.word(at), self.is_unary(&tokens, at)) {
                        self.add(kind(Kind::Operator), replaces(bytes.clone(), with.to_string()));
                    }
                }
                _ => {}
            }
        }
    }

    /// Whether an operator has no operand before it.
    fn is_unary(&self, tokens: &Range<usize>, at: usize) -> bool {
        at == tokens.start || {
            let before = &self.sites.tokens[at - 1];
            before.kind == Token::Mark && ![")", "]", "}"].contains(&self.word(at - 1))
        }
    }

    /// The first token of the condition before a `?`.
    fn begin_of_condition(&self, tokens: &Range<usize>, question: usize) -> usize {
        let (mut at, mut depth) = (question, 0);
        while at > tokens.start {
            match self.word(at - 1) {
                ")" | "]" | "}" => depth += 1,
                "(" | "[" | "{" if depth > 0 => depth -= 1,
                "(" | "[" | "{" | "," | "?" | ":" if depth == 0 => break,
                _ => {}
            }
            at -= 1;
        }
        at
    }

    /// The bits beside those that are taken: of the signal before the bracket `open`, where the signal has such bits.
    fn beside(&self, open: usize, tokens: &Range<usize>, module: usize) -> Option<(Range<usize>, String)> {
        if open == tokens.start {
            return None;
        }
        let (high, low) = *self.sites.modules[module].ranges.get(self.word(open - 1))?;
        let number = |at: usize| self.word(at).parse::<u32>().ok();
        let (first, last, close) = match (self.word(open + 2), self.word(open + 4)) {
            ("]", _) => (number(open + 1)?, number(open + 1)?, open + 2),
            (":", "]") => (number(open + 1)?, number(open + 3)?, open + 4),
            _ => return None,
        };
        let (first, last) = match first < high {
            true => (first + 1, last + 1),
            false if last > low => (first - 1, last - 1),
            false => return None,
        };
        let bits = if close == open + 2 { first.to_string() } else { format!("{first}:{last}") };
        Some((self.sites.tokens[open].range.end..self.sites.tokens[close].range.start, bits))
    }
}

/// What may stand in the place of an operator.
fn operators(operator: &str, is_unary: bool) -> &'static [&'static str] {
    match (operator, is_unary) {
        ("&", true) => &["|"],
        ("|", true) => &["&"],
        ("^", true) => &["|"],
        ("!" | "~", true) => &[""],
        ("&", false) => &["|"],
        ("|", false) => &["&", "^"],
        ("^", false) => &["|", "&"],
        ("&&", false) => &["||"],
        ("||", false) => &["&&"],
        ("+", false) => &["-"],
        ("-", false) => &["+"],
        ("*", false) => &["+"],
        ("==", false) => &["!="],
        ("!=", false) => &["=="],
        ("<", false) => &["<=", ">="],
        ("<=", false) => &["<", ">"],
        (">", false) => &[">=", "<="],
        (">=", false) => &[">", "<"],
        ("<<", false) => &[">>"],
        (">>", false) => &["<<"],
        _ => &[],
    }
}

/// A number one more and one less, with the same width and base; none for one of more than 128 bits.
fn literals(literal: &str) -> Vec<String> {
    let Some((width, value)) = literal.split_once('\'') else { return Vec::new() };
    let (base, digits) = value.split_at(1);
    let radix = match base {
        "d" => 10,
        "h" => 16,
        "b" => 2,
        _ => return Vec::new(),
    };
    let (Ok(bits), Ok(value)) = (width.parse::<u32>(), u128::from_str_radix(&digits.replace('_', ""), radix))
    else {
        return Vec::new();
    };
    if bits == 0 || bits > 128 {
        return Vec::new();
    }
    let last = u128::MAX >> (128 - bits);
    let mut others = vec![value.wrapping_add(1) & last, value.wrapping_sub(1) & last];
    others.dedup();
    let written = |value: u128| match (base, bits) {
        ("b", _) => format!("{width}'b{value:b}"),
        ("d", ..=32) => format!("{width}'d{value}"),
        _ => format!("{width}'h{value:x}"),
    };
    others.into_iter().map(written).collect()
}
