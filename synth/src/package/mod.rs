//! What makes generated cores easy to take elsewhere: core files for FuseSoC, file lists, Vivado scripts, wrappers for boards,
//! constraints.

mod fusesoc;
pub mod shell;
mod vivado;

use std::path::{Path, PathBuf};

use respray_hdl::cores::prefix::Prefix;
use respray_hdl::manifest::Generated;

use crate::wrapper;
pub use fusesoc::vlnv;

/// Name of the folder of constraint files.
const CONSTRAINTS: &str = "constraints";

/// Where the folder of constraint files stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Constraints {
    /// In the folder of the Verilog, so that whoever copies this folder has all that its scripts need.
    Inside,
    /// Beside the folder of the Verilog, as in a checkout.
    Beside,
}

impl Constraints {
    /// Its path from a script that stands with the Verilog.
    fn path_from_verilog(self) -> String {
        match self {
            Constraints::Inside => CONSTRAINTS.to_string(),
            Constraints::Beside => format!("../{CONSTRAINTS}"),
        }
    }

    /// Its path, where the Verilog stands in the folder `verilog`.
    #[must_use]
    pub fn folder(self, verilog: &Path) -> PathBuf {
        match self {
            Constraints::Inside => verilog.join(CONSTRAINTS),
            Constraints::Beside => verilog.with_file_name(CONSTRAINTS),
        }
    }
}

/// Files that stand beside `<core>.v`: `<core>.core` (FuseSoC), `<core>.f` (file list), `<core>.tcl` (Vivado),
/// `<core>_board.v` (the wrapper that the boards' constraint files are for).
pub fn files(generated: &Generated, constraints: Constraints) -> Vec<(PathBuf, String)> {
    let core = &generated.manifest.module;
    let source = format!("{core}.v");
    let title = format!("Makes an out-of-context Vivado project of {core} for each Alveo card");
    let clock_mhz = generated.manifest.config.clock_mhz;
    let script = vivado::script(&title, core, std::slice::from_ref(&source), constraints, clock_mhz);
    let board = wrapper::folded(core, &generated.manifest.ports);
    vec![
        (PathBuf::from(format!("{core}.core")), fusesoc::core_file(generated, constraints)),
        (PathBuf::from(format!("{core}.f")), file_list(core, &[source])),
        (PathBuf::from(format!("{core}.tcl")), script),
        (PathBuf::from(format!("{}.v", board.module)), board.verilog),
    ]
}

/// Files of a design that holds all of `cores`, each in its wrapper for boards: Verilog, file list, Vivado script. There are
/// none for one core alone.
pub fn design(cores: &[Generated], prefix: &Prefix, constraints: Constraints) -> Vec<(PathBuf, String)> {
    let [first, _, ..] = cores else { return Vec::new() };
    let wrapped: Vec<(&str, String)> = cores
        .iter()
        .map(|core| core.manifest.module.as_str())
        .map(|core| (core, wrapper::board_name(core)))
        .collect();
    let top = prefix.name("cores");
    let mut sources: Vec<String> =
        wrapped.iter().flat_map(|(core, board)| [format!("{core}.v"), format!("{board}.v")]).collect();
    sources.push(format!("{top}.v"));
    let boards: Vec<&str> = wrapped.iter().map(|(_, board)| board.as_str()).collect();
    let title = "Makes one out-of-context Vivado project that holds every core for each Alveo card";
    vec![
        (PathBuf::from(format!("{top}.v")), wrapper::chain(&top, &boards)),
        (PathBuf::from(format!("{top}.f")), file_list(&top, &sources)),
        (
            PathBuf::from(format!("{top}.tcl")),
            vivado::script(title, &top, &sources, constraints, first.manifest.config.clock_mhz),
        ),
    ]
}

fn file_list(top: &str, sources: &[String]) -> String {
    format!(
        "// Made by respray. Paths are relative to this file: verilator -F {top}.f\n{}\n",
        sources.join("\n")
    )
}
