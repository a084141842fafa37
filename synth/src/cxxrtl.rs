//! Verilog as C++ for simulation, as Yosys writes it (`write_cxxrtl`): what the front end of synthesis makes of the Verilog.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::tool::Toolbox;
use crate::within::followed;
use crate::{Bench, SynthError, write};

/// The C++ of a design.
#[derive(Clone, Debug)]
pub struct Translation {
    pub source: String,
    /// The folder of the headers that it includes.
    pub include: PathBuf,
    /// The Yosys, as [`crate::tool::Tool::describe`] tells of it.
    pub made_by: String,
}

/// What Yosys is told. What stands in the Verilog for simulation alone is heeded, as this is one.
fn script(top: &str, verilog: &str) -> String {
    format!(
        "read_verilog -nosynthesis design.v\n{}hierarchy -check -top {top}\nwrite_cxxrtl -g0 design.cpp\n",
        followed(verilog)
    )
}

/// Translates `verilog`, whose top module is `top`; finished runs are taken from the cache.
///
/// # Errors
/// A missing tool or its headers, Verilog that Yosys refuses, a full disk.
pub fn translate(bench: &Bench, top: &str, verilog: &str) -> Result<Translation, SynthError> {
    let yosys = bench.tools.yosys()?;
    let include = headers(&bench.tools, yosys.origin == "PATH");
    let include = include.ok_or_else(|| SynthError::NoCxxrtl { yosys: yosys.describe() })?;
    let script = script(top, verilog);
    let made = bench.cache.run::<SynthError>(&[&yosys.describe(), &script, verilog], |folder| {
        write(&folder.join("design.v"), verilog)?;
        write(&folder.join("design.ys"), &script)?;
        write(&folder.join("log.txt"), &yosys.run(folder, &["design.ys"])?)
    })?;
    let path = made.join("design.cpp");
    let source = fs::read_to_string(&path).map_err(|source| SynthError::Read { path, source })?;
    Ok(Translation { source, include, made_by: yosys.describe() })
}

/// The folder of the headers among what Yosys brings.
fn headers(tools: &Toolbox, is_on_path: bool) -> Option<PathBuf> {
    const HEADERS: &str = "include/backends/cxxrtl/runtime";
    let shares: Vec<PathBuf> = if is_on_path {
        let said = Command::new("yosys-config").arg("--datdir").output().ok()?;
        vec![PathBuf::from(String::from_utf8_lossy(&said.stdout).trim())]
    } else {
        let pythons = fs::read_dir(tools.venv().join("lib")).ok()?.flatten();
        pythons.map(|python| python.path().join("site-packages/pyosys/share")).collect()
    };
    shares.into_iter().map(|share| share.join(HEADERS)).find(|headers| headers.is_dir())
}
