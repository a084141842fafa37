//! Statements as far as they concern some nets, and what holds on every path through them.

use std::collections::BTreeSet;

use super::straight;
use crate::emit::expr::{Binary, Expr, NetId, Unary};
use crate::emit::fold::{binary, cond, unary};
use crate::emit::stmt::{Comment, Stmt};

/// Nets whose assignments stand together.
pub type Group = BTreeSet<NetId>;

/// The statements as far as they assign to `nets`, without branches and comments that are empty then.
pub fn project(stmts: &[Stmt], nets: &BTreeSet<NetId>) -> Vec<Stmt> {
    let projected = |stmt: &Stmt| match stmt {
        Stmt::Commented { comment, body } => commented(comment.clone(), project(body, nets)),
        Stmt::Assign { net, .. } => nets.contains(net).then(|| stmt.clone()),
        Stmt::If { test, then, other } => branch(test.clone(), project(then, nets), project(other, nets)),
        Stmt::Case { subject, arms, default } => select(
            subject.clone(),
            arms.iter().map(|(label, body)| (label.clone(), project(body, nets))).collect(),
            default.as_ref().map(|body| project(body, nets)),
        ),
    };
    stmts.iter().filter_map(projected).collect()
}

fn commented(comment: Comment, body: Vec<Stmt>) -> Option<Stmt> {
    (!body.is_empty()).then_some(Stmt::Commented { comment, body })
}

fn branch(test: Expr, then: Vec<Stmt>, other: Vec<Stmt>) -> Option<Stmt> {
    match (then.is_empty(), other.is_empty()) {
        (true, true) => None,
        (true, false) => Some(Stmt::If { test: unary(Unary::Not, test), then: other, other: then }),
        _ => Some(Stmt::If { test, then, other }),
    }
}

fn select(subject: Expr, mut arms: Vec<(Expr, Vec<Stmt>)>, mut default: Option<Vec<Stmt>>) -> Option<Stmt> {
    let rest_is_empty = default.as_ref().is_none_or(Vec::is_empty);
    if rest_is_empty && arms.iter().any(|(_, body)| body.is_empty()) {
        arms.retain(|(_, body)| !body.is_empty());
        default = Some(vec![]);
    }
    if arms.iter().all(|(_, body)| body.is_empty()) && rest_is_empty {
        return None;
    }
    if let (1, Some(other)) = (arms.len(), &default) {
        let (label, then) = arms.remove(0);
        return branch(binary(Binary::Eq, subject, label), then, other.clone());
    }
    Some(Stmt::Case { subject, arms, default })
}

/// Whether every path through `stmts` assigns `net`.
pub fn always_assigns(stmts: &[Stmt], net: NetId) -> bool {
    stmts.iter().any(|stmt| match stmt {
        Stmt::Commented { body, .. } => always_assigns(body, net),
        Stmt::Assign { net: target, .. } => *target == net,
        Stmt::If { then, other, .. } => always_assigns(then, net) && always_assigns(other, net),
        Stmt::Case { arms, default, .. } => {
            arms.iter().all(|(_, body)| always_assigns(body, net))
                && default.as_ref().is_none_or(|body| always_assigns(body, net))
        }
    })
}

/// The first of `own` nets that is read where not every path has assigned it. `assigned` is updated.
pub fn read_too_early(
    stmts: &[Stmt],
    own: &BTreeSet<NetId>,
    assigned: &mut BTreeSet<NetId>,
) -> Option<NetId> {
    for stmt in stmts {
        let early = |e: &Expr, assigned: &BTreeSet<NetId>| {
            e.nets().into_iter().find(|net| own.contains(net) && !assigned.contains(net))
        };
        match stmt {
            Stmt::Commented { body, .. } => {
                if let Some(found) = read_too_early(body, own, assigned) {
                    return Some(found);
                }
            }
            Stmt::Assign { net, value } => {
                if let Some(found) = early(value, assigned) {
                    return Some(found);
                }
                assigned.insert(*net);
            }
            Stmt::If { test: subject, .. } | Stmt::Case { subject, .. } => {
                if let Some(found) = early(subject, assigned) {
                    return Some(found);
                }
                for body in stmt.bodies() {
                    if let Some(found) = read_too_early(body, own, &mut assigned.clone()) {
                        return Some(found);
                    }
                }
                let one = std::slice::from_ref(stmt);
                assigned.extend(own.iter().filter(|net| always_assigns(one, **net)));
            }
        }
    }
    None
}

/// Drops each assignment that `is_hold` knows and that nothing before it on its path has overruled: a register holds by itself.
/// Comments stay.
pub fn without_holds(
    stmts: Vec<Stmt>,
    is_hold: &dyn Fn(NetId, &Expr) -> bool,
    touched: &mut BTreeSet<NetId>,
) -> Vec<Stmt> {
    let mut out: Vec<Stmt> = vec![];
    for stmt in stmts {
        match stmt {
            Stmt::Commented { comment, body } => {
                out.push(Stmt::Commented { comment, body: without_holds(body, is_hold, touched) });
            }
            Stmt::Assign { net, ref value } => {
                if !is_hold(net, value) || touched.contains(&net) {
                    touched.insert(net);
                    out.push(stmt);
                }
            }
            Stmt::If { test, then, other } => {
                let mut both = [touched.clone(), touched.clone()];
                let then = without_holds(then, is_hold, &mut both[0]);
                let other = without_holds(other, is_hold, &mut both[1]);
                touched.extend(both.into_iter().flatten());
                out.extend(branch(test, then, other));
            }
            Stmt::Case { subject, arms, default } => {
                let before = touched.clone();
                let mut body = |body| {
                    let mut own = before.clone();
                    let body = without_holds(body, is_hold, &mut own);
                    touched.extend(own);
                    body
                };
                let arms = arms.into_iter().map(|(label, stmts)| (label, body(stmts))).collect();
                let default = default.map(body);
                out.extend(select(subject, arms, default));
            }
        }
    }
    out
}

/// `stmts`, in which no comment stands and which assign one net, as one expression, if they are plain assignments, or one with a
/// single exception.
pub fn as_expression(stmts: &[Stmt]) -> Option<Expr> {
    let single = |body: &[Stmt]| match body {
        [Stmt::Assign { value, .. }] => Some(value.clone()),
        _ => None,
    };
    match stmts {
        [Stmt::Assign { value, .. }] => Some(value.clone()),
        [Stmt::If { test, then, other }] => Some(cond(test.clone(), single(then)?, single(other)?)),
        [Stmt::Assign { net, value }, Stmt::If { test, then, other }] if other.is_empty() => {
            let then = single(then)?;
            let reads_own = then.nets().contains(net) || test.nets().contains(net);
            (!reads_own).then(|| cond(test.clone(), then, value.clone()))
        }
        stmts => straight::value(stmts),
    }
}
