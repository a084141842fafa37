//! Where generated Verilog can be changed: its expressions and assignments, and where the select of a mutant passes from a
//! module to those within it.

use std::collections::HashMap;
use std::ops::Range;

use super::tokens::{Kind, Token, tokens};

/// What an expression is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// It is assigned.
    Value,
    /// It decides which branch is taken.
    Condition,
}

/// An expression that may be another one.
#[derive(Clone, Debug)]
pub struct Expression {
    /// Its tokens, by their places in [`Sites::tokens`].
    pub tokens: Range<usize>,
    pub is_of: Use,
    /// It stands where the reset is in force.
    pub is_reset: bool,
    /// Place of its module in [`Sites::modules`].
    pub module: usize,
}

/// An assignment that may be left out.
#[derive(Clone, Debug)]
pub struct Assignment {
    /// From its first token up to its semicolon, by places in [`Sites::tokens`].
    pub tokens: Range<usize>,
    /// It stands where the reset is in force.
    pub is_reset: bool,
}

/// A module.
#[derive(Clone, Debug, Default)]
pub struct Module {
    pub name: String,
    /// Its bytes, from behind the word `module` up to the end of `endmodule`.
    pub bytes: Range<usize>,
    /// It has a memory in it.
    pub has_memory: bool,
    /// Highest and lowest bit of the signals that are declared with a range.
    pub ranges: HashMap<String, (u32, u32)>,
    pub ports: Vec<Port>,
    /// Signals that are assigned at clock edges, each once.
    pub registers: Vec<String>,
    /// Module and name of what is instantiated in it.
    pub instances: Vec<(String, String)>,
}

/// A port of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    pub name: String,
    pub is_output: bool,
    /// It is a register.
    pub is_register: bool,
}

impl Module {
    /// Width of a signal in bits.
    pub fn width(&self, signal: &str) -> u32 {
        self.ranges.get(signal).map_or(1, |(high, low)| high - low + 1)
    }
}

/// What is found in a text.
#[derive(Clone, Debug, Default)]
pub struct Sites {
    pub tokens: Vec<Token>,
    pub modules: Vec<Module>,
    pub expressions: Vec<Expression>,
    pub assignments: Vec<Assignment>,
    /// Bytes behind the bracket that opens the ports of a module.
    pub ports: Vec<usize>,
    /// Bytes behind the bracket that opens the connections of an instance.
    pub connections: Vec<usize>,
}

impl Sites {
    /// Leaves out expressions and assignments that begin in none of these ranges of bytes, which are in order, or in a module of these names.
    pub fn keep(&mut self, wanted: &[Range<usize>], spared: &[String]) {
        let tokens = &self.tokens;
        let spared: Vec<&Module> =
            self.modules.iter().filter(|module| spared.contains(&module.name)).collect();
        let is_wanted = |of: &Range<usize>| {
            let at = tokens[of.start].range.start;
            let place = wanted.partition_point(|range| range.end <= at);
            wanted.get(place).is_some_and(|range| range.contains(&at))
                && !spared.iter().any(|module| module.bytes.contains(&at))
        };
        self.expressions.retain(|expression| is_wanted(&expression.tokens));
        self.assignments.retain(|assignment| is_wanted(&assignment.tokens));
    }
}

/// Finds the sites of a text.
pub fn sites(text: &str) -> Sites {
    let tokens = tokens(text);
    let mut reader = Reader { text, at: 0, found: Sites { tokens, ..Sites::default() } };
    while reader.at < reader.found.tokens.len() {
        if reader.take("module") { reader.module() } else { reader.at += 1 }
    }
    reader.found
}

/// In which kind of process, and how deep, a statement stands.
#[derive(Clone)]
struct Around {
    is_clocked: bool,
    is_reset: bool,
    /// It is under a condition.
    is_conditional: bool,
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    found: Sites,
}

