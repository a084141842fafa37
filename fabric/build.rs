//! Puts the sources of the golden models and of the fabric itself into the crate: a result names the build that it is
//! of by their hash.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// Folders of sources, relative to this file. `src/build.rs` says what they are taken for.
const FOLDERS: [&str; 2] = ["src", "../golden/src"];

fn main() -> io::Result<()> {
    let folder = |variable| PathBuf::from(env::var_os(variable).expect("cargo sets it"));
    let mut list = String::from("[\n");
    for name in FOLDERS {
        let from = folder("CARGO_MANIFEST_DIR").join(name);
        println!("cargo::rerun-if-changed={}", from.display());
        let mut files = Vec::new();
        sources(&from, &mut files)?;
        files.sort();
        list.extend(files.iter().map(|file| format!("include_str!({:?}),\n", file.display().to_string())));
    }
    fs::write(folder("OUT_DIR").join("sources.rs"), list + "]\n")
}

/// All files in a folder, with those in its folders.
fn sources(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            sources(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}
