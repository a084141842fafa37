//! Statements of a process, and how they are written so that unknown bits spread.

use std::fmt::Write as _;
use std::ops::Range;

use super::{BEHIND, BEHIND_IN, Declared, Register, Source};
use crate::verilog::Kind;

/// A statement of generated Verilog.
#[derive(Debug)]
pub(super) enum Statement {
    Block(Vec<Statement>),
    If { condition: String, then: Box<Statement>, other: Option<Box<Statement>> },
    For { head: String, body: Box<Statement> },
    Assign { names: Vec<String>, target: Target, value: String },
}

/// What is assigned.
#[derive(Debug)]
pub(super) struct Target {
    /// As it stands in the text, and the names in it that are assigned, by their places.
    words: Vec<(String, bool)>,
    /// What stands in the first bracket behind the name.
    address: String,
}

impl Statement {
    /// The signals that it assigns, each once.
    pub fn targets(&self, found: &mut Vec<String>) {
        match self {
            Statement::Block(all) => all.iter().for_each(|one| one.targets(found)),
            Statement::If { then, other, .. } => {
                then.targets(found);
                other.iter().for_each(|other| other.targets(found));
            }
            Statement::For { body, .. } => body.targets(found),
            Statement::Assign { names, .. } => {
                names.iter().for_each(|name| {
                    if !found.contains(name) {
                        found.push(name.clone());
                    }
                });
            }
        }
    }

    /// A register keeps its value, or takes one that follows from it, where that is seen in this statement.
    pub fn keeps(&self, name: &str) -> bool {
        !self.sets(name) || self.reads(name)
    }

    /// It assigns a signal, whatever the conditions.
    fn sets(&self, name: &str) -> bool {
        match self {
            Statement::Block(all) => all.iter().any(|one| one.sets(name)),
            Statement::If { then, other, .. } => {
                then.sets(name) && other.as_ref().is_some_and(|other| other.sets(name))
            }
            Statement::For { body, .. } => body.sets(name),
            Statement::Assign { names, .. } => names.iter().any(|one| one == name),
        }
    }

    /// A value that is assigned to a signal names it.
    fn reads(&self, name: &str) -> bool {
        match self {
            Statement::Block(all) => all.iter().any(|one| one.reads(name)),
            Statement::If { then, other, .. } => {
                then.reads(name) || other.as_ref().is_some_and(|other| other.reads(name))
            }
            Statement::For { body, .. } => body.reads(name),
            Statement::Assign { names, value, .. } => {
                names.iter().any(|one| one == name) && value.split(' ').any(|word| word == name)
            }
        }
    }

    /// Those that it assigns where the reset is in force.
    pub fn reset(&self, found: &mut Vec<String>) {
        match self {
            Statement::Block(all) => all.iter().for_each(|one| one.reset(found)),
            Statement::If { condition, then, .. } if condition == "rst" => then.targets(found),
            Statement::If { then, other, .. } => {
                then.reset(found);
                other.iter().for_each(|other| other.reset(found));
            }
            Statement::For { body, .. } => body.reset(found),
            Statement::Assign { .. } => {}
        }
    }
}

/// Reads a statement from `at` on, and goes behind it.
pub(super) fn statement(source: &Source, at: &mut usize) -> Statement {
    let bracket = |at: &mut usize| {
        let (first, end) = (*at + 1, source.behind_bracket(*at));
        *at = end;
        source.range(first..end - 1)
    };
    match source.word(*at) {
        "begin" => {
            *at += 1;
            let mut all = Vec::new();
            while *at < source.tokens.len() && source.word(*at) != "end" {
                all.push(statement(source, at));
            }
            *at += 1;
            Statement::Block(all)
        }
        "if" => {
            *at += 1;
            let condition = bracket(at);
            let then = Box::new(statement(source, at));
            let has_other = source.word(*at) == "else";
            *at += usize::from(has_other);
            let other = has_other.then(|| Box::new(statement(source, at)));
            Statement::If { condition, then, other }
        }
        "for" => {
            *at += 1;
            let head = bracket(at);
            Statement::For { head, body: Box::new(statement(source, at)) }
        }
        _ => {
            let sign = source.next_of(*at, &["=", "<="]);
            let end = source.next_of(sign, &[";"]);
            let (names, target) = target(source, *at..sign);
            *at = end + 1;
            Statement::Assign { names, target, value: source.range(sign + 1..end) }
        }
    }
}

/// A name, a part of one, or several in braces.
fn target(source: &Source, tokens: Range<usize>) -> (Vec<String>, Target) {
    let (mut names, mut words, mut depth, mut address) = (Vec::new(), Vec::new(), 0, String::new());
    for at in tokens {
        let word = source.word(at);
        if word == "[" && depth == 0 && address.is_empty() {
            address = source.range(at + 1..source.behind_bracket(at) - 1);
        }
        match word {
            "[" => depth += 1,
            "]" => depth -= 1,
            _ => {}
        }
        let is_name = depth == 0 && source.tokens[at].kind == Kind::Word;
        if is_name {
            names.push(word.to_string());
        }
        words.push((word.to_string(), is_name));
    }
    (names, Target { words, address })
}

impl Target {
    /// As text, with `prefix` before each name that is assigned.
    fn text(&self, prefix: &str) -> String {
        let words = self.words.iter();
        words
            .map(|(word, is_name)| if *is_name { format!("{prefix}{word} ") } else { word.clone() })
            .collect()
    }
}

