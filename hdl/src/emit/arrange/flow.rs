//! Which assignments reach what: the facts about a block's statements that decide how they are printed.
//!
//! rust-hdl runs `update` until nothing changes. A read of a `Local` or an output sees the assignments made before it
//! in the pass; any other read sees the settled value. A statement whose reads all see settled values may stand in a process
//! of its own; one that reads a value between two assignments to it has to stay beside them, in order.

use std::collections::{BTreeMap, BTreeSet};

use crate::emit::expr::{Binary, Expr, NetId, Unary};
use crate::emit::fold::{binary, cond, unary};
use crate::emit::module::Role;
use crate::emit::read::Scope;
use crate::emit::stmt::{Comment, Stmt};

/// One assignment and all that it depends on.
pub struct Write {
    pub net: NetId,
    pub position: usize,
    /// Nets read by its value and by the conditions around it, with the position of the read.
    pub reads: Vec<(NetId, usize)>,
    /// Number of the top-level statement that holds it.
    pub statement: usize,
    /// Its value, if it stands under no condition.
    pub unconditional: Option<Expr>,
}

/// All assignments of `stmts` in program order.
pub fn writes(stmts: &[Stmt]) -> Vec<Write> {
    let mut collector = Collector { found: vec![], position: 0, statement: 0 };
    collector.top_level(stmts);
    collector.found
}

struct Collector {
    found: Vec<Write>,
    position: usize,
    statement: usize,
}

impl Collector {
    fn top_level(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            if let Stmt::Commented { body, .. } = stmt {
                self.top_level(body);
            } else {
                self.statement += 1;
                self.visit(std::slice::from_ref(stmt), &[]);
            }
        }
    }

    fn visit(&mut self, stmts: &[Stmt], conditions: &[(NetId, usize)]) {
        for stmt in stmts {
            self.position += 1;
            let position = self.position;
            let with = |e: &Expr| {
                let reads = e.nets().into_iter().map(|net| (net, position));
                conditions.iter().copied().chain(reads).collect::<Vec<_>>()
            };
            match stmt {
                Stmt::Commented { body, .. } => self.visit(body, conditions),
                Stmt::Assign { net, value } => {
                    let unconditional = conditions.is_empty().then(|| value.clone());
                    let (reads, statement) = (with(value), self.statement);
                    self.found.push(Write { net: *net, position, reads, statement, unconditional });
                }
                Stmt::If { test, then, other } => {
                    let conditions = with(test);
                    self.visit(then, &conditions);
                    self.visit(other, &conditions);
                }
                Stmt::Case { subject, arms, default } => {
                    let conditions = with(subject);
                    arms.iter().for_each(|(_, body)| self.visit(body, &conditions));
                    self.visit(default.as_deref().unwrap_or_default(), &conditions);
                }
            }
        }
    }
}

/// Positions of the first and the last assignment to each net.
pub fn spans(writes: &[Write]) -> BTreeMap<NetId, (usize, usize)> {
    let mut spans = BTreeMap::new();
    for write in writes {
        let span = spans.entry(write.net).or_insert((write.position, write.position));
        span.1 = write.position;
    }
    spans
}

/// Nets whose value between two assignments `write` depends on.
pub fn passing_reads(write: &Write, spans: &BTreeMap<NetId, (usize, usize)>, scope: &Scope) -> Vec<NetId> {
    let passing = |(net, at): &(NetId, usize)| {
        scope.nets[*net].role.is_blocking()
            && spans.get(net).is_some_and(|(first, last)| first < at && last >= at)
    };
    write.reads.iter().filter(|read| passing(read)).map(|(net, _)| *net).collect()
}

/// Nets that an output, an instance or a register in use depends on.
pub fn live(scope: &Scope, writes: &[Write]) -> BTreeSet<NetId> {
    let mut sources: BTreeMap<NetId, Vec<NetId>> = BTreeMap::new();
    for write in writes {
        sources.entry(write.net).or_default().extend(write.reads.iter().map(|(net, _)| *net));
    }
    for register in &scope.registers {
        for (q, d) in register.q.iter().zip(&register.d) {
            sources.entry(*q).or_default().extend([*d, register.clock]);
        }
    }
    let is_root = |net: &NetId| matches!(scope.nets[*net].role, Role::Output | Role::ToInstance);
    let mut live = BTreeSet::new();
    let mut open: Vec<NetId> = (0..scope.nets.len()).filter(is_root).collect();
    while let Some(net) = open.pop() {
        if live.insert(net) {
            open.extend(sources.get(&net).into_iter().flatten());
        }
    }
    live
}

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

/// Drops each `q <= q` that nothing before it on its path has overruled: a register holds by itself.
pub fn without_holds(stmts: Vec<Stmt>, touched: &mut BTreeSet<NetId>) -> Vec<Stmt> {
    let mut out: Vec<Stmt> = vec![];
    for stmt in stmts {
        match stmt {
            Stmt::Commented { comment, body } => out.extend(commented(comment, without_holds(body, touched))),
            Stmt::Assign { net, ref value } => {
                if !matches!(value, Expr::Net { id, .. } if *id == net) || touched.contains(&net) {
                    touched.insert(net);
                    out.push(stmt);
                }
            }
            Stmt::If { test, then, other } => {
                let mut both = [touched.clone(), touched.clone()];
                let then = without_holds(then, &mut both[0]);
                let other = without_holds(other, &mut both[1]);
                touched.extend(both.into_iter().flatten());
                out.extend(branch(test, then, other));
            }
            Stmt::Case { subject, arms, default } => {
                let before = touched.clone();
                let mut body = |body| {
                    let mut own = before.clone();
                    let body = without_holds(body, &mut own);
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

/// `stmts`, in which no comment stands, as one expression, if they are a plain assignment, or one with a single exception.
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
        _ => None,
    }
}
