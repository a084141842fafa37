//! What the engines of a host are asked for, against what they can do.
//!
//! An engine takes its ops one after the other, each for the cycles of its initiation interval. Where more ops come than
//! it can take, they wait: that is counted in any run, and happens in one with `fabric.engine_cycles`.

use std::collections::BTreeMap;

use respray_hdl::cycles::Cycles;
use respray_hdl::manifest::Manifest;
use serde::{Deserialize, Serialize};

use crate::time::Picoseconds;

/// An engine of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    SackTx,
    SackRx,
    Window,
    Selector,
}

/// Engines of a host.
pub const PARTS: usize = 4;

/// How long the engines take for an op, by its class.
#[derive(Clone, Debug)]
pub struct Costs {
    pub sent: Picoseconds,
    /// Of a SACK that is taken, without and with one segment by which EPSN moves, and of one that is refused.
    pub sack: [Picoseconds; 2],
    pub sack_refused: Picoseconds,
    pub next_rtx: Picoseconds,
    pub visit: Picoseconds,
    /// Of a packet, without and with one segment by which EPSN moves.
    pub packet: [Picoseconds; 2],
    pub window: Picoseconds,
    pub selector: Picoseconds,
}

/// Ops of `sack_tx` between two visits of its walker, at least.
const OPS_IN_A_ROW: u64 = 16;

impl Costs {
    /// Of engines with these manifests, at a clock of so many kHz. Where a class counts something else than segments of
    /// EPSN, that is taken as 1.
    pub fn new(
        tx: &Manifest,
        rx: &Manifest,
        window: Option<&Manifest>,
        selector: &Manifest,
        khz: u64,
    ) -> Costs {
        let cycles = |cycles: &Cycles| u64::from(cycles.at(|_| 1));
        let of = |manifest: &Manifest, class: &str| cycles(&manifest.initiation_interval_cycles[class]);
        let longest = |manifest: &Manifest| {
            let classes = manifest.initiation_interval_cycles.iter();
            classes.filter(|(class, _)| *class != "init").map(|(_, of)| cycles(of)).max().unwrap_or(1)
        };
        let time = |cycles: u64| cycles * 1_000_000_000 / khz;
        // a share of the visit that comes after so many ops
        let visit = of(tx, "visit");
        let of_tx = |class: &str| time(of(tx, class)) + time(visit) / OPS_IN_A_ROW;
        let moved = |manifest: &Manifest, class: &str, segments: u32| {
            let is_epsn = |count: &str| matches!(count, "cum_segments" | "advance_segments");
            let count = |count: &str| if is_epsn(count) { segments } else { 0 };
            u64::from(manifest.initiation_interval_cycles[class].at(count))
        };
        let sack = [0, 1].map(|segments| moved(tx, "sack", segments));
        let packet = [0, 1].map(|segments| moved(rx, "new_in_order", segments));
        Costs {
            sent: of_tx("sent"),
            sack: sack.map(|cycles| time(cycles) + time(visit) / OPS_IN_A_ROW),
            sack_refused: of_tx("sack_refused"),
            next_rtx: of_tx("next_rtx"),
            visit: time(visit),
            packet: packet.map(time),
            window: window.map_or(0, |window| time(longest(window))),
            selector: time(longest(selector)),
        }
    }
}

/// What one engine of one host was asked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Load {
    ops: u64,
    busy: Picoseconds,
    free_at: Picoseconds,
    /// The bin that runs, how long the engine is asked for in it, and the most of any bin.
    bin: u64,
    in_bin: Picoseconds,
    most: Picoseconds,
    /// How late an op began, at most, and how many waited then.
    latest: Picoseconds,
    waiting: u64,
}

impl Load {
    /// An op comes that takes so long: says when it is done.
    #[inline]
    pub fn take(&mut self, now: Picoseconds, cost: Picoseconds, bin: Picoseconds) -> Picoseconds {
        let late = self.free_at.saturating_sub(now);
        self.free_at = now + late + cost;
        self.ops += 1;
        self.busy += cost;
        if late > self.latest {
            self.latest = late;
            self.waiting = late.div_ceil(cost.max(1));
        }
        if self.bin != now / bin {
            self.bin = now / bin;
            self.in_bin = 0;
        }
        self.in_bin += cost;
        self.most = self.most.max(self.in_bin);
        self.free_at
    }

    /// When it can take an op.
    pub fn free_at(&self) -> Picoseconds {
        self.free_at
    }
}

/// What the busiest engine of a kind was asked for, over all hosts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Asked {
    /// Ops a second that it was asked for in its busiest bin, in millions, about, and ops a second that it can do then.
    pub peak_mops: f64,
    pub can_mops: f64,
    /// The first over the second: above 1 it is the bottleneck.
    pub peak_share: f64,
    /// How late an op began, at most, in ns, and how many ops waited then.
    pub late_ns: f64,
    pub waiting: u64,
}

/// Of all hosts, by the name of the engine.
pub fn asked(loads: &[[Load; PARTS]], names: [&str; PARTS], bin: Picoseconds) -> BTreeMap<String, Asked> {
    let of = |part: usize| {
        let mut asked = Asked::default();
        for load in loads.iter().map(|loads| &loads[part]).filter(|load| load.ops > 0) {
            let share = load.most as f64 / bin as f64;
            if share > asked.peak_share {
                let cost = load.busy as f64 / load.ops as f64;
                asked.can_mops = 1e6 / cost;
                asked.peak_share = share;
                asked.peak_mops = share * asked.can_mops;
            }
            if load.latest as f64 / 1000.0 > asked.late_ns {
                asked.late_ns = load.latest as f64 / 1000.0;
                asked.waiting = load.waiting;
            }
        }
        asked
    };
    let parts = names.into_iter().enumerate().map(|(part, name)| (name.to_string(), of(part)));
    parts.filter(|(_, asked)| asked.peak_share > 0.0).collect()
}
