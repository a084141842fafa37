//! `respray cosim --core sack`: both SACK engines with networks between them.

use crate::runs::{names, refused, respray, stderr, stdout};

#[test]
fn networks_between_the_sack_engines_pass_and_refuse_what_is_of_one_core() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let sack = ["cosim", "--core", "sack"];
    let networks = [&sack[..], &["--packets", "300", "--seeds", "3", "--json", "-"]].concat();
    let output = respray(at, &networks);
    assert!(output.status.success(), "{}", stderr(&output));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((json["packets"].as_u64(), json["mismatches"].as_u64()), (Some(912), Some(0)));
    assert!(json["found_by_ooo"].as_u64().unwrap() + json["found_by_probe"].as_u64().unwrap() > 0);
    refused(at, &[&networks[..5], &["--verilog", "w.v"]].concat(), &["--verilog", "core `sack`"]);
    refused(at, &[&networks[..5], &["--wave", "-"]].concat(), &["--wave is `-`", "core `sack`"]);
    refused(at, &[&networks[..5], &["--rto", "9"]].concat(), &["--rto", "core `sack`"]);
    let uet = ["--set", "wire=uet", "--set", "sack.acks=uet"];
    refused(at, &[&networks[..5], &uet].concat(), &["`sack.acks` is \"uet\"", "strack"]);
    refused(at, &[&sack[..], &["--random", "9"]].concat(), &["--packets N"]);
    refused(at, &["cosim", "--core", "reps", "--packets", "9"], &["--packets", "`reps`"]);
    let tx = ["cosim", "--core", "sack_tx"];
    refused(at, &[&tx[..], &["--random", "9", "--freeze-timeout", "1"]].concat(), &["freeze-timeout"]);
    refused(at, &[&tx[..], &["--random", "9", "--knob", "loss_share=2"]].concat(), &["loss_share", "0 to 1"]);
}

#[test]
fn networks_leave_what_the_run_of_a_core_leaves() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let files = ["--junit", "run.xml", "--markdown", "run.md", "--json", "run.json", "--wave", "run.fst"];
    let sack = ["cosim", "--core", "sack", "--packets", "64", "--seeds", "2", "--seed", "7"];
    let output = respray(at, &[&sack[..], &files].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(names(at), ["run.json", "run.md", "run.xml", "run_sack_rx.fst", "run_sack_tx.fst"]);
    let read = |name: &str| std::fs::read_to_string(at.join(name)).unwrap();
    let json: serde_json::Value = serde_json::from_str(&read("run.json")).unwrap();
    let command = "respray cosim --core sack --packets 64 --seed 7 --seeds 2";
    assert_eq!(json["provenance"]["command"], command);
    let hashes = json["provenance"]["verilog_sha256"].as_object().unwrap();
    assert_eq!(hashes.keys().collect::<Vec<_>>(), ["sack_rx", "sack_tx"]);
    assert!(read("run.xml").contains(r#"<testcase name="random networks" classname="cosim.sack""#));
    assert!(read("run.md").contains("| **pass** |") && read("run.md").contains(command));
    assert!(stdout(&output).ends_with(&format!("the run again: {command}\n")), "{}", stdout(&output));
}
