//! From Verilog with rules to the solver's answer.

use std::path::Path;

use crate::tool::Tool;
use crate::{SynthError, write};

/// The formulas in their folder.
const FORMULAS: &str = "proof.smt2";

/// Writes the formulas of the rules in `verilog`, whose top module is `top`, into `folder`, which is made where it is missing. Of `joins`
/// the first wire takes the value of the second one; both are named by their paths from the top. What is read of a memory is anything, but
/// of those whose paths are `whole` what was written. `rules` are lines of Yosys that choose among the rules.
///
/// # Errors
/// Verilog that Yosys refuses, a full disk.
pub fn formulas(
    yosys: &Tool,
    folder: &Path,
    (top, verilog): (&str, &str),
    (joins, whole): (&[(String, String)], &[&str]),
    rules: &str,
) -> Result<(), SynthError> {
    let joins: String =
        joins.iter().map(|(to, from)| format!("connect -nounset -set {to} {from}\n")).collect();
    let whole: String = whole.iter().map(|path| format!(" c:*{}* %d", path.replace('.', ".\\\\"))).collect();
    let script = format!(
        "read_verilog -sv -formal -DSYNTHESIS {top}.v\nhierarchy -check -top {top}\nproc\nflatten\ncd {top}\n{joins}cd ..\n\
         prep -nordff -top {top}\ncutpoint t:$memrd*{whole}\nopt_clean -purge\n\
         memory_map\nopt_clean -purge\nasync2sync\nopt -fast\ndffunmap\nopt_clean\n{rules}write_smt2 -wires {top}.smt2\n",
    );
    std::fs::create_dir_all(folder)
        .map_err(|source| SynthError::Write { path: folder.to_path_buf(), source })?;
    write(&folder.join(format!("{top}.v")), verilog)?;
    write(&folder.join("proof.ys"), &script)?;
    yosys.run(folder, &["proof.ys"])?;
    std::fs::rename(folder.join(format!("{top}.smt2")), folder.join(FORMULAS))
        .map_err(|source| SynthError::Write { path: folder.join(FORMULAS), source })
}

/// The arguments of yosys-smtbmc for a question about the formulas of a folder.
pub fn question<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    ["--noprogress", "-s", "yices"].iter().chain(arguments).copied().chain([FORMULAS]).collect()
}

/// The names of the rules that the log of an answer says are broken, as often as it says so.
pub fn broken_rules(log: &str) -> impl DoubleEndedIterator<Item = &str> {
    let paths =
        log.lines().filter_map(|line| Some(line.split_once("Assert failed in ")?.1.split_once(": ")?.1));
    paths.map(|path| path.rsplit('.').next().unwrap_or(path).trim())
}
