//! What one wants to know first: right? how large? how fast? on which card?

use respray_hdl::config::Config;
use respray_hdl::nic;

use super::runs::grouped;
use super::{Page, cores};
use crate::baseline::Compared;
use crate::budget;
use crate::figures::{Accepted, XCUP};
use crate::fmax::Verdict;
use crate::report::{CoreFigures, Earlier, Fit, LONG_BYTES, Throughput};
use crate::sheet::Tile;

impl Page<'_> {
    pub(super) fn tiles(&self) -> Vec<Tile> {
        [
            Some(self.right()),
            self.large(),
            self.fast(),
            self.card(),
            self.block(),
            self.changed(),
            self.gate(),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    fn right(&self) -> Tile {
        let name = "RTL against golden model, every port in every cycle".to_string();
        if self.runs.is_empty() {
            return Tile {
                value: "not run".into(),
                name,
                detail: "no lockstep run stands on this page".into(),
                is_good: None,
            };
        }
        let differing = self.runs.iter().filter(|run| !run.passes || run.mismatches > 0).count();
        let mismatches: u64 = self.runs.iter().map(|run| run.mismatches).sum();
        let cycles: u64 = self.runs.iter().map(|run| run.cycles).sum();
        Tile {
            value: if differing == 0 {
                "equal".into()
            } else {
                format!("{differing} of {} runs differ", self.runs.len())
            },
            name,
            detail: format!(
                "{}, {} cycles, {mismatches} mismatches",
                counted(self.runs.len(), "run"),
                grouped(cycles)
            ),
            is_good: Some(differing == 0),
        }
    }

    fn large(&self) -> Option<Tile> {
        let luts = |core: &CoreFigures| {
            Some((core.ultrascale.as_ref().and_then(Fit::figures)?.luts, core.label.clone()))
        };
        let logic =
            |core: &CoreFigures| Some((core.ecp5.as_ref().and_then(Fit::figures)?.logic, core.label.clone()));
        let of = |size: &dyn Fn(&CoreFigures) -> Option<(u32, String)>| {
            let mut sizes: Vec<(u32, String)> = self.report.cores.iter().filter_map(size).collect();
            sizes.sort();
            sizes
        };
        let (sizes, unit) = match of(&luts) {
            sizes if sizes.is_empty() => (of(&logic), "logic cells of ECP5"),
            sizes => (sizes, "LUTs on UltraScale+"),
        };
        let ((least, _), (most, largest)) = (sizes.first()?.clone(), sizes.last()?.clone());
        let broken = cores::broken_budgets(self.report).len();
        let limited = self.report.cores.iter().filter(|core| budget::of(&core.label).is_some()).count();
        let cores = counted(sizes.len(), "core");
        Some(Tile {
            value: if least == most {
                grouped(most.into())
            } else {
                format!("{} to {}", grouped(least.into()), grouped(most.into()))
            },
            name: format!("{unit} a core"),
            detail: match broken {
                0 if limited == 0 => format!("{cores}, the largest is {largest}"),
                0 => format!("{cores}, the largest is {largest}; each is within its budget"),
                1 => "1 limit of a budget is broken".into(),
                _ => format!("{broken} limits of budgets are broken"),
            },
            is_good: (broken > 0).then_some(false),
        })
    }

    fn fast(&self) -> Option<Tile> {
        let long = || self.report.throughput.iter().filter(|row| row.packet_bytes == LONG_BYTES);
        // the first device stands for all: UltraScale+, where it was asked for
        let device = &long().next()?.device;
        let slowest = long()
            .filter(|row| row.device == *device)
            .min_by(|a, b| a.gbits_per_second.total_cmp(&b.gbits_per_second))?;
        let Throughput { label, clock_mhz, measured, gbits_per_second, .. } = slowest;
        let (clock, is_good) = match measured {
            true => ("measured".to_string(), None),
            false => self.clock(),
        };
        Some(Tile {
            value: format!("≥ {gbits_per_second:.0} Gb/s"),
            name: format!("each core on {device}, packets of {LONG_BYTES} bytes"),
            detail: format!("the slowest is {label}, at {clock_mhz:.1} MHz, {clock}"),
            is_good,
        })
    }

    /// What is said of the clock of the configuration on UltraScale+, and whether it is out of reach.
    fn clock(&self) -> (String, Option<bool>) {
        let figures = self.report.cores.iter().filter_map(|core| core.ultrascale.as_ref()?.figures());
        let verdicts = figures.filter_map(|x| Some(x.fmax_estimate.estimate()?.verdict));
        let verdicts: Vec<Verdict> = verdicts.collect();
        let count = |verdict: Verdict| verdicts.iter().filter(|of| **of == verdict).count();
        let kinds = [Verdict::Safe, Verdict::Doubtful, Verdict::OutOfReach].map(|kind| (count(kind), kind));
        let said: Vec<String> = kinds
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, kind)| format!("{kind} for {count}"))
            .collect();
        let says = "the clock of the configuration".to_string();
        match said.is_empty() {
            true => (says, None),
            false => (
                format!("{says}, by estimate {}", said.join(", ")),
                (count(Verdict::OutOfReach) > 0).then_some(false),
            ),
        }
    }

    fn card(&self) -> Option<Tile> {
        let unfit = cores::unfit_targets(self.report);
        let targets = &self.report.targets;
        let fullest = super::targets::fullest(self.report);
        (!targets.is_empty() && !self.report.cores.is_empty()).then(|| Tile {
            value: match targets.as_slice() {
                [one] => one.clone(),
                many => format!("{} targets", many.len()),
            },
            name: match unfit.len() {
                0 => "each core fits".into(),
                _ => format!("a core does not fit {}", unfit.join(", ")),
            },
            detail: fullest
                .map(|(core, target, percent)| format!("at most {percent}% of the logic: {core} on {target}"))
                .unwrap_or_default(),
            is_good: Some(unfit.is_empty()),
        })
    }

    /// The joined block, where its accepted figures stand for it.
    fn block(&self) -> Option<Tile> {
        let is_block = |of: &&Earlier| of.label == nic::top::NAME && of.device == XCUP;
        let Accepted { figures, measured_on, .. } = &self.report.accepted.iter().find(is_block)?.accepted;
        let figure = |name: &str| figures.get(name).copied();
        let count = |name: &str| figure(name).map(|count| grouped(count as u64));
        // what is accepted is of the default configuration
        let clock_mhz = Config::default().clock_mhz;
        let says = match (figure("bound_ns"), figure("wide_ns")) {
            (Some(bound), Some(wide)) => {
                format!("; {clock_mhz} MHz is {} by estimate", Verdict::of(bound, wide, clock_mhz))
            }
            _ => String::new(),
        };
        let (flip_flops, block_rams) = (count("ff")?, count("bram18")?);
        Some(Tile {
            value: format!("{} LUTs", count("lut")?),
            name: format!("the whole block {}, as accepted on {measured_on}", nic::top::NAME),
            detail: format!("{flip_flops} flip-flops, {block_rams} block RAMs of 18 Kbit{says}"),
            is_good: None,
        })
    }

    fn changed(&self) -> Option<Tile> {
        let Compared::Differences(differences) = self.compared else { return None };
        let changed = differences.iter().filter(|difference| difference.accepted != difference.now).count();
        let detail = format!("of {} that were compared", differences.len());
        Some(Tile {
            value: changed.to_string(),
            name: "figures changed since they were accepted".into(),
            detail,
            is_good: None,
        })
    }

    fn gate(&self) -> Option<Tile> {
        let Compared::Differences(differences) = self.compared else { return None };
        let failing = differences.iter().filter(|difference| difference.fails).count();
        self.gate.then(|| Tile {
            value: if failing == 0 { "passes".into() } else { format!("{failing} fail") },
            name: "gate on accepted figures".into(),
            detail: String::new(),
            is_good: Some(failing == 0),
        })
    }
}

/// `1 run`, `2 runs`.
fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
