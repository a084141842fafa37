//! Runs of scenarios with selectors and seeds, for people: a table and a part of a page for each scenario.

use respray_fabric::engine::Kind;
use respray_fabric::metrics::Series;
use respray_fabric::record::Record;
use respray_fabric::results::{Finished, Group, groups};
use respray_fabric::statistics::INTERVAL;
use respray_synth::report::Table;
use respray_synth::sheet::{Bar, Panel, Part, Sheet, Tile};

use super::{curves, page};

/// What chose the EVs, in words.
pub fn engine(kind: Kind) -> &'static str {
    match kind {
        Kind::Rtl => "the Verilog chooses the EVs",
        Kind::Golden => "the golden model chooses the EVs",
        Kind::Both => "the Verilog and the golden model choose the EVs together",
    }
}

/// The groups of each scenario, in the order of the runs.
fn scenarios(runs: &[Finished]) -> Vec<Vec<Group<'_>>> {
    let mut scenarios: Vec<Vec<Group<'_>>> = Vec::new();
    for group in groups(runs) {
        match scenarios.iter_mut().find(|groups| groups[0].name == group.name) {
            Some(groups) => groups.push(group),
            None => scenarios.push(vec![group]),
        }
    }
    scenarios
}

/// What the columns of the tables are.
const COLUMNS: &str = "A flow takes from its start to the ACK that says that all of it has come; 99% of the flows take no longer \
                       than is said. Trimmed, dropped: packets of which a full queue left the header, or nothing. Lost: packets \
                       that a failed link took. Late: arrivals behind one with a higher PSN. Depth: the most by which a PSN lay \
                       below the highest that had come, in packets. Imbalance: how much more than the mean the most loaded \
                       up-link of a ToR has got.";

/// A table for each scenario, a line for each selector, and below the last one what the columns are.
pub fn text(runs: &[Finished]) -> String {
    let tables: Vec<String> = scenarios(runs).iter().map(|groups| table(groups).text()).collect();
    format!("{}  {COLUMNS}\n", tables.join("\n"))
}

fn table(groups: &[Group<'_>]) -> Table {
    let header = [
        "selector",
        "longest flow",
        "mean flow",
        "99% of flows",
        "packets",
        "sent again",
        "trimmed",
        "dropped",
        "lost",
        "late, %",
        "depth",
        "imbalance, %",
        "unfinished",
    ];
    let record = &groups[0].runs[0].record;
    let seeds = groups[0].seeds();
    let (count, interval) = match seeds.len() {
        1 => ("1 seed".to_string(), " Times of flows in us.".to_string()),
        count => (
            format!("{count} seeds"),
            format!(" Times of flows in us, each as mean ± {INTERVAL}; the other figures are means."),
        ),
    };
    let note = format!(
        "{} on {}, {count} from {} on, {}.{interval}",
        record.workload,
        record.topology,
        seeds[0],
        engine(record.engine),
    );
    let mut table = Table::new(format!("Path selectors in the fabric: {}", groups[0].name), note, &header);
    for group in groups {
        let shown = |figure: fn(&Record) -> f64| group.spread(figure).with_interval();
        let mean =
            |digits: usize, figure: fn(&Record) -> f64| format!("{:.digits$}", group.spread(figure).mean);
        table.row([
            group.selector.to_string(),
            shown(|record| record.times.max_fct_us),
            shown(|record| record.times.mean_fct_us),
            shown(|record| record.times.p99_fct_us),
            mean(0, |record| record.counters.new_packets as f64),
            mean(0, |record| record.counters.retransmitted as f64),
            mean(0, |record| record.counters.trimmed as f64),
            mean(0, |record| record.counters.dropped as f64),
            mean(0, |record| record.counters.lost_to_failure as f64),
            mean(1, |record| {
                100.0 * record.counters.out_of_order as f64 / record.counters.delivered.max(1) as f64
            }),
            mean(0, |record| record.reordering.reordering_depth_max as f64),
            mean(1, |record| 100.0 * record.imbalance),
            mean(0, |record| record.times.unfinished as f64),
        ]);
    }
    table
}

/// The page.
pub fn sheet(title: &str, runs: &[Finished]) -> Sheet {
    let mut parts: Vec<Part> = scenarios(runs).iter().flat_map(|groups| parts(groups)).collect();
    let heading = "What the columns of the tables are".to_string();
    parts.push(Part { heading, text: vec![COLUMNS.to_string()], ..Part::default() });
    let mut text = vec![scenarios(runs).iter().map(|groups| says(groups)).collect::<Vec<_>>().join(" ")];
    if groups(runs).iter().any(|group| group.runs.len() > 1) {
        text.push(format!("Intervals and bands are each the {INTERVAL}."));
    }
    Sheet { title: title.into(), origin: page::origin(), text, tiles: tiles(runs), parts }
}

/// The selectors with the fastest and the slowest longest flow of each scenario.
fn tiles(runs: &[Finished]) -> Vec<Tile> {
    let of_scenario = |groups: &Vec<Group<'_>>| {
        let longest = |group: &Group<'_>| group.spread(|record| record.times.max_fct_us).mean;
        let mut means: Vec<(f64, &str)> = groups
            .iter()
            .map(|group| (longest(group), group.selector))
            .filter(|(mean, _)| *mean > 0.0)
            .collect();
        means.sort_by(|a, b| a.0.total_cmp(&b.0));
        let tile = |(mean, selector): &(f64, &str), which: &str| Tile {
            value: format!("{mean:.0} us"),
            name: format!("longest flow with {selector}{which}"),
            detail: groups[0].name.into(),
            is_good: None,
        };
        match means.as_slice() {
            [] => Vec::new(),
            [one] => vec![tile(one, "")],
            [first, .., last] => vec![tile(first, ", the fastest"), tile(last, ", the slowest")],
        }
    };
    scenarios(runs).iter().flat_map(of_scenario).collect()
}

