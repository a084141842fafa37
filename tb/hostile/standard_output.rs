//! Standard output that is full, closed, or shared with what Verilog prints.

use std::fs::{self, File};
use std::io::Read;
use std::process::Stdio;

use nix::sys::stat::{Mode, SFlag, makedev, mknod};

use super::common::{command, faulty_reps, is_root, names, project, respray, stderr, words};

/// Every command that prints, as it is called in an empty folder.
const COMMANDS: [&str; 11] = [
    "--help",
    "--version",
    "cores",
    "cores --json -",
    "cache",
    "traffic info PROJECT/tb/recordings/steady-sender.pcap.gz",
    "completions bash",
    "generate --core ecmp -o out",
    "cosim --core ecmp --random 5000 --json run.json",
    "cosim --core ecmp --random 5000 --junit -",
    "cosim --core sack --packets 64",
];

fn commands() -> impl Iterator<Item = String> {
    COMMANDS.into_iter().map(|line| line.replace("PROJECT", &project().display().to_string()))
}

/// A device that is always full, of our own; opened, it needs no name.
fn full_device() -> Option<File> {
    if !is_root("a device that is always full") {
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    let full = folder.path().join("full");
    mknod(&full, SFlag::S_IFCHR, Mode::from_bits_truncate(0o600), makedev(1, 7)).unwrap();
    Some(File::options().write(true).open(&full).unwrap())
}

#[test]
fn a_full_standard_output_gets_a_sentence_after_the_files() {
    for line in commands() {
        let folder = tempfile::tempdir().unwrap();
        let Some(full) = full_device() else { return };
        let output = command(folder.path(), &words(&line)).stdout(full).output().unwrap();
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{line}: {said}");
        assert_eq!(said.lines().count(), 1, "{line}: {said}");
        assert!(said.starts_with("respray: standard output: cannot be written: No space"), "{line}: {said}");
        let is_left = !names(folder.path()).is_empty();
        assert_eq!(is_left, line.contains("run.json") || line.contains("-o out"), "{line}");
    }
}

#[test]
fn whoever_closes_standard_output_has_read_enough() {
    for line in commands() {
        let folder = tempfile::tempdir().unwrap();
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = command(folder.path(), &words(&line)).stdout(writer).output().unwrap();
        assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""), "{line}");
    }
}

#[test]
fn a_difference_is_exit_code_1_whatever_becomes_of_standard_output() {
    let folder = tempfile::tempdir().unwrap();
    let verilog = faulty_reps(folder.path());
    let line = format!("cosim --core reps --random 20000 --verilog {} --json run.json", verilog.display());
    let Some(full) = full_device() else { return };
    let output = command(folder.path(), &words(&line)).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let json = fs::read_to_string(folder.path().join("run.json")).unwrap();
    assert!(json.contains("\"result\": \"fail\""), "{json}");
}

#[test]
fn a_closed_standard_error_disturbs_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = command(folder.path(), &["cosim", "--core", "none"]).stderr(writer).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn what_verilog_prints_goes_to_standard_error() {
    let folder = tempfile::tempdir().unwrap();
    let verilog = fs::read_to_string(project().join("generated/ecmp.v")).unwrap();
    let end = verilog.rfind("endmodule").unwrap();
    let talking = format!(
        "{}  always @(posedge clk) if (rst) $display(\"{{from Verilog}}\");\n{}",
        &verilog[..end],
        &verilog[end..]
    );
    fs::write(folder.path().join("talking.v"), talking).unwrap();
    let line = "cosim --core ecmp --random 5000 --verilog talking.v --json -";
    let output = respray(folder.path(), &words(line));
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON and nothing else");
    assert_eq!(json["result"], "pass");
    assert!(stderr(&output).contains("{from Verilog}"), "{}", stderr(&output));
}

#[test]
fn one_file_at_most_is_standard_output() {
    let folder = tempfile::tempdir().unwrap();
    let output = respray(folder.path(), &words("cosim --core ecmp --random 5000 --json - --wave -"));
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        stderr(&output),
        "respray: --json and --wave are both `-`; one of them may be standard output\n"
    );
}

#[test]
fn each_file_can_be_standard_output() {
    for (option, begins) in [("--junit", &b"<?xml"[..]), ("--markdown", b"## respray"), ("--wave", &[0])] {
        let folder = tempfile::tempdir().unwrap();
        let mut child = command(folder.path(), &words("cosim --core ecmp --random 5000"))
            .args([option, "-"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut bytes = Vec::new();
        child.stdout.take().unwrap().read_to_end(&mut bytes).unwrap();
        assert!(child.wait().unwrap().success(), "{option}");
        assert!(
            bytes.starts_with(begins),
            "{option}: {:?}",
            String::from_utf8_lossy(&bytes[..bytes.len().min(80)])
        );
        assert!(names(folder.path()).is_empty());
    }
}