/// Writes a process anew.
pub(super) struct Writer<'a> {
    /// What says that unknown bits are told.
    behind: String,
    declared: &'a Declared,
    /// The place of the process, which makes its names its own.
    process: usize,
    /// Conditions so far.
    conditions: usize,
    /// Declarations before the process, and its statements.
    before: String,
    text: String,
}

/// What is assigned at a clock edge goes through a variable of this beginning, as the text reads what was before.
const NEXT: &str = "unknown_next_";

impl<'a> Writer<'a> {
    pub fn new(declared: &'a Declared, process: usize) -> Writer<'a> {
        let behind = format!("{BEHIND_IN}.{BEHIND}");
        Writer { behind, declared, process, conditions: 0, before: String::new(), text: String::new() }
    }

    /// A process without a clock.
    pub fn combinational(&mut self, head: &str, body: &Statement) -> String {
        self.statement(body, "", &[]);
        format!("{}\n{head} begin\n{}end\n", self.before, self.text)
    }

    /// A process with a clock, which sets these registers.
    pub fn clocked(&mut self, head: &str, body: &Statement, registers: &[Register]) -> String {
        for Register { name, .. } in registers {
            self.declare(&format!("{NEXT}{name}"), self.declared.width(name));
            let _ = writeln!(self.text, "{NEXT}{name} = {name};");
        }
        self.statement(body, NEXT, &[]);
        for Register { name, .. } in registers {
            let _ = writeln!(self.text, "{name} <= {NEXT}{name};");
        }
        let told = || registers.iter().filter(|register| register.has_reset && register.keeps);
        if told().next().is_some() {
            let _ = writeln!(self.text, "if ({}) begin", self.behind);
            for Register { name, .. } in told() {
                let _ = writeln!(
                    self.text,
                    "if (^{NEXT}{name} === 1'bx) $display(\"unknown bits in %m.{name}: %b\", {NEXT}{name});"
                );
            }
            self.text += "end\n";
        }
        format!("{}\n{head} begin\n{}end\n", self.before, self.text)
    }

    fn declare(&mut self, name: &str, width: u32) {
        let _ = writeln!(self.before, "reg [{}:0] {name};", width - 1);
    }

    /// A statement under these conditions. `prefix` stands before each name that is assigned.
    fn statement(&mut self, statement: &Statement, prefix: &str, conditions: &[String]) {
        match statement {
            Statement::Block(all) => all.iter().for_each(|one| self.statement(one, prefix, conditions)),
            Statement::For { head, body } => {
                let _ = writeln!(self.text, "for ({head}) begin");
                self.statement(body, prefix, conditions);
                self.text += "end\n";
            }
            Statement::Assign { names, target, value } => {
                if names.iter().any(|name| self.declared.is_memory(name)) {
                    self.word(&names[0], target, value, conditions);
                } else {
                    let _ = writeln!(self.text, "{} = {value};", target.text(prefix));
                }
            }
            Statement::If { condition, then, other } => {
                self.branches(condition, then, other.as_deref(), prefix, conditions);
            }
        }
    }

    fn branches(
        &mut self,
        condition: &str,
        then: &Statement,
        other: Option<&Statement>,
        prefix: &str,
        conditions: &[String],
    ) {
        let number = self.conditions;
        self.conditions += 1;
        let own = format!("unknown_{}_{number}", self.process);
        let mut names = Vec::new();
        then.targets(&mut names);
        other.iter().for_each(|other| other.targets(&mut names));
        names.retain(|name| !self.declared.is_memory(name));
        self.declare(&own, 1);
        let _ = writeln!(self.text, "{own} = |({condition});");
        for name in &names {
            self.declare(&format!("{own}_before_{name}"), self.declared.width(name));
            let _ = writeln!(self.text, "{own}_before_{name} = {prefix}{name};");
        }
        let under = |condition: String| [conditions, &[condition]].concat();
        self.statement(then, prefix, &under(own.clone()));
        for name in &names {
            self.declare(&format!("{own}_then_{name}"), self.declared.width(name));
            let _ = writeln!(self.text, "{own}_then_{name} = {prefix}{name};");
            let _ = writeln!(self.text, "{prefix}{name} = {own}_before_{name};");
        }
        if let Some(other) = other {
            self.statement(other, prefix, &under(format!("(!{own})")));
        }
        for name in &names {
            let _ = writeln!(self.text, "{prefix}{name} = {own} ? {own}_then_{name} : {prefix}{name};");
        }
    }

    /// A word of a memory, which is unknown behind a write of which nobody knows whether it is one.
    fn word(&mut self, name: &str, target: &Target, value: &str, conditions: &[String]) {
        let condition = conditions.iter().fold("1'b1".to_string(), |all, one| format!("{all} & {one}"));
        let behind = &self.behind;
        let (target, address, width) = (target.text(""), &target.address, self.declared.width(name));
        let _ = writeln!(
            self.text,
            "if (({condition}) !== 1'b0) begin
if ({behind} && ({condition}) === 1'bx) $display(\"unknown whether a word is written in %m\");
if ({behind} && ^({address}) === 1'bx) $display(\"unknown address of a word that is written in %m: %b\", {address});
{target} <= (({condition}) === 1'b1) ? {value} : {{{width}{{1'bx}}}};
end"
        );
    }
}
