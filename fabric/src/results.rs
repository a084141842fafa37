//! What runs came to, as tables for other programs: a line a flow, means with their confidence intervals, distributions
//! with their bands, and ports over time.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::build;
use crate::engine::Kind;
use crate::metrics::{FlowRow, Series};
use crate::record::Record;
use crate::simulation::Outcome;
use crate::statistics::{INTERVAL, Point, Sample, Spread, distribution};
use crate::time::microseconds;

/// A run that is over.
#[derive(Clone, Debug)]
pub struct Finished {
    pub record: Record,
    /// The record as a line.
    pub line: String,
    pub flows: Vec<FlowRow>,
    /// How many packets came with each reordering depth, from 0 on.
    pub depths: Vec<u64>,
    pub series: Option<Series>,
}

impl Finished {
    pub fn of(record: &Record, outcome: &Outcome) -> Finished {
        Finished {
            record: record.clone(),
            line: record.line(),
            flows: outcome.flows.clone(),
            depths: outcome.depths.clone(),
            series: outcome.series.clone(),
        }
    }

    /// The times of its flows, in us.
    fn times(&self) -> Sample {
        let times: Vec<f64> = self.flows.iter().filter_map(FlowRow::time).map(microseconds).collect();
        let never = self.flows.len() - times.len();
        Sample::new(times.into_iter().map(|time| (time, 1)), never as u64)
    }

    /// The reordering depths of its packets.
    fn depths(&self) -> Sample {
        Sample::new(self.depths.iter().zip(0..).map(|(count, depth)| (f64::from(depth), *count)), 0)
    }
}

/// Runs of one scenario with one selector, a seed each.
#[derive(Clone, Debug)]
pub struct Group<'a> {
    pub name: &'a str,
    pub selector: &'a str,
    pub runs: Vec<&'a Finished>,
}

/// The groups of some runs, in the order of their first ones.
pub fn groups(runs: &[Finished]) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    let mut places = BTreeMap::new();
    for run in runs {
        let (name, selector) = (run.record.name.as_str(), run.record.selector.as_str());
        let place = *places.entry((name, selector)).or_insert_with(|| {
            groups.push(Group { name, selector, runs: Vec::new() });
            groups.len() - 1
        });
        groups[place].runs.push(run);
    }
    groups
}

/// A quantity of a run, by its name in the files.
#[derive(Clone, Copy)]
pub struct Quantity {
    pub name: &'static str,
    pub of: fn(&Record) -> f64,
}

/// The quantities of which there are means.
pub const QUANTITIES: [Quantity; 19] = [
    quantity("max_fct_us", |record| record.times.max_fct_us),
    quantity("mean_fct_us", |record| record.times.mean_fct_us),
    quantity("median_fct_us", |record| record.times.median_fct_us),
    quantity("p99_fct_us", |record| record.times.p99_fct_us),
    quantity("mean_goodput_gbps", |record| record.times.mean_goodput_gbps),
    quantity("unfinished", |record| record.times.unfinished as f64),
    quantity("new_packets", |record| record.counters.new_packets as f64),
    quantity("retransmitted", |record| record.counters.retransmitted as f64),
    quantity("expired", |record| record.counters.expired as f64),
    quantity("trimmed", |record| record.counters.trimmed as f64),
    quantity("dropped", |record| record.counters.dropped as f64),
    quantity("lost_to_failure", |record| record.counters.lost_to_failure as f64),
    quantity("marked", |record| record.counters.marked as f64),
    quantity("out_of_order", |record| record.counters.out_of_order as f64),
    quantity("overtaken", |record| record.counters.overtaken as f64),
    quantity("reordering_depth_mean", |record| record.reordering.reordering_depth_mean),
    quantity("reordering_depth_p99", |record| record.reordering.reordering_depth_p99 as f64),
    quantity("reordering_depth_max", |record| record.reordering.reordering_depth_max as f64),
    quantity("imbalance", |record| record.imbalance),
];

const fn quantity(name: &'static str, of: fn(&Record) -> f64) -> Quantity {
    Quantity { name, of }
}

