//! Expressions and statements as Verilog text.

use num_bigint::BigUint;

use super::body::Stmt;
use super::expr::{Binary, Expr, Unary};
use super::scope::Net;

/// Columns after which a line is broken.
const LINE: usize = 110;

/// `8'd5`, `16'hc000`, `1'b0`.
pub(super) fn literal(value: &BigUint, width: usize) -> String {
    match width {
        1 => format!("1'b{value}"),
        _ if *value < BigUint::from(10u8) => format!("{width}'d{value}"),
        _ => format!("{width}'h{value:x}"),
    }
}

/// `[7:0] ` for eight bits, nothing for one.
pub(super) fn range(width: usize) -> String {
    if width == 1 { String::new() } else { format!("[{}:0] ", width - 1) }
}

fn symbol(operator: Binary) -> (&'static str, u8) {
    use Binary::*;
    match operator {
        Mul => ("*", 10),
        Add => ("+", 9),
        Sub => ("-", 9),
        Shl => ("<<", 8),
        Shr => (">>", 8),
        Lt | SignedLt => ("<", 7),
        Le | SignedLe => ("<=", 7),
        Gt | SignedGt => (">", 7),
        Ge | SignedGe => (">=", 7),
        Eq => ("==", 6),
        Ne => ("!=", 6),
        BitAnd => ("&", 5),
        BitXor => ("^", 4),
        BitOr => ("|", 3),
        LogicalAnd => ("&&", 2),
        LogicalOr => ("||", 1),
    }
}

/// Prints with the names of `nets`.
pub(super) struct Printer<'a> {
    pub nets: &'a [Net],
}

