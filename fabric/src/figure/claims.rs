//! What counts as reproduced: bands that the runs of a figure are held against.

use serde::Serialize;

use super::FIGURES;
use crate::metrics::Bin;
use crate::record::{Record, Spread};
use crate::simulation::Outcome;
use crate::time::MICROSECOND;

/// What is right.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Band {
    pub least: Option<f64>,
    pub most: Option<f64>,
}

impl Band {
    pub(super) const fn between(least: f64, most: f64) -> Band {
        Band { least: Some(least), most: Some(most) }
    }

    pub(super) const fn at_least(least: f64) -> Band {
        Band { least: Some(least), most: None }
    }

    pub(super) const fn at_most(most: f64) -> Band {
        Band { least: None, most: Some(most) }
    }

    /// Around a value, by a share of it.
    fn around(value: f64, share: f64) -> Band {
        Band::between(value * (1.0 - share), value * (1.0 + share))
    }

    fn holds(&self, value: f64) -> bool {
        self.least.is_none_or(|least| value >= least) && self.most.is_none_or(|most| value <= most)
    }
}

impl std::fmt::Display for Band {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = |value: f64| if value >= 100.0 { format!("{value:.0}") } else { format!("{value:.2}") };
        match (self.least, self.most) {
            (Some(least), Some(most)) => write!(f, "{} to {}", text(least), text(most)),
            (Some(least), None) => write!(f, "{} or more", text(least)),
            (None, Some(most)) => write!(f, "{} or less", text(most)),
            (None, None) => write!(f, "anything"),
        }
    }
}

/// One thing that counts as reproduced, or not.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Claim {
    pub case: String,
    pub text: String,
    pub value: f64,
    pub band: Band,
    pub is_met: bool,
}

impl Claim {
    pub(super) fn new(case: &str, text: &str, value: f64, band: Band) -> Claim {
        Claim { case: case.into(), text: text.into(), value, band, is_met: band.holds(value) }
    }
}

/// The runs of a figure.
#[derive(Debug, Default)]
pub struct Results {
    pub runs: Vec<(Record, Outcome)>,
}

pub(super) fn max_fct(record: &Record) -> f64 {
    record.times.max_fct_us
}

pub(super) fn mean_fct(record: &Record) -> f64 {
    record.times.mean_fct_us
}

pub(super) fn goodput(record: &Record) -> f64 {
    record.times.mean_goodput_gbps
}

pub(super) fn lost(record: &Record) -> f64 {
    record.lost() as f64
}

/// Bins over which the rate of a port is held against its mean: 001 Figure 1 without the begin and the end of the flows.
const STEADY_US: std::ops::Range<u64> = 40..320;

/// A port of REPS differs by less than the first from bin to bin, one of OPS by more than the second, in Gb/s.
const STEADY_GBPS: (f64, f64) = (10.0, 15.0);

/// Of R: the mean of the longest flow is within this share.
const WITHIN: f64 = 0.10;
/// The same with few EVs and ten seeds.
const WITHIN_FEW: f64 = 0.15;
/// Losses are within this factor where R loses at least so many packets, and else no more than R's most and so many besides.
const LOST_WITHIN: f64 = 1.5;
const FEW_LOST: f64 = 100.0;
const BESIDES: f64 = 20.0;

impl Results {
    /// Runs of a selector in a case.
    pub fn with(&self, case: &str, selector: &str) -> Vec<&Record> {
        let of = |record: &&Record| record.name == case && record.selector == selector;
        self.runs.iter().map(|(record, _)| record).filter(of).collect()
    }

    /// A figure of them with its spread.
    pub fn spread(&self, case: &str, selector: &str, figure: fn(&Record) -> f64) -> Option<Spread> {
        Spread::of(self.with(case, selector).into_iter().map(figure))
    }

    /// Its mean; not a number where there was no run.
    pub(super) fn value(&self, case: &str, selector: &str, figure: fn(&Record) -> f64) -> f64 {
        self.spread(case, selector, figure).map_or(f64::NAN, |spread| spread.mean)
    }

