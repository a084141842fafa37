//! What each core may take at most, and how fast it must be at least, under the default configuration.

use crate::report::{CoreFigures, Outcome};

/// Limits of one core.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// The core, in which of its structures.
    pub label: &'static str,
    /// LUTs all told on UltraScale+.
    pub luts: u32,
    pub ff: Option<u32>,
    /// Block RAM on UltraScale+ in halves (RAMB18).
    pub bram_halves: Option<u32>,
    /// Levels on UltraScale+.
    pub levels: Option<u32>,
    /// Least median Fmax on ECP5 in MHz.
    pub ecp5_mhz: f64,
}

/// Every core that has limits.
pub const BUDGETS: &[Budget] = &[
    Budget { label: "reps", luts: 260, ff: None, bram_halves: Some(4), levels: None, ecp5_mhz: 220.0 },
    Budget {
        label: "sack_rx small",
        luts: 380,
        ff: None,
        bram_halves: Some(7),
        levels: None,
        ecp5_mhz: 150.0,
    },
    Budget { label: "sack_rx fast", luts: 1000, ff: None, bram_halves: None, levels: None, ecp5_mhz: 140.0 },
    Budget { label: "sack_tx", luts: 900, ff: None, bram_halves: None, levels: None, ecp5_mhz: 130.0 },
    Budget {
        label: "rewrite_tx",
        luts: 900,
        ff: Some(2500),
        bram_halves: None,
        levels: Some(6),
        // 10 Gb/s at the 64 bits that the ECP5 is measured at.
        ecp5_mhz: 156.25,
    },
];

/// Limits of the core that a report labels so.
pub fn of(label: &str) -> Option<&'static Budget> {
    BUDGETS.iter().find(|budget| budget.label == label)
}

impl Budget {
    /// Each limit that `core` breaks, as a sentence.
    pub fn broken_by(&self, core: &CoreFigures) -> Vec<String> {
        let mut broken = Vec::new();
        let mut hold = |what: &str, is: u32, limit: Option<u32>| {
            if let Some(limit) = limit.filter(|&limit| is > limit) {
                broken.push(format!("{}: {is} {what}, at most {limit}", self.label));
            }
        };
        if let Some(x) = core.ultrascale.as_ref().and_then(Outcome::figures) {
            hold("LUTs", x.luts, Some(self.luts));
            hold("flip-flops", x.ff, self.ff);
            hold("RAMB18", x.bram_halves(), self.bram_halves);
            hold("levels", x.levels, self.levels);
        }
        if let Some(r) = core.ecp5.as_ref().and_then(Outcome::figures) {
            let (is, limit) = (r.fmax_mhz.median, self.ecp5_mhz);
            if is < limit {
                broken.push(format!("{}: {is:.1} MHz on ECP5, at least {limit}", self.label));
            }
        }
        broken
    }
}
