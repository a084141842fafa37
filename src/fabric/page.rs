//! Pages of runs: flows as bars with what they are held against, and ports over time.

use respray_fabric::figure::Case;
use respray_fabric::metrics::{Bin, Series, WatchedPort};
use respray_fabric::record::{Record, Spread};
use respray_fabric::time::microseconds;
use respray_synth::plot::{At, Chart, Colour, Line, Mark, share_scales};
use respray_synth::run::today;
use respray_synth::sheet::{Bar, Panel, Part};

/// Points of a line at most: bins are put together until there are so few.
const POINTS: usize = 150;

/// What pages say of where they come from.
pub fn origin() -> String {
    let commit = crate::checkout::Checkout::find().commit();
    format!("respray {} · commit {commit} · {}", env!("CARGO_PKG_VERSION"), today())
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
        let is_wide = spread.least < spread.greatest;
        let mut says: Vec<String> =
            is_wide.then(|| format!("{} to {}", us(spread.least), us(spread.greatest))).into_iter().collect();
        says.extend(beside.map(|[mean, least, most]| {
            format!("the paper's simulator {} ({} to {})", us(mean), us(least), us(most))
        }));
        says.extend(
            case.and_then(|case| case.paper_us(selector)).map(|said| format!("the paper {}", us(said))),
        );
        Some(Bar {
            name: selector.to_string(),
            value: spread.mean,
            spread: is_wide.then_some([spread.least, spread.greatest]),
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

/// The watched ports of one run of each selector over time: load, queue, losses. All charts of a quantity share their
/// scales.
pub fn over_time(runs: &[(&Record, &Series)], case: Option<&Case>) -> Vec<Part> {
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
        let mark = |(name, packets): (&str, u32)| Mark {
            name: name.into(),
            at: At::Up(f64::from(packets) * f64::from(record.parameters.packet_bytes) / 1000.0),
            colour: Colour::Plain,
        };
        packets.map(mark).to_vec()
    };
    let mean = |bins: &[Bin], value: &dyn Fn(&Bin) -> f64| {
        bins.iter().map(value).sum::<f64>() / bins.len().max(1) as f64
    };
    let offered = |series: &Series, bins: &[Bin]| mean(bins, &|bin| series.offered_gbps(bin));
    let carried = |series: &Series, bins: &[Bin]| mean(bins, &|bin| series.carried_gbps(bin));
    let queue = |_: &Series, bins: &[Bin]| {
        bins.iter().map(|bin| f64::from(bin.queue_most) / 1000.0).fold(0.0, f64::max)
    };
    let chart = |record: &Record, series: &Series, up: &str, value: &dyn Fn(&Series, &[Bin]) -> f64| Chart {
        title: record.selector.clone(),
        across: "us from the start".into(),
        up: up.into(),
        lines: ports(record, series, value),
        ..Chart::default()
    };
    let charts = |up: &str, value: &dyn Fn(&Series, &[Bin]) -> f64, marks: &dyn Fn(&Record) -> Vec<Mark>| {
        let chart = |(record, series): &(&Record, &Series)| Chart {
            marks: marks(record),
            ..chart(record, series, up, value)
        };
        let mut charts: Vec<Chart> = runs.iter().map(chart).collect();
        share_scales(&mut charts);
        charts
    };
    let mut loads = charts("load offered to a port, in Gb/s", &offered, &ends);
    let end = usual(&loads).map(|usual| 1.15 * usual);
    loads.iter_mut().for_each(|chart| chart.ends = end);
    let carried = charts("load carried by a port, in Gb/s", &carried, &|_| Vec::new());
    let queues = charts("longest queue of a port, in kB", &queue, &limits);
    let text = format!(
        "Scenario {}, seed {}: one run of each selector. The load that a port is offered is all data that it is given, and may exceed its rate; \
         peaks of the first windows may leave the chart. What exceeds the rate waits in the queue, is trimmed or is lost. \
         Charts share their axes, but a selector that takes far longer has a time axis of its own.",
        first.name, first.seed
    );
    let part = |heading: &str, text: Vec<String>, charts: Vec<Chart>, is_large: bool| Part {
        heading: heading.into(),
        text,
        charts,
        is_large,
        ..Part::default()
    };
    let says = "The load that a port carries is the data that leaves it.".to_string();
    vec![
        part("Load offered to each watched port", vec![text], loads, true),
        part(
            "Load carried, queues and losses of the watched ports",
            vec![says],
            [carried, queues, losses(runs).into_iter().collect()].concat(),
            false,
        ),
    ]
}

/// What nearly all values of some charts do not exceed. Of the first bins, in which windows are sent whole, some are
/// far above.
fn usual(charts: &[Chart]) -> Option<f64> {
    let lines = charts.iter().flat_map(|chart| &chart.lines);
    let mut values: Vec<f64> = lines.flat_map(|line| &line.points).filter_map(|point| point.y).collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len().saturating_sub(1) * 98 / 100).copied()
}

/// A line for each port: those that fail stand out, and all others look alike where there are many.
fn ports(record: &Record, series: &Series, value: &dyn Fn(&Series, &[Bin]) -> f64) -> Vec<Line> {
    let colour = Colour::of(&record.selector);
    let sound = series.ports().filter(|(port, _)| fault(&record.fail, &port.name).is_none()).count();
    let all = series.ports().count();
    let mut common = Some(match all - sound {
        0 => format!("{sound} ports, a line each"),
        _ => format!("the other {sound} ports"),
    });
    let mut faulty = 0;
    let line = |(port, bins): (&WatchedPort, &[Bin])| {
        let points = points(series, bins).map(|(us, bins)| (us, value(series, bins)));
        match fault(&record.fail, &port.name) {
            Some(says) => {
                faulty += 1;
                Line::through(format!("{}, {says}", port.name), Colour::Ink, points).dashed(faulty - 1)
            }
            None if sound == 1 => Line::through(port.name.clone(), colour, points),
            // one name for all of them
            None => Line::through(common.take().unwrap_or_default(), colour, points).pale(),
        }
    };
    series.ports().map(line).collect()
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
