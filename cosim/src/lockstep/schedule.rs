//! When an op starts, when its result comes and when the next op is taken: the cycles that the manifest states.
//!
//! An op starts at the edge that takes it or, if a class of op makes later ops of its connection wait, so many edges
//! after the start of the last op of the same connection, or, in a core with several tables, of each of the last ones that change an entry
//! which it uses. Latency and initiation interval count from there.

use std::collections::BTreeMap;

use respray_hdl::contract::Contract;
use respray_hdl::cycles::Cycles;
use respray_hdl::manifest::Manifest;

use super::op_core::{MOST_COUNTS, Shares};

/// Longest time in cycles from an op to its result.
pub const MAX_LATENCY: u32 = 63;

/// A number of cycles whose counts are known by their places.
#[derive(Clone, Copy, Debug, Default)]
struct Linear {
    base: u32,
    per: [u32; MOST_COUNTS],
}

impl Linear {
    #[inline(always)]
    fn at(&self, counts: &[u32; MOST_COUNTS]) -> u32 {
        if *counts == [0; MOST_COUNTS] {
            return self.base;
        }
        self.per.iter().zip(counts).fold(self.base, |sum, (per, count)| sum + per * count)
    }

    fn new(cycles: &Cycles, contract: &Contract) -> Linear {
        let mut linear = Linear { base: cycles.base, per: [0; MOST_COUNTS] };
        for (per, count) in &cycles.growth {
            let place = contract.counts.iter().position(|known| known == count);
            linear.per
                [place.unwrap_or_else(|| panic!("`{cycles}` grows with `{count}`, which is not counted"))] +=
                per;
        }
        linear
    }
}

/// What an op that was just taken brings about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// Edges from this one to that of the result; 0 for a class without a result.
    pub until_result: u32,
    /// Edges after this one at which the core can do nothing else.
    pub until_free: u32,
    /// It waits for an earlier op of its connection.
    pub waited: bool,
}

/// The cycles of a core, and where its entries are.
pub struct Schedule {
    latency: Vec<Linear>,
    interval: Vec<Linear>,
    same_connection: Vec<Linear>,
    /// Edge at which the next op that uses an entry may start; empty if none ever waits.
    free: Vec<u64>,
    edge: u64,
}

impl Schedule {
    /// The cycles of a generated core, whose ops can share so many entries.
    ///
    /// # Panics
    /// On a manifest without the interval of a class, or whose formulas count what the contract does not name: the generator's
    /// error.
    pub fn new(contract: &Contract, manifest: &Manifest, entries: usize) -> Schedule {
        let table = |cycles: &BTreeMap<String, Cycles>| -> Vec<Option<Linear>> {
            let of = |class: &&str| cycles.get(*class).map(|cycles| Linear::new(cycles, contract));
            contract.classes.iter().map(of).collect()
        };
        let or_none = |table: Vec<Option<Linear>>| table.into_iter().map(Option::unwrap_or_default).collect();
        let same = &manifest.same_connection_interval_cycles;
        let interval: Vec<Linear> = table(&manifest.initiation_interval_cycles)
            .into_iter()
            .zip(contract.classes)
            .map(|(cycles, class)| {
                let cycles =
                    cycles.unwrap_or_else(|| panic!("the manifest states the interval of `{class}`"));
                assert!(cycles.base > 0, "an op of class `{class}` takes a cycle at least");
                cycles
            })
            .collect();
        Schedule {
            latency: or_none(table(&manifest.latency_cycles)),
            interval,
            same_connection: or_none(table(same)),
            free: if same.is_empty() { Vec::new() } else { vec![0; entries] },
            edge: 0,
        }
    }

    /// Nothing is under way.
    pub fn reset(&mut self) {
        self.free.fill(0);
    }

    /// The clock edge has passed.
    #[inline(always)]
    pub fn step(&mut self) {
        self.edge += 1;
    }

    /// An op of a class is taken at the coming edge.
    ///
    /// # Panics
    /// If its result comes later than [`MAX_LATENCY`]: the generator's error.
    #[inline(always)]
    pub fn take(&mut self, shares: &Shares, class: usize, counts: &[u32; MOST_COUNTS]) -> Times {
        let mut delay = 0;
        if !self.free.is_empty() {
            let wait =
                |entry: &usize| self.free.get(*entry).map_or(0, |free| free.saturating_sub(self.edge) as u32);
            delay = shares.uses.iter().map(wait).max().unwrap_or(0);
            let next = self.edge + u64::from(delay + self.same_connection[class].at(counts));
            for entry in shares.changes {
                if let Some(free) = self.free.get_mut(entry) {
                    *free = next;
                }
            }
        }
        let until_result = delay + self.latency[class].at(counts);
        assert!(until_result <= MAX_LATENCY, "a result after {until_result} cycles; allowed: {MAX_LATENCY}");
        Times { until_result, until_free: delay + self.interval[class].at(counts) - 1, waited: delay > 0 }
    }
}
