//! `respray demo`: a line a step, what the steps printed, and how it ends.

use std::path::Path;

use serde_json::Value;

use crate::runs::{project, refused, respray, stderr, stdout};

/// The lines of a run of these steps, its exit code, and what it wrote.
fn run(at: &Path, recordings: &Path, steps: &[&str]) -> (String, Option<i32>, Value) {
    let recordings = recordings.display().to_string();
    let mut arguments = vec!["demo", "-o", "demo", "--recordings", &recordings];
    steps.iter().for_each(|step| arguments.extend(["--only", step]));
    let output = respray(at, &arguments);
    let written =
        std::fs::read_to_string(at.join("demo/demo.json")).unwrap_or_else(|_| panic!("{}", stderr(&output)));
    (stdout(&output), output.status.code(), serde_json::from_str(&written).unwrap())
}

#[test]
fn each_step_of_the_demo_has_a_line_and_what_it_printed_is_kept() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let recordings = at.join("recordings");
    std::fs::create_dir(&recordings).unwrap();
    for end in ["sender", "receiver"] {
        let name = format!("steady-{end}.pcap.gz");
        std::fs::copy(project().join("tb/recordings").join(&name), recordings.join(&name)).unwrap();
    }
    let (lines, code, json) = run(at, &recordings, &["reps", "Verilog"]);
    assert_eq!(code, Some(0), "{lines}");
    let begins: Vec<&str> = lines.lines().map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(begins, ["Verilog", "reps", "", "pass:"], "in the order of the list: {lines}");
    assert!(lines.lines().all(|line| line.chars().count() <= 100), "{lines}");
    assert!(at.join("demo/reps.v").is_file() && at.join("demo/runs/reps_steady.json").is_file());
    let log = std::fs::read_to_string(at.join("demo/logs/reps.txt")).unwrap();
    assert!(log.starts_with("$ respray cosim --core reps --traffic "), "{log}");
    assert!(log.contains("reps on ") && log.contains("pass"), "{log}");
    assert_eq!(json["verdict"], "pass");
    assert!(json["cycles"].as_u64().unwrap() > 10_000, "{json}");
    assert_eq!(json["steps"][1]["cycles"], json["cycles"]);

    // a recording that cannot be read is the end of its step alone
    std::fs::write(recordings.join("steady-sender.pcap.gz"), "no capture").unwrap();
    let (lines, code, json) = run(at, &recordings, &["reps", "sack_rx"]);
    assert_eq!(code, Some(2), "{lines}");
    assert!(lines.contains("reps: see demo/logs/reps.txt") && lines.contains("\nrefused: "), "{lines}");
    assert_eq!(
        (&json["steps"][0]["verdict"], &json["steps"][1]["verdict"]),
        (&"refused".into(), &"pass".into())
    );
    let log = std::fs::read_to_string(at.join("demo/logs/reps.txt")).unwrap();
    assert!(log.contains("steady-sender.pcap.gz"), "{log}");
}

#[test]
fn a_demo_of_what_there_is_not_is_refused_before_anything_runs() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    refused(at, &["demo", "--recordings", "nowhere"], &["nowhere: "]);
    std::fs::create_dir(at.join("empty")).unwrap();
    refused(at, &["demo", "--recordings", "empty"], &["empty: there is no NAME-sender.pcap.gz"]);
    refused(at, &["demo", "--only", "cores"], &["--only: there is no `cores`; allowed: Verilog, reps, "]);
    assert!(!at.join("build").exists());
}
