//! Puts the sources of the golden models and of the fabric itself into the crate: a result names the build that it is
//! of by their hash.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// Sources, relative to this file: this crate, the golden models, and what says of a selector what each of its ops is. `src/build.rs` says
/// what they are taken for.
const SOURCES: [&str; 4] = ["src", "../golden/src", "../cosim/src/cores", "../cosim/src/path_selector.rs"];

fn main() -> io::Result<()> {
    let folder = |variable| PathBuf::from(env::var_os(variable).expect("cargo sets it"));
    let mut list = String::from("[\n");
    for name in SOURCES {
        let from = folder("CARGO_MANIFEST_DIR").join(name);
        println!("cargo::rerun-if-changed={}", from.display());
        let mut files = Vec::new();
        sources(&from, &mut files)?;
        files.sort();
        list.extend(files.iter().map(|file| format!("include_str!({:?}),\n", file.display().to_string())));
    }
    fs::write(folder("OUT_DIR").join("sources.rs"), list + "]\n")
}

/// All files in a folder, with those in its folders, or the file that it is.
fn sources(path: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    if path.is_file() {
        files.push(path.to_path_buf());
        return Ok(());
    }
    fs::read_dir(path)?.try_for_each(|entry| sources(&entry?.path(), files))
}
