//! The package for SystemVerilog: the same results as Rust, benches that pass on the Verilog, and that find a fault in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::same::{Size, is_the_same};
use crate::script::script;
use crate::tools::{libraries, library, printed, project, said};

/// Warnings that speak of arrays which DPI fills, and of what a package has and a bench does not use.
const UNHEARD: [&str; 3] = ["-Wno-UNDRIVEN", "-Wno-UNUSEDSIGNAL", "-Wno-UNUSEDPARAM"];
const PACKAGE: &str = "tb/sv/respray_golden_pkg.sv";

/// Verilator with the package and these files.
fn verilator(mode: &[&str], top: &str, files: &[PathBuf]) -> Command {
    let mut command = Command::new("verilator");
    command.args(mode).arg("-Wall").args(UNHEARD).args(["--top-module", top]);
    command.arg(project().join(PACKAGE)).args(files);
    // what cargo sets for the workspace alone
    command.env_remove("CPLUS_INCLUDE_PATH").env_remove("CXXFLAGS");
    command
}

/// A bench, compiled with these files.
pub fn built(folder: &Path, top: &str, files: &[PathBuf]) -> PathBuf {
    let rpath = format!("-Wl,-rpath,{}", libraries().display());
    let mut command = verilator(&["--binary", "--assert", "-j", "2"], top, files);
    command.arg(library()).args(["-CFLAGS", "-O0", "-LDFLAGS", &rpath, "-o", "bench", "-Mdir"]).arg(folder);
    let output = command.output().expect("Verilator is there");
    assert!(output.status.success(), "{}", said(&output));
    folder.join("bench")
}

/// A file of `tb/sv/`.
pub fn source(name: &str) -> PathBuf {
    project().join("tb/sv").join(name)
}

/// Runs a bench with these arguments; with a fault it does not succeed.
pub fn run(bench: &Path, arguments: &[&str]) -> Output {
    Command::new(bench).args(arguments).output().expect("it was built")
}

/// The committed Verilog of a core with another text in the place of one.
pub fn faulty(folder: &Path, core: &str, right: &str, wrong: &str) -> PathBuf {
    let verilog = fs::read_to_string(project().join(format!("generated/{core}.v"))).unwrap();
    assert_eq!(verilog.matches(right).count(), 1, "`{right}` stands in the Verilog once");
    let path = folder.join(format!("{core}.v"));
    fs::write(&path, verilog.replace(right, wrong)).unwrap();
    path
}

/// The committed Verilog of a core.
pub fn verilog(core: &str) -> PathBuf {
    project().join(format!("generated/{core}.v"))
}

#[test]
fn verilator_takes_the_package_and_its_benches() {
    for (top, files) in [
        ("replay", vec![source("replay.sv")]),
        ("reps_bench", vec![source("reps_bench.sv"), verilog("reps")]),
        ("rewrite_rx_bench", vec![source("rewrite_rx_bench.sv"), verilog("rewrite_rx")]),
    ] {
        let output = verilator(&["--lint-only", "--timing"], top, &files).output().unwrap();
        assert!(output.status.success(), "{top}: {}", said(&output));
    }
}

#[test]
#[ignore = "compiles a simulation, and runs 100,000 ops of six cores: `make test-long`"]
fn systemverilog_has_the_results_of_rust() {
    let folder = tempfile::tempdir().unwrap();
    let bench = built(folder.path(), "replay", &[source("replay.sv")]);
    let replay = |arguments: &[&str]| {
        let plus: Vec<String> = match arguments {
            ["ops", core, seed, count] => {
                vec![format!("+ops={core}"), format!("+seed={seed}"), format!("+count={count}")]
            }
            [_, script] => vec![format!("+nic={script}")],
            _ => unreachable!("ops or a script"),
        };
        let printed = printed(Command::new(&bench).args(&plus));
        // behind the answers Verilator says that it ends
        printed.lines().filter(|line| !line.starts_with("- ")).map(|line| format!("{line}\n")).collect()
    };
    is_the_same(&replay, Size::WHOLE, folder.path());
}

#[test]
#[ignore = "compiles two simulations of `reps`: `make test-long`"]
fn the_scoreboard_of_ops_passes_and_finds_a_fault() {
    let folder = tempfile::tempdir().unwrap();
    let good = built(&folder.path().join("good"), "reps_bench", &[source("reps_bench.sv"), verilog("reps")]);
    let output = run(&good, &["+count=100000"]);
    assert!(output.status.success() && said(&output).contains(", 0 are not"), "{}", said(&output));
    let fault = faulty(folder.path(), "reps", "assign recycle = send & ", "assign recycle = 1'b0 & ");
    let bad = built(&folder.path().join("bad"), "reps_bench", &[source("reps_bench.sv"), fault]);
    let output = run(&bad, &[]);
    assert!(!output.status.success() && said(&output).contains("mismatch 1 "), "{}", said(&output));
}

