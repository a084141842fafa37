//! What every test of the binary needs: to run it, and to see it refuse.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

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

pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
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
