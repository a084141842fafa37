//! Sentences stay sentences, whatever values they tell of.

use std::fs;

use super::common::{respray, stderr, words};

/// Longest sentence but for lists of what is allowed, in bytes.
const LONGEST: usize = 1200;

/// A value that is long, has lines and moves the cursor.
fn nasty() -> String {
    format!("a\nb\x1b[2J\u{202e}{}", "x".repeat(100_000))
}

#[test]
fn a_value_from_the_command_line_is_escaped_and_cut() {
    let folder = tempfile::tempdir().unwrap();
    let nasty = nasty();
    for line in [
        vec!["cosim", "--core", &nasty, "--random", "5"],
        vec!["cosim", "--core", "reps", "--random", &nasty],
        vec!["cosim", "--core", "reps", "--random", "5", "--knob", &nasty],
        vec!["cosim", "--core", "reps", "--random", "5", "--shard", &nasty],
        vec!["cosim", "--core", "reps", "--random", "5", "--set", &nasty],
        vec!["cosim", "--core", "reps", "--random", "5", "--set", &format!("reps.depth={nasty}")],
        vec!["cosim", "--core", "reps", &format!("--{nasty}")],
        vec!["report", "--core", &nasty],
        vec!["report", "--target", &nasty],
        vec!["report", "--sweep", &nasty],
        vec!["report", "--sweep", &format!("reps.depth={nasty}")],
        vec!["traffic", "record", &nasty],
        vec![&nasty],
    ] {
        let output = respray(folder.path(), &line);
        let said = stderr(&output);
        let option: Vec<String> = line.iter().map(|word| word.chars().take(12).collect()).collect();
        assert_eq!(output.status.code(), Some(2), "{option:?}: {said:.300}");
        assert_eq!(said.lines().count(), 1, "{option:?}: {said:.300}");
        assert!(said.len() < LONGEST, "{option:?}: {} bytes: {said:.300}", said.len());
        assert!(!said.trim_end().contains(|c: char| c.is_control()), "{option:?}: {said:.300}");
    }
}

#[test]
fn a_value_from_a_file_is_escaped_and_cut() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let long = "x".repeat(60_000);
    let ops = "time_ns,op,conn,ev,ecn\n";
    for (name, text, line) in [
        ("nic.toml", format!("[reps]\n{long} = 5\n"), "generate --config nic.toml"),
        ("nic.toml", format!("[reps]\ndepth = \"{long}\"\n"), "generate --config nic.toml"),
        ("nic.toml", format!("{long}\n"), "generate --config nic.toml"),
        ("ops.csv", format!("{ops}1,{long},1,1,0\n"), "cosim --core reps --ops ops.csv"),
        ("ops.csv", format!("{ops}1,ack,{long},1,0\n"), "cosim --core reps --ops ops.csv"),
        (
            "ops.csv",
            format!("time_ns,op,conn,ev,ecn,{long}\n1,ack,1,1,0,\n"),
            "cosim --core reps --ops ops.csv",
        ),
        ("list.csv", format!("{long}\n"), "cosim --core rewrite_tx --frames list.csv"),
        (
            "list.csv",
            format!("ev,timestamp,enable,reset_after,frame\n{long},1,1,,00\n"),
            "cosim --core rewrite_tx --frames list.csv",
        ),
    ] {
        fs::write(at.join(name), text).unwrap();
        let output = respray(at, &words(line));
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{line}: {said:.300}");
        assert_eq!(said.lines().count(), 1, "{line}: {said:.300}");
        assert!(said.len() < LONGEST, "{line}: {} bytes: {said:.300}", said.len());
        assert!(said.starts_with(&format!("respray: {name}")), "{line}: {said:.300}");
    }
}

#[test]
fn a_wrong_command_line_gets_one_sentence() {
    let folder = tempfile::tempdir().unwrap();
    for (line, said) in [
        ("cosim --core nope --random 5", "--core is `nope`; allowed: reps, "),
        ("cosim --core reps --random x", "--random is `x`; allowed: 1 to "),
        ("cosim --core reps --random", "--random needs a value"),
        ("cosim --core reps --random 5 --ops x", "--random does not go with --ops"),
        ("cosim --core reps --random 5 --random 6", "--random may be given once"),
        ("cosim --core reps", "needed, and not given: "),
        ("cosim --core reps --rndom 5", "`--rndom` is not understood; there is `--random`"),
        ("genrate", "there is no command `genrate`; there is `generate`"),
        ("cosim --core reps --random 5 --knob x", "--knob `x`: expected KNOB=VALUE; the knobs are"),
    ] {
        let output = respray(folder.path(), &words(line));
        assert_eq!(output.status.code(), Some(2), "{line}");
        let text = stderr(&output);
        assert!(text.starts_with(&format!("respray: {said}")), "{line}: {text}");
        assert_eq!(text.lines().count(), 1, "{line}: {text}");
    }
}
