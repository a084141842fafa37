//! The generated Verilog in which no unknown bit is lost, for a simulator with four values.
//!
//! Verilog takes an unknown condition of an `if` for false, so that what depends on it looks known. Here both branches are gone through, and
//! a bit on which they differ is unknown behind them. A word of a memory that is written or not is unknown, too. So a bit that is known in
//! such a simulation has the same value whatever the registers and memories held at first. What the text says beside that is the same.
//!
//! Registers with a reset are the state that a core relies on: one with an unknown bit, at any time behind its reset, is told in a line of
//! the simulation. So is a word of a memory that is written at an unknown address.

mod registers;
mod statements;

use std::ops::Range;

use self::registers::{Declared, declared};
use self::statements::{Writer, statement};
use crate::verilog::{Token, sites, tokens};

/// What stands in the text of a memory for simulation alone. A simulator with four values heeds all of it.
const DIRECTIVES: [&str; 3] = ["`ifndef SYNTHESIS", "`ifndef VERILATOR", "`endif"];

/// An instance in the top module, whose register says that a reset has come to its end. All modules see it by its name.
const BEHIND_IN: &str = "unknown_behind_reset";
const BEHIND: &str = "is_so";

/// What is in it.
const BEHIND_RESET: &str = "
module unknown_time (input wire clk, input wire rst);
    reg had_reset = 1'b0;
    reg is_so = 1'b0;
    always @(posedge clk) begin
        if (rst === 1'b1) had_reset <= 1'b1;
        is_so <= had_reset && rst === 1'b0;
    end
endmodule
";

/// A register of a module, whose bits are set at a clock edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Register {
    pub module: String,
    pub name: String,
    /// `rst` sets it. Otherwise it is unknown until it is written, unless it has an initial value.
    pub has_reset: bool,
    /// It keeps its value in some cycles, or takes one that follows from it.
    pub keeps: bool,
    pub is_initial: bool,
}

/// A text in which unknown bits spread.
#[derive(Clone, Debug)]
pub struct Spread {
    pub verilog: String,
    /// Registers that a clock edge sets, of each module.
    pub registers: Vec<Register>,
}

/// Makes it of a text that `respray generate` wrote, whose top module is `top`.
pub fn spread(top: &str, text: &str) -> Spread {
    let text = without_directives(text);
    let source = Source { text: &text, tokens: tokens(&text) };
    let (mut verilog, mut registers, mut at) = (String::new(), Vec::new(), 0);
    for module in sites(&text).modules {
        let first = source.tokens.partition_point(|token| token.range.start < module.bytes.start);
        let end = source.tokens.partition_point(|token| token.range.start < module.bytes.end);
        let declared = declared(&source, first..end);
        for place in first..end {
            let is_start = source.word(place) == "always" && source.tokens[place].range.start >= at;
            if !is_start {
                continue;
            }
            let mut next = place + 2;
            let is_clocked = source.word(next) == "(";
            next = if is_clocked { source.behind_bracket(next) } else { next + 1 };
            let head = source.range(place..next);
            let body = statement(&source, &mut next);
            verilog += &text[at..source.tokens[place].range.start];
            at = source.tokens[next - 1].range.end;
            let mut writer = Writer::new(&declared, place);
            if is_clocked {
                let of_module = registers::of(&body, &module.name, &declared);
                verilog += &writer.clocked(&head, &body, &of_module);
                registers.extend(of_module);
            } else {
                verilog += &writer.combinational(&head, &body);
            }
        }
        if module.name == top {
            let end = module.bytes.end - "endmodule".len();
            verilog += &text[at..end];
            verilog += &format!("\n    unknown_time {BEHIND_IN} (.clk(clk), .rst(rst));\n");
            let controls = module.ports.iter().filter(|port| port.is_output && is_control(&port.name));
            for port in controls.map(|port| &port.name) {
                verilog += &format!(
                    "    always @(posedge clk)
        if ({BEHIND_IN}.{BEHIND} && {port} === 1'bx) $display(\"unknown: output {port}\");\n"
                );
            }
            at = end;
        }
    }
    verilog += &text[at..];
    verilog += BEHIND_RESET;
    Spread { verilog, registers }
}

/// A port that says whether others count, which is never unknown behind a reset, be it of use in a cycle or not. What is promised of the
/// others in a cycle is for who runs it to compare.
fn is_control(port: &str) -> bool {
    ["valid", "ready", "last"].iter().any(|end| port.ends_with(end))
}

/// The text as a simulator sees it that has none of the macros defined, with each byte in its place.
fn without_directives(text: &str) -> String {
    DIRECTIVES
        .iter()
        .fold(text.to_string(), |text, directive| text.replace(directive, &" ".repeat(directive.len())))
}

/// A text with its tokens.
struct Source<'a> {
    text: &'a str,
    tokens: Vec<Token>,
}

impl<'a> Source<'a> {
    fn word(&self, at: usize) -> &'a str {
        self.tokens.get(at).map_or("", |token| &self.text[token.range.clone()])
    }

    /// Tokens with a space between, so that comments and the ends of lines are gone.
    fn range(&self, tokens: Range<usize>) -> String {
        tokens.map(|at| self.word(at)).collect::<Vec<_>>().join(" ")
    }

    /// The place behind the bracket that stands at `at` and all within it.
    fn behind_bracket(&self, mut at: usize) -> usize {
        let mut depth = 0;
        while at < self.tokens.len() {
            match self.word(at) {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth -= 1,
                _ => {}
            }
            at += 1;
            if depth == 0 {
                break;
            }
        }
        at
    }

    /// The place of the next of these marks outside of brackets.
    fn next_of(&self, mut at: usize, marks: &[&str]) -> usize {
        while at < self.tokens.len() && !marks.contains(&self.word(at)) {
            at = if ["(", "[", "{"].contains(&self.word(at)) { self.behind_bracket(at) } else { at + 1 };
        }
        at
    }
}