impl<'a> Group<'a> {
    /// Its records.
    pub fn records(&self) -> impl Iterator<Item = &'a Record> + '_ {
        self.runs.iter().map(|run| &run.record)
    }

    /// A figure of its records over the seeds.
    pub fn spread(&self, figure: impl Fn(&Record) -> f64) -> Spread {
        Spread::of(self.records().map(figure)).expect("a group has a run")
    }

    /// The distribution of the times of flows, in us. Flows that are not complete count among all.
    pub fn times(&self) -> Vec<Point> {
        distribution(&self.runs.iter().map(|run| run.times()).collect::<Vec<_>>())
    }

    /// The distribution of reordering depths, in packets, over the packets that came.
    pub fn depths(&self) -> Vec<Point> {
        distribution(&self.runs.iter().map(|run| run.depths()).collect::<Vec<_>>())
    }

    /// What each of its seeds was run with.
    pub fn seeds(&self) -> Vec<u64> {
        self.records().map(|record| record.seed).collect()
    }

    /// The hashes of the Verilog that its runs had in the loop: mostly one, as seeds with more pairs of hosts have an
    /// engine with more connections.
    pub fn verilog_hashes(&self) -> Vec<&'a str> {
        let mut hashes: Vec<&str> =
            self.records().filter_map(|record| record.verilog_hash.as_deref()).collect();
        hashes.sort_unstable();
        hashes.dedup();
        hashes
    }
}

/// The mean of a quantity over the seeds of a group.
#[derive(Clone, Debug, Serialize)]
pub struct Mean<'a> {
    pub name: &'a str,
    pub selector: &'a str,
    pub quantity: &'static str,
    pub seeds: usize,
    pub mean: f64,
    /// The ends of the 95% confidence interval of the mean, by Student's t; one seed has none.
    pub ci95_low: Option<f64>,
    pub ci95_high: Option<f64>,
    pub least: f64,
    pub greatest: f64,
}

/// The means of every quantity.
pub fn means(runs: &[Finished]) -> Vec<Mean<'_>> {
    let mut means = Vec::new();
    for group in groups(runs) {
        means.extend(QUANTITIES.map(|Quantity { name: quantity, of }| {
            let spread = group.spread(of);
            let ends = spread.interval();
            Mean {
                name: group.name,
                selector: group.selector,
                quantity,
                seeds: spread.count,
                mean: spread.mean,
                ci95_low: ends.map(|[low, _]| low),
                ci95_high: ends.map(|[_, high]| high),
                least: spread.least,
                greatest: spread.greatest,
            }
        }));
    }
    means
}

/// A flow of a run.
#[derive(Clone, Debug, Serialize)]
struct FlowLine<'a> {
    name: &'a str,
    selector: &'a str,
    seed: u64,
    /// Its place among the flows of the run, from 0 on.
    flow: usize,
    source: u32,
    destination: u32,
    bytes: u64,
    start_us: Option<f64>,
    /// Nothing where it is not complete.
    fct_us: Option<f64>,
    goodput_gbps: Option<f64>,
    retransmitted: u32,
    out_of_order: u32,
    reordering_depth_max: u32,
}

/// A point of a distribution.
#[derive(Clone, Debug, Serialize)]
struct PointLine<'a> {
    name: &'a str,
    selector: &'a str,
    quantity: &'static str,
    value: f64,
    share: f64,
    ci95_low: Option<f64>,
    ci95_high: Option<f64>,
}

/// A bin of a watched port.
#[derive(Clone, Debug, Serialize)]
struct BinLine<'a> {
    name: &'a str,
    selector: &'a str,
    seed: u64,
    port: &'a str,
    bin_start_us: f64,
    offered_packets: u64,
    offered_gbps: f64,
    carried_gbps: f64,
    queue_max_kb: f64,
    queue_mean_kb: f64,
    lost: u64,
}

/// The quantities that have a distribution.
pub const TIMES: &str = "fct_us";
pub const DEPTHS: &str = "reordering_depth";

/// Lines as CSV with the names of their fields above.
fn csv<T: Serialize>(lines: impl Iterator<Item = T>) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for line in lines {
        writer.serialize(line).expect("memory takes every line of plain fields");
    }
    let bytes = writer.into_inner().expect("memory is flushed");
    String::from_utf8(bytes).expect("names and numbers are text")
}

