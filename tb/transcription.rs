//! The second transcriptions in Python: their own tests, some of which record their traces anew.

use std::process::Command;

use crate::runs::{project, stderr};

#[test]
fn the_second_transcriptions_pass_their_own_tests() {
    let mut python = Command::new("python3");
    python.args(["-m", "unittest"]).current_dir(project().join("tb/reference"));
    let output = python.env("PYTHONDONTWRITEBYTECODE", "1").output().expect("Python 3 is there");
    assert!(output.status.success(), "{}", stderr(&output));
}
