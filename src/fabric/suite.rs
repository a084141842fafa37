//! `respray fabric suite` and `merge`: many runs, in parts on many machines.

use std::path::PathBuf;

use clap::Args;
use respray_cosim::interrupt;
use respray_fabric::engine::Kind;
use respray_fabric::suite::{MOST_PARTS, Part, is_done, keep, merge, of_part, plan};
use respray_files::output::check_writable;
use respray_files::parallel;

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
    /// Folder of the results, a file a run; what it has already is not run again. It must exist.
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
}

#[derive(Args)]
pub struct MergeArgs {
    /// TOML file of the suite.
    suite: PathBuf,
    /// Folders of the parts: one for all, or one each.
    #[arg(required = true, value_name = "DIR")]
    folders: Vec<PathBuf>,
    /// Where the lines of all runs go; `-` is standard output.
    #[arg(long, value_name = "FILE", default_value = "-")]
    json: PathBuf,
}

impl SuiteArgs {
    pub fn run(&self) -> Result<ExitStatus, Refusal> {
        let units = plan(&self.suite)?;
        check_writable(&self.output.join("run_00000.json"))?;
        let mut left = Vec::new();
        let of_part = of_part(&units, self.shard);
        for &(place, unit) in &of_part {
            if !is_done(&self.output, place, unit)? {
                left.push((place, unit));
            }
        }
        let bar = output::progress(0, "runs");
        bar.set_length(of_part.len() as u64);
        bar.set_position((of_part.len() - left.len()) as u64);
        for (_, unit) in left.iter().filter(|(_, unit)| unit.maker.kind != Kind::Golden) {
            unit.maker.prepare(unit.scenario.about_ops())?;
        }
        let results = parallel::map(&left, |(place, unit)| {
            if interrupt::is_requested() {
                return Ok(None);
            }
            let (record, ran, _) = unit.run(&self.output, &mut |_, _| {})?;
            let left_out = record.left_out();
            if !ran.is_interrupted && ran.difference.is_none() {
                keep(&self.output, *place, unit, record.line())?;
            }
            bar.inc(1);
            Ok(Some((ran, left_out)))
        });
        bar.finish_and_clear();
        let rans = results.into_iter().collect::<Result<Vec<_>, respray_fabric::FabricError>>()?;
        let failures =
            rans.iter().flatten().flat_map(|(ran, left_out)| ran.difference.iter().chain(left_out));
        let differences: String = failures.map(|failure| format!("FAILS: {failure}\n")).collect();
        if rans.iter().any(|ran| ran.as_ref().is_none_or(|(ran, _)| ran.is_interrupted)) {
            return Ok(ExitStatus::Interrupted);
        }
        let text = format!(
            "part {} of {}: {} runs, {} of them were there before\n{differences}",
            self.shard,
            self.suite.display(),
            of_part.len(),
            of_part.len() - left.len()
        );
        Results::text(text).hand_out()?;
        Ok(if differences.is_empty() { ExitStatus::Success } else { ExitStatus::Mismatch })
    }
}

impl MergeArgs {
    pub fn run(&self) -> Result<ExitStatus, Refusal> {
        let units = plan(&self.suite)?;
        check_writable(&self.json)?;
        let lines = merge(&self.suite, &units, &self.folders)?;
        Results::default().file(Some(&self.json), || lines).hand_out()?;
        Ok(ExitStatus::Success)
    }
}