impl Printer<'_> {
    pub fn expr(&self, e: &Expr) -> String {
        match e {
            Expr::Const { value, width } => literal(value, *width),
            Expr::Param { name, .. } => name.clone(),
            Expr::Net { id, .. } => self.nets[*id].name.clone(),
            Expr::Slice { base, lo, width: 1 } => format!("{}[{lo}]", self.expr(base)),
            Expr::Slice { base, lo, width } => format!("{}[{}:{lo}]", self.expr(base), lo + width - 1),
            Expr::Select { base, index, width: 1 } => format!("{}[{}]", self.expr(base), self.expr(index)),
            Expr::Select { base, index, width } => {
                format!("{}[{} +: {width}]", self.expr(base), self.expr(index))
            }
            Expr::Unary(operator, inner) => {
                let sign = match operator {
                    Unary::Not if inner.width() == 1 => "!",
                    Unary::Not => "~",
                    Unary::Neg => "-",
                    Unary::All => "&",
                    Unary::Any => "|",
                    Unary::Parity => "^",
                };
                match **inner {
                    Expr::Unary(..) | Expr::Binary(..) | Expr::Cond(..) => {
                        format!("{sign}({})", self.expr(inner))
                    }
                    _ => format!("{sign}{}", self.expr(inner)),
                }
            }
            Expr::Binary(operator, left, right) if operator.is_signed() => {
                let (sign, _) = symbol(*operator);
                format!("{} {sign} {}", self.signed(left), self.signed(right))
            }
            Expr::Binary(operator, left, right) => {
                let (sign, _) = symbol(*operator);
                let (left, right) =
                    (self.operand(left, *operator, false), self.operand(right, *operator, true));
                format!("{left} {sign} {right}")
            }
            Expr::Concat(parts) => {
                format!("{{{}}}", parts.iter().map(|part| self.expr(part)).collect::<Vec<_>>().join(", "))
            }
            Expr::Repeat(times, inner) => format!("{{{times}{{{}}}}}", self.expr(inner)),
            Expr::Cond(test, then, other) => {
                let arm = |e: &Expr| match e {
                    Expr::Cond(..) => format!("({})", self.expr(e)),
                    e => self.expr(e),
                };
                format!("{} ? {} : {}", arm(test), arm(then), self.expr(other))
            }
        }
    }

    fn signed(&self, e: &Expr) -> String {
        match e {
            Expr::Const { value, width } => format!("{width}'sh{value:x}"),
            e => format!("$signed({})", self.expr(e)),
        }
    }

    /// An operand, in parentheses where the language or a reader needs them.
    fn operand(&self, e: &Expr, parent: Binary, is_right: bool) -> String {
        let (_, outer) = symbol(parent);
        let needs = match e {
            Expr::Cond(..) => true,
            Expr::Unary(Unary::Not, _) => false,
            Expr::Unary(..) => true,
            Expr::Binary(operator, ..) => {
                let (_, inner) = symbol(*operator);
                let is_chain = *operator == parent && !is_right;
                let is_plain = matches!(parent, Binary::LogicalAnd | Binary::LogicalOr)
                    && operator.is_comparison()
                    || parent.is_comparison() && matches!(operator, Binary::Add | Binary::Sub);
                let is_sum = !is_right
                    && matches!(parent, Binary::Add | Binary::Sub)
                    && matches!(operator, Binary::Add | Binary::Sub);
                inner < outer || !(is_chain || is_plain || is_sum)
            }
            _ => false,
        };
        if needs { format!("({})", self.expr(e)) } else { self.expr(e) }
    }

    /// Statements with `assign` (`=` or `<=`) at `indent` levels.
    pub fn body(&self, stmts: &[Stmt], assign: &str, indent: usize, out: &mut Vec<String>) {
        for stmt in stmts {
            match stmt {
                Stmt::Comment(text) => line(out, indent, &format!("// {text}")),
                Stmt::Assign { net, value } => {
                    let name = &self.nets[*net].name;
                    line(out, indent, &format!("{name} {assign} {};", self.expr(value)));
                }
                Stmt::If { .. } => self.conditional(stmt, "", assign, indent, out),
                Stmt::Case { subject, arms, default } => {
                    line(out, indent, &format!("case ({})", self.expr(subject)));
                    for (label, body) in arms {
                        self.arm(&self.expr(label), body, assign, indent + 1, out);
                    }
                    if let Some(body) = default {
                        self.arm("default", body, assign, indent + 1, out);
                    }
                    line(out, indent, "endcase");
                }
            }
        }
    }

    fn conditional(&self, stmt: &Stmt, before: &str, assign: &str, indent: usize, out: &mut Vec<String>) {
        let Stmt::If { test, then, other } = stmt else { return };
        line(out, indent, &format!("{before}if ({}) begin", self.expr(test)));
        self.body(then, assign, indent + 1, out);
        match &other[..] {
            [] => line(out, indent, "end"),
            [next @ Stmt::If { .. }] => self.conditional(next, "end else ", assign, indent, out),
            other => {
                line(out, indent, "end else begin");
                self.body(other, assign, indent + 1, out);
                line(out, indent, "end");
            }
        }
    }

    fn arm(&self, label: &str, body: &[Stmt], assign: &str, indent: usize, out: &mut Vec<String>) {
        match body {
            [] => line(out, indent, &format!("{label}: ;")),
            [Stmt::Assign { net, value }] => {
                let name = &self.nets[*net].name;
                line(out, indent, &format!("{label}: {name} {assign} {};", self.expr(value)));
            }
            body => {
                line(out, indent, &format!("{label}: begin"));
                self.body(body, assign, indent + 1, out);
                line(out, indent, "end");
            }
        }
    }
}

/// Adds a line, broken where it is long.
pub(super) fn line(out: &mut Vec<String>, indent: usize, text: &str) {
    let mut rest = text.to_string();
    let mut indent = indent * 4;
    let first = indent;
    while indent + rest.len() > LINE && !rest.starts_with("//") {
        let Some(at) = break_point(&rest, LINE - indent) else { break };
        out.push(format!("{:indent$}{}", "", rest[..at].trim_end()));
        rest = rest[at..].trim_start().to_string();
        indent = first + 4;
    }
    out.push(format!("{:indent$}{rest}", ""));
}

/// Where to break: before an operator or after a comma, at the least depth, as far right as fits.
fn break_point(text: &str, limit: usize) -> Option<usize> {
    let mut depth = 0usize;
    let mut best: Option<(usize, usize)> = None;
    for (at, c) in text.char_indices().take_while(|(at, _)| *at < limit) {
        match c {
            '(' | '{' | '[' => depth += 1,
            ')' | '}' | ']' => depth = depth.saturating_sub(1),
            ' ' => {
                let before_operator = ["&& ", "|| ", "| ", "^ ", "& ", "+ ", "- ", "? ", ": ", "== "]
                    .iter()
                    .any(|operator| text[at + 1..].starts_with(operator));
                let is_break = before_operator || text[..at].ends_with(',');
                if is_break && at > 20 && best.is_none_or(|(_, least)| depth <= least) {
                    best = Some((at, depth));
                }
            }
            _ => {}
        }
    }
    best.map(|(at, _)| at)
}
