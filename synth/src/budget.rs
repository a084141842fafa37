//! What each core may take at most, and how fast it must be at least, under the default configuration.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::figures::Figures;
use crate::fmax::Verdict;

/// Clock in MHz at which each core is safe on UltraScale+ by the estimate: that of 100 Gb/s Ethernet at 512 bits.
pub const SAFE_MHZ: f64 = 322.265625;

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
    /// Least median Fmax on ECP5 in MHz, of what is placed and routed.
    pub ecp5_mhz: Option<f64>,
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
    /// Each limit that the core `label` breaks with these figures of UltraScale+ and ECP5, as a sentence.
    pub fn broken_by(&self, label: &str, xcup: Option<&Figures>, ecp5: Option<&Figures>) -> Vec<String> {
        let mut broken = Vec::new();
        let mut hold = |what: &str, figure: &str, limit: Option<u32>| {
            let is = xcup.and_then(|figures| figures.get(figure));
            if let (Some(is), Some(limit)) = (is, limit)
                && *is > f64::from(limit)
            {
                broken.push(format!("{label}: {is} {what}, at most {limit}"));
            }
        };
        hold("LUTs", "lut", Some(self.luts));
        hold("flip-flops", "ff", self.ff);
        hold("RAMB18", "bram18", self.bram_halves);
        hold("levels", "levels", self.levels);
        let period = |name: &str| xcup.and_then(|figures| figures.get(name)).copied();
        if let (Some(bound), Some(wide)) = (period("bound_ns"), period("wide_ns")) {
            let verdict = Verdict::of(bound, wide, SAFE_MHZ);
            if verdict != Verdict::Safe {
                broken.push(format!(
                    "{label}: {verdict} at {SAFE_MHZ} MHz on UltraScale+, {wide} ns with wide wires"
                ));
            }
        }
        if let (Some(is), Some(limit)) = (ecp5.and_then(|figures| figures.get("fmax_mhz")), self.ecp5_mhz)
            && *is < limit
        {
            broken.push(format!("{label}: {is:.1} MHz on ECP5, at least {limit}"));
        }
        broken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_limit_is_broken_by_one_more_and_by_nothing_less() {
        let budget =
            Budget { luts: 100, ff: Some(10), bram_halves: Some(2), levels: Some(5), ecp5_mhz: Some(200.0) };
        let figures = |given: &[(&str, f64)]| -> Figures {
            given.iter().map(|(name, figure)| (name.to_string(), *figure)).collect()
        };
        let fits = [("lut", 100.0), ("ff", 10.0), ("bram18", 2.0), ("levels", 5.0)];
        let slow = figures(&[("fmax_mhz", 199.9)]);
        let with_wires = |wide| figures(&[("bound_ns", 1.5), ("wide_ns", wide)]);
        assert!(budget.broken_by("x", Some(&with_wires(2.90)), None).is_empty());
        assert_eq!(
            budget.broken_by("x", Some(&with_wires(2.91)), None),
            ["x: doubtful at 322.265625 MHz on UltraScale+, 2.91 ns with wide wires"]
        );
        assert!(
            budget.broken_by("x", Some(&figures(&fits)), Some(&figures(&[("fmax_mhz", 200.0)]))).is_empty()
        );
        assert_eq!(budget.broken_by("x", None, Some(&slow)), ["x: 199.9 MHz on ECP5, at least 200"]);
        for (at, what) in [
            "101 LUTs, at most 100",
            "11 flip-flops, at most 10",
            "3 RAMB18, at most 2",
            "6 levels, at most 5",
        ]
        .iter()
        .enumerate()
        {
            let mut given = fits;
            given[at].1 += 1.0;
            assert_eq!(budget.broken_by("x", Some(&figures(&given)), None), [format!("x: {what}")]);
        }
    }
}
