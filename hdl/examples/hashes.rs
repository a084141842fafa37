//! Prints a hash of all that is generated, in each configuration that the menus and the tests of this project know:
//! `cargo run --profile checks -p respray-hdl --example hashes > build/before`, and after a change the same into another file. `diff`
//! of both files shows the configurations whose Verilog or manifest differs.
//!
//! `hashes NAME...` looks at these cores alone. With `--into FOLDER` the files themselves are written, too.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use respray_files::{entry::sha256, parallel};
use respray_hdl::config::Config;
use respray_hdl::corners::{self, Corner};
use respray_hdl::examples::ecpix5;
use respray_hdl::{catalogue, shells};

/// Folders of the project whose tests make Verilog.
const TESTS: [&str; 5] = ["hdl/tests", "cosim/tests", "synth/tests", "mutate/tests", "tb"];

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let (mut names, mut folder) = (vec![], None);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--into" => folder = arguments.next().map(PathBuf::from),
            _ => names.push(argument),
        }
    }
    let known = [catalogue::NAMES, shells::NAMES, &[ecpix5::NAME]].concat();
    if let Some(name) = names.iter().find(|name| !known.contains(&name.as_str())) {
        eprintln!("there is no `{name}`; allowed: {}", known.join(", "));
        return ExitCode::from(2);
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut sets = BTreeSet::new();
    TESTS.iter().for_each(|tests| of_folder(&root.join(tests), &mut sets));
    let mut found = corners::all(&sets.into_iter().collect::<Vec<_>>());
    found.retain(|corner| names.is_empty() || names.iter().any(|name| name == corner.name));
    for line in parallel::map(&found, |corner| line(corner, folder.as_deref())) {
        println!("{line}");
    }
    ExitCode::SUCCESS
}

fn line(corner: &Corner, folder: Option<&Path>) -> String {
    let which = [&[corner.name.to_string()], &corner.sets[..]].concat().join(" ");
    match corner.text() {
        Ok(text) => {
            if let Some(folder) = folder {
                let written = std::fs::create_dir_all(folder)
                    .and_then(|()| std::fs::write(folder.join(which.replace(' ', ",") + ".v"), &text));
                written.unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
            }
            format!("{} {which}", &sha256(text.as_bytes())[..32])
        }
        Err(refused) => format!("refused {which}: {refused}"),
    }
}

/// Adds each list of `KEY=VALUE` in the sources of a folder that is a configuration.
fn of_folder(folder: &Path, sets: &mut BTreeSet<Vec<String>>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            of_folder(&path, sets);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            sets.extend(text.split('[').filter_map(|rest| of_list(rest.split(']').next()?)));
        }
    }
}

/// The strings of a list, if they are a configuration.
fn of_list(list: &str) -> Option<Vec<String>> {
    let parts: Vec<&str> = list.split('"').collect();
    let strings: Vec<String> = parts.iter().skip(1).step_by(2).map(ToString::to_string).collect();
    let is_set = |text: &String| text.contains('=') && !text.contains(['{', ' ']);
    (!strings.is_empty() && strings.iter().all(is_set) && Config::load(None, &strings).is_ok())
        .then_some(strings)
}
