//! What the tests share: runs of the binary.

use std::path::Path;
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

pub fn assert_is_refusal(output: &Output, said: &[&str]) {
    let text = stderr(output);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert_eq!(text.trim_end().lines().count(), 1, "{text}");
    assert!(text.len() < 1000, "{} bytes", text.len());
    for word in said {
        assert!(text.contains(word), "`{word}` is not in: {text}");
    }
}
