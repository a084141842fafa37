//! An estimate of the clock that a core runs at where nothing open places and routes: static timing of the netlist that Yosys makes,
//! with published delays.
//!
//! [`graph`] is timing without a device, [`ultrascale`] and [`ecp5`] turn a netlist of their device into a graph, each with its table
//! in `synth/delays/`. UltraScale+ is what the estimate is for. ECP5 shows what it is worth, as nextpnr places and routes there.

mod circuit;
mod ecp5;
mod graph;
pub mod place;
mod ultrascale;
mod ways;

pub use ecp5::Ecp5;
pub use graph::Step;
pub use ultrascale::UltraScale;

use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use circuit::Part;
use graph::{Graph, Link, Node, Worst};
use place::Placed;

/// What the estimate is and is not: stands wherever one is shown.
pub const CAVEAT: &str = "An estimate, \u{b1}20%, of Yosys's netlist with published delays: no placement, no congestion, no crossing \
    between the dies of a card. Only a run of Vivado knows.";

/// The same of an estimate whose wires are by a placement.
pub const PLACED_CAVEAT: &str = "An estimate, \u{b1}20%, of Yosys's netlist with published delays, placed by nextpnr on a grid like the \
    device's: no routing, no congestion, no crossing between the dies of a card. Only a run of Vivado knows.";

/// What a shell around a core takes of the clock's period, in ns.
pub const SHELL_NS: f64 = 0.2;

/// The least period of a core's clock, by three kinds of wires.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// With wires that take no time.
    pub bound_ns: f64,
    /// With wires as in designs that were placed.
    pub nominal_ns: f64,
    /// With wires as in a device that is full.
    pub wide_ns: f64,
    /// For the clock of the configuration.
    pub verdict: Verdict,
    /// The slowest path with nominal wires, from register to register.
    pub path: Vec<Step>,
    /// The slowest path with wide wires, which decides between safe and doubtful.
    pub wide_path: Vec<Step>,
    /// With wires by the distances of a placement, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placed: Option<Placed>,
}

/// An estimate, or why there is none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum FmaxEstimate {
    Estimate(Estimate),
    None {
        /// A sentence.
        no_estimate: String,
    },
}

/// Whether a core meets a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// With wide wires there is [`SHELL_NS`] left of the period.
    Safe,
    Doubtful,
    /// Without any wires it takes longer than the period.
    OutOfReach,
}

/// Why there is no estimate of a netlist. Its text is a clause that goes behind the core's name.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum NoEstimate {
    #[error(
        "there is no estimate of Fmax: the table of delays does not know {kind}{mode}, the cell `{name}`"
    )]
    Cell { kind: String, mode: String, name: String },
    #[error("there is no estimate of Fmax: logic forms a loop through {kind}, the cell of `{name}`")]
    Loop { kind: String, name: String },
    #[error("there is no estimate of Fmax: it is for one clock, and there are two, `{first}` and `{second}`")]
    Clocks { first: String, second: String },
    #[error("there is no estimate of Fmax: there is no path from a register or port to another")]
    NoPath,
}

impl NoEstimate {
    /// Of logic in a loop through this node.
    fn of_loop(node: &Node) -> NoEstimate {
        NoEstimate::Loop { kind: node.cell.clone(), name: node.name.clone() }
    }

    /// Of a cell that the table does not know; `mode` goes behind its type.
    fn cell(part: &Part, mode: &str) -> NoEstimate {
        NoEstimate::Cell { kind: part.kind.into(), mode: mode.into(), name: part.name.into() }
    }
}

impl Verdict {
    /// What `bound_ns` and `wide_ns` say of a clock of so many MHz.
    pub fn of(bound_ns: f64, wide_ns: f64, clock_mhz: f64) -> Verdict {
        let period_ns = 1000.0 / clock_mhz;
        match () {
            () if bound_ns > period_ns => Verdict::OutOfReach,
            () if wide_ns < period_ns - SHELL_NS => Verdict::Safe,
            () => Verdict::Doubtful,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Verdict::Safe => "safe",
            Verdict::Doubtful => "doubtful",
            Verdict::OutOfReach => "out of reach",
        })
    }
}

