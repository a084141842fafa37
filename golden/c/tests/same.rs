//! What C and Python make of ops and of a run of `nic`: the same as Rust.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::random::{self, CORES, SEED};
use crate::script::script;
use crate::tools::{compiled, printed, project, python};

/// How much is replayed.
#[derive(Clone, Copy)]
pub struct Size {
    /// Ops of each core.
    ops: usize,
    /// Packets each way of each of four connections of a run of `nic`.
    packets: u32,
    /// Frames that these are at least, with their SACKs.
    frames: usize,
}

impl Size {
    pub const QUICK: Size = Size { ops: 2_000, packets: 12, frames: 100 };
    pub const WHOLE: Size = Size { ops: 100_000, packets: 100, frames: 1000 };
}

/// A program that replays, given what to replay.
pub type Replay<'a> = &'a dyn Fn(&[&str]) -> String;

/// Ops of six cores and a run of `nic` come to the same in a program.
pub fn is_the_same(replay: Replay<'_>, size: Size, folder: &Path) {
    let Size { ops, packets, frames } = size;
    for core in CORES {
        let line = replay(&["ops", core, &SEED.to_string(), &ops.to_string()]);
        assert_eq!(line.trim_end(), random::line(core, ops));
    }
    let script = script(packets);
    assert!(script.frames >= frames, "{} frames", script.frames);
    for what in ["tx_out -", "event ", "tx_out 02"] {
        assert!(script.answers.iter().any(|answer| answer.starts_with(what)), "`{what}` is answered");
    }
    let path = folder.join("script");
    fs::write(&path, script.asked.join("\n") + "\n").unwrap();
    let answers = replay(&["nic", path.to_str().unwrap()]);
    for (at, (answer, expected)) in answers.lines().zip(&script.answers).enumerate() {
        assert_eq!(answer, expected, "answer {at}");
    }
    assert_eq!(answers.lines().count(), script.answers.len());
}

fn c(size: Size) {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("replay");
    compiled(&project().join("golden/c/tests/replay.c"), &program);
    let replay = |arguments: &[&str]| printed(Command::new(&program).args(arguments));
    is_the_same(&replay, size, folder.path());
}

fn of_python(size: Size) {
    if python().is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let replay = |arguments: &[&str]| {
        let mut command = python().unwrap();
        printed(command.arg(project().join("python/tests/replay.py")).args(arguments))
    };
    is_the_same(&replay, size, folder.path());
}

#[test]
fn c_has_the_results_of_rust() {
    c(Size::QUICK);
}

#[test]
fn python_has_the_results_of_rust() {
    of_python(Size::QUICK);
}

#[test]
fn the_tests_of_the_package_pass() {
    let Some(mut command) = python() else { return };
    let said = printed(
        command.args(["-m", "pytest", "-q", "-p", "no:cacheprovider"]).arg(project().join("python/tests")),
    );
    assert!(said.contains(" passed"), "{said}");
}

#[test]
#[ignore = "100,000 ops of six cores and 1,000 frames, twice: `make test-long`"]
fn c_and_python_have_the_results_of_rust_on_long_runs() {
    c(Size::WHOLE);
    of_python(Size::WHOLE);
}

#[test]
fn another_configuration_has_other_results() {
    // a comparison that sees no difference would pass above
    assert_ne!(random::line("reps", 100).split(' ').nth(2), random::line("reps", 101).split(' ').nth(2));
}

#[test]
#[ignore = "compiles the library once more and downloads packages: `make test-long`"]
fn a_wheel_is_built_and_used_in_a_fresh_environment() {
    let folder = tempfile::tempdir().unwrap();
    let environment = folder.path().join("environment");
    printed(Command::new("python3").args(["-m", "venv"]).arg(&environment));
    let package = format!("{}[test]", project().join("python").display());
    let mut pip = Command::new(environment.join("bin/pip"));
    // what a run of lints sets for the workspace
    pip.env_remove("RUSTC_WORKSPACE_WRAPPER").env_remove("CLIPPY_ARGS").env_remove("RESPRAY_LINK_MODELS");
    printed(pip.args(["install", "--quiet", &package]));
    let mut tests = Command::new(environment.join("bin/python"));
    tests.args(["-m", "pytest", "-q", "-p", "no:cacheprovider"]).arg(project().join("python/tests"));
    // neither the package of the checkout nor the library that cargo built
    tests.current_dir(folder.path()).env_remove("PYTHONPATH").env_remove("RESPRAY_GOLDEN");
    let said = printed(&mut tests);
    assert!(said.contains(" passed") && !said.contains("skipped"), "{said}");
}
