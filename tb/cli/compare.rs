//! `respray compare`: path selectors side by side.

use std::path::Path;

use crate::runs::{assert_is_refusal, names, project, respray, stderr, stdout};

/// Compares in `at`.
fn compare(at: &Path, more: &[&str]) -> std::process::Output {
    respray(at, &[&["compare", "--random", "3000", "--seeds", "2"], more].concat())
}

#[test]
fn selectors_stand_side_by_side_on_the_terminal_in_a_page_and_as_json() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let files = ["--json", "all.json", "--html", "all.html", "--markdown", "all.md"];
    let output = compare(at, &[&["--selectors", "reps,ops,strack"], &files[..]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(stderr(&output), "", "no progress bar in a pipe");
    let shown = stdout(&output);
    let read = |name: &str| std::fs::read_to_string(at.join(name)).unwrap();
    let json: serde_json::Value = serde_json::from_str(&read("all.json")).unwrap();
    for (row, name) in json["rows"].as_array().unwrap().iter().zip(["reps", "ops", "strack"]) {
        assert_eq!(row["selector"], name);
        let line = shown.lines().find(|line| line.trim_start().starts_with(name)).expect("a row each");
        let percent = |value: &serde_json::Value| format!("{:.1}", 100.0 * value.as_f64().unwrap());
        for measure in ["onto_bad", "onto_marked", "imbalance", "recycled"] {
            let mean = percent(&row["behaviour"][measure][0]);
            assert!(line.split_whitespace().any(|cell| cell == mean), "{measure} {mean}: {line}");
        }
        assert_eq!(json["runs"][name].as_array().unwrap().len(), 2, "a run a seed");
        assert_eq!(json["runs"][name][1]["lockstep"]["result"], "pass");
        assert!(read("all.md").contains(&format!("| {name} |")));
        assert!(read("all.html").contains(&format!("data-bar=\"{name}\"")));
    }
    assert_eq!(json["seeds"], serde_json::json!([1, 2]));
    assert_eq!(json["model"]["packets"], 3000);
    assert!(json["version"].is_string() && json["configuration"].is_array());
}

/// Runs a capture through selectors: those that are named, or all.
fn a_capture_runs(named: &[&str], selectors: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let capture = project().join("tb/recordings/slow-path-sender.pcap.gz");
    let of_capture = ["compare", "--traffic", capture.to_str().unwrap(), "--json", "-"];
    let output = respray(folder.path(), &[&of_capture[..], named].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let json: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
    let rows: Vec<&str> =
        json["rows"].as_array().unwrap().iter().map(|row| row["selector"].as_str().unwrap()).collect();
    assert_eq!(rows, selectors);
    for runs in json["runs"].as_object().unwrap().values() {
        assert_eq!(runs[0]["lockstep"]["result"], "pass");
        assert!(runs[0]["behaviour"]["sends"].as_u64().unwrap() > 100);
        assert!(runs[0]["behaviour"]["onto_bad"].is_null(), "a capture does not say which paths are bad");
    }
}

#[test]
fn a_capture_runs_through_the_selectors_that_are_named() {
    a_capture_runs(&["--selectors", "ops,reps"], &["ops", "reps"]);
}

#[test]
#[ignore = "a model of each selector, with the long tests"]
fn a_capture_runs_through_every_selector_where_none_is_named() {
    let names = respray_hdl::config::PathSelector::NAMES;
    // flowcut takes other ops
    a_capture_runs(&[], &names[..names.len() - 1]);
}

#[test]
fn what_cannot_be_compared_is_refused_before_anything_runs() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("file"), "").unwrap();
    let before = names(at);
    for (more, said) in [
        (&["--selectors", "sack_tx"][..], "sack_tx"),
        (&["--bad", "1.5"], "--bad is `1.5`; allowed: 0 to 1"),
        (&["--mark", "2"], "--mark is `2`; allowed: 0 to 1"),
        (&["--paths", "0"], "--paths is `0`; allowed: 1 to 65536"),
        (&["--window", "5000"], "--window is `5000`; allowed: 1 to 4095"),
        (&["--ack-every", "0"], "--ack-every is `0`; allowed: 1 to 4095"),
        (&["--json", "file/all.json"], "file/all.json: cannot be written"),
        (&["--json", "-", "--html", "-"], "both `-`"),
        (&["--set", "reps.depth=5"], "`reps.depth` is 5"),
    ] {
        assert_is_refusal(&compare(at, more), &[said]);
        assert_eq!(names(at), before, "{more:?} left a file");
    }
    assert_is_refusal(&respray(at, &["compare", "--traffic", "none.pcap"]), &["none.pcap"]);
    std::fs::write(at.join("broken.pcap"), "no capture").unwrap();
    assert_is_refusal(&respray(at, &["compare", "--traffic", "broken.pcap"]), &["broken.pcap"]);
}
