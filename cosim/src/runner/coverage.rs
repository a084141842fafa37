//! The files of line coverage.

use std::path::Path;

use respray_files::output::{OutputError, write_all};

use super::{RunError, write_error};
use crate::report::LineCoverage;
use crate::verilator::{Coverage, Source, sum_coverage};

/// Makes the folder, if there is to be one, before anything that takes long.
pub(crate) fn prepare(directory: Option<&Path>) -> Result<(), OutputError> {
    directory.map_or(Ok(()), |directory| std::fs::create_dir_all(directory).map_err(write_error(directory)))
}

/// Writes what Verilator counted in models of `source`, added up, and the Verilog with the counts beside its lines.
pub(crate) fn write(source: &Source, counts: &[String], directory: &Path) -> Result<LineCoverage, RunError> {
    let core = &source.top;
    let counts = sum_coverage(counts)?;
    let coverage = Coverage::parse(&counts)?;
    write_all(&[
        (directory.join(format!("{core}.dat")), counts.into_bytes()),
        (directory.join(format!("{core}.v.coverage")), coverage.annotate(&source.verilog).into_bytes()),
    ])?;
    let (executed, lines) = coverage.covered_and_total();
    Ok(LineCoverage { executed, lines, not_executed: coverage.uncovered() })
}
