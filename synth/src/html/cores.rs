//! Cores on the page: what each takes of each device, as bars against its budget.

use serde::Serialize;

use crate::budget::{self, Budget};
use crate::device::{CARDS, ECP5, ICE40, ICE40_CONNECTIONS};
use crate::figures;
use crate::report::{CLAIM_SHARE, CoreFigures, Fit, Report, critical_path_sentence};
use crate::routed::Routed;

/// One core.
#[derive(Debug, Serialize)]
pub(super) struct View {
    label: String,
    /// LUT, FF, block RAM, levels, Fmax in short.
    facts: Vec<(String, String)>,
    devices: Vec<DeviceView>,
    path: Option<String>,
    broken: Vec<String>,
}

/// One core on one device.
#[derive(Debug, Serialize)]
struct DeviceView {
    target: String,
    /// What differs there from the configuration, e.g. `bus of 64 bits`.
    differs: Option<String>,
    bars: Vec<Bar>,
    /// Why there are no bars.
    unfit: Option<String>,
}

/// One figure against its limit.
#[derive(Debug, Serialize)]
struct Bar {
    what: String,
    value: String,
    /// Length and place of the limit's mark in % of the row; no mark where nothing is limited.
    length: f64,
    mark: Option<f64>,
    limit: String,
    good: bool,
}

/// How a bar is judged.
enum Limit {
    AtMost(f64, &'static str),
    AtLeast(f64),
    /// Only this many there are.
    Of(u32),
    /// A number to know, nothing to hold it against.
    None,
}

fn bar(what: &str, value: f64, limit: Limit) -> Bar {
    let digits = |value: f64| match value {
        whole if whole.fract() == 0.0 => format!("{value:.0}"),
        tenths if (10.0 * tenths).round() / 10.0 == tenths => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    };
    let (whole, mark, text, good) = match limit {
        Limit::AtMost(most, why) => {
            (most.max(value) * 1.1, Some(most), format!("≤ {}{why}", digits(most)), value <= most)
        }
        Limit::AtLeast(least) => {
            (least.max(value) * 1.1, Some(least), format!("≥ {}", digits(least)), value >= least)
        }
        Limit::Of(all) => {
            let share = 100.0 * value / f64::from(all);
            let there = if all < 100_000 { all.to_string() } else { format!("{}k", all / 1000) };
            (f64::from(all), None, format!("{share:.2}% of {there}"), value <= f64::from(all))
        }
        Limit::None => (f64::INFINITY, None, String::new(), true),
    };
    let percent = |value: f64| if whole > 0.0 { (100.0 * value / whole).clamp(0.0, 100.0) } else { 0.0 };
    Bar {
        what: what.into(),
        value: digits(value),
        length: percent(value),
        mark: mark.map(percent),
        limit: text,
        good,
    }
}

pub(super) fn views(report: &Report) -> Vec<View> {
    report.cores.iter().map(|core| view(report, core)).collect()
}

fn view(report: &Report, core: &CoreFigures) -> View {
    let budget = budget::of(&core.label);
    let mut facts = Vec::new();
    let mut devices = Vec::new();
    if let Some(outcome) = &core.ultrascale {
        if let Some(x) = outcome.figures() {
            facts.push(("LUT, UltraScale+".to_string(), x.luts.to_string()));
            facts.push(("FF".into(), x.ff.to_string()));
            facts.push(("RAMB36 + RAMB18".into(), format!("{} + {}", x.bram36, x.bram18)));
            if x.uram > 0 {
                facts.push(("URAM".into(), x.uram.to_string()));
            }
            facts.push(("levels".into(), x.levels.to_string()));
        }
        for card in CARDS.iter().filter(|card| report.targets.iter().any(|name| name == card.name)) {
            let bars = outcome.figures().map(|x| {
                let claimed = (f64::from(card.lut) * CLAIM_SHARE).floor();
                let lut = match budget {
                    _ if core.core == "reps" => Limit::AtMost(claimed, " (0.04%)"),
                    Some(budget) => Limit::AtMost(f64::from(budget.luts), ""),
                    None => Limit::Of(card.lut),
                };
                let bram = match budget.and_then(|budget| budget.bram_halves) {
                    Some(halves) => Limit::AtMost(f64::from(halves) / 2.0, ""),
                    None => Limit::Of(card.bram36),
                };
                vec![bar("LUT", f64::from(x.luts), lut), bar("BRAM", f64::from(x.bram_halves()) / 2.0, bram)]
            });
            devices.push(device(card.name, None, bars, outcome));
        }
    }
    let mut path = None;
    let bus = core.routed_bus_bits.map(|bits| format!("bus of {bits} bits"));
    if let Some(outcome) = &core.ecp5 {
        let bars = outcome.figures().map(|r| {
            facts.push(("MHz, ECP5".into(), format!("{:.0}", r.fmax_mhz.median)));
            path = Some(critical_path_sentence(&r.critical));
            let fmax = budget.map_or(Limit::None, |budget| Limit::AtLeast(budget.ecp5_mhz));
            routed_bars(r, ["COMB", "EBR"], [ECP5.logic.1, ECP5.memory.1], fmax)
        });
        devices.push(device(ECP5.name, bus.clone(), bars, outcome));
    }
    if let Some(outcome) = &core.ice40 {
        let bars = outcome
            .figures()
            .map(|r| routed_bars(r, ["LC", "RAM"], [ICE40.logic.1, ICE40.memory.1], Limit::None));
        let differs = bus.unwrap_or_else(|| format!("{ICE40_CONNECTIONS} connections"));
        devices.push(device(ICE40.name, Some(differs), bars, outcome));
    }
    View {
        label: core.label.clone(),
        facts,
        devices,
        path,
        broken: budget.map(|budget| broken(budget, core)).unwrap_or_default(),
    }
}

/// Each limit that it breaks, as a sentence.
fn broken(budget: &Budget, core: &CoreFigures) -> Vec<String> {
    let xcup = core.ultrascale.as_ref().and_then(Fit::figures).map(figures::of_xilinx);
    let ecp5 = core.ecp5.as_ref().and_then(Fit::figures).map(figures::of_routed);
    budget.broken_by(&core.label, xcup.as_ref(), ecp5.as_ref())
}

fn device<T>(target: &str, differs: Option<String>, bars: Option<Vec<Bar>>, outcome: &Fit<T>) -> DeviceView {
    let unfit = match outcome {
        Fit::DoesNotFit(sentence) => Some(sentence.clone()),
        Fit::Figures(_) => None,
    };
    DeviceView { target: target.into(), differs, bars: bars.unwrap_or_default(), unfit }
}

fn routed_bars(r: &Routed, names: [&str; 2], there: [u32; 2], fmax: Limit) -> Vec<Bar> {
    let mhz = (r.fmax_mhz.median * 10.0).round() / 10.0;
    vec![
        bar(names[0], f64::from(r.logic), Limit::Of(there[0])),
        bar(names[1], f64::from(r.memory), Limit::Of(there[1])),
        bar("MHz", mhz, fmax),
    ]
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
