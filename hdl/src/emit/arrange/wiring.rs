//! Assignments that only wire: an output that is another net, what is connected straight to an instance.

use std::collections::{BTreeMap, BTreeSet};

use super::content::Content;
use super::flow;
use crate::emit::expr::{Expr, NetId};
use crate::emit::module::Role;
use crate::emit::read::Scope;
use crate::emit::stmt::Stmt;

/// An output that only repeats a register or an instance's output becomes that net.
pub fn alias_outputs(scope: &mut Scope, stmts: &mut Vec<Stmt>, content: &mut Content) {
    let writes = flow::writes(stmts);
    let mut taken = BTreeSet::new();
    for write in &writes {
        let Some(Expr::Net { id, .. }) = &write.unconditional else { continue };
        let is_source = matches!(scope.nets[*id].role, Role::RegisterQ | Role::FromInstance);
        let is_only = writes.iter().filter(|other| other.net == write.net).count() == 1;
        if scope.nets[write.net].role == Role::Output && is_source && is_only && taken.insert(*id) {
            content.aliases.insert(write.net, *id);
            scope.nets[*id].name = scope.nets[write.net].name.clone();
        }
    }
    let kept = content.live.iter().copied().filter(|net| !content.aliases.contains_key(net)).collect();
    *stmts = flow::project(stmts, &kept);
    for stmt in stmts {
        substitute(stmt, &content.aliases, scope);
    }
}

fn substitute(stmt: &mut Stmt, aliases: &BTreeMap<NetId, NetId>, scope: &Scope) {
    for e in stmt.exprs_mut() {
        *e = replaced(e.clone(), aliases, scope);
    }
    stmt.bodies_mut().into_iter().flatten().for_each(|stmt| substitute(stmt, aliases, scope));
}

fn replaced(e: Expr, aliases: &BTreeMap<NetId, NetId>, scope: &Scope) -> Expr {
    match e {
        Expr::Net { id, .. } if aliases.contains_key(&id) => scope.net(aliases[&id]),
        e => e.map_parts(&mut |part| replaced(part, aliases, scope)),
    }
}

/// Wires to an instance's input what needs no operator, unless it is a value between two assignments.
pub fn connect_pins(scope: &Scope, stmts: &[Stmt], content: &mut Content) {
    let writes = flow::writes(stmts);
    let spans = flow::spans(&writes);
    let read: BTreeSet<NetId> = writes.iter().flat_map(|w| w.reads.iter().map(|(net, _)| *net)).collect();
    for write in &writes {
        let only = writes.iter().filter(|other| other.net == write.net).count() == 1;
        let is_settled = flow::passing_reads(write, &spans, scope).is_empty();
        let is_pin = scope.nets[write.net].role == Role::ToInstance && !read.contains(&write.net);
        if is_pin && only && is_settled {
            let value = write.unconditional.as_ref().filter(|value| is_wiring(value));
            content.pins.extend(value.map(|value| (write.net, value.clone())));
        }
    }
}

fn is_wiring(e: &Expr) -> bool {
    match e {
        Expr::Const { .. } | Expr::Param { .. } | Expr::Net { .. } => true,
        Expr::Slice { base, .. } => matches!(**base, Expr::Net { .. }),
        Expr::Concat(parts) => parts.iter().all(is_wiring),
        _ => false,
    }
}
