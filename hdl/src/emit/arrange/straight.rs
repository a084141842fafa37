//! A net that is assigned time after time, as one expression: what a loop makes of it bit by bit.

use crate::emit::expr::{Expr, NetId};
use crate::emit::fold;
use crate::emit::stmt::Stmt;

/// The value of a net behind plain assignments to it, if that is not longer than they are.
pub fn value(stmts: &[Stmt]) -> Option<Expr> {
    let mut value: Option<Expr> = None;
    let mut most = 0;
    for stmt in stmts {
        let Stmt::Assign { net, value: next } = stmt else { return None };
        most += size(next);
        value = Some(match value {
            Some(now) if next.nets().contains(net) => with(next, *net, &now)?,
            _ => next.clone(),
        });
        // a value that is read more than once would be printed as often, and grow with each assignment
        if value.as_ref().is_some_and(|value| size(value) > most) {
            return None;
        }
    }
    value
}

/// `e` with `now` for `net`. `None` where a bit of it is selected by an index, which takes a name.
pub fn with(e: &Expr, net: NetId, now: &Expr) -> Option<Expr> {
    let inner = |e: &Expr| with(e, net, now);
    Some(match e {
        Expr::Net { id, .. } if *id == net => now.clone(),
        Expr::Const { .. } | Expr::Param { .. } | Expr::Net { .. } => e.clone(),
        Expr::Slice { base, lo, width } => fold::slice(inner(base)?, *lo, *width),
        Expr::Select { base, .. } if base.nets().contains(&net) => return None,
        Expr::Select { base, index, width } => {
            Expr::Select { base: base.clone(), index: Box::new(inner(index)?), width: *width }
        }
        Expr::Unary(operator, one) => fold::unary(*operator, inner(one)?),
        Expr::Binary(operator, left, right) => fold::binary(*operator, inner(left)?, inner(right)?),
        Expr::Concat(parts) => fold::concat(parts.iter().map(inner).collect::<Option<_>>()?),
        Expr::Repeat(times, one) => fold::repeat(*times, inner(one)?),
        Expr::Cond(test, then, other) => fold::cond(inner(test)?, inner(then)?, inner(other)?),
    })
}

/// The names, numbers and operators of an expression.
pub fn size(e: &Expr) -> usize {
    1 + e.parts().into_iter().map(size).sum::<usize>()
}
