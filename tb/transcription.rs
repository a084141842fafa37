//! The second transcriptions in Python: their own tests, some of which record their traces anew.

use std::process::Command;

use crate::runs::{project, stderr};

/// Runs the tests of the transcriptions. With `RESPRAY_LONG` in the environment they try every fault that they know.
fn passes(environment: &[(&str, &str)]) {
    let mut python = Command::new("python3");
    python.args(["-m", "unittest"]).current_dir(project().join("tb/reference"));
    python.env("PYTHONDONTWRITEBYTECODE", "1").env_remove("RESPRAY_LONG");
    let output = python.envs(environment.iter().copied()).output().expect("Python 3 is there");
    assert!(output.status.success(), "{}", stderr(&output));
}

#[test]
fn the_second_transcriptions_pass_their_own_tests() {
    passes(&[]);
}

#[test]
#[ignore = "plays every trace to some two hundred faulty models"]
fn every_fault_of_the_second_transcriptions_is_seen_on_a_trace() {
    passes(&[("RESPRAY_LONG", "1")]);
}
