//! Files that can be read only once.

use std::path::PathBuf;
use std::process::Command;

use super::common::{assert_is_refusal, command, fed, json, pcap, project, respray, respray_fed};

/// A core, and the end of a recording at which it stands.
const CORES: [(&str, &str); 7] = [
    ("reps", "sender"),
    ("ops", "sender"),
    ("ecmp", "sender"),
    ("sack_tx", "sender"),
    ("sack_rx", "receiver"),
    ("rewrite_tx", "sender"),
    ("rewrite_rx", "receiver"),
];

fn recording(end: &str) -> PathBuf {
    project().join(format!("tb/recordings/steady-{end}.pcap.gz"))
}

#[test]
fn every_core_runs_on_a_capture_that_comes_through_a_pipe() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    assert!(Command::new("mkfifo").arg(at.join("fifo")).status().unwrap().success());
    for (core, end) in CORES {
        std::fs::copy(recording(end), at.join("file.pcap.gz")).unwrap();
        let bytes = std::fs::read(at.join("file.pcap.gz")).unwrap();
        let run = |traffic| ["cosim", "--core", core, "--json", "-", "--traffic", traffic];
        // the command that repeats a run names its file
        let json = |output: &std::process::Output| {
            let mut json = json(output);
            json["provenance"]["command"].take();
            json
        };
        let of_file = json(&respray(at, &run("file.pcap.gz")));
        assert!(of_file["cycles"].as_u64().unwrap() > 1000 && of_file["result"] == "pass", "{core}");
        assert_eq!(json(&respray_fed(at, &run("/dev/stdin"), &bytes)), of_file, "{core}");
        let of_fifo = std::thread::scope(|scope| {
            scope.spawn(|| std::fs::write(at.join("fifo"), &bytes));
            respray(at, &run("fifo"))
        });
        assert_eq!(json(&of_fifo), of_file, "{core}");
    }
}

#[test]
fn op_traces_lists_of_frames_and_info_come_through_pipes_as_well() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let ops = b"time_ns,op,conn\n1,send,0\n2,send,1\n";
    let run = ["cosim", "--core", "reps", "--json", "-", "--ops", "/dev/stdin"];
    assert_eq!(json(&respray_fed(at, &run, ops))["ops"], 2);
    let list = b"ev,timestamp,enable,reset_after,frame\n1,2,1,,00112233\n";
    let run = ["cosim", "--core", "rewrite_tx", "--json", "-", "--frames", "/dev/stdin"];
    assert_eq!(json(&respray_fed(at, &run, list))["frames"], 1);
    let run = ["traffic", "info", "/dev/stdin", "--json", "-"];
    assert_eq!(json(&respray_fed(at, &run, &pcap(&[&[1; 60]])))["frames"], 1);
}

#[test]
fn what_is_wrong_in_the_middle_of_a_capture_is_said_before_anything_runs() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let mut capture = pcap(&[&[1; 60], &[2; 60], &[3; 60]]);
    // the captured length of the second frame
    capture[24 + 76 + 8..][..4].copy_from_slice(&u32::MAX.to_le_bytes());
    std::fs::write(at.join("x.pcap"), &capture).unwrap();
    for core in ["rewrite_tx", "reps"] {
        for file in ["/dev/stdin", "x.pcap"] {
            let output = respray_fed(at, &["cosim", "--core", core, "--traffic", file], &capture);
            let said = format!("{file}: byte 100 (frame 2): the captured length 4294967295");
            assert_is_refusal(&output, &[&said]);
        }
    }
    assert_eq!(std::fs::read_dir(at).unwrap().count(), 1);
}

/// It ends, since nothing more than its beginning is copied.
#[test]
fn a_device_without_end_that_holds_no_capture_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    for core in ["rewrite_tx", "reps"] {
        let output = respray(directory.path(), &["cosim", "--core", core, "--traffic", "/dev/zero"]);
        assert_is_refusal(&output, &["/dev/zero: byte 0: the magic number 00000000"]);
    }
}

#[test]
fn a_pipe_that_cannot_be_copied_is_refused_with_the_folder() {
    let directory = tempfile::tempdir().unwrap();
    let mut run = command(directory.path(), &["cosim", "--core", "rewrite_tx", "--traffic", "/dev/stdin"]);
    run.env("TMPDIR", "/nowhere/to/be/found");
    let said = ["/dev/stdin: ", "the copy of it in /nowhere/to/be/found cannot be written"];
    assert_is_refusal(&fed(run, &pcap(&[&[1; 60]])), &said);
}