/// What a verdict is by.
#[derive(Clone, Copy, Debug)]
pub struct Decisive<'a> {
    pub nominal_ns: f64,
    pub wide_ns: f64,
    /// The slowest path with nominal wires.
    pub path: &'a [Step],
    /// The same with wide wires.
    pub wide_path: &'a [Step],
    /// In a few words, what its wires are by.
    pub by: &'static str,
}

impl Estimate {
    /// The placement where there is one, else wires by fan-out.
    pub fn decisive(&self) -> Decisive<'_> {
        match &self.placed {
            Some(Placed { nominal_ns, wide_ns, path, wide_path, .. }) => {
                Decisive { nominal_ns: *nominal_ns, wide_ns: *wide_ns, path, wide_path, by: "placement" }
            }
            None => Decisive {
                nominal_ns: self.nominal_ns,
                wide_ns: self.wide_ns,
                path: &self.path,
                wide_path: &self.wide_path,
                by: "fan-out",
            },
        }
    }

    /// The estimate with a placement, by which the verdict for a clock of so many MHz is then.
    pub fn with_placed(self, placed: Placed, clock_mhz: f64) -> Estimate {
        let estimate = Estimate { placed: Some(placed), ..self };
        Estimate { verdict: estimate.verdict_at(clock_mhz), ..estimate }
    }

    /// What it is and is not.
    pub fn caveat(&self) -> &'static str {
        if self.placed.is_some() { PLACED_CAVEAT } else { CAVEAT }
    }

    /// For another clock than that of the configuration, in MHz.
    pub fn verdict_at(&self, clock_mhz: f64) -> Verdict {
        Verdict::of(self.bound_ns, self.decisive().wide_ns, clock_mhz)
    }

    /// The slowest path with nominal wires, in words.
    pub fn path_in_words(&self) -> String {
        in_words(self.decisive().path)
    }

    /// The slowest path with wide wires, in words.
    pub fn wide_path_in_words(&self) -> String {
        in_words(self.decisive().wide_path)
    }

    /// The path with wires by fan-out, by its two ends, with how many cells are between.
    pub fn ends(&self) -> String {
        ends(&self.path)
    }
}

impl FmaxEstimate {
    /// The estimate, if there is one.
    pub fn estimate(&self) -> Option<&Estimate> {
        match self {
            FmaxEstimate::Estimate(estimate) => Some(estimate),
            FmaxEstimate::None { .. } => None,
        }
    }
}

impl Step {
    /// Its cell, with its name if it has one.
    fn label(&self) -> String {
        match self.name.as_str() {
            "" => self.cell.clone(),
            name => format!("{} `{name}`", self.cell),
        }
    }
}

/// A path by its two ends, with how many cells are between.
pub fn ends(path: &[Step]) -> String {
    let between = match path.len().saturating_sub(2) {
        1 => "1 cell".to_string(),
        cells => format!("{cells} cells"),
    };
    let end = |step: Option<&Step>| step.map_or_else(String::new, |step| step.label());
    format!("{} \u{2192} {between} \u{2192} {}", end(path.first()), end(path.last()))
}

/// Cells with what they take in ns, and before each of them the wire that leads to it.
fn in_words(path: &[Step]) -> String {
    let step = |step: &Step| {
        let wire = match step.fan_out {
            0 => String::new(),
            pins => format!("wire to {pins} {:.2}, ", step.wire_ns),
        };
        format!("{wire}{} {:.2}", step.label(), step.delay_ns)
    };
    path.iter().map(step).collect::<Vec<_>>().join(" \u{2192} ")
}

/// The slowest path of `graph` with each of `wires`, which say what a wire takes in ps.
fn slowest<const N: usize>(
    graph: &Graph,
    wires: [&dyn Fn(&Link) -> f64; N],
) -> Result<[Worst; N], NoEstimate> {
    let worst = graph.worst(wires).map_err(NoEstimate::of_loop)?;
    if worst.iter().any(Option::is_none) {
        return Err(NoEstimate::NoPath);
    }
    Ok(worst.map(|worst| worst.expect("there is one of each")))
}
