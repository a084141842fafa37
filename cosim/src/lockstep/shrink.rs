//! Makes a failing run small: first the ops just before the failure from a fresh reset, then delta debugging over
//! ops, connections, idle edges and the values that ops carry.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

use respray_hdl::contract::Words;

use super::plain::Plainness;
use crate::traffic::stimulus::{Entry, Event};

/// Runs traces from reset.
pub trait Trial<O> {
    /// How many of the entries were begun by the failure, if there is one.
    fn fails(&mut self, entries: &[Entry<O>]) -> Option<usize>;

    /// Nothing is run any more, so that there is no sense in asking.
    fn is_over(&self) -> bool;
}

/// Entries of the failing connection that are looked back on.
const LOOK_BACK_CONNECTION: usize = 1 << 15;
/// Entries of all connections that are looked back on.
const LOOK_BACK_ALL: usize = 1 << 18;

/// Entries of the first end that is tried, and by how much each is longer than the one before.
const SHORTEST: usize = 8;
const GROWTH: usize = 4;

/// Entries of which as many idle edges are tried, where it may be only the time that counts. Shorter chunks go first entry by
/// entry, as some of those can go and leave less.
const LONG_CHUNK: usize = 256;

/// The end of a run's stimulus, which may be long: its last entries, and those of the failing connection.
#[derive(Clone, Debug)]
pub struct Tail<O> {
    all: VecDeque<Entry<O>>,
    of_connection: VecDeque<Entry<O>>,
    /// Where each of these stands in the stimulus, from 0.
    numbers: VecDeque<u64>,
}

impl<O: Words> Tail<O> {
    /// Reads `prefix`, the entries begun until the failure, and keeps a bounded number.
    pub fn new(prefix: impl Iterator<Item = Entry<O>>, connection: Option<u32>) -> Self {
        let mut tail =
            Tail { all: VecDeque::new(), of_connection: VecDeque::new(), numbers: VecDeque::new() };
        for (number, entry) in (0..).zip(prefix) {
            push(&mut tail.all, entry, LOOK_BACK_ALL);
            let belongs = match entry.event {
                Event::Op(op) => connection == Some(op.connection()),
                Event::Reset { .. } => true,
            };
            if belongs {
                push(&mut tail.of_connection, entry, LOOK_BACK_CONNECTION);
                push(&mut tail.numbers, number, LOOK_BACK_CONNECTION);
            }
        }
        tail
    }

    /// The failing connection's last `count` ops, and the resets among them, oldest first.
    pub fn last_of_connection(&self, count: usize) -> Vec<Entry<O>> {
        last(&self.of_connection, count)
    }

    /// Which of these is the entry with this number in the stimulus.
    pub fn place_of(&self, number: u64, count: usize) -> Option<usize> {
        last(&self.numbers, count).iter().position(|known| *known == number)
    }

    /// The shortest end that fails from reset, among ends of growing length, of the failing connection first.
    pub fn shortest_failing(&self, trial: &mut dyn Trial<O>) -> Option<Vec<Entry<O>>> {
        let mut count = SHORTEST;
        loop {
            for entries in [&self.of_connection, &self.all] {
                // an end that is no longer than the one tried before is the same one
                if count == SHORTEST || count / GROWTH < entries.len() {
                    let end = last(entries, count);
                    if let Some(begun) = trial.fails(&end) {
                        return Some(cut(end, begun, trial));
                    }
                }
            }
            if count >= self.all.len() && count >= self.of_connection.len() {
                return None;
            }
            count *= GROWTH;
        }
    }
}

fn push<T>(ring: &mut VecDeque<T>, value: T, bound: usize) {
    if ring.len() == bound {
        ring.pop_front();
    }
    ring.push_back(value);
}

fn last<T: Copy>(ring: &VecDeque<T>, count: usize) -> Vec<T> {
    ring.iter().skip(ring.len().saturating_sub(count)).copied().collect()
}

/// Drops what comes after the failure, if it still fails then.
fn cut<O: Words>(entries: Vec<Entry<O>>, begun: usize, trial: &mut dyn Trial<O>) -> Vec<Entry<O>> {
    let shorter = &entries[..begun.min(entries.len())];
    if shorter.len() < entries.len() && trial.fails(shorter).is_some() { shorter.to_vec() } else { entries }
}

/// A trace that still fails, as small as the shrinker gets it. `entries` must fail.
pub fn shrink<O: Words>(
    entries: Vec<Entry<O>>,
    plainness: &Plainness,
    trial: &mut dyn Trial<O>,
) -> Vec<Entry<O>> {
    let mut shrinker = Shrinker { entries, plainness, trial };
    loop {
        let before = cost(&shrinker.entries, plainness);
        shrinker.remove_entries();
        shrinker.plainer_traces();
        shrinker.merge_connections();
        shrinker.remove_idle();
        shrinker.plainer_ops();
        if cost(&shrinker.entries, plainness) == before {
            return shrinker.entries;
        }
    }
}

struct Shrinker<'a, O> {
    entries: Vec<Entry<O>>,
    plainness: &'a Plainness,
    trial: &'a mut dyn Trial<O>,
}

/// What the shrinker makes smaller; every step that it takes makes this strictly smaller, so it ends.
fn cost<O: Words>(entries: &[Entry<O>], plainness: &Plainness) -> (usize, usize, u64) {
    let connections = connections(entries).len();
    let weight = |entry: &Entry<O>| match entry.event {
        Event::Op(op) => plainness.weight(&op),
        Event::Reset { seed } => seed.map_or(0, u64::from),
    };
    let sum = entries.iter().map(|entry| u64::from(entry.idle) + weight(entry)).sum();
    (entries.len(), connections, sum)
}

