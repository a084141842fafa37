//! Registers that take one value or another: an assignment and the exception from it, in one.

use crate::emit::expr::{Expr, NetId};
use crate::emit::fold::cond;
use crate::emit::module::Net;
use crate::emit::print::is_short;
use crate::emit::stmt::Stmt;

/// The statements of a clocked process, in which `q <= a; if (test) q <= b;` is `q <= test ? b : a;` where that fits on a line. What
/// the reset does stays by itself.
pub fn joined(body: Vec<Stmt>, nets: &[Net]) -> Vec<Stmt> {
    let mut out: Vec<Stmt> = vec![];
    for mut stmt in body {
        for inner in stmt.bodies_mut() {
            *inner = joined(std::mem::take(inner), nets);
        }
        if let Some((net, test, then)) = exception(&stmt, nets)
            && let Some(at) = out.iter().rposition(|stmt| assigns(stmt, net))
            && let Stmt::Assign { value: otherwise, .. } = &out[at]
        {
            let value = cond(test.clone(), then.clone(), otherwise.clone());
            if is_short(&nets[net], &value, nets) {
                out.remove(at);
                out.push(Stmt::Assign { net, value });
                continue;
            }
        }
        out.push(stmt);
    }
    out
}

/// Register, condition and value of a statement that assigns one register under one condition.
fn exception<'a>(stmt: &'a Stmt, nets: &[Net]) -> Option<(NetId, &'a Expr, &'a Expr)> {
    let Stmt::If { test, then, other } = stmt else { return None };
    let is_reset = matches!(test, Expr::Net { id, .. } if nets[*id].name == "rst");
    match (&then[..], other.is_empty(), is_reset) {
        ([Stmt::Assign { net, value }], true, false) => Some((*net, test, value)),
        _ => None,
    }
}

fn assigns(stmt: &Stmt, net: NetId) -> bool {
    match stmt {
        Stmt::Assign { net: target, .. } => *target == net,
        stmt => stmt.bodies().into_iter().flatten().any(|stmt| assigns(stmt, net)),
    }
}
