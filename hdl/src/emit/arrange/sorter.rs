//! Combinational statements in processes: what belongs into one, and in which order they stand.

use std::collections::{BTreeMap, BTreeSet};

use super::choice;
use super::comments;
use super::flow::{self, Group};
use super::paths::Path;
use super::writes::Writes;
use crate::emit::error::EmitError;
use crate::emit::expr::{Expr, NetId};
use crate::emit::module::Item;
use crate::emit::read::Scope;
use crate::emit::stmt::Stmt;

/// Sorts combinational statements into items.
pub struct Sorter<'a> {
    scope: &'a Scope,
    stmts: &'a [Stmt],
    writes: &'a Writes,
    /// Nets that the assignments of a net read.
    reads: BTreeMap<NetId, BTreeSet<NetId>>,
    /// Paths through instances by the net at their end.
    paths: BTreeMap<NetId, Vec<&'a Path>>,
    pins: &'a BTreeMap<NetId, Expr>,
}

impl<'a> Sorter<'a> {
    pub fn new(
        scope: &'a Scope,
        stmts: &'a [Stmt],
        writes: &'a Writes,
        paths: &'a [Path],
        pins: &'a BTreeMap<NetId, Expr>,
    ) -> Self {
        let mut reads: BTreeMap<NetId, BTreeSet<NetId>> = BTreeMap::new();
        for write in &writes.list {
            reads.entry(write.net).or_default().extend(write.reads.iter().map(|(net, _)| *net));
        }
        let mut by_end: BTreeMap<NetId, Vec<&Path>> = BTreeMap::new();
        for path in paths {
            by_end.entry(path.to).or_default().push(path);
        }
        Sorter { scope, stmts, writes, reads, paths: by_end, pins }
    }

    /// Nets that the assignments of a group read.
    fn reads(&self, group: &Group) -> impl Iterator<Item = NetId> {
        group.iter().filter_map(|net| self.reads.get(net)).flatten().copied()
    }

    /// Every net of `nets` assigned once, each item after those that it reads.
    pub fn items(&self, nets: &BTreeSet<NetId>) -> Result<Vec<Item>, EmitError> {
        let bound = self.bound_groups(nets);
        let mut groups = self.merged_groups(&bound);
        // A process that would read what it writes, directly or through others, is taken apart again.
        while let Some(bad) = self.first_bad(&groups, &bound) {
            let bad = groups.remove(bad);
            groups.extend(bound.iter().filter(|group| group.is_subset(&bad)).cloned());
        }
        self.check(&groups)?;
        self.ordered(groups)
    }

    /// Nets that must be assigned in one process, in order.
    fn bound_groups(&self, nets: &BTreeSet<NetId>) -> Vec<Group> {
        let mut groups: Vec<Group> = nets.iter().map(|net| Group::from([*net])).collect();
        for write in self.writes.list.iter().filter(|w| nets.contains(&w.net)) {
            for read in self.writes.passing_reads(write, self.scope) {
                merge(&mut groups, write.net, read);
            }
        }
        groups
    }

    /// Nets that one `if` or `match` assigns read best in one process.
    fn merged_groups(&self, bound: &[Group]) -> Vec<Group> {
        let mut groups = bound.to_vec();
        let mut first: BTreeMap<usize, NetId> = BTreeMap::new();
        for write in &self.writes.list {
            let conditional = write.unconditional.is_none();
            if conditional && groups.iter().any(|group| group.contains(&write.net)) {
                let leader = *first.entry(write.statement).or_insert(write.net);
                merge(&mut groups, leader, write.net);
            }
        }
        groups
    }

    /// The first group that reads what it writes, directly or through others.
    fn first_bad(&self, groups: &[Group], bound: &[Group]) -> Option<usize> {
        let dependants = self.dependants(groups, true);
        (0..groups.len()).find(|at| {
            let group = &groups[*at];
            if bound.contains(group) {
                return false;
            }
            let body = flow::project(self.stmts, group);
            flow::read_too_early(&body, group, &mut BTreeSet::new()).is_some()
                || reached(&dependants, *at).contains(at)
        })
    }

    /// Of each group, those that read what it drives, directly or through instances; itself through instances only.
    fn dependants(&self, groups: &[Group], with_assumed: bool) -> Vec<BTreeSet<usize>> {
        let mut owner = BTreeMap::new();
        for (at, group) in groups.iter().enumerate() {
            owner.extend(group.iter().map(|net| (*net, at)));
        }
        let mut dependants = vec![BTreeSet::new(); groups.len()];
        for (at, group) in groups.iter().enumerate() {
            let direct: BTreeSet<NetId> = self.reads(group).collect();
            let through = self.sources(&direct, with_assumed);
            for on in direct.iter().filter_map(|net| owner.get(net)).filter(|on| **on != at) {
                dependants[*on].insert(at);
            }
            for on in through.iter().filter_map(|net| owner.get(net)) {
                dependants[*on].insert(at);
            }
        }
        dependants
    }

