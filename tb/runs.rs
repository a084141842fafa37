//! What every test of the binary needs: to run it, and to see it refuse.

use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use respray_cosim::nic::Log;

/// The binary in `directory`.
pub fn command(directory: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_respray"));
    command.args(arguments).current_dir(directory);
    command
}

/// Runs it.
pub fn respray(directory: &Path, arguments: &[&str]) -> Output {
    command(directory, arguments).output().expect("the binary was built for this test")
}

/// Runs it in `directory`, in which `small` is a file system of so many kB: what it said, and the names of what is in `small` then. Nothing
/// where none can be mounted.
pub fn respray_with_small_disk(
    directory: &Path,
    kilobytes: u32,
    arguments: &[&str],
) -> Option<(Output, Vec<String>)> {
    std::fs::create_dir(directory.join("small")).expect("the folder can be written");
    let script = "mount -t tmpfs -o size=\"$1\"k none small || exit 77; shift; \
                  \"$0\" \"$@\"; code=$?; ls -A small >left; exit $code";
    let output = Command::new("unshare")
        .args(["--mount", "sh", "-c", script, env!("CARGO_BIN_EXE_respray"), &kilobytes.to_string()])
        .args(arguments)
        .env("TMPDIR", directory.join("small"))
        .current_dir(directory)
        .output();
    let mounted =
        |output: &Output| output.status.code() != Some(77) && !stderr(output).starts_with("unshare:");
    let Some(output) = output.ok().filter(mounted) else {
        eprintln!("skipped: a small file system cannot be mounted here");
        return None;
    };
    let left = std::fs::read_to_string(directory.join("left")).expect("it was listed");
    Some((output, left.lines().map(String::from).collect()))
}

/// Writes a program of so many lines of `sh`.
pub fn program(directory: &Path, name: &str, lines: &str) -> PathBuf {
    let path = directory.join(name);
    fs::write(&path, format!("#!/bin/sh\n{lines}\n")).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
    path
}

/// A `PATH` on which the programs of `directory` are found before all others.
pub fn path_from(directory: &Path) -> String {
    format!("{}:{}", directory.display(), std::env::var("PATH").unwrap())
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A program that is no part of the workspace: it does not get what cargo sets for the workspace alone.
pub fn foreign(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.env_remove("CPLUS_INCLUDE_PATH").env_remove("CXXFLAGS");
    command
}

/// The project's folder.
pub fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Writes the Verilog of `reps` with a fault, a connection that never recycles, and gives its name.
pub fn faulty_reps(folder: &Path) -> PathBuf {
    let verilog = std::fs::read_to_string(project().join("generated/reps.v")).expect("it is committed");
    let faulty = verilog.replace("assign recycle = send & ", "assign recycle = 1'b0 & ");
    assert_ne!(faulty, verilog, "the fault is in it");
    std::fs::write(folder.join("faulty.v"), faulty).expect("the folder can be written");
    PathBuf::from("faulty.v")
}

/// Names of what is in a folder, in order.
pub fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("the folder is there").flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// The recordings that a core runs on: of the end that `respray cores` gives it, or of both.
pub fn recordings_of(core: &str) -> Vec<PathBuf> {
    let list = respray(project(), &["cores", "--json", "-"]);
    let list: serde_json::Value = serde_json::from_slice(&list.stdout).expect("the list is JSON");
    let row = list.as_array().into_iter().flatten().find(|row| row["core"] == core);
    let end = row.expect("the core is in the list")["end"].as_str().expect("it has an end").to_string();
    let folder = project().join("tb/recordings");
    let is_of_end = |name: &String| {
        ["sender", "receiver"]
            .iter()
            .any(|of| name.ends_with(&format!("-{of}.pcap.gz")) && (end == *of || end == "both"))
    };
    names(&folder).into_iter().filter(is_of_end).map(|name| folder.join(name)).collect()
}

/// What `cosim --core nic` is told beside a recording: of a capture without a log how much faster it is to come.
pub fn beside_recording(capture: &Path, speedup: u32) -> Vec<String> {
    match Log::beside(capture) {
        Some(_) => Vec::new(),
        None => vec!["--speedup".into(), speedup.to_string()],
    }
}

/// One sentence of bounded length on standard error that holds all of `said`, exit code 2, and no new file.
pub fn refused(directory: &Path, arguments: &[&str], said: &[&str]) {
    let before = names(directory);
    let output = respray(directory, arguments);
    assert_is_refusal(&output, said);
    assert_eq!(names(directory), before, "{arguments:?} left something behind");
}

pub fn assert_is_refusal(output: &Output, said: &[&str]) {
    let text = stderr(output);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert_eq!(text.trim_end().lines().count(), 1, "{text}");
    assert!(text.len() < 1000, "{} bytes", text.len());
    for word in said {
        assert!(text.contains(word), "`{word}` is not in: {text}");
    }
}
