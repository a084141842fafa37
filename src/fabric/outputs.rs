//! Files that the results of runs go to.

use std::path::{Path, PathBuf};

use clap::Args;
use respray_fabric::request::Unit;
use respray_fabric::results::{self, Finished};
use respray_files::output::check_writable;
use respray_synth::sheet::Sheet;

use crate::args::Refusal;
use crate::output::{self, Results};

/// Where the results of runs go beside their lines of JSON.
#[derive(Args)]
pub struct Outputs {
    /// Write one HTML page with tables, bars and distributions.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write the mean of each quantity over the seeds with its 95% confidence interval as CSV, or as JSON where FILE
    /// ends in .json.
    #[arg(long, value_name = "FILE")]
    means: Option<PathBuf>,
    /// Write each flow of each run as CSV.
    #[arg(long, value_name = "FILE")]
    flows: Option<PathBuf>,
    /// Write the distributions of flow completion times and of reordering depths over the seeds, with a 95% confidence
    /// band, as CSV.
    #[arg(long, value_name = "FILE")]
    cdf: Option<PathBuf>,
    /// Write the load, the queue and the losses of the watched ports over time as CSV.
    #[arg(long, value_name = "FILE")]
    series: Option<PathBuf>,
}

impl Outputs {
    fn files(&self) -> [(&'static str, Option<&Path>); 5] {
        [
            ("--html", self.html.as_deref()),
            ("--means", self.means.as_deref()),
            ("--flows", self.flows.as_deref()),
            ("--cdf", self.cdf.as_deref()),
            ("--series", self.series.as_deref()),
        ]
    }

    /// The first option that is given.
    pub fn given(&self) -> Option<&'static str> {
        self.files().into_iter().find(|(_, path)| path.is_some()).map(|(option, _)| option)
    }

    /// Refuses what cannot be written, before anything long begins.
    pub fn check(&self, json: Option<&Path>) -> Result<(), Refusal> {
        let files: Vec<_> = [("--json", json)].into_iter().chain(self.files()).collect();
        output::one_standard_output(&files)?;
        Ok(files.iter().filter_map(|(_, path)| *path).try_for_each(check_writable)?)
    }

    /// The same for the runs of a suite, which say themselves what they watch.
    pub fn check_suite(&self, json: Option<&Path>, units: &[Unit]) -> Result<(), Refusal> {
        if self.series.is_some() && units.iter().all(|unit| unit.scenario.watched.is_empty()) {
            let message = "--series: no run of the suite watches a port; allowed: a [[run]] with `watch`, e.g. watch = [\"tor0.up1\"]";
            return Err(message.into());
        }
        self.check(json)
    }

    /// Whether anything shows ports over time.
    pub fn shows_series(&self) -> bool {
        self.series.is_some() || self.html.is_some()
    }

    /// Adds the files to what is handed out.
    pub fn add(
        &self,
        results: Results,
        runs: &[Finished],
        sheet: impl FnOnce() -> Sheet,
    ) -> Result<Results, Refusal> {
        let page = self.html.as_ref().map(|_| sheet().html()).transpose()?;
        let means = |path: &Path| match path.extension().is_some_and(|extension| extension == "json") {
            true => results::means_json(runs),
            false => results::means_csv(runs),
        };
        Ok(results
            .file(self.html.as_deref(), || page.expect("it was made"))
            .file(self.means.as_deref(), || self.means.as_deref().map(means).unwrap_or_default())
            .file(self.flows.as_deref(), || results::flows_csv(runs))
            .file(self.cdf.as_deref(), || results::distributions_csv(runs))
            .file(self.series.as_deref(), || results::series_csv(runs)))
    }
}
