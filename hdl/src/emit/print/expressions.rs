//! Expressions as Verilog text.

use num_bigint::BigUint;

use super::text::Text;
use crate::emit::expr::{Binary, Expr, Unary};
use crate::emit::module::Net;

/// `8'd5`, `16'hc000`, `1'b0`.
pub fn literal(value: &BigUint, width: usize) -> String {
    match width {
        1 => format!("1'b{value}"),
        _ if *value < BigUint::from(10u8) => format!("{width}'d{value}"),
        _ => format!("{width}'h{value:x}"),
    }
}

/// `[7:0] ` for eight bits, nothing for one.
pub fn range(width: usize) -> String {
    if width == 1 { String::new() } else { format!("[{}:0] ", width - 1) }
}

/// Prints `e` with the names of `nets`.
pub fn print(e: &Expr, nets: &[Net], out: &mut Text) {
    Printer { nets }.expr(e, out);
}

/// Columns of an assignment that is read at a glance, less what stands around its net and its value.
const MOST_COLUMNS: usize = 98;

/// Whether the assignment of `value` to a net is read at a glance.
pub fn is_short(net: &Net, value: &Expr, nets: &[Net]) -> bool {
    let mut text = Text::default();
    print(value, nets, &mut text);
    net.name.len() + text.columns() <= MOST_COLUMNS
}

/// How an operator is written.
struct Sign {
    text: &'static str,
    /// It binds more tightly than those with a lower one.
    precedence: u8,
    /// Whether a line may end before it.
    may_break: bool,
}

fn sign(operator: Binary) -> Sign {
    use Binary::*;
    let (text, precedence, may_break) = match operator {
        Mul => ("*", 10, false),
        Add => ("+", 9, true),
        Sub => ("-", 9, true),
        Shl => ("<<", 8, false),
        Shr => (">>", 8, false),
        Lt | SignedLt => ("<", 7, false),
        Le | SignedLe => ("<=", 7, false),
        Gt | SignedGt => (">", 7, false),
        Ge | SignedGe => (">=", 7, false),
        Eq => ("==", 6, true),
        Ne => ("!=", 6, false),
        BitAnd => ("&", 5, true),
        BitXor => ("^", 4, true),
        BitOr => ("|", 3, true),
        LogicalAnd => ("&&", 2, true),
        LogicalOr => ("||", 1, true),
    };
    Sign { text, precedence, may_break }
}

struct Printer<'a> {
    nets: &'a [Net],
}

impl Printer<'_> {
    fn expr(&self, e: &Expr, out: &mut Text) {
        match e {
            Expr::Const { value, width } => out.push(&literal(value, *width)),
            Expr::Param { name, .. } => out.push(name),
            Expr::Net { id, .. } => out.push(&self.nets[*id].name),
            Expr::Slice { base, lo, width } => {
                self.expr(base, out);
                out.enclosed("[", "]", |out| match width {
                    1 => out.push(&lo.to_string()),
                    _ => out.push(&format!("{}:{lo}", lo + width - 1)),
                });
            }
            Expr::Select { base, index, width } => {
                self.expr(base, out);
                out.enclosed("[", "]", |out| {
                    self.expr(index, out);
                    if *width > 1 {
                        out.push(&format!(" +: {width}"));
                    }
                });
            }
            Expr::Unary(operator, inner) => {
                out.push(match operator {
                    Unary::Not if inner.width() == 1 => "!",
                    Unary::Not => "~",
                    Unary::Neg => "-",
                    Unary::All => "&",
                    Unary::Any => "|",
                    Unary::Parity => "^",
                });
                let is_composed = matches!(**inner, Expr::Unary(..) | Expr::Binary(..) | Expr::Cond(..));
                self.parenthesised(inner, is_composed, out);
            }
            Expr::Binary(operator, left, right) => {
                let sign = sign(*operator);
                self.operand(left, *operator, false, out);
                if sign.may_break {
                    out.space()
                } else {
                    out.push(" ")
                }
                out.push(sign.text);
                out.push(" ");
                self.operand(right, *operator, true, out);
            }
            Expr::Concat(parts) => {
                out.enclosed("{", "}", |out| out.list(parts, |part, out| self.expr(part, out)));
            }
            Expr::Repeat(times, inner) => out.enclosed("{", "}", |out| {
                out.push(&times.to_string());
                out.enclosed("{", "}", |out| self.expr(inner, out));
            }),
            Expr::Cond(test, then, other) => {
                let is_cond = |e: &Expr| matches!(e, Expr::Cond(..));
                self.parenthesised(test, is_cond(test), out);
                out.space();
                out.push("? ");
                self.parenthesised(then, is_cond(then), out);
                out.space();
                out.push(": ");
                self.expr(other, out);
            }
        }
    }

    fn parenthesised(&self, e: &Expr, is_needed: bool, out: &mut Text) {
        if is_needed {
            out.enclosed("(", ")", |out| self.expr(e, out));
        } else {
            self.expr(e, out);
        }
    }

    /// An operand, in parentheses where the language or a reader needs them.
    fn operand(&self, e: &Expr, parent: Binary, is_right: bool, out: &mut Text) {
        if parent.is_signed() {
            return self.signed(e, out);
        }
        let outer = sign(parent).precedence;
        let needs = match e {
            Expr::Cond(..) => true,
            Expr::Unary(Unary::Not, _) => false,
            Expr::Unary(..) => true,
            Expr::Binary(operator, ..) => {
                let inner = sign(*operator).precedence;
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
        self.parenthesised(e, needs, out);
    }

    fn signed(&self, e: &Expr, out: &mut Text) {
        match e {
            Expr::Const { value, width } => out.push(&format!("{width}'sh{value:x}")),
            e => {
                out.push("$signed");
                out.enclosed("(", ")", |out| self.expr(e, out));
            }
        }
    }
}
