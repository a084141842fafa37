//! The system's tools (`ip`, `tc`, `nft`) as calls that fail with one sentence.

use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use crate::error::RecordError;

/// Runs a tool to its end, `input` on its standard input, and returns what it printed.
pub fn run(line: &str, input: &str) -> Result<String, RecordError> {
    let mut words = line.split_whitespace();
    let program = words.next().unwrap_or_default();
    let mut child = Command::new(program)
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        // a Ctrl-C at the terminal is for us, who clean up with these same tools
        .process_group(0)
        .spawn()
        .map_err(|source| RecordError::Tool { program: program.into(), source })?;
    if let Some(mut stdin) = child.stdin.take() {
        // a tool that ends early says why on its standard error
        let _ = stdin.write_all(input.as_bytes());
    }
    let output =
        child.wait_with_output().map_err(|source| RecordError::Tool { program: program.into(), source })?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said = said.lines().find(|line| !line.trim().is_empty()).unwrap_or("it said nothing");
    Err(RecordError::Command {
        line: line.into(),
        status: output.status.to_string(),
        said: said.trim().into(),
    })
}
