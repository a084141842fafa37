//! The figures of all cores on all targets, and how they are shown.

mod charts;
mod claim;
mod growth;
mod measure;
mod origin;
mod sweep;
mod table;
mod tables;
mod throughput;
mod timing;

pub use claim::{CLAIM_CONNECTIONS, CLAIM_DEPTH, CLAIM_MEMORY_BYTES, CLAIM_SHARE, Claim};
pub use growth::why;
pub use measure::{Generate, Instance, generate, instances, made_from, measure, on_ecp5};
pub use origin::{Origin, Setting};
pub use sweep::{Sweep, SweepPoint, parse as parse_sweep};
pub use table::Table;
pub use tables::{critical_path_sentence, tables, throughput_table};
pub use throughput::{LONG_BYTES, Throughput};
pub use timing::{Timing, timing};

use std::collections::BTreeMap;

use respray_hdl::config::Config;
use respray_hdl::cycles::Cycles;
use respray_hdl::manifest::Memory;
use serde::Serialize;

use crate::device::Target;
use crate::figures::Accepted;
use crate::fmax::{CAVEAT, Estimate};
use crate::routed::Routed;
use crate::xilinx::Xilinx;

/// What is to be measured.
#[derive(Clone, Debug)]
pub struct Request {
    pub instances: Vec<Instance>,
    pub targets: Vec<Target>,
    /// Place each core on UltraScale+, for the estimate of its clock by distance.
    pub place: bool,
    /// `--sweep KEY=a,b,c`, each a key and its values.
    pub sweeps: Vec<(String, Vec<String>)>,
    /// What the sweeps are measured on: a card stands for UltraScale+, which takes seconds a point, ECP5 takes minutes.
    pub sweep_targets: Vec<Target>,
}

/// All figures of one run.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Tools that made the figures, with version and origin.
    pub tools: Vec<String>,
    pub targets: Vec<String>,
    pub cores: Vec<CoreFigures>,
    /// What was not measured, by the figures that were accepted of it earlier.
    pub accepted: Vec<Earlier>,
    /// The paper's claim against `reps`, where that core was measured on a card.
    pub claim: Option<Claim>,
    pub sweeps: Vec<Sweep>,
    /// Packets a second of every core.
    pub throughput: Vec<Throughput>,
    /// The cores against a clock, where one was asked for.
    pub timing: Vec<Timing>,
}

/// What was accepted earlier of one core on one device.
#[derive(Clone, Debug, Serialize)]
pub struct Earlier {
    pub label: String,
    /// `xcup` or `ecp5`.
    pub device: String,
    #[serde(flatten)]
    pub accepted: Accepted,
}

/// One core on every target.
#[derive(Clone, Debug, Serialize)]
pub struct CoreFigures {
    /// The core, and where it comes in two structures which of them, e.g. `sack_rx fast`.
    pub label: String,
    pub core: String,
    pub config: Config,
    pub memories: Vec<Memory>,
    /// Cycles between two ops or beats that the core takes, per class, as its manifest has them.
    pub interval_cycles: BTreeMap<String, Cycles>,
    pub ultrascale: Option<Fit<Xilinx>>,
    /// Width in bits of the packet bus at which ECP5 and iCE40 are measured; none: the core has no packet bus.
    pub routed_bus_bits: Option<u32>,
    pub ecp5: Option<Fit<Routed>>,
    /// At 16 connections.
    pub ice40: Option<Fit<Routed>>,
}

/// A figure, or why there is none.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fit<T> {
    Figures(T),
    /// The sentence that says by how much.
    DoesNotFit(String),
}

impl<T> Fit<T> {
    /// The figure, if there is one.
    pub fn figures(&self) -> Option<&T> {
        match self {
            Fit::Figures(figures) => Some(figures),
            Fit::DoesNotFit(_) => None,
        }
    }
}

impl CoreFigures {
    /// Whether it takes packets on a bus.
    pub fn has_bus(&self) -> bool {
        self.routed_bus_bits.is_some()
    }

    /// Its label on a device that is placed and routed, with the bus where it has one: `rewrite_tx, 64 bits`.
    pub fn routed_label(&self) -> String {
        match self.routed_bus_bits {
            Some(bits) => format!("{}, {bits} bits", self.label),
            None => self.label.clone(),
        }
    }
}

impl Report {
    /// This report, with what follows from the figures of its cores.
    fn with_throughput(mut self) -> Report {
        self.throughput = throughput::throughput(&self);
        self
    }

    /// What its estimates are and are not.
    pub fn caveat(&self) -> &'static str {
        let figures = self.cores.iter().filter_map(|core| core.ultrascale.as_ref()?.figures());
        let mut estimates = figures.filter_map(|x| x.fmax_estimate.estimate());
        estimates.find(|estimate| estimate.placed.is_some()).map_or(CAVEAT, Estimate::caveat)
    }

    /// The first design that does not fit a target, as a sentence.
    pub fn unfit(&self) -> Option<&str> {
        self.cores.iter().find_map(|core| match (&core.ultrascale, &core.ecp5, &core.ice40) {
            (Some(Fit::DoesNotFit(sentence)), _, _)
            | (_, Some(Fit::DoesNotFit(sentence)), _)
            | (_, _, Some(Fit::DoesNotFit(sentence))) => Some(sentence.as_str()),
            _ => None,
        })
    }
}