    /// Nets from which a path through instances leads to one of `nets`.
    fn sources(&self, nets: &BTreeSet<NetId>, with_assumed: bool) -> BTreeSet<NetId> {
        let mut seen = BTreeSet::new();
        let mut open: Vec<NetId> = nets.iter().copied().collect();
        while let Some(net) = open.pop() {
            let paths = self.paths.get(&net).into_iter().flatten();
            for path in paths.filter(|path| with_assumed || !path.assumed) {
                let sources = self.pins.get(&path.from).map_or(vec![path.from], Expr::nets);
                open.extend(sources.into_iter().filter(|source| seen.insert(*source)));
            }
        }
        seen
    }

    fn check(&self, groups: &[Group]) -> Result<(), EmitError> {
        let block = self.scope.block.clone();
        let dependants = self.dependants(groups, false);
        for (at, group) in groups.iter().enumerate() {
            let body = flow::project(self.stmts, group);
            if let Some(net) = flow::read_too_early(&body, group, &mut BTreeSet::new()) {
                let signal = self.scope.name_in_block(net);
                return Err(match group.len() {
                    1 => EmitError::CombinationalLoop { block, signals: format!("`{signal}`") },
                    _ => EmitError::Order { block, signal },
                });
            }
            let after = reached(&dependants, at);
            if after.contains(&at) {
                let on_loop = |other: &&usize| reached(&dependants, **other).contains(&at);
                let nets = after.iter().filter(on_loop).flat_map(|other| &groups[*other]);
                let names: Vec<_> = nets.map(|net| format!("`{}`", self.scope.name_in_block(*net))).collect();
                return Err(EmitError::CombinationalLoop { block, signals: names.join(", ") });
            }
        }
        Ok(())
    }

    fn ordered(&self, mut groups: Vec<Group>) -> Result<Vec<Item>, EmitError> {
        groups.sort_by_key(|group| group.iter().filter_map(|net| self.writes.first(*net)).min());
        let mut done = vec![];
        while !groups.is_empty() {
            let free = |at: &usize| {
                groups.iter().all(|other| *other == groups[*at] || !self.reads_directly(&groups[*at], other))
            };
            let next = (0..groups.len()).find(free).unwrap_or(0);
            let group = groups.remove(next);
            let body = flow::project(self.stmts, &group);
            let mut comments = vec![];
            let plain = comments::taken_off(&body, &mut comments);
            let value = flow::as_expression(&plain).or_else(|| self.constant(&group, &plain));
            let one = group.first().filter(|_| group.len() == 1);
            let values = match (one, value) {
                (Some(net), Some(value)) => Some(vec![(*net, value)]),
                _ => choice::values(&group, &plain, &self.scope.nets),
            };
            match values {
                Some(values) => done.extend(values.into_iter().map(|(net, value)| Item::Assign {
                    comments: std::mem::take(&mut comments),
                    net,
                    value,
                })),
                None => done.push(Item::Always { nets: group, body }),
            }
        }
        Ok(done)
    }

    /// The value of a net whose assignments read nothing: no change would ever start an `always @*` for it.
    fn constant(&self, group: &Group, body: &[Stmt]) -> Option<Expr> {
        let reads_nothing = self.reads(group).next().is_none();
        let assigned = body.iter().rev().find_map(|stmt| match stmt {
            Stmt::Assign { value, .. } => Some(value.clone()),
            _ => None,
        });
        assigned.filter(|_| reads_nothing)
    }

    fn reads_directly(&self, group: &Group, from: &Group) -> bool {
        self.reads(group).any(|net| from.contains(&net))
    }
}

/// Groups that depend on group `at`, directly or through others.
fn reached(dependants: &[BTreeSet<usize>], at: usize) -> BTreeSet<usize> {
    let mut reached = BTreeSet::new();
    let mut open = vec![at];
    while let Some(from) = open.pop() {
        open.extend(dependants[from].iter().copied().filter(|to| reached.insert(*to)));
    }
    reached
}

fn merge(groups: &mut Vec<Group>, a: NetId, b: NetId) {
    let position = |net| groups.iter().position(|group: &Group| group.contains(&net));
    if let (Some(a), Some(b)) = (position(a), position(b))
        && a != b
    {
        let other = groups.remove(a.max(b));
        groups[a.min(b)].extend(other);
    }
}