/// [`means`] as CSV.
pub fn means_csv(runs: &[Finished]) -> String {
    csv(means(runs).iter())
}

/// Means of runs, as JSON.
#[derive(Serialize)]
struct Means<'a> {
    version: &'static str,
    build_hash: &'static str,
    /// What the intervals are.
    interval: &'static str,
    groups: Vec<GroupLine<'a>>,
    means: Vec<Mean<'a>>,
}

/// What the runs of a group were run with.
#[derive(Serialize)]
struct GroupLine<'a> {
    name: &'a str,
    selector: &'a str,
    seeds: Vec<u64>,
    engine: Kind,
    verilog_hashes: Vec<&'a str>,
    topology: &'a str,
    workload: &'a str,
    bytes: Option<u64>,
    fail: &'a [String],
    set: &'a [String],
}

/// [`means`] as JSON, with what was run.
pub fn means_json(runs: &[Finished]) -> String {
    let groups = groups(runs);
    let lines = groups.iter().map(|group| {
        let record = &group.runs[0].record;
        GroupLine {
            name: group.name,
            selector: group.selector,
            seeds: group.seeds(),
            engine: record.engine,
            verilog_hashes: group.verilog_hashes(),
            topology: &record.topology,
            workload: &record.workload,
            bytes: record.bytes,
            fail: &record.fail,
            set: &record.set,
        }
    });
    let all = Means {
        version: build::VERSION,
        build_hash: build::hash(),
        interval: INTERVAL,
        groups: lines.collect(),
        means: means(runs),
    };
    serde_json::to_string_pretty(&all).expect("means are plain data, which JSON takes") + "\n"
}

/// Every flow of every run as CSV.
pub fn flows_csv(runs: &[Finished]) -> String {
    csv(runs.iter().flat_map(|run| {
        let Record { name, selector, seed, .. } = &run.record;
        run.flows.iter().enumerate().map(move |(flow, row)| FlowLine {
            name,
            selector,
            seed: *seed,
            flow,
            source: row.source,
            destination: row.destination,
            bytes: row.bytes,
            start_us: row.began.map(microseconds),
            fct_us: row.time().map(microseconds),
            goodput_gbps: row.goodput_gbps(),
            retransmitted: row.counts.retransmitted,
            out_of_order: row.counts.out_of_order,
            reordering_depth_max: row.counts.deepest,
        })
    }))
}

/// The distributions of every group as CSV.
pub fn distributions_csv(runs: &[Finished]) -> String {
    let mut lines = Vec::new();
    for group in groups(runs) {
        for (quantity, points) in [(TIMES, group.times()), (DEPTHS, group.depths())] {
            lines.extend(points.into_iter().map(|Point { value, share, band }| PointLine {
                name: group.name,
                selector: group.selector,
                quantity,
                value,
                share,
                ci95_low: band.map(|[low, _]| low),
                ci95_high: band.map(|[_, high]| high),
            }));
        }
    }
    csv(lines.into_iter())
}

/// Watched ports over time as CSV.
pub fn series_csv(runs: &[Finished]) -> String {
    let mut lines = Vec::new();
    for run in runs {
        let Record { name, selector, seed, .. } = &run.record;
        let Some(series) = &run.series else { continue };
        for (port, bins) in series.ports() {
            lines.extend(bins.iter().enumerate().map(|(place, bin)| BinLine {
                name,
                selector,
                seed: *seed,
                port: &port.name,
                bin_start_us: microseconds(place as u64 * series.bin()),
                offered_packets: bin.packets,
                offered_gbps: rounded(series.offered_gbps(bin)),
                carried_gbps: rounded(series.carried_gbps(bin)),
                queue_max_kb: rounded(f64::from(bin.queue_most) / 1000.0),
                queue_mean_kb: rounded(bin.queue_mean() / 1000.0),
                lost: bin.lost,
            }));
        }
    }
    csv(lines.into_iter())
}

/// To a tenth.
fn rounded(value: f64) -> f64 {
    (10.0 * value).round() / 10.0
}
