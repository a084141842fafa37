//! Registers: their clocks and the clocked processes.

use std::collections::{BTreeMap, BTreeSet};

use super::content::Content;
use super::flow::{self, Write};
use crate::emit::error::EmitError;
use crate::emit::expr::{Expr, NetId};
use crate::emit::module::Role;
use crate::emit::read::Scope;
use crate::emit::stmt::Stmt;

/// Registers in use per clock: index of the register, in order of declaration.
pub fn clocks(
    scope: &Scope,
    stmts: &[Stmt],
    content: &Content,
) -> Result<Vec<(NetId, Vec<usize>)>, EmitError> {
    let writes = flow::writes(stmts);
    let mut clocks: Vec<(NetId, Vec<usize>)> = vec![];
    for (index, register) in scope.registers.iter().enumerate() {
        if !register.q.iter().any(|q| content.live.contains(q)) {
            continue;
        }
        let drivers: Vec<&Write> = writes.iter().filter(|w| w.net == register.clock).collect();
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

/// The clocked process of some registers.
pub fn clocked(
    scope: &mut Scope,
    stmts: &[Stmt],
    registers: &[usize],
    settled: &BTreeSet<NetId>,
    content: &Content,
) -> Result<Vec<Stmt>, EmitError> {
    let mut to_q = BTreeMap::new();
    let mut copies = vec![];
    for register in registers.iter().map(|index| &scope.registers[*index]) {
        for (q, d) in register.q.iter().zip(&register.d) {
            if !content.live.contains(q) {
                continue;
            }
            if settled.contains(d) {
                to_q.insert(*d, *q);
            } else {
                copies.push(Stmt::Assign { net: *q, value: scope.net(*d) });
            }
        }
    }
    let mut body = flow::project(stmts, &to_q.keys().copied().collect());
    body.iter_mut().for_each(|stmt| retarget(stmt, &to_q));
    let mut body = flow::without_holds(body, &mut BTreeSet::new());
    body.extend(copies);
    Ok(body)
}

fn retarget(stmt: &mut Stmt, to_q: &BTreeMap<NetId, NetId>) {
    if let Stmt::Assign { net, .. } = stmt {
        *net = to_q[net];
    }
    stmt.bodies_mut().into_iter().flatten().for_each(|stmt| retarget(stmt, to_q));
}
