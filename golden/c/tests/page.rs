//! The examples of docs/models.md print what the page says.

use std::fs;
use std::process::Command;

use crate::systemverilog::{built, run};
use crate::tools::{compiled, printed, project, python, said};

/// The example in a language, and what the page says that it prints.
fn example(language: &str) -> (String, String) {
    let page = fs::read_to_string(project().join("docs/models.md")).unwrap();
    let (_, rest) = page.split_once(&format!("\n```{language}\n")).expect("an example");
    let (code, behind) = rest.split_once("\n```\n").expect("an end of it");
    let (_, printed) = behind.split_once("It prints `").expect("what it prints");
    (format!("{code}\n"), printed.split('`').next().unwrap().to_string())
}

#[test]
fn the_example_in_c_prints_what_the_page_says() {
    let folder = tempfile::tempdir().unwrap();
    let (code, expected) = example("c");
    let (source, program) = (folder.path().join("example.c"), folder.path().join("example"));
    fs::write(&source, code).unwrap();
    compiled(&source, &program);
    assert_eq!(printed(&mut Command::new(&program)).trim_end(), expected);
}

#[test]
fn the_example_in_python_prints_what_the_page_says() {
    let Some(mut command) = python() else { return };
    let (code, expected) = example("python");
    assert_eq!(printed(command.args(["-c", &code])).trim_end(), expected);
}

#[test]
#[ignore = "compiles a simulation: `make test-long`"]
fn the_example_in_systemverilog_prints_what_the_page_says() {
    let folder = tempfile::tempdir().unwrap();
    let (code, expected) = example("systemverilog");
    let source = folder.path().join("example.sv");
    fs::write(&source, code).unwrap();
    let output = run(&built(&folder.path().join("built"), "example", &[source]), &[]);
    assert!(output.status.success(), "{}", said(&output));
    for line in [expected.as_str(), "word 4 of the result is 4e, not 4d"] {
        assert!(said(&output).contains(line), "`{line}` is not in {}", said(&output));
    }
}
