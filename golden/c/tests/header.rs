//! The header says what the library has.

use std::fs;
use std::process::Command;

use crate::tools::{project, said};

/// The tool that writes the header: `make header` installs it.
const CBINDGEN: &str = "build/tools/cbindgen-0.29.4/bin/cbindgen";

/// Names of functions behind a mark, in order.
fn functions(text: &str, mark: &str) -> Vec<String> {
    let name = |rest: &str| rest.split('(').next().unwrap().to_string();
    let mut names: Vec<String> =
        text.split(mark).skip(1).map(|rest| format!("respray_{}", name(rest))).collect();
    names.sort();
    names
}

#[test]
fn the_header_declares_every_function_and_no_other() {
    let header = fs::read_to_string(project().join("golden/c/include/respray_golden.h")).unwrap();
    let border = fs::read_to_string(project().join("golden/c/src/border.rs")).unwrap();
    let defined = functions(&border, "extern \"C\" fn respray_");
    let code: String = header.lines().filter(|line| !line.starts_with("//")).collect::<Vec<_>>().join("\n");
    let declared = functions(&code, "respray_");
    assert!(defined.len() > 20);
    assert_eq!(declared, defined, "`make header` writes it anew");
}

#[test]
#[ignore = "needs cbindgen, which `make header` compiles: `make test-long`"]
fn the_header_is_what_the_sources_make() {
    let tool = project().join(CBINDGEN);
    if !tool.is_file() {
        eprintln!("skipped: {CBINDGEN} is missing; `make header` installs it");
        return;
    }
    let folder = project().join("golden/c");
    let mut command = Command::new(tool);
    let output = command.args(["--quiet", "--config", "cbindgen.toml", "."]).current_dir(&folder).output();
    let output = output.expect("cbindgen runs");
    assert!(output.status.success(), "{}", said(&output));
    let committed = fs::read(folder.join("include/respray_golden.h")).unwrap();
    assert!(output.stdout == committed, "golden/c/include/respray_golden.h is out of date: `make header`");
}
