//! Building models at run time: the cache, and what is said when it does not work.

use std::fs;
use std::path::Path;
use std::process::Command;

use respray_cosim::verilator::{BuildOptions, Model, Source};

const TEXT: &str = "module adder(input clk, input [3:0] a, output reg [3:0] q);\n\
                    parameter STEP = 1;\n\
                    always @(posedge clk) q <= a + STEP;\nendmodule\n";

fn options(cache: &Path) -> BuildOptions {
    BuildOptions { cache_dir: Some(cache.to_path_buf()), ..BuildOptions::default() }
}

fn entries(cache: &Path) -> Vec<String> {
    let names = fs::read_dir(cache).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.map(|name| name.split('-').next().unwrap().to_string()).collect();
    names.sort();
    names
}

fn answer(model: &mut Model) -> u64 {
    model.set(model.port("a").unwrap(), 5);
    model.tick();
    model.get(model.port("q").unwrap())
}

#[test]
fn processes_that_fill_the_cache_at_once_do_not_disturb_each_other_and_a_later_one_loads() {
    let cache = tempfile::tempdir().unwrap();
    let mut processes: Vec<_> = (0..2).map(|_| run_in_a_process(cache.path())).collect();
    for process in &mut processes {
        assert_eq!(process.wait().unwrap().code(), Some(6));
    }
    assert_eq!(entries(cache.path()), ["adder", "runtime"], "no temporary directory is left");
    let entry = fs::read_dir(cache.path()).unwrap().map(|entry| entry.unwrap().path());
    let library = entry.map(|path| path.join("model.so")).find(|path| path.is_file()).unwrap();
    let written = || fs::metadata(&library).unwrap().modified().unwrap();
    let before = written();
    assert_eq!(run_in_a_process(cache.path()).wait().unwrap().code(), Some(6));
    assert_eq!(written(), before, "the later one compiles nothing");
}

/// This test program again, with only the test below, which ends with the model's answer as its exit code.
fn run_in_a_process(cache: &Path) -> std::process::Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "in_a_process", "--nocapture"])
        .env("BUILD_IN", cache)
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn in_a_process() {
    if let Some(cache) = std::env::var_os("BUILD_IN") {
        let source = Source::new("adder", TEXT);
        match Model::build(&source, &options(Path::new(&cache))) {
            Ok(mut model) => std::process::exit(answer(&mut model) as i32),
            Err(error) => {
                eprintln!("{error}");
                std::process::exit(99);
            }
        }
    }
}

#[test]
fn parameters_and_flavours_are_designs_of_their_own() {
    let mut source = Source::new("adder", TEXT);
    let plain = Model::build(&source, &BuildOptions::default()).unwrap();
    source.parameters.push(("STEP".into(), "4'd3".into()));
    let mut stepped = Model::build(&source, &BuildOptions::default()).unwrap();
    assert!(!std::ptr::eq(plain.design(), stepped.design()));
    assert_eq!(answer(&mut stepped), 8);
    let again = Model::build(&source, &BuildOptions::default()).unwrap();
    assert!(std::ptr::eq(again.design(), stepped.design()), "one process loads a design once");
    let traced = BuildOptions { trace: true, ..BuildOptions::default() };
    let mut traced = Model::build(&source, &traced).unwrap();
    assert!(!std::ptr::eq(traced.design(), stepped.design()));
    assert_eq!(answer(&mut traced), 8);
}

fn refused(top: &str, name: &str, verilog: &str) -> String {
    let cache = tempfile::tempdir().unwrap();
    let source = Source { name: name.into(), ..Source::new(top, verilog) };
    let error = Model::build(&source, &options(cache.path())).err().expect("it is refused").to_string();
    assert_eq!(entries(cache.path()), [""; 0], "nothing half-done is left");
    assert_eq!(error.lines().count(), 1, "{error}");
    error
}

#[test]
fn refused_verilog_is_told_with_its_place() {
    assert_eq!(
        refused("bad", "my/bad.v", "module bad(input clk);\nassign x y;\nendmodule\n"),
        "Verilator refuses the Verilog: my/bad.v:2:10: syntax error, unexpected IDENTIFIER, expecting '='"
    );
    assert_eq!(
        refused("other", "my/bad.v", "module bad(input clk);\nendmodule\n"),
        "Verilator refuses the Verilog: Specified --top-module 'other' was not found in design."
    );
    assert_eq!(
        refused("pads", "pads.v", "module pads(input clk, inout p);\nendmodule\n"),
        "port `p` is an inout; only input and output are supported"
    );
    assert_eq!(
        refused("a b", "x.v", "module x; endmodule"),
        "`a b` cannot be the name of a top module; letters, digits and _ are allowed"
    );
}

#[test]
fn a_cache_that_cannot_be_written_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    fs::write(&file, "").unwrap();
    let error = Model::build(&Source::new("adder", TEXT), &options(&file.join("cache"))).err().unwrap();
    assert_eq!(error.to_string(), format!("{}: Not a directory (os error 20)", file.join("cache").display()));
}

#[test]
fn missing_tools_are_told_with_the_way_to_get_them() {
    for (variable, value, said) in [
        (
            "PATH",
            "/nonexistent",
            "Verilator is not installed or not on the PATH; `respray doctor` says how to get it",
        ),
        (
            "CXX",
            "no-such-compiler",
            "no C++ compiler runs as `no-such-compiler`; `respray doctor` says how to get one",
        ),
    ] {
        let cache = tempfile::tempdir().unwrap();
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "in_a_process", "--nocapture"])
            .env("BUILD_IN", cache.path())
            .env_remove("VERILATOR_ROOT")
            .env(variable, value)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(99));
        assert_eq!(String::from_utf8_lossy(&output.stderr).trim(), said);
    }
}

/// A file system of 200 KiB, in a mount namespace of its own.
#[test]
fn a_full_disk_is_told_and_leaves_nothing() {
    let cache = tempfile::tempdir().unwrap();
    let script = "mount -t tmpfs -o size=200k none \"$BUILD_IN\" || exit 77; \
                  \"$0\" --exact in_a_process --nocapture; code=$?; ls -A \"$BUILD_IN\"; exit $code";
    let output = Command::new("unshare")
        .args(["--map-root-user", "--mount", "sh", "-c", script])
        .arg(std::env::current_exe().unwrap())
        .env("BUILD_IN", cache.path())
        .output();
    let output = match output {
        Ok(output) if output.status.code() == Some(99) => output,
        other => return eprintln!("skipped, there is no mount namespace to be had: {other:?}"),
    };
    let left = String::from_utf8_lossy(&output.stdout);
    assert!(!left.lines().any(|line| line.starts_with(".respray-") || line.starts_with("adder")), "{left}");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.trim().starts_with("no space is left on the device that holds "), "{text}");
}
