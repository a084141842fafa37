//! When an op starts, when its result comes and when the next op is taken: the cycles that the manifest states.
//!
//! An op starts at the edge that takes it or, if a class of op makes later ops of its connection wait, so many edges
//! after the start of the last op of the same connection. Latency and initiation interval count from there.

use std::collections::BTreeMap;

use respray_hdl::contract::Contract;
use respray_hdl::cycles::Cycles;
use respray_hdl::manifest::Manifest;

use super::op_core::MOST_COUNTS;

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

/// The cycles of a core, and where its connections are.
pub struct Schedule {
    latency: Vec<Linear>,
    interval: Vec<Linear>,
    same_connection: Vec<Linear>,
    /// Edge at which the next op of each connection may start; empty if none ever waits.
    free: Vec<u64>,
    edge: u64,
}

impl Schedule {
    /// The cycles of a generated core.
    ///
    /// # Panics
    /// On a manifest without the interval of a class, or whose formulas count what the contract does not name: the generator's
    /// error.
    pub fn new(contract: &Contract, manifest: &Manifest) -> Schedule {
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
            free: if same.is_empty() { Vec::new() } else { vec![0; manifest.config.connections as usize] },
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
    pub fn take(&mut self, connection: usize, class: usize, counts: &[u32; MOST_COUNTS]) -> Times {
        let mut delay = 0;
        if let Some(free) = self.free.get_mut(connection) {
            delay = free.saturating_sub(self.edge) as u32;
            *free = self.edge + u64::from(delay + self.same_connection[class].at(counts));
        }
        let until_result = delay + self.latency[class].at(counts);
        assert!(until_result <= MAX_LATENCY, "a result after {until_result} cycles; allowed: {MAX_LATENCY}");
        Times { until_result, until_free: delay + self.interval[class].at(counts) - 1, waited: delay > 0 }
    }
}

#[cfg(test)]
mod tests {
    use respray_hdl::config::Config;
    use respray_hdl::cores::sack_rx::contract::{CONTRACT, Class};

    use super::*;

    fn schedule(latency: u32, interval: u32, init: u32, same: Option<u32>) -> Schedule {
        let mut manifest = CONTRACT.manifest(&Config::default());
        let all = |cycles: u32| CONTRACT.classes.iter().map(move |class| (class.to_string(), cycles.into()));
        let growing = |base| ("new_in_order".to_string(), Cycles::growing(base, 2, "advance_segments"));
        manifest.latency_cycles = all(latency).chain([growing(latency)]).collect();
        let init = ("init".to_string(), init.into());
        manifest.initiation_interval_cycles = all(interval).chain([growing(interval), init]).collect();
        manifest.same_connection_interval_cycles =
            same.map(|cycles| all(cycles).collect()).unwrap_or_default();
        Schedule::new(&CONTRACT, &manifest)
    }

    #[test]
    fn an_engine_that_works_on_one_op_at_a_time() {
        let mut schedule = schedule(6, 6, 257, None);
        for (class, segments, until_result, until_free) in
            [(Class::NewAhead, 0, 6, 5), (Class::NewInOrder, 0, 6, 5), (Class::NewInOrder, 4, 14, 13)]
        {
            let times = schedule.take(3, class as usize, &[segments, 0, 0]);
            assert_eq!(times, Times { until_result, until_free, waited: false });
        }
        assert_eq!(schedule.take(3, Class::Init as usize, &[0; 3]).until_free, 256);
    }

    #[test]
    fn an_op_waits_for_the_last_one_of_its_connection() {
        // connection and edge of each op, edge of its result, edge at which the next is taken
        let mut schedule = schedule(8, 1, 259, Some(8));
        for (connection, at, result, free) in [
            (5, 100, 108, 101),
            (5, 101, 116, 109),
            (7, 109, 117, 110),
            (5, 110, 124, 117),
            (5, 132, 140, 133),
        ] {
            while schedule.edge < at {
                schedule.step();
            }
            let times = schedule.take(connection, Class::Probe as usize, &[0; 3]);
            let edges = (at + u64::from(times.until_result), at + u64::from(times.until_free) + 1);
            assert_eq!(edges, (result, free), "connection {connection} at {at}");
        }
        schedule.reset();
        assert!(!schedule.take(5, Class::Probe as usize, &[0; 3]).waited);
    }

    #[test]
    #[should_panic(expected = "grows with `packets`, which is not counted")]
    fn a_formula_that_counts_something_else_is_refused() {
        let mut manifest = CONTRACT.manifest(&Config::default());
        manifest.latency_cycles.insert("probe".into(), Cycles::growing(6, 2, "packets"));
        Schedule::new(&CONTRACT, &manifest);
    }
}
