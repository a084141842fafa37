//! Tests and examples stand where they run.

use std::fs;
use std::path::{Path, PathBuf};

use crate::runs::project;

/// What a library's manifest says of it, and whether its sources hold what is left out.
struct Library {
    name: String,
    /// Whether tests within it run, and the examples of its documentation.
    runs: (bool, bool),
    /// Places of tests within it, and of examples.
    holds: (Vec<String>, Vec<String>),
}

/// All libraries of the workspace.
fn libraries() -> Vec<Library> {
    let manifest = |folder: &Path| -> toml::Table {
        fs::read_to_string(folder.join("Cargo.toml")).unwrap().parse().unwrap()
    };
    let members = manifest(project())["workspace"]["members"].as_array().unwrap().clone();
    members
        .iter()
        .map(|member| member.as_str().unwrap().to_string())
        // the others have nothing but tests
        .filter(|name| project().join(name).join("src").is_dir())
        .map(|name| {
            let folder = project().join(&name);
            let lib =
                manifest(&folder).get("lib").and_then(|lib| lib.as_table().cloned()).unwrap_or_default();
            let runs = |kind: &str| lib.get(kind).is_none_or(|runs| runs.as_bool().unwrap());
            let found = |find: fn(&str) -> Vec<usize>| {
                let places = |path: &PathBuf| {
                    let lines = find(&fs::read_to_string(path).unwrap());
                    lines.into_iter().map(|line| format!("{}:{line}", path.display())).collect::<Vec<_>>()
                };
                sources(&folder.join("src")).iter().flat_map(places).collect()
            };
            Library { runs: (runs("test"), runs("doctest")), holds: (found(tests), found(examples)), name }
        })
        .collect()
}

/// The Rust files in a folder and below.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    let is_rust = |path: &PathBuf| path.extension().is_some_and(|found| found == "rs");
    files.into_iter().filter(is_rust).chain(folders.iter().flat_map(|folder| sources(folder))).collect()
}

/// Lines, from 1, that make a test or compile something for tests alone.
fn tests(text: &str) -> Vec<usize> {
    let is_mark = |line: &str| {
        let line = line.trim_start();
        let is_word =
            |word: &str| line.split(|c: char| !c.is_alphanumeric() && c != '_').any(|found| found == word);
        let is_condition = line.starts_with("#[") || line.starts_with("#![") || line.contains("cfg!(");
        !line.starts_with("//") && (is_condition && is_word("test") || line.starts_with("proptest!"))
    };
    (1..).zip(text.lines()).filter(|(_, line)| is_mark(line)).map(|(number, _)| number).collect()
}

/// Lines, from 1, with which an example of the documentation begins that rustdoc would compile.
fn examples(text: &str) -> Vec<usize> {
    let fence = |line: &str| {
        let line = line.trim_start();
        let comment = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"))?;
        comment.trim_start().strip_prefix("```").map(str::to_string)
    };
    let fences = (1..).zip(text.lines()).filter_map(|(number, line)| Some((number, fence(line)?)));
    let begins = fences.step_by(2);
    begins.filter(|(_, language)| language != "text").map(|(number, _)| number).collect()
}

#[test]
fn no_test_and_no_example_stands_where_it_never_runs() {
    let libraries = libraries();
    for Library { name, runs, holds } in &libraries {
        assert!(
            runs.0 || holds.0.is_empty(),
            "`{name}` has `test = false`, so these never run: {:?}",
            holds.0
        );
        assert!(
            runs.1 || holds.1.is_empty(),
            "`{name}` has `doctest = false`, so these never run: {:?}",
            holds.1
        );
        assert!(!runs.0 || !holds.0.is_empty(), "`{name}` is compiled again for tests that it does not have");
    }
    assert!(
        libraries.iter().any(|library| !library.runs.0) && libraries.iter().any(|library| library.runs.0)
    );
}

#[test]
fn a_test_and_an_example_are_found_wherever_they_stand() {
    let text = "// #[test]\n#[cfg(test)]\nmod tests;\n  #[test]\n#[cfg(not(test))]\n#[cfg(all(test, unix))]\nif cfg!(test) {\n\
                #[cfg_attr(test, ignore)]\nproptest! {\n#[cfg(feature = \"linked\")]\nlet test = attest(#[must_use]\n";
    assert_eq!(tests(text), [2, 4, 5, 6, 7, 8, 9]);
    let text = "//! ```text\n//! a\n//! ```\n/// ```\n/// run();\n/// ```\nlet fence = \"```\";\n    /// ```no_run\n    /// ```\n";
    assert_eq!(examples(text), [4, 8]);
}
