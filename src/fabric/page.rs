//! Pages of runs: flows as bars with what they are held against, and ports over time.

use respray_fabric::figure::Case;
use respray_fabric::metrics::{Bin, Series};
use respray_fabric::record::{Record, Spread};
use respray_fabric::request::Request;
use respray_fabric::simulation::Outcome;
use respray_fabric::time::microseconds;
use respray_synth::plot::{At, Chart, Colour, Line, Mark, share_scales};
use respray_synth::report::Table;
use respray_synth::run::today;
use respray_synth::sheet::{Bar, Panel, Part, Sheet, Tile};

use super::runs::{Runs, engine};

/// Points of a line at most: bins are put together until there are so few.
const POINTS: usize = 150;

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
    let selectors: Vec<&str> = request.selectors.iter().map(String::as_str).collect();
    let panel = longest_flows(&records, &selectors, None);
    let first = selectors.iter().filter_map(|selector| runs.with(selector).next());
    let first: Vec<(&Record, &Outcome)> = first.map(|(record, _, outcome)| (record, outcome)).collect();
    let watched = request.watch.as_deref().unwrap_or_default();
    let mut parts =
        vec![Part { heading: "How long the flows took".into(), panels: vec![panel], ..Part::default() }];
    parts.extend(over_time(&first, watched, None));
    parts.push(Part { heading: "All figures".into(), table: Some(table.clone()), ..Part::default() });
    Sheet {
        title: "respray: path selectors in the fabric".into(),
        origin: origin(),
        text,
        tiles: fastest(&records, &selectors),
        parts,
    }
}

/// The selectors with the fastest and the slowest longest flow.
fn fastest(records: &[&Record], selectors: &[&str]) -> Vec<Tile> {
    let mut means: Vec<(f64, &str)> =
        selectors.iter().filter_map(|selector| Some((longest(records, selector)?.mean, *selector))).collect();
    means.sort_by(|a, b| a.0.total_cmp(&b.0));
    let tile = |(mean, selector): &(f64, &str), which: &str| Tile {
        value: format!("{mean:.0} us"),
        name: format!("longest flow with {selector}, the {which}"),
        ..Tile::default()
    };
    match means.as_slice() {
        [] => Vec::new(),
        [one] => vec![Tile { name: format!("longest flow with {}", one.1), ..tile(one, "") }],
        [first, .., last] => vec![tile(first, "fastest"), tile(last, "slowest")],
    }
}

/// The longest flow of a selector's runs; none where a run was ended before its flows.
pub fn longest(records: &[&Record], selector: &str) -> Option<Spread> {
    let of = records.iter().filter(|record| record.selector == selector);
    Spread::of(of.map(|record| record.times.max_fct_us)).filter(|spread| spread.greatest > 0.0)
}

/// Bars of the longest flows, and of a case of a figure what the paper and its simulator say beside them.
pub fn longest_flows(records: &[&Record], selectors: &[&str], case: Option<&Case>) -> Panel {
    let us = |value: f64| if value < 100.0 { format!("{value:.1}") } else { format!("{value:.0}") };
    let bars = selectors.iter().filter_map(|selector| {
        let spread = longest(records, selector)?;
        let beside = case.and_then(|case| case.reference(selector)?.max_fct_us);
        let mut says = vec![format!("{} to {}", us(spread.least), us(spread.greatest))];
        says.extend(beside.map(|[mean, least, most]| {
            format!("the paper's simulator {} ({} to {})", us(mean), us(least), us(most))
        }));
        says.extend(
            case.and_then(|case| case.paper_us(selector)).map(|said| format!("the paper {}", us(said))),
        );
        Some(Bar {
            name: selector.to_string(),
            value: spread.mean,
            spread: Some([spread.least, spread.greatest]),
            shown: format!("{} us", us(spread.mean)),
            detail: says.join("; "),
            beside,
        })
    });
    let bars: Vec<Bar> = bars.collect();
    let marks = match bars.iter().any(|bar| bar.beside.is_some()) {
        true => " The upright mark is the paper's own simulator.",
        false => "",
    };
    Panel {
        heading: "Longest flow".into(),
        note: format!("The mean of the seeds; the thin line goes from the least to the greatest.{marks}"),
        bars,
        ..Panel::default()
    }
}

