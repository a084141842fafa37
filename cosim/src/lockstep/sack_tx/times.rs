//! Cycles of every class of op, read from the manifest once.

use std::collections::BTreeMap;

use respray_golden::sack_tx::{Class, MAX_WINDOW};
use respray_hdl::cycles::Cycles;
use respray_hdl::manifest::Manifest;

use crate::lockstep::pipeline::MAX_LATENCY;

/// Values of a count of segments: 0 to 512 / 64.
const COUNTS: usize = MAX_WINDOW as usize / 64 + 1;

/// Cycles of one op or visit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Time {
    /// From the edge at which it begins to the one at which its result can be sampled; 0 without a result.
    pub latency: u32,
    /// To the earliest edge at which the next one begins.
    pub interval: u32,
}

/// Cycles of every class, by the counts that the class names.
#[derive(Clone, Debug)]
pub struct Times {
    init: Time,
    sent: Time,
    sack_refused: Time,
    visit: Time,
    next_rtx: [Time; COUNTS],
    sack: [[Time; COUNTS]; COUNTS],
    /// Edges with `rst` low until `op_ready` is high.
    pub reset: u32,
}

impl Times {
    /// # Panics
    /// On a manifest without the cycles of a class, with a count that the class does not name, or with a latency that
    /// the lockstep does not provide for.
    pub fn new(manifest: &Manifest) -> Self {
        let at = |class: &str, counts: &[(&str, usize)]| {
            let cycles = |table: &BTreeMap<String, Cycles>, what: &str| {
                let cycles =
                    table.get(class).unwrap_or_else(|| panic!("the manifest states the {what} of `{class}`"));
                cycles.at(|name| {
                    let count = counts.iter().find(|(known, _)| *known == name);
                    count.unwrap_or_else(|| panic!("class `{class}` has no count `{name}`")).1 as u32
                })
            };
            let interval = cycles(&manifest.initiation_interval_cycles, "initiation interval");
            assert!(interval >= 1, "an initiation interval of 0 cycles for `{class}`");
            let latency = if class == "init" { 0 } else { cycles(&manifest.latency_cycles, "latency") };
            let allowed = if class == "init" { 0..=0 } else { 1..=MAX_LATENCY };
            assert!(
                allowed.contains(&latency),
                "`{class}` has a latency of {latency} cycles; allowed: 1 to {MAX_LATENCY}"
            );
            Time { latency, interval }
        };
        let segments = manifest.config.sack.window as usize / 64;
        let up_to = |count: usize| count.min(segments);
        Times {
            init: at("init", &[]),
            sent: at("sent", &[]),
            sack_refused: at("sack_refused", &[]),
            visit: at("visit", &[]),
            next_rtx: std::array::from_fn(|search| at("next_rtx", &[("search_segments", up_to(search))])),
            sack: std::array::from_fn(|cum| {
                std::array::from_fn(|base| {
                    at("sack", &[("cum_segments", up_to(cum)), ("base_segment", up_to(base))])
                })
            }),
            reset: manifest.reset_cycles,
        }
    }

    /// Cycles of an op or visit of this class.
    #[inline(always)]
    pub fn of(&self, class: &Class) -> Time {
        match *class {
            Class::Init => self.init,
            Class::Sent => self.sent,
            Class::Sack { cum_segments, base_segment } => {
                self.sack[cum_segments as usize][base_segment as usize]
            }
            Class::SackRefused => self.sack_refused,
            Class::NextRtx { search_segments } => self.next_rtx[search_segments as usize],
            Class::Visit => self.visit,
        }
    }
}
