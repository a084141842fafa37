//! The notebook of the fabric: every cell runs, on what `respray` writes now.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use crate::runs::{project, stderr, stdout};

/// Runs the cells of a notebook one after the other in one namespace, as a kernel does. A cell that needs a package
/// which is missing is named.
const RUN: &str = r#"
import importlib.util, json, sys
namespace = {"__name__": "__main__"}
for cell in json.load(open(sys.argv[1]))["cells"]:
    if cell["cell_type"] != "code":
        continue
    needs = cell["metadata"].get("needs")
    if needs and importlib.util.find_spec(needs) is None:
        print(f"skipped: a cell needs {needs}")
        continue
    exec(compile("".join(cell["source"]), cell["id"], "exec"), namespace)
"#;

/// What comes of a notebook in a folder; none where Python is missing.
fn run(folder: &Path, notebook: &Value) -> Option<Output> {
    let python = project().join(".venv/bin/python");
    if !python.exists() {
        eprintln!("skipped: there is no Python in .venv; `./setup.sh --all`");
        return None;
    }
    fs::write(folder.join("notebook.ipynb"), notebook.to_string()).unwrap();
    let binary = Path::new(env!("CARGO_BIN_EXE_respray")).parent().unwrap().display().to_string();
    let mut command = Command::new(python);
    command.args(["-c", RUN, "notebook.ipynb"]).current_dir(folder).env("MPLBACKEND", "Agg");
    command.env("PATH", format!("{binary}:{}", std::env::var("PATH").unwrap_or_default()));
    Some(command.output().expect("Python is there"))
}

fn notebook() -> Value {
    let text = fs::read_to_string(project().join("docs/fabric.ipynb")).unwrap();
    serde_json::from_str(&text).expect("a notebook is JSON")
}

#[test]
fn every_cell_of_the_notebook_runs() {
    let folder = tempfile::tempdir().unwrap();
    let Some(output) = run(folder.path(), &notebook()) else { return };
    assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
    let said = stdout(&output);
    for selector in ["reps", "ops", "ecmp"] {
        assert!(said.lines().any(|line| line.starts_with(selector) && line.contains("95% from")), "{said}");
    }
    match said.lines().find(|line| line.starts_with("skipped: ")) {
        Some(skipped) => println!("{skipped}, so that the figure is not drawn"),
        None => assert!(fs::read(folder.path().join("figure.pdf")).unwrap().starts_with(b"%PDF")),
    }
}

#[test]
fn a_cell_that_reckons_otherwise_than_respray_fails() {
    let folder = tempfile::tempdir().unwrap();
    let mut notebook = notebook();
    let cells = notebook["cells"].as_array_mut().unwrap();
    let cell = cells.iter_mut().find(|cell| cell["source"].to_string().contains("T_OF_9 = 2.262")).unwrap();
    // the quantile of the normal distribution, which is that of many seeds
    cell["source"] = cell["source"].to_string().replace("T_OF_9 = 2.262", "T_OF_9 = 1.960").parse().unwrap();
    let Some(output) = run(folder.path(), &notebook) else { return };
    assert!(!output.status.success() && stderr(&output).contains("AssertionError"), "{}", stderr(&output));
}