impl<'a> Reader<'a> {
    fn word_at(&self, at: usize) -> &'a str {
        self.found.tokens.get(at).map_or("", |token| &self.text[token.range.clone()])
    }

    fn word(&self) -> &'a str {
        self.word_at(self.at)
    }

    fn take(&mut self, word: &str) -> bool {
        let is_there = self.word() == word;
        self.at += usize::from(is_there);
        is_there
    }

    fn has_more(&self) -> bool {
        self.at < self.found.tokens.len()
    }

    /// Goes to the next of these marks that stands in no bracket, and gives the tokens before it.
    fn up_to(&mut self, marks: &[&str]) -> Range<usize> {
        let begin = self.at;
        let mut depth = 0;
        while self.has_more() {
            let word = self.word();
            if depth == 0 && marks.contains(&word) {
                break;
            }
            match word {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth -= 1,
                _ => {}
            }
            self.at += 1;
        }
        begin..self.at
    }

    fn module(&mut self) {
        let (name, begin) = (self.word().to_string(), self.found.tokens[self.at - 1].range.end);
        self.found.modules.push(Module { name, ..Module::default() });
        self.up_to(&["(", ";"]);
        if self.take("(") {
            self.found.ports.push(self.found.tokens[self.at - 1].range.end);
            let mut head = self.at;
            while self.has_more() && self.word() != ")" {
                self.port(&mut head);
            }
            self.at += 1;
        }
        self.up_to(&[";"]);
        self.at += 1;
        while self.has_more() && !self.take("endmodule") {
            self.item();
        }
        let end = self.found.tokens[self.at.min(self.found.tokens.len()) - 1].range.end;
        self.here().bytes = begin..end;
    }

    fn here(&mut self) -> &mut Module {
        self.found.modules.last_mut().expect("it is in a module")
    }

    /// A port, which may go on the declaration of the one before it: `head` is where that begins.
    fn port(&mut self, head: &mut usize) {
        let words = self.up_to(&[",", ")"]);
        if !words.is_empty() {
            if words.len() > 1 {
                *head = words.start;
            }
            let port = Port {
                name: self.word_at(words.end - 1).to_string(),
                is_output: self.word_at(*head) == "output",
                is_register: self.word_at(*head + 1) == "reg",
            };
            if let Some(range) = self.range(*head..words.end) {
                self.here().ranges.insert(port.name.clone(), range);
            }
            self.here().ports.push(port);
        }
        self.take(",");
    }

    /// The range that stands first in a declaration.
    fn range(&self, mut tokens: Range<usize>) -> Option<(u32, u32)> {
        let open = tokens.find(|at| self.word_at(*at) == "[")?;
        let bound = |at| self.word_at(at).parse().ok();
        Some((bound(open + 1)?, bound(open + 3)?)).filter(|_| self.word_at(open + 2) == ":")
    }

    /// Notes the range of signals, whose declaration is `… [high:low] name, name …`.
    fn declare(&mut self, tokens: Range<usize>) {
        let Some(range) = self.range(tokens.clone()) else { return };
        let behind = tokens.clone().find(|at| self.word_at(*at) == "]").map_or(tokens.end, |at| at + 1);
        for at in behind..tokens.end {
            if self.found.tokens[at].kind == Kind::Word {
                let name = self.word_at(at).to_string();
                self.here().ranges.insert(name, range);
            }
        }
        self.here().has_memory |= behind + 1 < tokens.end && self.word_at(behind + 1) == "[";
    }

    fn item(&mut self) {
        match self.word() {
            "wire" | "reg" => {
                let declaration = self.up_to(&["=", ";"]);
                // what only says that a signal is not used
                let is_read = !self.word_at(declaration.end - 1).starts_with("unused");
                self.declare(declaration);
                if self.take("=") {
                    let value = self.up_to(&[";"]);
                    if is_read {
                        self.expression(value, Use::Value, false);
                    }
                }
                self.at += 1;
            }
            "assign" => {
                self.up_to(&["="]);
                self.at += 1;
                let value = self.up_to(&[";"]);
                self.expression(value, Use::Value, false);
                self.at += 1;
            }
            "always" => {
                self.at += 1;
                self.take("@");
                let is_clocked = self.word() == "(";
                if is_clocked {
                    self.bracketed();
                } else {
                    self.take("*");
                }
                self.statement(
                    &Around { is_clocked, is_reset: false, is_conditional: false },
                    &mut Vec::new(),
                );
            }
            "initial" => {
                // what a memory holds at first
                let (expressions, assignments) = (self.found.expressions.len(), self.found.assignments.len());
                self.at += 1;
                let around = Around { is_clocked: false, is_reset: false, is_conditional: false };
                self.statement(&around, &mut Vec::new());
                self.found.expressions.truncate(expressions);
                self.found.assignments.truncate(assignments);
            }
            "localparam" | "integer" | "genvar" | "parameter" => {
                self.up_to(&[";"]);
                self.at += 1;
            }
            _ => {
                let is_instance = self.found.tokens[self.at].kind == Kind::Word && {
                    let name = self.found.tokens.get(self.at + 1);
                    name.is_some_and(|name| name.kind == Kind::Word) && self.word_at(self.at + 2) == "("
                };
                if is_instance {
                    let (module, name) = (self.word().to_string(), self.word_at(self.at + 1).to_string());
                    self.here().instances.push((module, name));
                    self.found.connections.push(self.found.tokens[self.at + 2].range.end);
                }
                self.up_to(&[";"]);
                self.at += 1;
            }
        }
    }

    /// The tokens between two brackets; goes behind them.
    fn bracketed(&mut self) -> Range<usize> {
        self.take("(");
        let inner = self.up_to(&[")"]);
        self.at += 1;
        inner
    }

    /// A statement. `assigned`: the signals that were assigned before, whatever the conditions.
    fn statement(&mut self, around: &Around, assigned: &mut Vec<&'a str>) {
        if self.take("begin") {
            if self.take(":") {
                self.at += 1;
            }
            while self.has_more() && !self.take("end") {
                self.statement(around, assigned);
            }
        } else if self.take("if") {
            let condition = self.bracketed();
            let is_reset = condition.len() == 1 && self.word_at(condition.start) == "rst";
            if !is_reset {
                self.expression(condition, Use::Condition, around.is_reset);
            }
            let inner = Around { is_conditional: true, ..around.clone() };
            self.statement(&Around { is_reset: is_reset || around.is_reset, ..inner.clone() }, assigned);
            if self.take("else") {
                self.statement(&inner, assigned);
            }
        } else if self.take("for") {
            self.bracketed();
            self.statement(around, assigned);
        } else {
            let begin = self.at;
            let to = self.up_to(&["<=", "=", ";"]);
            if self.word() != ";" {
                self.at += 1;
                let value = self.up_to(&[";"]);
                self.expression(value, Use::Value, around.is_reset);
                let signal = self.word_at(to.start);
                if around.is_clocked && !self.here().registers.iter().any(|known| known == signal) {
                    self.here().registers.push(signal.to_string());
                }
                // a signal of a process without a clock that is left without a value would be a latch
                if around.is_clocked || (around.is_conditional && assigned.contains(&signal)) {
                    let tokens = begin..self.at;
                    self.found.assignments.push(Assignment { tokens, is_reset: around.is_reset });
                }
                if !around.is_conditional && to.len() == 1 {
                    assigned.push(signal);
                }
            }
            self.at += 1;
        }
    }

    fn expression(&mut self, tokens: Range<usize>, is_of: Use, is_reset: bool) {
        let module = self.found.modules.len() - 1;
        if !tokens.is_empty() {
            self.found.expressions.push(Expression { tokens, is_of, is_reset, module });
        }
    }
}
