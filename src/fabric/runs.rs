//! Runs side by side, with a progress bar, and the files that they go to.

use std::path::{Path, PathBuf};

use clap::Args;
use respray_fabric::engine::Kind;
use respray_fabric::record::{Ran, Record, Spread};
use respray_fabric::request::{Request, Unit};
use respray_fabric::simulation::Outcome;
use respray_fabric::time::microseconds;
use respray_files::output::{check_writable, is_standard_output};
use respray_files::parallel;
use respray_synth::report::Table;
use respray_synth::sheet::Sheet;

use crate::args::{ExitStatus, Refusal};
use crate::output::{self, Results};

/// Where runs go.
#[derive(Args)]
pub struct Files {
    /// Write a line of JSON a run; `-` is standard output. How the runs went on this machine stands in FILE.run.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write one HTML page with table, bars and curves.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write the load of the watched switch's ports over time as CSV.
    #[arg(long, value_name = "FILE")]
    series: Option<PathBuf>,
}

/// Runs that are over.
pub struct Runs {
    pub runs: Vec<(Record, Ran, Outcome)>,
}

impl Runs {
    /// Does all of them, some at once. Nothing is begun before every model is built.
    pub fn of(units: &[Unit]) -> Result<Runs, Refusal> {
        let bar = output::progress(0, "flows");
        bar.set_length(units.iter().map(|unit| unit.flows() as u64).sum());
        let mut built: Vec<(&str, &respray_hdl::config::Config)> = Vec::new();
        for unit in units.iter().filter(|unit| unit.maker.kind != Kind::Golden) {
            let model = (unit.maker.selector.as_str(), &unit.config);
            if !built.contains(&model) {
                bar.set_message(format!("building {}", unit.maker.selector));
                unit.maker.prepare(unit.scenario.about_ops())?;
                built.push(model);
            }
        }
        bar.set_message("");
        let results = parallel::map(units, |unit| {
            let mut told = 0;
            unit.run(Path::new("."), &mut |done, _| {
                bar.inc((done - told) as u64);
                told = done;
            })
        });
        bar.finish_and_clear();
        Ok(Runs { runs: results.into_iter().collect::<Result<_, _>>()? })
    }

    /// Runs of a selector, in the order of their seeds.
    pub fn with<'a>(&'a self, selector: &'a str) -> impl Iterator<Item = &'a (Record, Ran, Outcome)> {
        self.runs.iter().filter(move |(record, ..)| record.selector == selector)
    }

    /// A line a selector.
    pub fn table(&self, request: &Request) -> Table {
        let header = [
            "selector",
            "max FCT us",
            "mean FCT us",
            "packets",
            "again",
            "trimmed",
            "dropped",
            "failed",
            "late %",
            "imbalance %",
            "unfinished",
        ];
        let seeds = if request.seeds == 1 { "1 seed".into() } else { format!("{} seeds", request.seeds) };
        let note = format!(
            "{} on {}, {seeds} from {} on, {}. FCT: mean (least..greatest) of the seeds; the other figures are means. Late: arrivals behind \
             one with a higher PSN. Imbalance: how much more than the mean the most loaded up-link of a ToR has got.",
            request.workload,
            request.topology,
            request.seed,
            engine(request.engine),
        );
        let mut table = Table::new("Path selectors in the fabric", note, &header);
        for selector in &request.selectors {
            let records: Vec<&Record> = self.with(selector).map(|(record, ..)| record).collect();
            let spread = |figure: &dyn Fn(&Record) -> f64| {
                Spread::of(records.iter().map(|record| figure(record)))
                    .map_or("-".into(), |spread| spread.to_string())
            };
            let mean = |figure: &dyn Fn(&Record) -> f64, digits: usize| {
                let mean =
                    Spread::of(records.iter().map(|record| figure(record))).map_or(0.0, |spread| spread.mean);
                format!("{mean:.digits$}")
            };
            let arrivals = |record: &Record| record.counters.delivered.max(1) as f64;
            table.row([
                selector.clone(),
                spread(&|record| record.times.max_fct_us),
                spread(&|record| record.times.mean_fct_us),
                mean(&|record| record.counters.new_packets as f64, 0),
                mean(&|record| record.counters.retransmitted as f64, 0),
                mean(&|record| record.counters.trimmed as f64, 0),
                mean(&|record| record.counters.dropped as f64, 0),
                mean(&|record| record.counters.lost_to_failure as f64, 0),
                mean(&|record| 100.0 * record.counters.out_of_order as f64 / arrivals(record), 1),
                mean(&|record| 100.0 * record.imbalance, 1),
                mean(&|record| record.times.unfinished as f64, 0),
            ]);
        }
        table
    }

