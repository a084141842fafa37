//! Registers of a module: their widths, and which of them have a reset.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::statements::Statement;
use super::{Register, Source};
use crate::verilog::Kind;

/// What a module declares.
#[derive(Debug, Default)]
pub(super) struct Declared {
    /// Bits of each signal.
    widths: BTreeMap<String, u32>,
    /// Those of them that are memories, of words with as many bits.
    memories: BTreeSet<String>,
    /// Signals that `initial` sets.
    initial: BTreeSet<String>,
}

impl Declared {
    pub fn is_memory(&self, name: &str) -> bool {
        self.memories.contains(name)
    }

    pub fn width(&self, name: &str) -> u32 {
        self.widths.get(name).copied().unwrap_or(1)
    }
}

/// Reads the declarations of a module.
pub(super) fn declared(source: &Source, module: Range<usize>) -> Declared {
    let mut declared = Declared::default();
    let mut at = module.start;
    while at < module.end {
        match source.word(at) {
            "reg" => at = declaration(source, at + 1, &mut declared),
            "initial" => {
                at += 1;
                let mut names = Vec::new();
                super::statement(source, &mut at).targets(&mut names);
                declared.initial.extend(names);
            }
            _ => at += 1,
        }
    }
    declared
}

/// One `reg` with its names, from behind that word; gives the place behind it.
fn declaration(source: &Source, mut at: usize, declared: &mut Declared) -> usize {
    let mut width = 1;
    if source.word(at) == "[" {
        let bound = |at| source.word(at).parse::<u32>().expect("a range is of numbers");
        width = bound(at + 1) - bound(at + 3) + 1;
        at = source.behind_bracket(at);
    }
    while source.tokens.get(at).is_some_and(|token| token.kind == Kind::Word) {
        let name = source.word(at).to_string();
        at += 1;
        if source.word(at) == "[" {
            declared.memories.insert(name.clone());
            at = source.behind_bracket(at);
        }
        declared.widths.insert(name, width);
        // the next port has a declaration of its own
        let is_next = source.word(at) == "," && !["input", "output"].contains(&source.word(at + 1));
        at += usize::from(is_next);
        if !is_next {
            break;
        }
    }
    at
}

/// The registers that a clocked process sets.
pub(super) fn of(body: &Statement, module: &str, declared: &Declared) -> Vec<Register> {
    let (mut all, mut reset) = (Vec::new(), Vec::new());
    body.targets(&mut all);
    body.reset(&mut reset);
    let is_register = |name: &String| !declared.is_memory(name);
    all.into_iter()
        .filter(is_register)
        .map(|name| Register {
            module: module.to_string(),
            has_reset: reset.contains(&name),
            keeps: body.keeps(&name),
            is_initial: declared.initial.contains(&name),
            name,
        })
        .collect()
}
