//! Statements as Verilog text.

use super::expressions;
use super::grouped::Row;
use super::text::{Lines, Text, WIDTH};
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
        let mut row = Row::default();
        for stmt in stmts {
            if is_plain(stmt) {
                let mut text = Text::default();
                self.assigned(stmt, &mut text);
                row.push(indent, &text, out);
                continue;
            }
            row.end(indent, out);
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
        row.end(indent, out);
    }

    /// An assignment behind what `text` holds already.
    fn assignment(&self, mut text: Text, stmt: &Stmt, indent: usize, out: &mut Lines) {
        self.assigned(stmt, &mut text);
        out.add_text(indent, &text);
    }

    fn assigned(&self, stmt: &Stmt, text: &mut Text) {
        let Stmt::Assign { net, value } = stmt else { return };
        text.push(&format!("{} {} ", self.nets[*net].name, self.assign));
        expressions::print(value, self.nets, text);
        text.push(";");
    }

    /// `before (subject) after`
    fn head(&self, before: &str, subject: &Expr, after: &str) -> Text {
        let mut text = Text::of(before);
        text.enclosed("(", ")", |text| expressions::print(subject, self.nets, text));
        text.push(after);
        text
    }

    /// An `if` behind `before`, which is empty or ends the branch ahead of it.
    fn conditional(&self, stmt: &Stmt, before: &str, indent: usize, out: &mut Lines) {
        let Stmt::If { test, then, other } = stmt else { return };
        let head = self.head(&format!("{before}if "), test, "");
        let before = self.branch(head, then, indent, out);
        match &other[..] {
            [] if before.is_empty() => {}
            [] => out.add(indent, before),
            [next @ Stmt::If { .. }] => {
                self.conditional(next, format!("{before} else ").trim_start(), indent, out)
            }
            other => {
                let end = self.branch(Text::of(format!("{before} else").trim_start()), other, indent, out);
                if !end.is_empty() {
                    out.add(indent, end);
                }
            }
        }
    }

    /// What stands behind `head`: one assignment, or several plain ones, on the same line where they fit; else statements up to an `end`,
    /// which is given back because an `else` may follow on its line.
    fn branch(&self, head: Text, body: &[Stmt], indent: usize, out: &mut Lines) -> &'static str {
        if let [stmt @ Stmt::Assign { .. }] = body {
            let mut text = head.clone();
            text.push(" ");
            self.assigned(stmt, &mut text);
            if indent * 4 + text.columns() <= WIDTH {
                out.add(indent, text.as_str());
                return "";
            }
        }
        if body.iter().all(is_plain) {
            let mut text = head.clone();
            text.push(" begin ");
            for stmt in body {
                self.assigned(stmt, &mut text);
                text.push(" ");
            }
            text.push("end");
            if indent * 4 + text.columns() <= WIDTH {
                out.add(indent, text.as_str());
                return "";
            }
        }
        let mut text = head;
        text.push(" begin");
        out.add_text(indent, &text);
        self.body(body, indent + 1, out);
        "end"
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

/// Whether a statement assigns a number or another net as it is: such stand side by side, as in what a reset does, or in a stage of
/// a pipeline.
fn is_plain(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Assign { value, .. } => value.value().is_some() || matches!(value, Expr::Net { .. }),
        _ => false,
    }
}