/// What a scenario is, a sentence.
fn says(groups: &[Group<'_>]) -> String {
    let record = &groups[0].runs[0].record;
    format!("{} on {}; {}.", record.workload, record.topology, engine(record.engine))
}

/// The parts of a scenario.
fn parts(groups: &[Group<'_>]) -> Vec<Part> {
    let record = &groups[0].runs[0].record;
    let mut text = vec![says(groups)];
    text.extend(record.fail.iter().map(|fail| format!("Failure: {fail}.")));
    text.extend(record.set.iter().map(|set| format!("Set: {set}.")));
    let mut parts = vec![
        Part { heading: groups[0].name.into(), text, panels: vec![bars(groups)], ..Part::default() },
        distributions(groups),
        Part { table: Some(table(groups)), ..Part::default() },
    ];
    // of the first seed of each selector
    let firsts = groups.iter().map(|group| group.runs[0]);
    let firsts: Vec<(&Record, &Series)> =
        firsts.filter_map(|run| Some((&run.record, run.series.as_ref()?))).collect();
    parts.extend(page::over_time(&firsts, None));
    parts.push(made_from(groups));
    parts
}

/// The longest flows.
fn bars(groups: &[Group<'_>]) -> Panel {
    let bar = |group: &Group<'_>| {
        let spread = group.spread(|record| record.times.max_fct_us);
        Bar {
            name: group.selector.to_string(),
            value: spread.mean,
            spread: spread.interval().map(|[low, high]| [low.max(0.0), high]),
            shown: format!("{} us", spread.with_interval()),
            ..Bar::default()
        }
    };
    let note = "The mean over the seeds; the thin line is its interval.".to_string();
    Panel { heading: "Longest flow".into(), note, bars: groups.iter().map(bar).collect(), ..Panel::default() }
}

/// The distributions of the flows' times and of the packets' reordering depths.
fn distributions(groups: &[Group<'_>]) -> Part {
    let unfinished: f64 =
        groups.iter().map(|group| group.spread(|record| record.times.unfinished as f64).mean).sum();
    let mut text = vec![match groups[0].runs.len() {
        1 => "Each line is the distribution of one seed.".to_string(),
        count => format!(
            "Each line is the mean of the distributions of {count} seeds, and its band is the interval of this mean at each value by itself."
        ),
    }];
    if unfinished > 0.0 {
        text.push(
            "Flows that were not complete count among all flows, so that a line may end below 1.".into(),
        );
    }
    let heading = format!("{}: distributions", groups[0].name);
    Part { heading, text, charts: curves::charts(groups), ..Part::default() }
}

/// What the runs of a scenario are of.
fn made_from(groups: &[Group<'_>]) -> Part {
    let build = &groups[0].runs[0].record.build_hash;
    let note = format!(
        "Hashes are of the Verilog without its comments. The simulated network and the golden models are the build {build}."
    );
    let mut table = Table::new("", note, &["selector", "seeds", "hash of the Verilog"]);
    for group in groups {
        let (seeds, hashes) = (group.seeds(), group.verilog_hashes());
        let seeds = match seeds.as_slice() {
            [one] => one.to_string(),
            [first, .., last] => format!("{first} to {last}"),
            [] => String::new(),
        };
        let hashes = if hashes.is_empty() { "none: the golden model".to_string() } else { hashes.join(" ") };
        table.row([group.selector.to_string(), seeds, hashes]);
    }
    Part { heading: format!("{}: made from", groups[0].name), table: Some(table), ..Part::default() }
}
