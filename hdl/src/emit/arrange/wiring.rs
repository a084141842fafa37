//! Assignments that only wire: an output that is another net, what is connected straight to an instance.

use std::collections::{BTreeMap, BTreeSet};

use super::content::Content;
use super::copies::{replaced, substitute};
use super::flow;
use super::writes::Writes;
use crate::emit::expr::{Expr, NetId};
use crate::emit::module::Role;
use crate::emit::read::Scope;
use crate::emit::stmt::Stmt;

/// Outputs that only repeat a register, an instance's output or a wire, with that net; those in `kept` stay what they are.
pub fn aliases(scope: &Scope, writes: &Writes, kept: &BTreeSet<NetId>) -> BTreeMap<NetId, NetId> {
    let mut aliases = BTreeMap::new();
    let mut taken = BTreeSet::new();
    for write in writes.list.iter().filter(|write| !kept.contains(&write.net)) {
        let Some(Expr::Net { id, .. }) = &write.unconditional else { continue };
        let is_source = matches!(scope.nets[*id].role, Role::RegisterQ | Role::FromInstance | Role::Local);
        let is_only = writes.is_assigned_once(write.net) && writes.passing_reads(write, scope).is_empty();
        if scope.nets[write.net].role == Role::Output && is_source && is_only && taken.insert(*id) {
            aliases.insert(write.net, *id);
        }
    }
    aliases
}

/// Gives each net that an output is just another name of that name, and puts it in the output's place.
pub fn alias_outputs(scope: &mut Scope, stmts: &mut Vec<Stmt>, content: &mut Content) {
    for (output, net) in &content.aliases {
        scope.nets[*net].name = scope.nets[*output].name.clone();
        if scope.nets[*net].role == Role::Local {
            scope.nets[*net].role = Role::Output;
        }
    }
    let kept = content.live.iter().copied().filter(|net| !content.aliases.contains_key(net)).collect();
    *stmts = flow::project(stmts, &kept);
    for stmt in stmts {
        substitute(stmt, &content.aliases, scope);
    }
    for pin in content.pins.values_mut() {
        *pin = replaced(pin.clone(), &content.aliases, scope);
    }
}

/// Inputs of instances to which something is wired straight, because it needs no operator and is no value between two
/// assignments.
pub fn pins(scope: &Scope, writes: &Writes) -> BTreeMap<NetId, Expr> {
    let mut pins = BTreeMap::new();
    for write in &writes.list {
        let is_settled = writes.passing_reads(write, scope).is_empty();
        let is_pin = scope.nets[write.net].role == Role::ToInstance && !writes.is_read(write.net);
        if is_pin && writes.is_assigned_once(write.net) && is_settled {
            let value = write.unconditional.as_ref().filter(|value| is_wiring(value));
            pins.extend(value.map(|value| (write.net, value.clone())));
        }
    }
    pins
}

fn is_wiring(e: &Expr) -> bool {
    match e {
        Expr::Const { .. } | Expr::Param { .. } | Expr::Net { .. } => true,
        Expr::Slice { base, .. } => matches!(**base, Expr::Net { .. }),
        Expr::Concat(parts) => parts.iter().all(is_wiring),
        _ => false,
    }
}
