//! Wires that only repeat another net: who reads one reads that net.

use std::collections::{BTreeMap, BTreeSet};

use super::flow;
use super::writes::Writes;
use crate::emit::expr::{Expr, NetId};
use crate::emit::module::Role;
use crate::emit::read::Scope;
use crate::emit::stmt::Stmt;

/// The statements without such wires. One with a comment of its own stays.
pub fn without(scope: &Scope, stmts: Vec<Stmt>) -> Vec<Stmt> {
    let writes = Writes::of(&stmts);
    let mut commented = BTreeSet::new();
    with_comment(&stmts, &mut commented);
    let mut copies: BTreeMap<NetId, NetId> = BTreeMap::new();
    for write in writes.list.iter().filter(|write| !commented.contains(&write.net)) {
        let Some(Expr::Net { id, .. }) = &write.unconditional else { continue };
        // a read between two assignments would see another value in the net than in its copy
        let is_settled = !scope.nets[*id].role.is_blocking() || writes.is_assigned_once(*id);
        let is_register = scope.nets[*id].role == Role::RegisterD;
        let is_copy = scope.nets[write.net].role == Role::Local && writes.is_assigned_once(write.net);
        if is_copy && is_settled && !is_register && *id != write.net {
            let source = copies.get(id).copied().unwrap_or(*id);
            if source != write.net {
                copies.values_mut().filter(|of| **of == write.net).for_each(|of| *of = source);
                copies.insert(write.net, source);
            }
        }
    }
    let rest = writes.list.iter().map(|write| write.net).filter(|net| !copies.contains_key(net)).collect();
    let mut stmts = flow::project(&stmts, &rest);
    stmts.iter_mut().for_each(|stmt| substitute(stmt, &copies, scope));
    stmts
}

/// Nets whose assignment stands right below a comment.
fn with_comment(stmts: &[Stmt], found: &mut BTreeSet<NetId>) {
    for stmt in stmts {
        if let Stmt::Commented { body, .. } = stmt
            && let Some(Stmt::Assign { net, .. }) = body.first()
        {
            found.insert(*net);
        }
        stmt.bodies().into_iter().for_each(|body| with_comment(body, found));
    }
}

/// Puts the net of which one is the copy in the place of the copy.
pub fn substitute(stmt: &mut Stmt, copies: &BTreeMap<NetId, NetId>, scope: &Scope) {
    for e in stmt.exprs_mut() {
        *e = replaced(e.clone(), copies, scope);
    }
    stmt.bodies_mut().into_iter().flatten().for_each(|stmt| substitute(stmt, copies, scope));
}

/// `e` with the nets of which some are copies in the place of these.
pub fn replaced(e: Expr, copies: &BTreeMap<NetId, NetId>, scope: &Scope) -> Expr {
    match e {
        Expr::Net { id, .. } if copies.contains_key(&id) => scope.net(copies[&id]),
        e => e.map_parts(&mut |part| replaced(part, copies, scope)),
    }
}
