//! Registers: their clocks and the clocked processes.

use std::collections::{BTreeMap, BTreeSet};

use super::comments;
use super::content::Content;
use super::flow;
use super::writes::{Write, Writes};
use crate::emit::error::EmitError;
use crate::emit::expr::{Expr, NetId};
use crate::emit::module::Role;
use crate::emit::read::Scope;
use crate::emit::stmt::Stmt;

/// Registers in use per clock: index of the register, in order of declaration.
pub fn clocks(
    scope: &Scope,
    writes: &Writes,
    live: &BTreeSet<NetId>,
) -> Result<Vec<(NetId, Vec<usize>)>, EmitError> {
    let mut clocks: Vec<(NetId, Vec<usize>)> = vec![];
    for (index, register) in scope.registers.iter().enumerate() {
        if !register.q.iter().any(|q| live.contains(q)) {
            continue;
        }
        let drivers: Vec<&Write> = writes.list.iter().filter(|w| w.net == register.clock).collect();
        let clock = match &drivers[..] {
            [Write { unconditional: Some(Expr::Net { id, .. }), .. }]
                if scope.nets[*id].role == Role::Input =>
            {
                *id
            }
            _ => {
                let (block, register) = (scope.block.clone(), register.name.clone());
                return Err(EmitError::Clock { block, register });
            }
        };
        match clocks.iter_mut().find(|(known, _)| *known == clock) {
            Some((_, registers)) => registers.push(index),
            None => clocks.push((clock, vec![index])),
        }
    }
    Ok(clocks)
}

/// Next values that nothing reads, and that depend on no value between two assignments: their assignments stand in the clocked
/// process.
pub fn clocked_nets(scope: &Scope, writes: &Writes) -> BTreeSet<NetId> {
    let next_values = scope.registers.iter().flat_map(|r| r.d.iter().copied());
    let mut clocked: BTreeSet<NetId> = next_values.filter(|d| !writes.is_read(*d)).collect();
    for write in &writes.list {
        if !writes.passing_reads(write, scope).is_empty() {
            clocked.remove(&write.net);
        }
    }
    clocked
}

/// The statements without those by which a register of a clocked process keeps its value.
pub fn without_holds(scope: &Scope, stmts: Vec<Stmt>, clocked: &BTreeSet<NetId>) -> Vec<Stmt> {
    let values = scope.registers.iter().flat_map(|r| r.d.iter().copied().zip(r.q.iter().copied()));
    let value_of: BTreeMap<NetId, NetId> = values.filter(|(d, _)| clocked.contains(d)).collect();
    let is_hold = |net: NetId, value: &Expr| {
        value_of.get(&net).is_some_and(|q| matches!(value, Expr::Net { id, .. } if id == q))
    };
    flow::without_holds(stmts, &is_hold, &mut BTreeSet::new())
}

/// The clocked process of some registers.
pub fn process(
    scope: &Scope,
    stmts: &[Stmt],
    registers: &[usize],
    clocked: &BTreeSet<NetId>,
    content: &Content,
) -> Vec<Stmt> {
    let mut to_q = BTreeMap::new();
    let mut copies = vec![];
    for register in registers.iter().map(|index| &scope.registers[*index]) {
        for (q, d) in register.q.iter().zip(&register.d) {
            if !content.live.contains(q) {
                continue;
            }
            if clocked.contains(d) {
                to_q.insert(*d, *q);
            } else {
                copies.push(Stmt::Assign { net: *q, value: scope.net(*d) });
            }
        }
    }
    let mut body = flow::project(stmts, &to_q.keys().copied().collect());
    body.iter_mut().for_each(|stmt| retarget(stmt, &to_q));
    let mut body = comments::once_within(body, &mut BTreeSet::new());
    body.extend(copies);
    body
}

fn retarget(stmt: &mut Stmt, to_q: &BTreeMap<NetId, NetId>) {
    if let Stmt::Assign { net, .. } = stmt {
        *net = to_q[net];
    }
    stmt.bodies_mut().into_iter().flatten().for_each(|stmt| retarget(stmt, to_q));
}