fn connections<O: Words>(entries: &[Entry<O>]) -> BTreeMap<u32, usize> {
    let mut uses = BTreeMap::new();
    for entry in entries {
        if let Event::Op(op) = &entry.event {
            *uses.entry(op.connection()).or_default() += 1;
        }
    }
    uses
}

impl<O: Words> Shrinker<'_, O> {
    /// Takes a candidate that costs less and still fails.
    fn accept(&mut self, candidate: Vec<Entry<O>>) -> bool {
        if cost(&candidate, self.plainness) >= cost(&self.entries, self.plainness) {
            return false;
        }
        let Some(begun) = self.trial.fails(&candidate) else { return false };
        self.entries = cut(candidate, begun, self.trial);
        true
    }

    /// The entry at this place, while there is sense in changing it.
    fn entry(&self, index: usize) -> Option<Entry<O>> {
        self.entries.get(index).filter(|_| !self.trial.is_over()).copied()
    }

    /// Delta debugging: leaves out ever smaller chunks, the latest first. One that cannot go alone may go if the PSNs behind it close up, and
    /// else it may still be idle edges.
    fn remove_entries(&mut self) {
        let mut chunk = self.entries.len().next_power_of_two() / 2;
        while chunk > 0 {
            let mut end = self.entries.len();
            while end > 0 && !self.trial.is_over() {
                let start = end.saturating_sub(chunk);
                let mut rest = self.entries[..start].to_vec();
                rest.extend_from_slice(&self.entries[end..]);
                let is_gone = self.accept(rest) || self.close_up(start..end);
                if !is_gone && (chunk == 1 || chunk >= LONG_CHUNK) {
                    self.make_idle(start..end);
                }
                end = start.min(self.entries.len());
            }
            chunk /= 2;
        }
    }

    /// These entries, all of one connection, are left out, and its next PSN behind them takes the place of their first one.
    fn close_up(&mut self, gone: Range<usize>) -> bool {
        let closed = self.plainness.closed_up(&self.entries, gone);
        closed.is_some_and(|candidate| self.accept(candidate))
    }

    /// The edges of these entries are idle, so that as much time passes; for each entry some more may be, in which it had to wait,
    /// e.g. as they were a walker's or those of the op before it.
    fn make_idle(&mut self, gone: Range<usize>) {
        // in a long trace a trial is dear, unless much goes at once
        let most = match (gone.len(), self.entries.len()) {
            (LONG_CHUNK.., _) => 8,
            (_, ..=LONG_CHUNK) => 4,
            _ => 1,
        };
        for edges in 1..=most {
            let mut rest = self.entries.clone();
            let idle = rest.drain(gone.clone()).map(|entry| entry.idle.saturating_add(edges));
            let idle = idle.fold(0, u32::saturating_add);
            let Some(next) = rest.get_mut(gone.start) else { return };
            next.idle = next.idle.saturating_add(idle);
            if self.accept(rest) {
                return;
            }
        }
    }

    /// All connections into one, else each into another that is used, then small numbers.
    fn merge_connections(&mut self) {
        self.accept(self.moved(|_| 0));
        for from in connections(&self.entries).into_keys().rev() {
            if self.trial.is_over() {
                return;
            }
            for to in connections(&self.entries).into_keys().filter(|to| *to != from) {
                if self.accept(self.moved(|connection| if connection == from { to } else { connection })) {
                    break;
                }
            }
        }
        let order: Vec<u32> = connections(&self.entries).into_keys().collect();
        let rank = |connection| order.iter().position(|c| *c == connection).unwrap_or(0) as u32;
        self.accept(self.moved(rank));
        for from in order {
            for bit in (0..32).rev().map(|bit| 1 << bit).filter(|bit| from & bit != 0) {
                let taken = connections(&self.entries).contains_key(&(from & !bit));
                if !taken && self.accept(self.moved(|c| if c == from { from & !bit } else { c })) {
                    break;
                }
            }
        }
    }

    fn moved(&self, to: impl Fn(u32) -> u32) -> Vec<Entry<O>> {
        let mut entries = self.entries.clone();
        for entry in &mut entries {
            if let Event::Op(op) = &mut entry.event {
                op.set(1, to(op.connection()).into());
            }
        }
        entries
    }

    fn remove_idle(&mut self) {
        let mut none = self.entries.clone();
        none.iter_mut().for_each(|entry| entry.idle = 0);
        self.accept(none);
        for index in 0.. {
            let Some(Entry { idle, .. }) = self.entry(index) else { break };
            // halves of what is left to go, so that a long wait that is needed is found in few steps
            let less = (1..).map(|half| idle >> half).take_while(|part| *part > 0).map(|part| idle - part);
            for idle in [0, 1, 2].into_iter().chain(less) {
                let mut candidate = self.entries.clone();
                candidate[index].idle = idle;
                if self.accept(candidate) {
                    break;
                }
            }
        }
    }

    fn plainer_traces(&mut self) {
        for way in 0.. {
            // each way starts from what the ones before it left
            let Some(candidate) = self.plainness.plainer_trace(way, &self.entries) else { break };
            self.accept(candidate);
        }
    }

    fn plainer_ops(&mut self) {
        for index in 0.. {
            let Some(entry) = self.entry(index) else { break };
            let Event::Op(op) = entry.event else { continue };
            for plainer in self.plainness.plainer(&op) {
                let mut candidate = self.entries.clone();
                candidate[index] = Entry { event: Event::Op(plainer), ..entry };
                if self.accept(candidate) {
                    break;
                }
            }
        }
    }
}
