//! Signals: the verdict so far is written, nothing temporary stays, and the exit status is that of the signal.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::common::{command, names, project, stderr, stdout, words};

/// Starts a command in a folder, waits until `is_going` holds, and sends the signal.
fn interrupted(folder: &Path, line: &str, signal: Signal, is_going: impl Fn() -> bool) -> Output {
    interrupt(command(folder, &words(line)), signal, is_going)
}

fn interrupt(mut command: Command, signal: Signal, is_going: impl Fn() -> bool) -> Output {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    while !is_going() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(20));
    }
    send(&child, signal);
    child.wait_with_output().unwrap()
}

fn send(child: &Child, signal: Signal) {
    kill(Pid::from_raw(child.id() as i32), signal).expect("the child is ours");
}

fn json_of(folder: &Path) -> serde_json::Value {
    serde_json::from_slice(&fs::read(folder.join("run.json")).unwrap()).unwrap()
}

#[test]
fn a_run_that_is_interrupted_writes_its_verdict_so_far() {
    for (signal, line) in [
        (Signal::SIGINT, "cosim --core rewrite_rx --random 100000000000 --pcap-out out.pcap --json run.json"),
        (
            Signal::SIGTERM,
            "cosim --core rewrite_tx --random 100000000000 --pcap-out out.pcap --json run.json",
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        // the capture's temporary file has its first frames: the run is going on
        let is_going = || {
            fs::read_dir(at)
                .unwrap()
                .flatten()
                .any(|entry| entry.metadata().is_ok_and(|data| data.len() > 10_000))
        };
        let output = interrupted(at, line, signal, is_going);
        assert_eq!(output.status.signal(), Some(signal as i32), "{line}: {}", stderr(&output));
        assert!(stdout(&output).contains("INTERRUPTED, no difference so far"), "{}", stdout(&output));
        let json = json_of(at);
        assert_eq!((&json["result"], &json["mismatches"]), (&"interrupted".into(), &0.into()));
        assert!(json["frames"].as_u64() > Some(0), "{json}");
        assert_eq!(names(at), ["out.pcap", "run.json"]);
    }
}

#[test]
fn ops_and_networks_are_interrupted_too() {
    for line in [
        "cosim --core ecmp --random 100000000000 --json run.json",
        "cosim --core sack --packets 100 --seeds 100000000 --json run.json",
    ] {
        let folder = tempfile::tempdir().unwrap();
        let begun = std::time::Instant::now();
        // the model of the default configuration is linked in or cached: it runs after a moment
        let output =
            interrupted(folder.path(), line, Signal::SIGHUP, || begun.elapsed() > Duration::from_secs(2));
        assert_eq!(output.status.signal(), Some(Signal::SIGHUP as i32), "{line}: {}", stderr(&output));
        if folder.path().join("run.json").exists() {
            assert_eq!(json_of(folder.path())["result"], "interrupted", "{line}");
        } else {
            // it was still building
            assert!(names(folder.path()).is_empty(), "{line}");
        }
    }
}

#[test]
fn a_report_that_is_ended_leaves_no_folder_of_a_run() {
    let tools = project().join(".venv");
    if !tools.exists() {
        println!("skipped: Yosys is not in .venv");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let runs = folder.path().join("cache");
    std::os::unix::fs::symlink(tools, folder.path().join(".venv")).unwrap();
    let mut report = command(folder.path(), &words("report --core rewrite_rx --target ecp5"));
    report.env("RESPRAY_CACHE", &runs);
    let is_going = || runs.is_dir() && names(&runs).iter().any(|name| name.starts_with(".respray-"));
    let output = interrupt(report, Signal::SIGTERM, is_going);
    assert_eq!(output.status.signal(), Some(Signal::SIGTERM as i32), "{}", stderr(&output));
    assert!(!names(&runs).iter().any(|name| name.starts_with(".respray-")), "{:?}", names(&runs));
}