    pub(super) fn mean(
        &self,
        case: &str,
        selector: &str,
        text: &str,
        figure: fn(&Record) -> f64,
        band: Band,
    ) -> Claim {
        Claim::new(case, text, self.value(case, selector, figure), band)
    }

    /// OPS against REPS.
    pub(super) fn ratio(&self, case: &str, text: &str, figure: fn(&Record) -> f64, band: Band) -> Claim {
        let value = self.value(case, "ops", figure) / self.value(case, "reps:uet", figure);
        Claim::new(case, text, value, band)
    }

    /// The runs of a case against those of R.
    pub(super) fn against_reference(&self, name: &str) -> Vec<Claim> {
        let case = FIGURES.iter().flat_map(|figure| figure.cases).find(|case| case.name == name);
        let case = case.expect("a claim names a case");
        let mut claims = Vec::new();
        for reference in case.reference {
            let selector = reference.selector;
            let for_good = case.fail.iter().any(|fail| fail.contains("down@") && !fail.contains(".."));
            let within = if case.set.contains(&"selector.ev_bits=5") { WITHIN_FEW } else { WITHIN };
            let (text, figure, band): (&str, fn(&Record) -> f64, Band) = match reference.max_fct_us {
                _ if for_good => ("mean flow", mean_fct, Band::around(reference.mean_fct_us, within)),
                Some([_, least, greatest]) if selector == "ecmp" => (
                    "longest flow",
                    max_fct,
                    Band::between(least * (1.0 - WITHIN), greatest * (1.0 + WITHIN)),
                ),
                Some([mean, ..]) => ("longest flow", max_fct, Band::around(mean, within)),
                None => continue,
            };
            let text = format!("{text} with {selector} in us, near the paper's simulator");
            claims.push(self.mean(name, selector, &text, figure, band));
            if selector == "ecmp" {
                continue;
            }
            let [mean, most] = reference.lost;
            let band = match mean {
                mean if mean >= FEW_LOST => Band::between(mean / LOST_WITHIN, mean * LOST_WITHIN),
                _ => Band::at_most(most + BESIDES),
            };
            let text = format!("packets lost with {selector}, near the paper's simulator");
            claims.push(self.mean(name, selector, &text, lost, band));
        }
        claims
    }

    /// How much the rate of ports differs from bin to bin.
    pub(super) fn steadiness(&self, case: &str) -> Vec<Claim> {
        let (reps, ops) = STEADY_GBPS;
        // of each port the mean of the seeds
        let of = |selector: &str| {
            let runs =
                self.runs.iter().filter(|(record, _)| record.name == case && record.selector == selector);
            let all: Vec<Vec<f64>> = runs
                .filter_map(|(_, outcome)| outcome.series.as_ref())
                .map(|series| {
                    let bin = |at: u64| (at * MICROSECOND / series.bin()) as usize;
                    let deviation = |bins: &[Bin]| {
                        let rates = bins.iter().take(bin(STEADY_US.end)).skip(bin(STEADY_US.start));
                        standard_deviation(&rates.map(|bin| series.offered_gbps(bin)).collect::<Vec<_>>())
                    };
                    series.ports().map(|(_, bins)| deviation(bins)).collect()
                })
                .collect();
            let ports = all.first().map_or(0, Vec::len);
            let mean = |port: usize| all.iter().map(|run| run[port]).sum::<f64>() / all.len() as f64;
            (0..ports).map(mean).collect::<Vec<_>>()
        };
        let (of_reps, of_ops) = (of("reps:uet"), of("ops"));
        vec![
            Claim::new(
                case,
                "Gb/s by which the least steady port of REPS differs from bin to bin (standard deviation)",
                of_reps.into_iter().reduce(f64::max).unwrap_or(f64::NAN),
                Band::at_most(reps),
            ),
            Claim::new(
                case,
                "Gb/s by which the steadiest port of OPS does",
                of_ops.into_iter().reduce(f64::min).unwrap_or(f64::NAN),
                Band::at_least(ops),
            ),
        ]
    }
}

fn standard_deviation(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
    (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / values.len().max(1) as f64).sqrt()
}
