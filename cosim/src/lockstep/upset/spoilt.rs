//! Which entries are spoilt, and what ops make of that.

use std::collections::BTreeSet;

use respray_hdl::config::Config;
use respray_hdl::contract::Words;

use super::drive::get;
use super::rules::{By, Changes, Rules, Touch};
use crate::lockstep::op_core::OpCore;

/// The entries that are spoilt, for each table.
pub(super) struct Spoilt {
    rules: &'static Rules,
    /// Entries of each table.
    sizes: Vec<u32>,
    entries: Vec<BTreeSet<u32>>,
}

/// An op, or a visit with the op at the inputs.
pub(super) struct Of<O> {
    pub op: O,
    /// What is visited.
    pub visit: Option<u16>,
    /// The entry that the state named: [`OpCore::named_by_state`].
    pub named: Option<u32>,
}

impl<O: Words> Of<O> {
    /// The connection, or what takes its place.
    pub fn connection(&self) -> u32 {
        self.visit.map_or(self.op.connection(), u32::from)
    }
}

/// What a port of a result shows, and what it had to show; `None` as long as there is no result.
pub(super) type ShownAt<'a> = &'a dyn Fn(&str) -> Option<[u64; 2]>;

/// Nothing is shown yet.
pub(super) const NOTHING: ShownAt<'static> = &|_| None;

impl Spoilt {
    pub fn new(rules: &'static Rules, config: &Config) -> Spoilt {
        let sizes: Vec<u32> = rules.tables.iter().map(|table| (table.entries)(config)).collect();
        Spoilt { rules, entries: vec![BTreeSet::new(); sizes.len()], sizes }
    }

    /// Entries of a table.
    pub fn size(&self, table: usize) -> u32 {
        self.sizes[table]
    }

    pub fn add(&mut self, table: usize, entry: u32) {
        self.entries[table].insert(entry % self.sizes[table]);
    }

    pub fn clear(&mut self) {
        self.entries.iter_mut().for_each(BTreeSet::clear);
    }

    pub fn is_empty(&self) -> bool {
        self.entries.iter().all(BTreeSet::is_empty)
    }

    /// All of them, by table and number, those of later tables first, as what is written anew must not be spoilt by another entry again.
    pub fn all(&self) -> Vec<(usize, u32)> {
        let of = |table: usize| self.entries[table].iter().map(move |entry| (table, *entry));
        (0..self.entries.len()).rev().flat_map(of).collect()
    }

    /// In words.
    pub fn says(&self) -> String {
        let name = |(table, entry): (usize, u32)| format!("{} {entry}", self.rules.tables[table].entry);
        self.all().into_iter().map(name).collect::<Vec<_>>().join(", ")
    }

    /// What an op or a visit touches.
    fn touches<O: Words>(&self, of: &Of<O>) -> impl Iterator<Item = &'static Touch> + use<O> {
        let kind = of.op.code();
        let of_op = self.rules.ops.iter().filter(move |(kinds, _)| kinds >> kind & 1 != 0);
        let (ops, visits) = match of.visit {
            None => (self.rules.ops.len(), 0),
            Some(_) => (0, self.rules.visits.len()),
        };
        of_op.take(ops).map(|(_, touch)| touch).chain(&self.rules.visits[..visits])
    }

    /// The entry that a touch names, where that is not in the result.
    fn entry<C: OpCore>(&self, touch: &Touch, of: &Of<C::Op>) -> Option<u32> {
        let number = match touch.by {
            By::Op(port) => get::<C>(&of.op, port),
            By::Visit => of.visit?.into(),
            By::State => of.named?.into(),
            By::Shown(_) => return None,
        };
        Some((number % u64::from(self.sizes[touch.table])) as u32)
    }

    /// Whether what an op shows, or a visit, depends on a spoilt entry, as far as that is known from what is `shown`.
    pub fn spoils<C: OpCore>(&self, of: &Of<C::Op>, shown: ShownAt<'_>) -> bool {
        let is_spoilt = |touch: &Touch, entry: u64| {
            self.entries[touch.table].contains(&((entry % u64::from(self.sizes[touch.table])) as u32))
        };
        self.touches(of).filter(|touch| touch.reads).any(|touch| match touch.by {
            By::Shown(port) => shown(port).into_iter().flatten().any(|entry| is_spoilt(touch, entry)),
            _ => self.entry::<C>(touch, of).is_some_and(|entry| is_spoilt(touch, entry.into())),
        })
    }

    /// Whether an op writes its entry anew, in a time that does not depend on what was there.
    pub fn renews<O: Words>(&self, of: &Of<O>) -> bool {
        self.touches(of).any(|touch| touch.changes == Changes::Renews)
    }

    /// An op that depends on a spoilt entry is done: what it changed is spoilt. `differs`: its outputs are not as they had to be.
    pub fn spread<C: OpCore>(&mut self, of: &Of<C::Op>, differs: bool, shown: ShownAt<'_>) {
        for touch in self.touches(of) {
            let is_changed = match touch.changes {
                Changes::Always => true,
                Changes::AsShown => differs,
                Changes::Never | Changes::Renews => false,
            };
            if !is_changed {
                continue;
            }
            match touch.by {
                By::Shown(port) => {
                    let entries = shown(port).into_iter().flatten();
                    entries.for_each(|entry| self.add(touch.table, entry as u32));
                }
                _ => {
                    let entry = self.entry::<C>(touch, of);
                    entry.into_iter().for_each(|entry| self.add(touch.table, entry));
                }
            }
        }
    }

    /// An op that began behind the flip is done: what it writes anew is not spoilt any more.
    pub fn renew<C: OpCore>(&mut self, of: &Of<C::Op>) {
        for touch in self.touches(of).filter(|touch| touch.changes == Changes::Renews) {
            if let Some(entry) = self.entry::<C>(touch, of) {
                self.entries[touch.table].remove(&entry);
            }
        }
    }
}
