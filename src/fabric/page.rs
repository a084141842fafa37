//! Pages of runs: bars with their spread, and ports over time.

use respray_fabric::record::{Record, Spread};
use respray_fabric::request::Request;
use respray_fabric::simulation::Outcome;
use respray_fabric::time::microseconds;
use respray_synth::plot::{Chart, HUES, Line};
use respray_synth::report::Table;
use respray_synth::run::today;
use respray_synth::sheet::{Bar, Part, Sheet};

use super::runs::{Runs, engine};

/// Positions of a chart: bins are put together until there are so few.
const POSITIONS: usize = 60;

/// What pages say of where they come from.
pub fn origin() -> String {
    let commit = crate::checkout::Checkout::find().commit();
    format!("respray {} · commit {commit} · {}", env!("CARGO_PKG_VERSION"), today())
}

/// The page of one scenario.
pub fn of_run(request: &Request, runs: &Runs, table: &Table) -> Sheet {
    let mut text = vec![format!("{} on {}; {}.", request.workload, request.topology, engine(request.engine))];
    text.extend(request.fail.iter().map(|fail| format!("Failure: {fail}.")));
    let records: Vec<&Record> = runs.runs.iter().map(|(record, ..)| record).collect();
    let mut parts = vec![Part { table: Some(table.clone()), ..Part::default() }];
    parts.push(fct_bars(&records, &request.selectors));
    for selector in &request.selectors {
        let first = runs.with(selector).next();
        parts.extend(first.and_then(|(record, _, outcome)| over_time(record, outcome)));
    }
    Sheet { title: "respray: path selectors in the fabric".into(), origin: origin(), text, parts }
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
pub fn over_time(record: &Record, outcome: &Outcome) -> Option<Part> {
    let series = outcome.series.as_ref()?;
    let ports: Vec<_> = series.ports().map(|(_, bins)| bins).collect();
    let bins = ports.iter().map(|bins| bins.len()).max().filter(|bins| *bins > 0)?;
    let step = bins.div_ceil(POSITIONS);
    let positions: Vec<String> = (0..bins)
        .step_by(step)
        .map(|bin| format!("{:.0}", microseconds(bin as u64 * series.bin())))
        .collect();
    let chart = |title: &str, first: usize, value: &dyn Fn(&[respray_fabric::metrics::Bin]) -> f64| Chart {
        title: format!("{title}, ports {first} to {}", (first + HUES).min(ports.len()) - 1),
        across: "us".into(),
        positions: positions.clone(),
        lines: ports
            .iter()
            .enumerate()
            .skip(first)
            .take(HUES)
            .map(|(port, bins)| Line {
                name: format!("up{port}"),
                hue: port % HUES,
                values: (0..positions.len())
                    .map(|at| bins.get(at * step..bins.len().min((at + 1) * step)).map(value))
                    .collect(),
            })
            .collect(),
    };
    let mut charts = Vec::new();
    for first in (0..ports.len()).step_by(HUES) {
        charts.push(chart("Gb/s", first, &|bins| {
            bins.iter().map(|bin| series.gbps(bin)).sum::<f64>() / bins.len().max(1) as f64
        }));
        charts.push(chart("Queue in kB", first, &|bins| {
            bins.iter().map(|bin| f64::from(bin.queue_most) / 1000.0).fold(0.0, f64::max)
        }));
        if record.lost() > 0 {
            charts.push(chart("Packets lost", first, &|bins| bins.iter().map(|bin| bin.lost as f64).sum()));
        }
    }
    let watch = "the ports of the watched switch upwards";
    let heading = format!("{} {}, seed {}: {watch} over time", record.name, record.selector, record.seed);
    Some(Part { heading, charts, ..Part::default() })
}
