//! Targets on the page: what each holds, and which core fills it most.

use serde::Serialize;

use super::anchor;
use crate::device::{CARDS, Card, Device, ECP5, ICE40};
use crate::report::{CoreFigures, Fit, Report};
use crate::routed::Routed;

/// One target.
#[derive(Debug, Serialize)]
pub(super) struct View {
    pub(super) target: &'static str,
    pub(super) anchor: String,
    device: &'static str,
    luts: u32,
    flip_flops: u32,
    block_rams: u32,
    /// How its figures are made.
    figures: &'static str,
    /// The core with the largest share of its logic.
    fullest: Option<Extreme>,
    /// The core with the lowest median Fmax, where there is one.
    slowest: Option<Extreme>,
}

/// A core that is at one end.
#[derive(Debug, Serialize)]
struct Extreme {
    core: String,
    /// In % of the logic, or in MHz.
    value: f64,
}

pub(super) fn views(report: &Report) -> Vec<View> {
    let cards = CARDS.iter().map(|card| of_card(card, &report.cores));
    let ecp5 = of_device(&ECP5, &report.cores, |core| core.ecp5.as_ref());
    let ice40 = of_device(&ICE40, &report.cores, |core| core.ice40.as_ref());
    cards.chain([ecp5, ice40]).filter(|view| report.targets.iter().any(|name| name == view.target)).collect()
}

/// The core that takes the largest share of a target's logic, that target, and the share in %.
pub(super) fn fullest(report: &Report) -> Option<(String, &'static str, f64)> {
    let extremes = views(report).into_iter().filter_map(|view| {
        let Extreme { core, value } = view.fullest?;
        Some((core, view.target, value))
    });
    extremes.max_by(|a, b| a.2.total_cmp(&b.2))
}

fn of_card(card: &Card, cores: &[CoreFigures]) -> View {
    let share = |core: &CoreFigures| {
        let luts = core.ultrascale.as_ref().and_then(Fit::figures)?.luts;
        Some(Extreme { core: core.label.clone(), value: percent(luts, card.lut) })
    };
    View {
        target: card.name,
        anchor: anchor("target", card.name),
        device: card.part,
        luts: card.lut,
        flip_flops: card.ff,
        block_rams: card.bram36,
        figures: "mapped by Yosys",
        fullest: cores.iter().filter_map(share).max_by(|a, b| a.value.total_cmp(&b.value)),
        slowest: None,
    }
}

fn of_device(device: &Device, cores: &[CoreFigures], fit: fn(&CoreFigures) -> Option<&Fit<Routed>>) -> View {
    let extreme = |value: fn(&Device, &Routed) -> f64| {
        let of = move |core: &CoreFigures| {
            let routed = fit(core)?.figures()?;
            Some(Extreme { core: core.label.clone(), value: value(device, routed) })
        };
        cores.iter().filter_map(of).collect::<Vec<_>>()
    };
    let shares = extreme(|device, routed| percent(routed.logic, device.logic.1));
    let clocks = extreme(|_, routed| (10.0 * routed.fmax_mhz.median).round() / 10.0);
    View {
        target: device.name,
        anchor: anchor("target", device.name),
        device: device.title,
        luts: device.logic.1,
        flip_flops: device.flip_flops,
        block_rams: device.memory.1,
        figures: "placed and routed by nextpnr",
        fullest: shares.into_iter().max_by(|a, b| a.value.total_cmp(&b.value)),
        slowest: clocks.into_iter().min_by(|a, b| a.value.total_cmp(&b.value)),
    }
}

fn percent(part: u32, whole: u32) -> f64 {
    (100_000.0 * f64::from(part) / f64::from(whole)).round() / 1000.0
}
