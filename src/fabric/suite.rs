//! `respray fabric suite` and `merge`: many runs, in parts on many machines.

use std::path::PathBuf;

use clap::Args;
use respray_cosim::interrupt;
use respray_fabric::FabricError;
use respray_fabric::engine::Kind;
use respray_fabric::results::Finished;
use respray_fabric::suite::{MOST_PARTS, Part, is_done, keep, merge, of_part, others, plan};
use respray_files::output::check_writable;
use respray_files::parallel;

use super::outputs::Outputs;
use super::study;
use crate::args::{ExitStatus, Refusal};
use crate::number::part;
use crate::output::{self, Results};

#[derive(Args)]
pub struct SuiteArgs {
    /// TOML file with a table [[run]] for each scenario.
    suite: PathBuf,
    /// Run part I of N.
    #[arg(long, value_name = "I/N", default_value = "1/1", value_parser = part::<Part>(MOST_PARTS as u64))]
    shard: Part,
    /// Folder of the results, a file a run; what it has already is not run again, unless it is of other Verilog, of
    /// another build or of other files. It must exist.
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Write a line of JSON a run; `-` is standard output.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    #[command(flatten)]
    outputs: Outputs,
}

#[derive(Args)]
pub struct MergeArgs {
    /// TOML file of the suite.
    suite: PathBuf,
    /// Folders of the parts: one for all, or one each.
    #[arg(required = true, value_name = "DIR")]
    folders: Vec<PathBuf>,
    /// Where the lines of all runs go; `-` is standard output [default: `-` where no other file is asked for].
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    #[command(flatten)]
    outputs: Outputs,
}

/// Hands out the results of a whole suite, with a text above its tables and another below.
fn hand_out(
    suite: &std::path::Path,
    runs: &[Finished],
    json: Option<&std::path::Path>,
    outputs: &Outputs,
    [above, below]: [&str; 2],
) -> Result<(), Refusal> {
    let lines = || runs.iter().map(|run| run.line.as_str()).collect();
    let results = Results::text(format!("{above}{}{below}", study::text(runs))).file(json, lines);
    let name = suite.file_stem().unwrap_or_default().to_string_lossy();
    let title = format!("respray: path selectors in the fabric, {name}");
    outputs.add(results, runs, || study::sheet(&title, runs))?.hand_out()?;
    Ok(())
}

impl SuiteArgs {
    pub fn run(&self) -> Result<ExitStatus, Refusal> {
        let is_whole = self.shard.of == 1;
        let json = self.json.as_ref().map(|_| "--json");
        if let Some(option) = json.or(self.outputs.given()).filter(|_| !is_whole) {
            return Err(format!(
                "{option} is of a whole suite, and this is part {} of it; allowed: `respray fabric merge` with {option}, once all parts are \
                 there",
                self.shard
            )
            .into());
        }
        let units = plan(&self.suite)?;
        check_writable(&self.output.join("run.json"))?;
        self.outputs.check_suite(self.json.as_deref(), &units)?;
        let mut left = Vec::new();
        let of_part = of_part(&units, self.shard);
        for unit in &of_part {
            if !is_done(&self.output, unit)? {
                left.push(*unit);
            }
        }
        let others = others(&self.output, &units)?.len();
        let bar = output::progress(0, "runs");
        bar.set_length(of_part.len() as u64);
        bar.set_position((of_part.len() - left.len()) as u64);
        for unit in left.iter().filter(|unit| unit.maker.kind != Kind::Golden) {
            unit.prepare()?;
        }
        let results = parallel::map(&left, |unit| {
            if interrupt::is_requested() {
                return Ok(None);
            }
            let (record, ran, outcome) = unit.run(&self.output, &mut |_, _| {})?;
            let left_out = record.left_out();
            if !ran.is_interrupted && ran.difference.is_none() {
                keep(&self.output, unit, &Finished::of(&record, &outcome))?;
            }
            bar.inc(1);
            Ok(Some((ran, left_out)))
        });
        bar.finish_and_clear();
        let rans = results.into_iter().collect::<Result<Vec<_>, FabricError>>()?;
        let failures =
            rans.iter().flatten().flat_map(|(ran, left_out)| ran.difference.iter().chain(left_out));
        let differences: String = failures.map(|failure| format!("FAILS: {failure}\n")).collect();
        if rans.iter().any(|ran| ran.as_ref().is_none_or(|(ran, _)| ran.is_interrupted)) {
            return Ok(ExitStatus::Interrupted);
        }
        let others = match others {
            0 => String::new(),
            others => format!(
                "{} has {others} results of other Verilog, another build, other files or another suite, which are left out\n",
                self.output.display()
            ),
        };
        let text = format!(
            "part {} of {}: {} runs, {} of them were there before\n{others}",
            self.shard,
            self.suite.display(),
            of_part.len(),
            of_part.len() - left.len()
        );
        // a run with a difference has no result
        if is_whole && rans.iter().flatten().all(|(ran, _)| ran.difference.is_none()) {
            let runs = merge(&self.suite, &units, std::slice::from_ref(&self.output))?;
            hand_out(
                &self.suite,
                &runs,
                self.json.as_deref(),
                &self.outputs,
                [&format!("{text}\n"), &differences],
            )?;
        } else {
            Results::text(text + &differences).hand_out()?;
        }
        Ok(if differences.is_empty() { ExitStatus::Success } else { ExitStatus::Mismatch })
    }
}

impl MergeArgs {
    pub fn run(&self) -> Result<ExitStatus, Refusal> {
        let standard = PathBuf::from("-");
        let json = self.json.as_ref().or(self.outputs.given().is_none().then_some(&standard));
        let json = json.map(PathBuf::as_path);
        let units = plan(&self.suite)?;
        self.outputs.check_suite(json, &units)?;
        let runs = merge(&self.suite, &units, &self.folders)?;
        hand_out(&self.suite, &runs, json, &self.outputs, ["", ""])?;
        Ok(ExitStatus::Success)
    }
}
