//! What the estimate of a clock is worth: the same method on ECP5, against the Fmax of nextpnr, which places and routes there.

use crate::baseline::Baseline;
use crate::figures::{ESTIMATED_MHZ, ROUTED};

/// The accepted figures of ECP5 against their estimates.
#[derive(Clone, Debug, PartialEq)]
pub struct Trust {
    pub cores: Vec<Core>,
    /// Of the ratios: the exponential of the mean of their logarithms, the standard deviation of these, the least and the greatest.
    pub mean: f64,
    pub spread: f64,
    pub least: f64,
    pub most: f64,
}

/// One core in one of its structures.
#[derive(Clone, Debug, PartialEq)]
pub struct Core {
    pub label: String,
    /// The median Fmax that nextpnr comes to, in MHz.
    pub routed_mhz: f64,
    pub estimated_mhz: f64,
}

impl Core {
    /// The estimated period by the routed one.
    pub fn ratio(&self) -> f64 {
        self.routed_mhz / self.estimated_mhz
    }
}

impl Trust {
    /// Of every core with both figures; none where there is no such core.
    pub fn of(accepted: &Baseline) -> Option<Trust> {
        let core = |label: &String| {
            let figures = &accepted.cores.get(label)?.get(ROUTED)?.figures;
            let (routed_mhz, estimated_mhz) = (*figures.get("fmax_mhz")?, *figures.get(ESTIMATED_MHZ)?);
            Some(Core { label: label.clone(), routed_mhz, estimated_mhz })
        };
        let cores: Vec<Core> = accepted.cores.keys().filter_map(core).collect();
        let count = cores.len() as f64;
        let ratios = || cores.iter().map(Core::ratio);
        let (least, most) = (ratios().reduce(f64::min)?, ratios().reduce(f64::max)?);
        let mean = ratios().map(f64::ln).sum::<f64>() / count;
        let variance = ratios().map(|ratio| (ratio.ln() - mean).powi(2)).sum::<f64>() / count;
        Some(Trust { mean: mean.exp(), spread: variance.sqrt(), least, most, cores })
    }
}
