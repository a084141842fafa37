//! `respray upset`: short campaigns, their reports, and what is refused before anything runs.

use crate::runs::{names, refused, respray, stderr, stdout};

#[test]
fn the_same_seeds_come_to_the_same_and_reports_are_joined() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let run = |more: &[&str]| {
        let output = respray(at, &[&["upset", "--core", "ecmp", "--runs", "20"], more].concat());
        assert!(output.status.success(), "{}", stderr(&output));
        stdout(&output)
    };
    let text = run(&["--json", "first.json", "--seed", "7"]);
    assert!(
        text.starts_with("ecmp, flip: 20 runs, seeds from 7, ") && text.ends_with("nothing was found\n"),
        "{text}"
    );
    assert_eq!(run(&["--seed", "7"]), text);
    assert_ne!(run(&["--json", "second.json", "--seed", "8"]), text);
    let joined = respray(at, &["upset", "--join", "first.json", "second.json", "--markdown", "page.md"]);
    assert!(joined.status.success(), "{}", stderr(&joined));
    let page = std::fs::read_to_string(at.join("page.md")).unwrap();
    assert_eq!(page.matches("| `ecmp` | flip | 20 |").count(), 2, "{page}");
    assert_eq!(names(at).len(), 3);
}

#[test]
fn what_cannot_be_run_is_refused_before_anything_runs() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    std::fs::write(at.join("other.json"), "{}").unwrap();
    refused(
        at,
        &["upset", "--set", "sack.engine=fast"],
        &["`sack_rx`", "allowed for flips: sack.engine = small"],
    );
    refused(
        at,
        &["upset", "--set", "caver.table=per_port"],
        &["`caver`", "the memory `caver_", "allowed for flips"],
    );
    for core in ["sack_rx", "sack_tx"] {
        let uet = ["upset", "--core", core, "--set", "wire=uet", "--set", "sack.acks=uet"];
        refused(at, &uet, &[core, "`sack.acks` = uet; allowed: strack"]);
    }
    refused(at, &["upset", "--join", "other.json"], &["other.json: not a report of upsets"]);
    refused(at, &["upset", "--json", "-", "--markdown", "-"], &["--json", "--markdown"]);
}
