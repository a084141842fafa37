//! Standard output that is full, closed, or shared with what Verilog prints.

use std::fs::{self, File};
use std::io::Read;
use std::process::Stdio;

use crate::common::{faulty_reps, names, project, respray, run, stderr, words};

/// Every command that prints, as it is called in an empty folder.
const COMMANDS: [&str; 9] = [
    "--help",
    "--version",
    "cores",
    "cores --json -",
    "completions bash",
    "generate --core ecmp -o out",
    "cosim --core ecmp --random 5000 --json run.json",
    "cosim --core ecmp --random 5000 --junit -",
    "cosim --core sack --packets 64",
];

#[test]
fn a_full_standard_output_gets_a_sentence_after_the_files() {
    for command in COMMANDS {
        let folder = tempfile::tempdir().unwrap();
        let full = File::options().write(true).open("/dev/full").unwrap();
        let output = respray(folder.path()).args(words(command)).stdout(full).output().unwrap();
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{command}: {said}");
        assert_eq!(said.lines().count(), 1, "{command}: {said}");
        assert!(
            said.starts_with("respray: standard output: cannot be written: No space"),
            "{command}: {said}"
        );
        let is_left = !names(folder.path()).is_empty();
        assert_eq!(is_left, command.contains("run.json") || command.contains("-o out"), "{command}");
    }
}

#[test]
fn whoever_closes_standard_output_has_read_enough() {
    for command in COMMANDS {
        let folder = tempfile::tempdir().unwrap();
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = respray(folder.path()).args(words(command)).stdout(writer).output().unwrap();
        assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""), "{command}");
    }
}

#[test]
fn a_difference_is_exit_code_1_whatever_becomes_of_standard_output() {
    let folder = tempfile::tempdir().unwrap();
    let verilog = faulty_reps(folder.path());
    let line = format!("cosim --core reps --random 20000 --verilog {} --json run.json", verilog.display());
    let full = File::options().write(true).open("/dev/full").unwrap();
    let output = respray(folder.path()).args(words(&line)).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let json = fs::read_to_string(folder.path().join("run.json")).unwrap();
    assert!(json.contains("\"result\": \"fail\""), "{json}");
}

#[test]
fn a_closed_standard_error_disturbs_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = respray(folder.path()).args(["cosim", "--core", "none"]).stderr(writer).output().unwrap();
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
    let output = run(folder.path(), words(line));
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON and nothing else");
    assert_eq!(json["result"], "pass");
    assert!(stderr(&output).contains("{from Verilog}"), "{}", stderr(&output));
}

#[test]
fn one_file_at_most_is_standard_output() {
    let folder = tempfile::tempdir().unwrap();
    let output = run(folder.path(), words("cosim --core ecmp --random 5000 --json - --wave -"));
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
        let mut child = respray(folder.path())
            .args(words("cosim --core ecmp --random 5000"))
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
