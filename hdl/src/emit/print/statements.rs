//! Statements as Verilog text.

use super::expressions;
use super::text::{Lines, Text};
use crate::emit::expr::Expr;
use crate::emit::module::Net;
use crate::emit::stmt::Stmt;

/// Statements with `assign` (`=` or `<=`) at `indent` levels.
pub fn print(stmts: &[Stmt], nets: &[Net], assign: &str, indent: usize, out: &mut Lines) {
    Printer { nets, assign }.body(stmts, indent, out);
}

struct Printer<'a> {
    nets: &'a [Net],
    assign: &'a str,
}

impl Printer<'_> {
    fn body(&self, stmts: &[Stmt], indent: usize, out: &mut Lines) {
        for stmt in stmts {
            match stmt {
                Stmt::Commented { comment, body } => {
                    out.add_comment(indent, comment);
                    self.body(body, indent, out);
                }
                Stmt::Assign { .. } => self.assignment(Text::default(), stmt, indent, out),
                Stmt::If { .. } => self.conditional(stmt, "", indent, out),
                Stmt::Case { subject, arms, default } => {
                    out.add_text(indent, &self.head("case ", subject, ""));
                    for (label, body) in arms {
                        let mut text = Text::default();
                        expressions::print(label, self.nets, &mut text);
                        self.arm(text, body, indent + 1, out);
                    }
                    if let Some(body) = default {
                        self.arm(Text::of("default"), body, indent + 1, out);
                    }
                    out.add(indent, "endcase");
                }
            }
        }
    }

    /// An assignment behind what `text` holds already.
    fn assignment(&self, mut text: Text, stmt: &Stmt, indent: usize, out: &mut Lines) {
        let Stmt::Assign { net, value } = stmt else { return };
        text.push(&format!("{} {} ", self.nets[*net].name, self.assign));
        expressions::print(value, self.nets, &mut text);
        text.push(";");
        out.add_text(indent, &text);
    }

    /// `before (subject) after`
    fn head(&self, before: &str, subject: &Expr, after: &str) -> Text {
        let mut text = Text::of(before);
        text.enclosed("(", ")", |text| expressions::print(subject, self.nets, text));
        text.push(after);
        text
    }

    fn conditional(&self, stmt: &Stmt, before: &str, indent: usize, out: &mut Lines) {
        let Stmt::If { test, then, other } = stmt else { return };
        out.add_text(indent, &self.head(&format!("{before}if "), test, " begin"));
        self.body(then, indent + 1, out);
        match &other[..] {
            [] => out.add(indent, "end"),
            [next @ Stmt::If { .. }] => self.conditional(next, "end else ", indent, out),
            other => {
                out.add(indent, "end else begin");
                self.body(other, indent + 1, out);
                out.add(indent, "end");
            }
        }
    }

    fn arm(&self, mut label: Text, body: &[Stmt], indent: usize, out: &mut Lines) {
        match body {
            [] => {
                label.push(": ;");
                out.add_text(indent, &label);
            }
            [stmt @ Stmt::Assign { .. }] => {
                label.push(": ");
                self.assignment(label, stmt, indent, out);
            }
            body => {
                label.push(": begin");
                out.add_text(indent, &label);
                self.body(body, indent + 1, out);
                out.add(indent, "end");
            }
        }
    }
}
