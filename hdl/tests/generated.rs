//! `generated/` holds what the generator makes of the default configuration, so that a review shows the Verilog that a
//! change makes. `UPDATE_GENERATED=1 cargo test -p respray-hdl --release --test generated` writes it anew.

use std::path::Path;

use respray_hdl::config::Config;
use respray_hdl::cores::{CORES, generate};

fn is_current(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../generated").join(name);
    if std::env::var_os("UPDATE_GENERATED").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    let line = committed.lines().zip(text.lines()).take_while(|(a, b)| a == b).count() + 1;
    assert!(committed == text, "generated/{name} is not what the generator makes, from line {line}");
}

#[test]
fn the_committed_files_are_what_the_generator_makes() {
    for core in CORES {
        let generated = generate(core, &Config::default()).unwrap();
        is_current(&format!("{core}.v"), &generated.verilog);
        is_current(&format!("{core}.json"), &generated.manifest.json());
    }
}

#[test]
fn the_same_configuration_gives_the_same_bytes() {
    let once = generate("reps", &Config::default()).unwrap();
    let again = generate("reps", &Config::default()).unwrap();
    assert_eq!(once.verilog, again.verilog);
}

#[test]
fn an_unknown_core_and_a_size_off_the_menu_are_refused() {
    let error = generate("nic", &Config::default()).unwrap_err().to_string();
    assert_eq!(error, "there is no core `nic`; the cores are reps");
    let mut config = Config::default();
    config.reps.depth = 6;
    let error = generate("reps", &config).unwrap_err().to_string();
    assert_eq!(error, "core `reps`: `reps.depth` is 6; allowed: 4, 8, 16, 32");
}
