//! The library as a crate outside of the workspace meets it.

use std::fs;

use crate::documents::blocks;
use crate::runs::{foreign, project, stderr};

#[test]
#[ignore = "compiles the library and all that it needs once more, which takes minutes: `make test-long`"]
fn the_tests_of_the_library_page_run_in_a_crate_outside_of_the_workspace() {
    let page = fs::read_to_string(project().join("docs/library.md")).unwrap();
    let (needs, test) = (blocks(&page, "toml"), blocks(&page, "rust"));
    assert_eq!((needs.len(), test.len()), (1, 3), "the page shows one crate with three tests");
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let here = needs[0].replace("../respray", &project().display().to_string());
    assert_ne!(here, needs[0], "the page names the path of the checkout");
    let package = "[package]\nname = \"outside\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n";
    fs::create_dir(at.join("tests")).unwrap();
    fs::create_dir(at.join("src")).unwrap();
    fs::write(at.join("Cargo.toml"), format!("{package}{here}")).unwrap();
    fs::write(at.join("src/lib.rs"), "").unwrap();
    for (file, text) in ["engine.rs", "nic.rs", "golden_nic.rs"].iter().zip(&test) {
        fs::write(at.join("tests").join(file), text).unwrap();
    }
    // the same versions as here, which are there without a network
    fs::copy(project().join("Cargo.lock"), at.join("Cargo.lock")).unwrap();
    fs::copy(project().join("generated/reps.v"), at.join("my_reps.v")).unwrap();
    let mut cargo = foreign(env!("CARGO"));
    cargo.args(["test", "--offline"]).current_dir(at).env("CARGO_TARGET_DIR", at.join("target"));
    let output = cargo.output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
}