/// The watched ports of one run of each selector over time: load, queue, losses. All charts of a quantity share their scales.
pub fn over_time(runs: &[(&Record, &Outcome)], watched: &str, case: Option<&Case>) -> Vec<Part> {
    let runs: Vec<(&Record, &Series)> =
        runs.iter().filter_map(|(record, outcome)| Some((*record, outcome.series.as_ref()?))).collect();
    let Some((first, _)) = runs.first() else { return Vec::new() };
    let ends = |record: &Record| {
        let mark =
            |name: &str, us: f64| Mark { name: name.into(), at: At::Across(us), colour: Colour::Plain };
        let simulator = case.and_then(|case| case.reference(&record.selector)?.max_fct_us);
        let said = case.and_then(|case| case.paper_us(&record.selector));
        let simulator = simulator.map(|[mean, ..]| mark("end in the paper's simulator", mean));
        simulator.into_iter().chain(said.map(|us| mark("end in the paper", us))).collect::<Vec<_>>()
    };
    let limits = |record: &Record| {
        let packets = [("Kmin", record.parameters.kmin_packets), ("Kmax", record.parameters.kmax_packets)];
        packets.map(|(name, packets)| Mark {
            name: name.into(),
            at: At::Up(f64::from(packets) * f64::from(record.parameters.packet_bytes) / 1000.0),
            colour: Colour::Plain,
        })
    };
    let load = |series: &Series, bins: &[Bin]| {
        bins.iter().map(|bin| series.gbps(bin)).sum::<f64>() / bins.len().max(1) as f64
    };
    let queue = |_: &Series, bins: &[Bin]| {
        bins.iter().map(|bin| f64::from(bin.queue_most) / 1000.0).fold(0.0, f64::max)
    };
    let chart = |record: &Record, series: &Series, up: &str, value: &dyn Fn(&Series, &[Bin]) -> f64| Chart {
        title: record.selector.clone(),
        across: "us from the start".into(),
        up: up.into(),
        lines: ports(record, series, watched, value),
        ..Chart::default()
    };
    let mut loads: Vec<Chart> = runs
        .iter()
        .map(|(record, series)| Chart {
            marks: ends(record),
            ..chart(record, series, "load offered to a port, in Gb/s", &load)
        })
        .collect();
    let mut queues: Vec<Chart> = runs
        .iter()
        .map(|(record, series)| Chart {
            marks: limits(record).to_vec(),
            ..chart(record, series, "longest queue of a port, in kB", &queue)
        })
        .collect();
    share_scales(&mut loads);
    share_scales(&mut queues);
    let end = usual(&loads).map(|usual| 1.15 * usual);
    loads.iter_mut().for_each(|chart| chart.ends = end);
    let losses = losses(&runs);
    let text = format!(
        "Scenario {}, seed {}: one run of each selector. The load is what a port is given, also where that is more than its rate; \
         peaks of the first windows may leave the chart.",
        first.name, first.seed
    );
    vec![
        Part {
            heading: format!("Load of the ports of {watched} upwards"),
            text: vec![text],
            charts: loads,
            is_large: true,
            ..Part::default()
        },
        Part {
            heading: format!("Queues of the ports of {watched} upwards"),
            charts: queues.into_iter().chain(losses).collect(),
            ..Part::default()
        },
    ]
}

/// What nearly all values of some charts do not exceed. Of the first bins, in which windows are sent whole, some are far above.
fn usual(charts: &[Chart]) -> Option<f64> {
    let lines = charts.iter().flat_map(|chart| &chart.lines);
    let mut values: Vec<f64> = lines.flat_map(|line| &line.points).filter_map(|point| point.y).collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len().saturating_sub(1) * 98 / 100).copied()
}

