//! The figures that are accepted and held: which they are, and what is said of one core on one device.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::routed::Routed;
use crate::xilinx::Xilinx;

/// UltraScale+, of which there is a family for all cards.
pub const XCUP: &str = "xcup";

/// The device that is placed and routed.
pub const ROUTED: &str = "ecp5";

/// A figure of the routed device beside [`FIGURES`], which nothing is held to: the Fmax that the estimate's method gives there, in MHz.
pub const ESTIMATED_MHZ: &str = "estimated_mhz";

/// Figures of one core on one device, by name: those of [`FIGURES`], and [`ESTIMATED_MHZ`].
pub type Figures = BTreeMap<String, f64>;

/// Names of the figures, and whether more is better.
pub const FIGURES: &[(&str, bool)] = &[
    ("lut", false),
    ("ff", false),
    ("bram18", false),
    ("uram", false),
    ("levels", false),
    ("bound_ns", false),
    ("nominal_ns", false),
    ("wide_ns", false),
    ("comb", false),
    ("ebr", false),
    ("fmax_mhz", true),
];

/// By how much of itself a figure may get worse: LUTs are counted, while clocks are placed, routed and estimated.
pub fn tolerance(figure: &str) -> f64 {
    match figure {
        "fmax_mhz" | "bound_ns" | "nominal_ns" | "wide_ns" => 0.10,
        _ => 0.02,
    }
}

/// What was accepted of one core on one device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Accepted {
    /// Hash of the Verilog and of what the tools were told: equal ones give equal figures.
    pub made_from: String,
    /// Day of the measurement, as in 2026-11-22 (UTC).
    pub measured_on: String,
    pub figures: Figures,
    /// The path that the estimate of the clock follows from, where there is one: its two ends, and how many cells are between.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slowest_path: Option<String>,
}

/// The accepted kinds of figures on UltraScale+.
pub fn of_xilinx(x: &Xilinx) -> Figures {
    let counts =
        [("lut", x.luts), ("ff", x.ff), ("bram18", x.bram_halves()), ("uram", x.uram), ("levels", x.levels)];
    let mut figures = named(counts.map(|(name, count)| (name, f64::from(count))));
    if let Some(estimate) = x.fmax_estimate.estimate() {
        let ns = |ns: f64| (ns * 1000.0).round() / 1000.0;
        figures.extend(named([
            ("bound_ns", ns(estimate.bound_ns)),
            ("nominal_ns", ns(estimate.nominal_ns)),
            ("wide_ns", ns(estimate.wide_ns)),
        ]));
    }
    figures
}

/// The accepted kinds of figures on a device that is placed and routed.
pub fn of_routed(routed: &Routed) -> Figures {
    let tenths = |mhz: f64| (mhz * 10.0).round() / 10.0;
    let mut figures = named([
        ("comb", f64::from(routed.logic)),
        ("ff", f64::from(routed.ff)),
        ("ebr", f64::from(routed.memory)),
        ("fmax_mhz", tenths(routed.fmax_mhz.median)),
    ]);
    figures.extend(routed.estimated_mhz.map(|mhz| (ESTIMATED_MHZ.to_string(), tenths(mhz))));
    figures
}

pub(crate) fn named<const N: usize>(figures: [(&str, f64); N]) -> Figures {
    figures.into_iter().map(|(name, figure)| (name.to_string(), figure)).collect()
}