    /// The load of the watched ports: columns as the paper's simulator was recorded.
    fn series(&self) -> String {
        let mut text = String::from(
            "figure,lb,seed,bin_start_us,uplink,data_packets_routed,gbps,queue_max_kb,queue_mean_kb,lost\n",
        );
        for (record, _, outcome) in &self.runs {
            let Some(series) = &outcome.series else { continue };
            for (uplink, (_, bins)) in series.ports().enumerate() {
                for (place, bin) in bins.iter().enumerate() {
                    text += &format!(
                        "{},{},{},{},{uplink},{},{:.1},{:.1},{:.1},{}\n",
                        record.name,
                        record.selector,
                        record.seed,
                        microseconds(place as u64 * series.bin()),
                        bin.packets,
                        series.gbps(bin),
                        f64::from(bin.queue_most) / 1000.0,
                        bin.queue_mean() / 1000.0,
                        bin.lost,
                    );
                }
            }
        }
        text
    }

    /// A line of JSON a run.
    pub fn lines(&self) -> String {
        self.runs.iter().map(|(record, ..)| record.line()).collect()
    }

    /// How the runs went on this machine, a line of JSON each.
    pub fn ran(&self) -> String {
        let line = |ran: &Ran| serde_json::to_string(ran).expect("plain data, which JSON takes") + "\n";
        self.runs.iter().map(|(_, ran, _)| line(ran)).collect()
    }

    /// How a command ends that made them, with a sentence for each difference and for each run that left flows out.
    pub fn end(&self) -> (ExitStatus, String) {
        let failures = |(record, ran, _): &(Record, Ran, Outcome)| match &ran.difference {
            Some(difference) => Some(difference.clone()),
            None => record.left_out(),
        };
        let differences: Vec<String> = self.runs.iter().filter_map(failures).collect();
        let fails = differences.iter().map(|difference| format!("FAILS: {difference}\n")).collect();
        let status = match self.runs.iter().any(|(_, ran, _)| ran.is_interrupted) {
            true => ExitStatus::Interrupted,
            false if differences.is_empty() => ExitStatus::Success,
            false => ExitStatus::Mismatch,
        };
        (status, fails)
    }
}

/// What chose the EVs, in words.
pub fn engine(kind: Kind) -> &'static str {
    match kind {
        Kind::Rtl => "the Verilog chooses the EVs",
        Kind::Golden => "the golden model chooses the EVs",
        Kind::Both => "the Verilog and the golden model choose the EVs together",
    }
}

impl Files {
    /// Refuses what cannot be written, before anything long begins.
    pub fn check(&self) -> Result<(), Refusal> {
        let files = [("--json", &self.json), ("--html", &self.html), ("--series", &self.series)];
        let files = files.map(|(option, path)| (option, path.as_deref()));
        output::one_standard_output(&files)?;
        Ok(files.iter().filter_map(|(_, path)| *path).try_for_each(check_writable)?)
    }

    /// Whether anything shows ports over time.
    pub fn wants_series(&self) -> bool {
        self.series.is_some() || self.html.is_some()
    }

    /// Hands everything out. An interrupted run leaves no file.
    pub fn hand_out(&self, runs: &Runs, text: String, sheet: Sheet) -> Result<ExitStatus, Refusal> {
        let (status, fails) = runs.end();
        if matches!(status, ExitStatus::Interrupted) {
            return Ok(status);
        }
        let page = sheet.html()?;
        let beside = self.json.as_deref().filter(|path| !is_standard_output(path)).map(beside);
        Results::text(format!("{text}{fails}"))
            .file(self.json.as_deref(), || runs.lines())
            .file(beside.as_deref(), || runs.ran())
            .file(self.series.as_deref(), || runs.series())
            .file(self.html.as_deref(), || page)
            .hand_out()?;
        Ok(status)
    }
}

/// The file beside another that says how its runs went.
pub fn beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(".run");
    name.into()
}
