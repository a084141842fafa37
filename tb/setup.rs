//! `setup.sh --all`, with a Python and an `apt-get` that install nothing, and what `make test` compiles.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::runs::{path_from, program, project, stderr, stdout};

/// Makes an environment of which `pip` says what it was given.
const PYTHON: &str = "if [ \"$2\" = venv ]; then
    rm -rf .venv
    mkdir -p .venv/bin
    printf '#!/bin/sh\\necho pip \"$@\"\\n' >.venv/bin/pip
    chmod +x .venv/bin/pip
fi";

/// A checkout with the packages of `requirements`, and those programs in the folder that comes second.
fn checkout(at: &Path, requirements: &str) -> (PathBuf, PathBuf) {
    let (checkout, programs) = (at.join("checkout"), at.join("programs"));
    fs::create_dir(&checkout).unwrap();
    fs::copy(project().join("setup.sh"), checkout.join("setup.sh")).unwrap();
    fs::write(checkout.join("requirements.txt"), requirements).unwrap();
    fs::create_dir(&programs).unwrap();
    for (name, lines) in [("python3", PYTHON), ("apt-get", ""), ("sudo", "")] {
        program(&programs, name, lines);
    }
    (checkout, programs)
}

/// Runs it; whether it installed what `requirements.txt` lists.
fn installs(checkout: &Path, programs: &Path) -> bool {
    let run = Command::new(checkout.join("setup.sh"))
        .arg("--all")
        .env("PATH", path_from(programs))
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", stderr(&run));
    String::from_utf8_lossy(&run.stdout).contains("pip install")
}

#[test]
fn python_tools_are_installed_once_for_a_place_and_for_their_versions() {
    let directory = tempfile::tempdir().unwrap();
    let (checkout, programs) = checkout(directory.path(), "one==1\n");
    assert!(installs(&checkout, &programs));
    assert!(!installs(&checkout, &programs), "all is there");

    fs::write(checkout.join("requirements.txt"), "one==2\n").unwrap();
    assert!(installs(&checkout, &programs), "another version is asked for");
    assert!(!installs(&checkout, &programs));

    // the first lines of its programs name the place
    let moved = directory.path().join("moved");
    fs::rename(&checkout, &moved).unwrap();
    assert!(installs(&moved, &programs), "it was moved");
    assert!(!installs(&moved, &programs));

    fs::remove_file(moved.join(".venv/installed")).unwrap();
    assert!(installs(&moved, &programs), "the last installation did not end");
}

#[test]
fn what_is_missing_is_said_and_not_installed() {
    let directory = tempfile::tempdir().unwrap();
    let (checkout, programs) = checkout(directory.path(), "one==1\n");
    let run = |option: &str| {
        let mut setup = Command::new(checkout.join("setup.sh"));
        let output = setup.arg(option).env("PATH", path_from(&programs)).output().unwrap();
        (output.status.code(), stdout(&output), stderr(&output))
    };
    let (code, said, _) = run("--check");
    assert_eq!((code, checkout.join(".venv").exists()), (Some(1), false));
    assert!(
        said.ends_with("setup: missing the Python tools of requirements.txt (./setup.sh --all)\n"),
        "{said}"
    );
    assert!(installs(&checkout, &programs));
    let (_, said, _) = run("--check");
    assert!(!said.contains("requirements.txt"), "{said}");
    let (code, said, error) = run("--chek");
    assert_eq!(
        (code, &said[..], &error[..]),
        (Some(2), "", "setup: --chek: allowed: --check, --all, or nothing\n")
    );
}

/// What cargo would compile for `make test`: each unit as cargo describes it, once.
fn units(checkout: &Path) -> BTreeSet<String> {
    let makefile = fs::read_to_string(checkout.join("Makefile")).unwrap();
    let commands = makefile.lines().filter_map(|line| line.strip_prefix("\t$(LINTED) $(CARGO) "));
    let mut units = BTreeSet::new();
    for command in commands.filter(|command| command.ends_with(" --no-run")) {
        let graph = Command::new(env!("CARGO"))
            .args(command.split(' '))
            .args(["--offline", "--unit-graph", "-Zunstable-options"])
            .env("RUSTC_BOOTSTRAP", "1")
            .current_dir(checkout)
            .output()
            .unwrap();
        assert!(graph.status.success(), "{}", stderr(&graph));
        let graph: serde_json::Value = serde_json::from_slice(&graph.stdout).unwrap();
        for unit in graph["units"].as_array().unwrap() {
            // by number, which means another unit in each graph
            let mut unit = unit.clone();
            unit.as_object_mut().unwrap().remove("dependencies");
            units.insert(unit.to_string());
        }
    }
    units
}

/// A profile whose binary aborts has everything below the binary compiled a second time, since tests unwind. A library without tests
/// need not be compiled as a test.
#[test]
fn every_library_is_compiled_once_for_all_tests() {
    let mut libraries = BTreeMap::<String, usize>::new();
    for unit in units(project()) {
        let unit: serde_json::Value = serde_json::from_str(&unit).unwrap();
        let (target, mode) = (&unit["target"], &unit["mode"]);
        let is_own = unit["pkg_id"].as_str().unwrap().starts_with("path+");
        if is_own && target["kind"].as_array().unwrap().contains(&"lib".into()) {
            assert!(mode != "test" || target["test"] == true, "{target} has no tests");
            *libraries.entry(format!("{} {mode}", target["name"])).or_default() += 1;
        }
    }
    assert!(libraries.contains_key(r#""respray_hdl" "build""#), "{libraries:?}");
    assert!(libraries.values().all(|&count| count == 1), "{libraries:?}");
}
