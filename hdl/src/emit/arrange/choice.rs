//! Values that depend on conditions, as expressions: a process is the longer form where each of its nets fits on a line.

use std::collections::BTreeMap;

use super::flow::Group;
use super::straight::size;
use crate::emit::expr::{Binary, Expr, NetId, Unary};
use crate::emit::fold;
use crate::emit::module::Net;
use crate::emit::print::is_short;
use crate::emit::stmt::Stmt;

/// Of each net of `group` its value behind `stmts`, in which no comment stands. `None` where a value does not fit on a line, or
/// where the process has fewer lines.
pub fn values(group: &Group, stmts: &[Stmt], nets: &[Net]) -> Option<Vec<(NetId, Expr)>> {
    let mut known = BTreeMap::new();
    let room = stmts.iter().map(written).sum();
    run(stmts, group, room, &mut known)?;
    let fits = known.iter().all(|(net, value)| is_short(&nets[*net], value, nets));
    (known.len() == group.len() && fits).then(|| known.into_iter().collect())
}

/// Goes through the statements with the values that nets of `group` have so far. `None` if one is read before it has a value, and if
/// a value grows beyond `room`.
fn run(stmts: &[Stmt], group: &Group, room: usize, known: &mut BTreeMap<NetId, Expr>) -> Option<()> {
    for stmt in stmts {
        match stmt {
            Stmt::Assign { net, value } => {
                let value = settled(value, group, known)?;
                known.insert(*net, value);
            }
            Stmt::If { test, then, other } => {
                let test = settled(test, group, known)?;
                let (mut taken, mut left) = (known.clone(), known.clone());
                run(then, group, room, &mut taken)?;
                run(other, group, room, &mut left)?;
                for (net, value) in taken {
                    let instead = left.remove(&net)?;
                    known.insert(net, if value == instead { value } else { chosen(&test, value, instead) });
                }
                if !left.is_empty() {
                    return None;
                }
            }
            Stmt::Commented { .. } | Stmt::Case { .. } => return None,
        }
        if known.values().map(size).sum::<usize>() > room {
            return None;
        }
    }
    Some(())
}

/// `test ? then : other`; of single bits that are constant as the operator that it is.
fn chosen(test: &Expr, then: Expr, other: Expr) -> Expr {
    let not = || fold::unary(Unary::Not, test.clone());
    let one = Expr::bit(true);
    match (&then, &other) {
        _ if then.width() > 1 => fold::cond(test.clone(), then, other),
        _ if then.value().is_some() && other.value().is_some() => fold::cond(test.clone(), then, other),
        (then, _) if *then == one => fold::binary(Binary::LogicalOr, test.clone(), other),
        (then, _) if then.is_zero() => fold::binary(Binary::LogicalAnd, not(), other),
        (_, other) if *other == one => fold::binary(Binary::LogicalOr, not(), then),
        (_, other) if other.is_zero() => fold::binary(Binary::LogicalAnd, test.clone(), then),
        _ => fold::cond(test.clone(), then, other),
    }
}

/// `e` with their values for the nets of `group`. `None` if one of them has none yet, or a bit of it is selected by an index.
fn settled(e: &Expr, group: &Group, known: &BTreeMap<NetId, Expr>) -> Option<Expr> {
    let read: Vec<NetId> = e.nets().into_iter().filter(|net| group.contains(net)).collect();
    read.iter().try_fold(e.clone(), |e, net| super::straight::with(&e, *net, known.get(net)?))
}

/// The names, numbers and operators of a statement.
fn written(stmt: &Stmt) -> usize {
    let own: usize = stmt.exprs().into_iter().map(size).sum();
    own + 1 + stmt.bodies().into_iter().flatten().map(written).sum::<usize>()
}
