//! Which assignments reach what: the facts about a block's statements that decide how they are printed.
//!
//! rust-hdl runs `update` until nothing changes. A read of a `Local` or an output sees the assignments made before it
//! in the pass; any other read sees the settled value. A statement whose reads all see settled values may stand in a process
//! of its own; one that reads a value between two assignments to it has to stay beside them, in order.

use std::collections::{BTreeMap, BTreeSet};

use crate::emit::expr::{Expr, NetId};
use crate::emit::module::Role;
use crate::emit::read::Scope;
use crate::emit::stmt::Stmt;

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

/// The assignments of some statements.
pub struct Writes {
    /// In the order of the program.
    pub list: Vec<Write>,
    /// Positions of the first and the last assignment to each net.
    spans: BTreeMap<NetId, (usize, usize)>,
    /// Nets that one of them reads.
    read: BTreeSet<NetId>,
}

impl Writes {
    pub fn of(stmts: &[Stmt]) -> Writes {
        let mut collector = Collector { found: vec![], position: 0, statement: 0 };
        collector.top_level(stmts);
        let list = collector.found;
        let mut spans = BTreeMap::new();
        for write in &list {
            let span = spans.entry(write.net).or_insert((write.position, write.position));
            span.1 = write.position;
        }
        let read = list.iter().flat_map(|write| write.reads.iter().map(|(net, _)| *net)).collect();
        Writes { list, spans, read }
    }

    pub fn is_read(&self, net: NetId) -> bool {
        self.read.contains(&net)
    }

    pub fn is_assigned(&self, net: NetId) -> bool {
        self.spans.contains_key(&net)
    }

    pub fn is_assigned_once(&self, net: NetId) -> bool {
        self.spans.get(&net).is_some_and(|(first, last)| first == last)
    }

    /// Position of the first assignment to `net`.
    pub fn first(&self, net: NetId) -> Option<usize> {
        self.spans.get(&net).map(|(first, _)| *first)
    }

    /// Nets whose value between two assignments `write` depends on.
    pub fn passing_reads(&self, write: &Write, scope: &Scope) -> Vec<NetId> {
        let passing = |(net, at): &(NetId, usize)| {
            scope.nets[*net].role.is_blocking()
                && self.spans.get(net).is_some_and(|(first, last)| first < at && last >= at)
        };
        write.reads.iter().filter(|read| passing(read)).map(|(net, _)| *net).collect()
    }

    /// Nets that an output, an instance or a register in use depends on.
    pub fn live(&self, scope: &Scope) -> BTreeSet<NetId> {
        let mut sources: BTreeMap<NetId, Vec<NetId>> = BTreeMap::new();
        for write in &self.list {
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
