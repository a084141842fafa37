//! The Verilog that runs, and the one that is shown: the joined block runs with outputs beside its own, by which the lockstep sees which
//! part takes an op. Nothing of these is changed, and lines are those of the Verilog that a designer gets. Modules of the cores in the block
//! have the campaigns of these cores.

use std::ops::Range;

use respray_cosim::nic::Begun;
use respray_hdl::catalogue::{self, NAMES};
use respray_hdl::manifest::Generated;
use respray_hdl::nic::top::{NAME, observed};
use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::MutateError;
use crate::verilog::{Module, sites};

/// Two texts, of which one has what the other has and more; or one twice.
#[derive(Clone, Copy, Debug)]
pub struct Texts<'a> {
    /// What runs.
    pub run: &'a str,
    /// What a designer gets.
    pub shown: &'a str,
    /// Names of modules that are not changed.
    pub spared: &'a [String],
}

/// What runs in the place of a generated block, if that is something else: the joined block with outputs by which it is watched, and with counts
/// that begin far on, so that their carries are soon.
///
/// # Errors
/// A size off the menu, which `Config::load` refuses already.
pub fn watched(generated: &Generated) -> Result<Option<String>, MutateError> {
    let manifest = &generated.manifest;
    let watched = (manifest.module == NAME).then(|| observed(&manifest.config)).transpose()?;
    Ok(watched.map(|verilog| Begun::FAR.verilog(&verilog)))
}

/// The modules of a generated block that a core has, too.
///
/// # Errors
/// As [`watched`] has them.
pub fn modules_of_cores(generated: &Generated) -> Result<Vec<String>, MutateError> {
    let manifest = &generated.manifest;
    let mut shared = Vec::new();
    if manifest.module != NAME {
        return Ok(shared);
    }
    let modules = sites(&generated.verilog).modules;
    for core in NAMES.iter().filter(|core| **core != NAME) {
        let core = catalogue::generate(core, &manifest.config)?.verilog;
        let is_there = |module: &&Module| core.contains(&generated.verilog[module.bytes.clone()]);
        shared.extend(modules.iter().filter(is_there).map(|module| module.name.clone()));
    }
    Ok(shared)
}

impl<'a> Texts<'a> {
    /// A text that runs as it is shown.
    pub fn one(text: &'a str) -> Texts<'a> {
        Texts { run: text, shown: text, spared: &[] }
    }

    /// Of each line of what runs the number of the same line in what is shown, counted from 1; `None` where that has no such line.
    pub fn lines(&self) -> Vec<Option<usize>> {
        let [run, shown] = [self.run, self.shown].map(|text| text.lines().collect::<Vec<&str>>());
        let mut lines = vec![None; run.len()];
        for part in capture_diff_slices(Algorithm::Myers, &run, &shown) {
            if let DiffOp::Equal { old_index, new_index, len } = part {
                (0..len).for_each(|at| lines[old_index + at] = Some(new_index + at + 1));
            }
        }
        lines
    }
}

/// The bytes of those lines of a text, counted from 0, that are wanted.
pub fn lines_of(text: &str, is_wanted: impl Fn(usize) -> bool) -> Vec<Range<usize>> {
    let mut begin = 0;
    let mut wanted = Vec::new();
    for (number, line) in text.split_inclusive('\n').enumerate() {
        if is_wanted(number) {
            wanted.push(begin..begin + line.len());
        }
        begin += line.len();
    }
    wanted
}