/// A line for each port: those that fail stand out, and all others look alike.
fn ports(
    record: &Record,
    series: &Series,
    watched: &str,
    value: &dyn Fn(&Series, &[Bin]) -> f64,
) -> Vec<Line> {
    let colour = Colour::of(&record.selector);
    let ports: Vec<&[Bin]> = series.ports().map(|(_, bins)| bins).collect();
    let fault = |port: usize| fault(&record.fail, &format!("{watched}.up{port}"));
    let sound = (0..ports.len()).filter(|port| fault(*port).is_none()).count();
    let name = match ports.len() - sound {
        0 => format!("{sound} ports, a line each"),
        _ => format!("the other {sound} ports"),
    };
    let mut name = Some(name);
    let mut faulty = 0;
    let line = |port: usize| {
        let points = points(series, ports[port]).map(|(us, bins)| (us, value(series, bins)));
        match fault(port) {
            Some(says) => {
                faulty += 1;
                Line::through(format!("up{port}, {says}"), Colour::Ink, points).dashed(faulty - 1)
            }
            // one name for all of them
            None => Line::through(name.take().unwrap_or_default(), colour, points).pale(),
        }
    };
    (0..ports.len()).map(line).collect()
}

/// What happens to a port, if anything does.
fn fault(fails: &[String], port: &str) -> Option<String> {
    let of_port = |fail: &'_ String| {
        let (name, says) = fail.trim_start_matches("link:").split_once('=')?;
        (name == port).then(|| match says.split_once('=') {
            Some(("rate", share)) => format!("at {share} of its rate"),
            _ => says
                .trim_end_matches(":data")
                .trim_end_matches(":all")
                .replace('@', " at ")
                .replace("..", " to "),
        })
    };
    fails.iter().find_map(of_port)
}

/// Begin in us and bins of each point.
fn points<'a>(series: &Series, bins: &'a [Bin]) -> impl Iterator<Item = (f64, &'a [Bin])> {
    let step = bins.len().div_ceil(POINTS).max(1);
    let width = series.bin();
    bins.chunks(step).enumerate().map(move |(at, bins)| (microseconds((at * step) as u64 * width), bins))
}

/// The packets that the watched ports lose, a line for each selector; none where none is lost.
fn losses(runs: &[(&Record, &Series)]) -> Option<Chart> {
    let of_run = |(record, series): &(&Record, &Series)| {
        let ports: Vec<&[Bin]> = series.ports().map(|(_, bins)| bins).collect();
        let longest = ports.iter().map(|bins| bins.len()).max().unwrap_or(0);
        let mut lost = 0;
        let points = (0..longest).map(|at| {
            lost += ports.iter().filter_map(|bins| bins.get(at)).map(|bin| bin.lost).sum::<u64>();
            (microseconds((at as u64 + 1) * series.bin()), lost as f64)
        });
        let points: Vec<(f64, f64)> = [(0.0, 0.0)].into_iter().chain(points.collect::<Vec<_>>()).collect();
        let dash = usize::from(record.selector.ends_with(":paper"));
        Line::through(record.selector.clone(), Colour::of(&record.selector), points)
            .dashed(dash)
            .noted(lost.to_string())
    };
    let lines: Vec<Line> = runs.iter().map(of_run).collect();
    lines.iter().any(|line| line.note != "0").then(|| Chart {
        title: "Packets lost at these ports up to each time".into(),
        across: "us from the start".into(),
        up: "packets".into(),
        lines,
        ..Chart::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_told_at_its_port_and_at_no_other() {
        let fails = ["link:tor0.up0=rate=0.5", "tor0.up1=down@100us..200us:data"].map(String::from);
        let of = |port: &str| fault(&fails, port);
        assert_eq!(of("tor0.up0").as_deref(), Some("at 0.5 of its rate"));
        assert_eq!(of("tor0.up1").as_deref(), Some("down at 100us to 200us"));
        assert_eq!((of("tor0.up10"), of("tor1.up0")), (None, None));
    }
}
