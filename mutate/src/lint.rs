//! Which mutants are no Verilog that a designer would have been allowed to keep: Verilator's lint refuses them.

use std::path::Path;

use respray_cosim::verilator::{CompileError, Verilator};
use respray_files::parallel;

use crate::MutateError;
use crate::mutants::Mutant;
use crate::schemata::{MOST_MUTANTS, schemata};
use crate::verilog::Sites;

/// For each mutant, why the lint refuses it, if it does.
///
/// All of them are looked at in one Verilog first, and by themselves only where something is said of one of their lines, or of a line of none.
///
/// # Errors
/// Without Verilator, and if the text itself is refused.
pub fn refused(
    top: &str,
    text: &str,
    sites: &Sites,
    mutants: &[Mutant],
) -> Result<Vec<Option<String>>, MutateError> {
    if let Some((_, warning)) = warnings(top, text)?.into_iter().next() {
        return Err(MutateError::Lint { core: top.to_string(), warning });
    }
    let mut together = Vec::new();
    for group in mutants.chunks(MOST_MUTANTS) {
        together.extend(warnings(top, &schemata(text, sites, group))?);
    }
    let is_of_mutant = |line: &usize| mutants.iter().any(|mutant| mutant.line == *line);
    let is_elsewhere = together.iter().any(|(line, _)| !is_of_mutant(line));
    let is_suspect = |mutant: &Mutant| is_elsewhere || together.iter().any(|(line, _)| *line == mutant.line);
    let of_one = |mutant: &Mutant| -> Result<Option<String>, MutateError> {
        if !is_suspect(mutant) {
            return Ok(None);
        }
        Ok(warnings(top, &mutant.text(text))?.into_iter().next().map(|(_, warning)| warning))
    };
    parallel::map(mutants, of_one).into_iter().collect()
}

/// What the lint says of a Verilog: lines, and the sentences.
fn warnings(top: &str, text: &str) -> Result<Vec<(usize, String)>, MutateError> {
    let verilator = Verilator::find()?;
    let folder = tempfile::tempdir().map_err(MutateError::Folder)?;
    let name = format!("{top}.v");
    std::fs::write(folder.path().join(&name), text).map_err(MutateError::Folder)?;
    let output = verilator
        .command()
        .current_dir(folder.path())
        .args(["--lint-only", "-Wno-fatal", "--top-module", top])
        .arg(Path::new(&name))
        .output()
        .map_err(|_| CompileError::MissingVerilator)?;
    let said = String::from_utf8_lossy(&output.stderr);
    let of_file = said.lines().filter(|line| line.starts_with("%Error") || line.starts_with("%Warning"));
    let warnings: Vec<(usize, String)> = of_file
        .filter_map(|line| {
            let (_, place) = line.split_once(&format!("{name}:"))?;
            let number = place.split(':').next()?.parse().ok()?;
            let kind = line.split(':').next()?.trim_start_matches('%');
            let said = place.splitn(3, ':').nth(2)?.trim();
            Some((number, format!("{kind}: {said}")))
        })
        .collect();
    if warnings.is_empty() && !output.status.success() {
        let warning = said.lines().next().unwrap_or("it gives no reason").to_string();
        return Ok(vec![(0, warning)]);
    }
    Ok(warnings)
}