#[test]
#[ignore = "compiles two simulations of `rewrite_rx`: `make test-long`"]
fn the_scoreboard_of_frames_passes_and_finds_a_fault() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("script");
    fs::write(&path, script(30).asked.join("\n") + "\n").unwrap();
    let plus = format!("+script={}", path.display());
    let bench = || source("rewrite_rx_bench.sv");
    let good = built(&folder.path().join("good"), "rewrite_rx_bench", &[bench(), verilog("rewrite_rx")]);
    let output = run(&good, &[&plus]);
    assert!(output.status.success() && said(&output).contains(", 0 are not"), "{}", said(&output));
    let [right, wrong] = RECORD_FAULT;
    let fault = faulty(folder.path(), "rewrite_rx", right, wrong);
    let bad = built(&folder.path().join("bad"), "rewrite_rx_bench", &[bench(), fault]);
    let output = run(&bad, &[&plus]);
    assert!(!output.status.success() && said(&output).contains("mismatch 1 "), "{}", said(&output));
}

/// A record with a bit of its ECN from beside it.
const RECORD_FAULT: [&str; 2] =
    ["wire [1:0] ecn = is_ip4_3 ? second_3[1:0]", "wire [1:0] ecn = is_ip4_3 ? second_3[2:1]"];

#[test]
#[ignore = "compiles two simulations of `nic`, which takes minutes: `make test-long`"]
fn the_scoreboard_of_nic_passes_and_finds_a_fault() {
    let folder = tempfile::tempdir().unwrap();
    let script = script(100);
    assert!(script.frames >= 1000);
    let path = folder.path().join("script");
    fs::write(&path, script.asked.join("\n") + "\n").unwrap();
    let plus = format!("+script={}", path.display());
    let bench = || source("nic_bench.sv");
    let good = built(&folder.path().join("good"), "nic_bench", &[bench(), verilog("nic")]);
    let output = run(&good, &[&plus]);
    assert!(output.status.success() && said(&output).contains(", 0 are not"), "{}", said(&output));
    // no EV is ever used again
    let fault = faulty(folder.path(), "nic", "assign recycle = send & ", "assign recycle = 1'b0 & ");
    let bad = built(&folder.path().join("bad"), "nic_bench", &[bench(), fault]);
    let output = run(&bad, &[&plus]);
    assert!(!output.status.success() && said(&output).contains("mismatch 1 "), "{}", said(&output));
}

/// The release of slang's module for Python that the text was read with.
const PYSLANG: &str = "pyslang==12.1.0";

#[test]
#[ignore = "downloads a package: `make test-long`"]
fn slang_takes_the_package_its_benches_and_every_core() {
    let folder = tempfile::tempdir().unwrap();
    let environment = folder.path().join("environment");
    printed(Command::new("python3").args(["-m", "venv"]).arg(&environment));
    printed(Command::new(environment.join("bin/pip")).args(["install", "--quiet", PYSLANG]));
    let slang = |files: &[PathBuf]| {
        let mut command = Command::new(environment.join("bin/python"));
        command.arg(source("lint.py")).arg("-Werror").args(files).output().unwrap()
    };
    let package = project().join(PACKAGE);
    for (bench, core) in [("reps_bench", "reps"), ("rewrite_rx_bench", "rewrite_rx"), ("nic_bench", "nic")] {
        let bench = source(&format!("{bench}.sv"));
        let output = slang(&[package.clone(), bench.clone(), verilog(core)]);
        assert!(output.status.success(), "{core}: {}", said(&output));
        let without = slang(&[bench, verilog(core)]);
        assert!(!without.status.success(), "{core}: without its package");
    }
    let output = slang(&[package, source("replay.sv")]);
    assert!(output.status.success(), "{}", said(&output));
    for core in respray_hdl::catalogue::NAMES {
        let output = slang(&[verilog(core)]);
        assert!(output.status.success(), "{core}: {}", said(&output));
    }
    let wrong = faulty(folder.path(), "ops", "module ops (", "module ops #(parameter X = Y) (");
    assert!(!slang(&[wrong]).status.success(), "a name that is not declared");
}
