//! Statements sorted into what a module consists of: assignments, combinational processes, clocked processes.

use std::collections::{BTreeMap, BTreeSet};

use super::body::Stmt;
use super::error::EmitError;
use super::expr::{Expr, NetId};
use super::flow::{self, Write};
use super::scope::{Role, Scope};
use super::sorter::Sorter;

/// What drives nets of a module without a clock.
#[derive(Clone, Debug)]
pub(super) enum Item {
    Assign { net: NetId, value: Expr },
    Always { nets: BTreeSet<NetId>, body: Vec<Stmt> },
}

/// A module's content, ready to be named and printed.
#[derive(Default)]
pub(super) struct Content {
    /// In an order in which each name is declared before it is used.
    pub items: Vec<Item>,
    /// Per clock, the statements whose assignments are to registers.
    pub clocked: Vec<(NetId, Vec<Stmt>)>,
    /// What is wired straight to an instance's input.
    pub pins: BTreeMap<NetId, Expr>,
    /// Outputs that are just another net.
    pub aliases: BTreeMap<NetId, NetId>,
    /// Nets in use.
    pub live: BTreeSet<NetId>,
}

/// A combinational path through an instance.
pub(super) struct Path {
    pub from: NetId,
    pub to: NetId,
    /// Whether it is only assumed, because the instance is custom Verilog.
    pub assumed: bool,
}

pub(super) fn arrange(scope: &mut Scope, stmts: Vec<Stmt>, paths: &[Path]) -> Result<Content, EmitError> {
    let live = flow::live(scope, &flow::writes(&stmts));
    let mut content = Content { live, ..Content::default() };
    let mut stmts = flow::project(&stmts, &content.live);
    check_driven(scope, &stmts, &content)?;
    let clocks = clocks(scope, &stmts, &content)?;
    alias_outputs(scope, &mut stmts, &mut content);
    connect_pins(scope, &stmts, &mut content);

    let writes = flow::writes(&stmts);
    let spans = flow::spans(&writes);
    let read: BTreeSet<NetId> = writes.iter().flat_map(|w| w.reads.iter().map(|(net, _)| *net)).collect();
    let mut settled: BTreeSet<NetId> =
        scope.registers.iter().flat_map(|r| r.d.iter().copied()).filter(|d| !read.contains(d)).collect();
    for write in &writes {
        if !flow::passing_reads(write, &spans, scope).is_empty() {
            settled.remove(&write.net);
        }
    }
    for (clock, registers) in clocks {
        let body = clocked(scope, &stmts, &registers, &settled, &content)?;
        content.clocked.push((clock, body));
    }
    let combinational: BTreeSet<NetId> = writes
        .iter()
        .map(|w| w.net)
        .filter(|net| !settled.contains(net) && !content.pins.contains_key(net))
        .filter(|net| scope.nets[*net].role != Role::RegisterClock)
        .collect();
    let sorter = Sorter::new(scope, &stmts, &writes, paths, &content.pins);
    content.items = sorter.items(&combinational)?;
    Ok(content)
}

fn check_driven(scope: &Scope, stmts: &[Stmt], content: &Content) -> Result<(), EmitError> {
    let driven: BTreeSet<NetId> = flow::writes(stmts).iter().map(|w| w.net).collect();
    for net in &content.live {
        if scope.nets[*net].role.is_assignable() && !driven.contains(net) {
            let signal = pin_name(scope, *net);
            return Err(EmitError::Undriven { block: scope.block.clone(), signal });
        }
        if scope.nets[*net].role.is_assignable() && !flow::always_assigns(stmts, *net) {
            let signal = pin_name(scope, *net);
            return Err(EmitError::Latch { block: scope.block.clone(), signal });
        }
    }
    Ok(())
}

/// The name of a net as the author of the block knows it.
pub(super) fn pin_name(scope: &Scope, net: NetId) -> String {
    let named = |(key, symbol): (&String, &super::scope::Symbol)| {
        symbol.parts.iter().any(|part| part.net == net).then(|| key.replace('$', "."))
    };
    scope.symbols.iter().find_map(named).unwrap_or_else(|| scope.net_name(net))
}

/// Registers in use per clock: index of the register, in order of declaration.
fn clocks(scope: &Scope, stmts: &[Stmt], content: &Content) -> Result<Vec<(NetId, Vec<usize>)>, EmitError> {
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

/// An output that only repeats a register or an instance's output becomes that net.
fn alias_outputs(scope: &mut Scope, stmts: &mut Vec<Stmt>, content: &mut Content) {
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
    let replace = |e: &mut Expr| *e = replaced(e.clone(), aliases, scope);
    match stmt {
        Stmt::Comment(_) => {}
        Stmt::Assign { value, .. } => replace(value),
        Stmt::If { test, then, other } => {
            replace(test);
            then.iter_mut().chain(other).for_each(|stmt| substitute(stmt, aliases, scope));
        }
        Stmt::Case { subject, arms, default } => {
            replace(subject);
            let bodies = arms.iter_mut().map(|(_, body)| body).chain(default);
            bodies.flatten().for_each(|stmt| substitute(stmt, aliases, scope));
        }
    }
}

fn replaced(e: Expr, aliases: &BTreeMap<NetId, NetId>, scope: &Scope) -> Expr {
    match e {
        Expr::Net { id, .. } if aliases.contains_key(&id) => scope.net(aliases[&id]),
        e => e.map_parts(&mut |part| replaced(part, aliases, scope)),
    }
}

/// Wires to an instance's input what needs no operator, unless it is a value between two assignments.
fn connect_pins(scope: &Scope, stmts: &[Stmt], content: &mut Content) {
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

/// The clocked process of some registers.
fn clocked(
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
    match stmt {
        Stmt::Comment(_) => {}
        Stmt::Assign { net, .. } => *net = to_q[net],
        Stmt::If { then, other, .. } => then.iter_mut().chain(other).for_each(|stmt| retarget(stmt, to_q)),
        Stmt::Case { arms, default, .. } => {
            let bodies = arms.iter_mut().map(|(_, body)| body).chain(default);
            bodies.flatten().for_each(|stmt| retarget(stmt, to_q));
        }
    }
}
