//! Cores on the page: what each takes of each device.

use serde::Serialize;

use super::anchor;
use super::bars::Bar;
use crate::budget::{self, Budget};
use crate::device::{CARDS, Card, Device, ECP5, ICE40, ICE40_CONNECTIONS};
use crate::figures;
use crate::fmax::{Decisive, Estimate, Verdict};
use crate::report::{CoreFigures, Fit, Report, critical_path_sentence};
use crate::routed::Routed;
use crate::xilinx::Xilinx;

/// One core.
#[derive(Debug, Serialize)]
pub(super) struct View {
    pub(super) label: String,
    pub(super) anchor: String,
    pub(super) devices: Vec<DeviceView>,
    /// The critical path on ECP5.
    pub(super) path: Option<String>,
    /// The one on UltraScale+, by estimate.
    pub(super) estimated_path: Option<String>,
}

/// One core on one device, or on all cards, for which it has one result.
#[derive(Debug, Serialize)]
pub(super) struct DeviceView {
    pub(super) title: &'static str,
    pub(super) targets: Vec<TargetView>,
    /// What differs there from the configuration, e.g. `bus of 64 bits`.
    pub(super) differs: Option<String>,
    pub(super) bars: Vec<Bar>,
    /// Why there are no bars.
    pub(super) unfit: Option<String>,
}

/// One core on one target.
#[derive(Debug, Serialize)]
pub(super) struct TargetView {
    target: &'static str,
    anchor: String,
    /// What of the target's logic it takes, in %; none where it does not fit.
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
    let mapped = core.ultrascale.as_ref().and_then(Fit::figures);
    View {
        label: core.label.clone(),
        anchor: anchor("core", &core.label),
        devices: devices.into_iter().flatten().collect(),
        path: routed.map(|routed| critical_path_sentence(&routed.critical)),
        estimated_path: mapped.and_then(|x| x.fmax_estimate.estimate().map(Estimate::path_in_words)),
    }
}

/// UltraScale+ is measured once for all cards: one set of bars, against the budget, and each card's share.
fn on_cards(core: &CoreFigures, fit: &Fit<Xilinx>, budget: Option<&Budget>, cards: &[&Card]) -> DeviceView {
    let target = |card: &&Card| target(core, card.name, fit.figures().map(|x| share(x.luts, card.lut)));
    DeviceView {
        title: "UltraScale+",
        targets: cards.iter().map(target).collect(),
        differs: None,
        bars: fit.figures().map(|x| card_bars(x, budget)).unwrap_or_default(),
        unfit: unfit(fit),
    }
}

/// What it takes, each held against its limit where the budget has one.
fn card_bars(x: &Xilinx, budget: Option<&Budget>) -> Vec<Bar> {
    let halves = |halves: u32| f64::from(halves) / 2.0;
    let of = |limit: fn(&Budget) -> Option<u32>| budget.and_then(limit);
    let mut bars = vec![
        Bar::at_most("LUT", x.luts.into(), of(|budget| Some(budget.luts)).map(f64::from)),
        Bar::at_most("FF", x.ff.into(), of(|budget| budget.ff).map(f64::from)),
        Bar::at_most("BRAM36", halves(x.bram_halves()), of(|budget| budget.bram_halves).map(halves)),
        Bar::at_most("levels", x.levels.into(), of(|budget| budget.levels).map(f64::from)),
    ];
    bars.extend(x.fmax_estimate.estimate().map(estimated));
    if x.uram > 0 {
        bars.push(Bar::at_most("URAM", x.uram.into(), None));
    }
    bars
}

/// The clock with nominal wires, and what it would be with wide ones and with none.
fn estimated(estimate: &Estimate) -> Bar {
    let mhz = |ns: f64| (1000.0 / ns).round();
    let Decisive { nominal_ns, wide_ns, by, .. } = estimate.decisive();
    let by = estimate.placed.as_ref().map_or(String::new(), |_| format!(" by {by}"));
    Bar {
        says: format!("{}{by}, {} to {}", estimate.verdict, mhz(wide_ns), mhz(estimate.bound_ns)),
        good: estimate.verdict != Verdict::OutOfReach,
        ..Bar::at_most("MHz, estimated", mhz(nominal_ns), None)
    }
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
            Bar::at_least("MHz", mhz, least_mhz),
        ]
    };
    DeviceView {
        title: device.title,
        targets: vec![target(
            core,
            device.name,
            fit.figures().map(|routed| share(routed.logic, device.logic.1)),
        )],
        differs,
        bars: fit.figures().map(bars).unwrap_or_default(),
        unfit: unfit(fit),
    }
}

fn share(part: u32, whole: u32) -> String {
    format!("{:.3}", 100.0 * f64::from(part) / f64::from(whole))
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

/// What each core takes of each target.
#[derive(Debug, Serialize)]
pub(super) struct Fullness<'a> {
    label: &'a str,
    /// In the order of the targets; none where it was not measured.
    targets: Vec<Option<&'a TargetView>>,
}

pub(super) fn fullness<'a>(cores: &'a [View], targets: &[super::targets::View]) -> Vec<Fullness<'a>> {
    let of_core = |core: &'a View| {
        let found =
            |name: &str| core.devices.iter().flat_map(|device| &device.targets).find(|on| on.target == name);
        Fullness { label: &core.label, targets: targets.iter().map(|on| found(on.target)).collect() }
    };
    cores.iter().map(of_core).collect()
}

/// Each limit of a budget that a core breaks, as a sentence.
pub(super) fn broken_budgets(report: &Report) -> Vec<String> {
    let broken = |core: &CoreFigures| {
        let xcup = core.ultrascale.as_ref().and_then(Fit::figures).map(figures::of_xilinx);
        let ecp5 = core.ecp5.as_ref().and_then(Fit::figures).map(figures::of_routed);
        Some(budget::of(&core.label)?.broken_by(&core.label, xcup.as_ref(), ecp5.as_ref()))
    };
    report.cores.iter().filter_map(broken).flatten().collect()
}

/// Devices that a core does not fit.
pub(super) fn unfit_targets(report: &Report) -> Vec<&'static str> {
    let is_unfit = |core: &CoreFigures| {
        [
            core.ultrascale.as_ref().is_some_and(|fit| fit.figures().is_none()).then_some("UltraScale+"),
            core.ecp5.as_ref().is_some_and(|fit| fit.figures().is_none()).then_some(ECP5.name),
            core.ice40.as_ref().is_some_and(|fit| fit.figures().is_none()).then_some(ICE40.name),
        ]
    };
    let mut unfit: Vec<&str> = report.cores.iter().flat_map(is_unfit).flatten().collect();
    unfit.sort_unstable();
    unfit.dedup();
    unfit
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
