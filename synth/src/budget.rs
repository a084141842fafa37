//! What each core may take at most, and how fast it must be at least, under the default configuration.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::report::{CoreFigures, Outcome};

/// Limits of one core, in one of its structures.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Budget {
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

/// Every core that has limits, by its label in reports.
pub static BUDGETS: LazyLock<BTreeMap<String, Budget>> = LazyLock::new(|| {
    toml::from_str(include_str!("../budgets.toml")).expect("budgets.toml holds limits by label")
});

/// Limits of the core that a report labels so.
pub fn of(label: &str) -> Option<&'static Budget> {
    BUDGETS.get(label)
}

impl Budget {
    /// Each limit that `core` breaks, as a sentence.
    pub fn broken_by(&self, core: &CoreFigures) -> Vec<String> {
        let mut broken = Vec::new();
        let mut hold = |what: &str, is: u32, limit: Option<u32>| {
            if let Some(limit) = limit.filter(|&limit| is > limit) {
                broken.push(format!("{}: {is} {what}, at most {limit}", core.label));
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
                broken.push(format!("{}: {is:.1} MHz on ECP5, at least {limit}", core.label));
            }
        }
        broken
    }
}
