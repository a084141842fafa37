//! Pages of runs: bars with their spread, and ports over time.

use respray_fabric::metrics::{Bin, Series};
use respray_fabric::record::{Record, Spread};
use respray_fabric::time::microseconds;
use respray_synth::plot::{Chart, HUES, Line};
use respray_synth::run::today;
use respray_synth::sheet::{Bar, Part};

/// Positions of a chart: bins are put together until there are so few.
const POSITIONS: usize = 60;

/// What pages say of where they come from.
pub fn origin() -> String {
    let commit = crate::checkout::Checkout::find().commit();
    format!("respray {} · commit {commit} · {}", env!("CARGO_PKG_VERSION"), today())
}

/// Bars of the longest flows.
pub fn fct_bars(records: &[&Record], selectors: &[impl AsRef<str>]) -> Part {
    let bars = selectors.iter().filter_map(|selector| {
        let of = records.iter().filter(|record| record.selector == selector.as_ref());
        let spread = Spread::of(of.map(|record| record.times.max_fct_us))?;
        Some(Bar {
            name: selector.as_ref().to_string(),
            value: spread.mean,
            spread: Some([spread.least, spread.greatest]),
            shown: spread.to_string(),
        })
    });
    let heading = "Longest flow in us: mean (least..greatest) of the seeds".to_string();
    Part { heading, bars: bars.collect(), ..Part::default() }
}

/// Ports of one run over time: rate, queue and losses.
pub fn over_time(record: &Record, series: &Series) -> Option<Part> {
    let ports: Vec<_> = series.ports().collect();
    let bins = ports.iter().map(|(_, bins)| bins.len()).max().filter(|bins| *bins > 0)?;
    let step = bins.div_ceil(POSITIONS);
    let positions: Vec<String> = (0..bins)
        .step_by(step)
        .map(|bin| format!("{:.0}", microseconds(bin as u64 * series.bin())))
        .collect();
    let chart = |title: &str, first: usize, value: &dyn Fn(&[Bin]) -> f64| Chart {
        title: format!("{title}, ports {first} to {}", (first + HUES).min(ports.len()) - 1),
        across: "us".into(),
        positions: positions.clone(),
        lines: ports
            .iter()
            .enumerate()
            .skip(first)
            .take(HUES)
            .map(|(place, (port, bins))| Line {
                name: port.name.clone(),
                hue: place % HUES,
                values: (0..positions.len())
                    .map(|at| bins.get(at * step..bins.len().min((at + 1) * step)).map(value))
                    .collect(),
            })
            .collect(),
    };
    let mut charts = Vec::new();
    for first in (0..ports.len()).step_by(HUES) {
        let mean = |bins: &[Bin], of: fn(&Series, &Bin) -> f64| {
            bins.iter().map(|bin| of(series, bin)).sum::<f64>() / bins.len().max(1) as f64
        };
        charts.push(chart("Offered load in Gb/s", first, &|bins| mean(bins, Series::offered_gbps)));
        charts.push(chart("Carried load in Gb/s", first, &|bins| mean(bins, Series::carried_gbps)));
        charts.push(chart("Queue in kB", first, &|bins| {
            bins.iter().map(|bin| f64::from(bin.queue_most) / 1000.0).fold(0.0, f64::max)
        }));
        if record.lost() > 0 {
            charts.push(chart("Packets lost", first, &|bins| bins.iter().map(|bin| bin.lost as f64).sum()));
        }
    }
    let heading =
        format!("{} {}, seed {}: watched ports over time", record.name, record.selector, record.seed);
    let text = vec![
        "The load that a port is offered is all data that it is given, and may exceed its rate. What does, waits in its queue, is trimmed or is lost. \
         The load that it carries is what leaves it."
            .to_string(),
    ];
    Some(Part { heading, text, charts, ..Part::default() })
}
