//! The skeleton of a new core: what is written, what is refused, and that it runs.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::runs::{assert_is_refusal, foreign, project, respray, stderr, stdout};

/// Names of files that a page lists in a table of files, behind a sentence: `X` is the new core.
fn listed(behind: &str) -> BTreeSet<String> {
    let page = fs::read_to_string(project().join("docs/add-a-core.md")).expect("it is committed");
    let (_, table) = page.split_once(behind).expect("the page has the table");
    let rows = table.trim_start().lines().take_while(|line| line.starts_with('|')).skip(2);
    rows.filter_map(|row| row.split('|').nth(1))
        .flat_map(|files| files.split('`').skip(1).step_by(2).map(|file| file.replace('X', "wave")))
        .collect()
}

/// The files that the skeleton is made from, in a folder of their own.
fn copied(folder: &Path) {
    for file in listed("writes or changes these files:") {
        let file = file.replace("wave", "ecmp");
        let to = folder.join(&file);
        fs::create_dir_all(to.parent().expect("it lies in a folder")).expect("the folder can be written");
        fs::copy(project().join(&file), to).unwrap_or_else(|error| panic!("{file}: {error}"));
    }
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let (mut found, mut open) = (Vec::new(), vec![folder.to_path_buf()]);
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).expect("it is a folder") {
            let path = entry.expect("it can be read").path();
            if path.is_dir() { open.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    found
}

/// Files that are others than in the project, or new.
fn changed(folder: &Path) -> BTreeSet<String> {
    let relative = |path: &PathBuf| path.strip_prefix(folder).expect("it is below").display().to_string();
    let files = files_below(folder).into_iter().map(|path| (relative(&path), fs::read(path).ok()));
    files
        .filter(|(file, bytes)| fs::read(project().join(file)).ok() != *bytes)
        .map(|(file, _)| file)
        .collect()
}

#[test]
fn the_skeleton_of_a_core_is_what_its_page_lists() {
    let folder = tempfile::tempdir().expect("a folder");
    copied(folder.path());
    let output = respray(folder.path(), &["new-core", "wave"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(changed(folder.path()), listed("writes or changes these files:"));
    let said = stdout(&output);
    let mut written: Vec<&str> = said.lines().take_while(|line| !line.is_empty()).collect();
    written.iter_mut().for_each(|line| *line = line.trim_start_matches("./"));
    assert_eq!(written, listed("writes or changes these files:").iter().collect::<Vec<_>>());
    // a second core finds its places as well, and has the code behind the first one's only in a program that knows the first one
    let second = respray(folder.path(), &["new-core", "tide"]);
    assert_is_refusal(&second, &["synth/src/plot/colour.rs", "[(&str, Pair); 11]", "nothing was written"]);
    assert!(!folder.path().join("hdl/src/cores/tide.rs").exists());
}

#[test]
fn what_cannot_be_a_new_core_is_refused_and_nothing_is_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    copied(at);
    for (name, because) in [
        ("Wave", "lower-case letters"),
        ("my_wave", "lower-case letters"),
        ("2waves", "a letter first"),
        ("wire", "no word of Rust or Verilog"),
        ("match", "no word of Rust or Verilog"),
        ("waveswaveswaveswa", "up to 16"),
        ("reps", "there is such a core"),
        ("nic", "there is such a core"),
        ("", "lower-case letters"),
    ] {
        assert_is_refusal(&respray(at, &["new-core", name]), &["<NAME>", because]);
    }
    let nowhere = respray(at, &["new-core", "wave", "--project", "hdl"]);
    assert_is_refusal(&nowhere, &["hdl/hdl/src/cores/ecmp.rs", "the folder of the project"]);
    // a list that somebody has written otherwise
    let path = at.join("mutate/src/cover/codes.rs");
    let codes = fs::read_to_string(&path).expect("it was copied");
    fs::write(&path, codes.replace("selector(\"ecmp\",", "selector( \"ecmp\",")).expect("it can be written");
    let output = respray(at, &["new-core", "wave"]);
    assert_is_refusal(&output, &["mutate/src/cover/codes.rs", "selector(\"ecmp\"", "nothing was written"]);
    assert_eq!(changed(at), BTreeSet::from(["mutate/src/cover/codes.rs".to_string()]));
    fs::write(&path, codes).expect("it can be written");
    // what somebody has begun is not written over
    fs::write(at.join("golden/src/wave.rs"), "// mine\n").expect("it can be written");
    assert_is_refusal(&respray(at, &["new-core", "wave"]), &["golden/src/wave.rs", "is there already"]);
    assert_eq!(changed(at), BTreeSet::from(["golden/src/wave.rs".to_string()]));
}

/// A command in a copy of the project, and what it printed.
fn done(at: &Path, program: &str, words: &[&str]) -> (bool, String) {
    let mut command = foreign(program);
    command.args(words).current_dir(at).env("CARGO_TARGET_DIR", at.join("target"));
    let output = command.output().unwrap_or_else(|error| panic!("{program}: {error}"));
    (output.status.success(), stdout(&output) + &stderr(&output))
}

fn does(at: &Path, program: &str, words: &[&str]) -> String {
    let (is_done, said) = done(at, program, words);
    assert!(is_done, "{program} {words:?}: {said}");
    said
}

/// The commands that the skeleton names are done, and the core, its tests and the block with it pass. A change of its Verilog is found.
#[test]
#[ignore = "compiles the project with a new core"]
fn the_skeleton_of_a_core_compiles_and_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path().join("respray");
    let cloned = Command::new("git").args(["clone", "-q"]).arg(project()).arg(&at).status();
    assert!(cloned.is_ok_and(|status| status.success()), "the project is a checkout");
    let output = respray(&at, &["new-core", "wave"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let said = stdout(&output);
    let commands: Vec<&str> = said.lines().filter_map(|line| line.strip_prefix("  ")).collect();
    assert!(commands.len() >= 5, "{said}");
    for command in commands {
        let words: Vec<&str> = command.split(' ').collect();
        does(&at, words[0], &words[1..]);
    }
    let binary = "target/checks/respray";
    does(&at, binary, &["cosim", "--core", "nic", "--set", "nic.selector=wave", "--random", "20000"]);
    let verilog = fs::read_to_string(at.join("generated/wave.v")).expect("it was generated");
    let faulty = verilog.replacen("draw ? fresh_ev : state_ev", "fresh_ev", 1);
    assert_ne!(faulty, verilog, "the copy draws as its model does");
    fs::write(at.join("faulty.v"), faulty).expect("it can be written");
    let (passes, said) =
        done(&at, binary, &["cosim", "--core", "wave", "--random", "20000", "--verilog", "faulty.v"]);
    assert!(!passes && said.contains("res_ev"), "{said}");
    let tests = ["test", "--profile", "checks", "--locked"];
    for (package, name) in [
        ("respray-golden-tests", "selectors"),
        ("respray-cosim-tests", "every_engine_agrees"),
        ("respray-cosim-tests", "the_table_equals"),
        ("respray-hdl", "menus_of_selectors"),
    ] {
        does(&at, "cargo", &[&tests[..], &["-p", package, name]].concat());
    }
}
