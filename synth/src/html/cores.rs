//! Cores on the page: what each takes of each device, as bars.

use serde::Serialize;

use super::anchor;
use super::bars::Bar;
use crate::budget::{self, Budget};
use crate::device::{CARDS, Card, Device, ECP5, ICE40, ICE40_CONNECTIONS};
use crate::figures;
use crate::report::{CoreFigures, Fit, Report, critical_path_sentence};
use crate::routed::Routed;
use crate::xilinx::Xilinx;

/// One core.
#[derive(Debug, Serialize)]
pub(super) struct View {
    pub(super) label: String,
    pub(super) anchor: String,
    /// LUT, FF, block RAM, levels, Fmax in short.
    facts: Vec<(&'static str, String)>,
    devices: Vec<DeviceView>,
    path: Option<String>,
    broken: Vec<String>,
}

/// One core on one device, or on all cards, for which it has one result.
#[derive(Debug, Serialize)]
struct DeviceView {
    title: &'static str,
    targets: Vec<TargetView>,
    /// What differs there from the configuration, e.g. `bus of 64 bits`.
    differs: Option<String>,
    bars: Vec<Bar>,
    /// Why there are no bars.
    unfit: Option<String>,
}

/// One core on one target.
#[derive(Debug, Serialize)]
struct TargetView {
    target: &'static str,
    anchor: String,
    /// Its share of a card, e.g. `0.020% of the LUTs`.
    share: Option<String>,
}

pub(super) fn views(report: &Report) -> Vec<View> {
    report.cores.iter().map(|core| view(report, core)).collect()
}

fn view(report: &Report, core: &CoreFigures) -> View {
    let budget = budget::of(&core.label);
    let is_asked = |card: &&Card| report.targets.iter().any(|name| name == card.name);
    let cards: Vec<&Card> = CARDS.iter().filter(is_asked).collect();
    let bus = core.routed_bus_bits.map(|bits| format!("bus of {bits} bits"));
    let smaller = bus.clone().unwrap_or_else(|| format!("{ICE40_CONNECTIONS} connections"));
    let least = budget.and_then(|budget| budget.ecp5_mhz);
    let devices = [
        core.ultrascale.as_ref().map(|fit| on_cards(core, fit, budget, &cards)),
        core.ecp5.as_ref().map(|fit| on_device(core, fit, &ECP5, bus, ["COMB", "EBR"], least)),
        core.ice40.as_ref().map(|fit| on_device(core, fit, &ICE40, Some(smaller), ["LC", "RAM"], None)),
    ];
    let routed = core.ecp5.as_ref().and_then(Fit::figures);
    View {
        label: core.label.clone(),
        anchor: anchor("core", &core.label),
        facts: facts(core),
        devices: devices.into_iter().flatten().collect(),
        path: routed.map(|routed| critical_path_sentence(&routed.critical)),
        broken: budget.map(|budget| broken(budget, core)).unwrap_or_default(),
    }
}

fn facts(core: &CoreFigures) -> Vec<(&'static str, String)> {
    let mut facts = Vec::new();
    if let Some(x) = core.ultrascale.as_ref().and_then(Fit::figures) {
        facts.push(("LUT, UltraScale+", x.luts.to_string()));
        facts.push(("FF", x.ff.to_string()));
        facts.push(("RAMB36 + RAMB18", format!("{} + {}", x.bram36, x.bram18)));
        if x.uram > 0 {
            facts.push(("URAM", x.uram.to_string()));
        }
        facts.push(("levels", x.levels.to_string()));
    }
    if let Some(routed) = core.ecp5.as_ref().and_then(Fit::figures) {
        facts.push(("MHz, ECP5", format!("{:.0}", routed.fmax_mhz.median)));
    }
    facts
}

/// UltraScale+ is measured once for all cards: one set of bars, against the budget, and each card's share.
fn on_cards(core: &CoreFigures, fit: &Fit<Xilinx>, budget: Option<&Budget>, cards: &[&Card]) -> DeviceView {
    let share = |card: &Card, x: &Xilinx| {
        format!("{:.3}% of the LUTs", 100.0 * f64::from(x.luts) / f64::from(card.lut))
    };
    let target = |card: &&Card| target(core, card.name, fit.figures().map(|x| share(card, x)));
    DeviceView {
        title: "UltraScale+",
        targets: cards.iter().map(target).collect(),
        differs: None,
        bars: fit.figures().map(|x| card_bars(x, budget)).unwrap_or_default(),
        unfit: unfit(fit),
    }
}

/// A bar for each limit that there is; without limits the numbers stand among the facts.
fn card_bars(x: &Xilinx, budget: Option<&Budget>) -> Vec<Bar> {
    let Some(budget) = budget else { return Vec::new() };
    let bar = |what, value: f64, limit: Option<f64>| limit.map(|limit| Bar::at_most(what, value, limit));
    let halves = |halves: u32| f64::from(halves) / 2.0;
    [
        bar("LUT", x.luts.into(), Some(budget.luts.into())),
        bar("FF", x.ff.into(), budget.ff.map(f64::from)),
        bar("BRAM", halves(x.bram_halves()), budget.bram_halves.map(halves)),
        bar("levels", x.levels.into(), budget.levels.map(f64::from)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn on_device(
    core: &CoreFigures,
    fit: &Fit<Routed>,
    device: &Device,
    differs: Option<String>,
    [logic, memory]: [&'static str; 2],
    least_mhz: Option<f64>,
) -> DeviceView {
    let bars = |routed: &Routed| {
        let mhz = (routed.fmax_mhz.median * 10.0).round() / 10.0;
        vec![
            Bar::of_device(logic, routed.logic.into(), device.logic.1),
            Bar::of_device(memory, routed.memory.into(), device.memory.1),
            least_mhz.map_or_else(|| Bar::number("MHz", mhz), |least| Bar::at_least("MHz", mhz, least)),
        ]
    };
    DeviceView {
        title: device.title,
        targets: vec![target(core, device.name, None)],
        differs,
        bars: fit.figures().map(bars).unwrap_or_default(),
        unfit: unfit(fit),
    }
}

fn target(core: &CoreFigures, target: &'static str, share: Option<String>) -> TargetView {
    TargetView { target, anchor: anchor(&core.label, target), share }
}

fn unfit<T>(fit: &Fit<T>) -> Option<String> {
    match fit {
        Fit::DoesNotFit(sentence) => Some(sentence.clone()),
        Fit::Figures(_) => None,
    }
}

/// Each limit that it breaks, as a sentence.
fn broken(budget: &Budget, core: &CoreFigures) -> Vec<String> {
    let xcup = core.ultrascale.as_ref().and_then(Fit::figures).map(figures::of_xilinx);
    let ecp5 = core.ecp5.as_ref().and_then(Fit::figures).map(figures::of_routed);
    budget.broken_by(&core.label, xcup.as_ref(), ecp5.as_ref())
}

/// The claim in one sentence, where `reps` was measured on a card.
pub(super) fn claim(report: &Report) -> Option<String> {
    let claim = report.claim.as_ref()?;
    let held: Vec<&str> =
        claim.cards.iter().filter(|card| card.holds).map(|card| card.card.as_str()).collect();
    Some(format!(
        "The paper puts 8-entry buffers of 256 connections into 4 KB and the logic under 0.04% of its device. Ours: {} LUTs, \
         under 0.04% of {} of {} cards ({}); {} RAMB36 and {} RAMB18.",
        claim.luts,
        held.len(),
        claim.cards.len(),
        held.join(", "),
        claim.bram36,
        claim.bram18
    ))
}
