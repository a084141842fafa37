//! Random campaigns: in parts, by the clock, and repeated by the commands that they print.

use std::path::Path;
use std::process::{Command, Output};

use crate::runs::{faulty_reps, names, refused, respray, stderr, stdout};

/// Runs a command that a report gives, as a shell takes it, with the report as JSON on standard output.
fn as_printed(directory: &Path, command: &str) -> Output {
    let (respray, arguments) = command.split_at("respray".len());
    assert_eq!(respray, "respray", "{command}");
    let line = format!("exec \"$0\"{arguments} --json -");
    let binary = env!("CARGO_BIN_EXE_respray");
    Command::new("sh").args(["-c", &line, binary]).current_dir(directory).output().unwrap()
}

/// The report, and what it says of where it comes from.
fn report(output: &Output) -> (serde_json::Value, serde_json::Value) {
    let mut json: serde_json::Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", stderr(output)));
    json["cycles_per_second"] = 0.into();
    let provenance = json["provenance"].take();
    (json, provenance)
}

#[test]
fn a_part_of_a_campaign_is_a_run_with_a_seed_and_cycles_of_its_own() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let run = |arguments: &[&str]| {
        let output = respray(at, &[&["cosim", "--core", "reps", "--json", "-"], arguments].concat());
        assert!(output.status.success(), "{}", stderr(&output));
        report(&output)
    };
    let campaign = ["--random", "30000", "--knob", "hot_set=2", "--seed"];
    let (part, of_part) = run(&[&campaign[..], &["5", "--shard", "2/3"]].concat());
    assert_eq!(part["cycles"], 10_000);
    assert_eq!((&of_part["seed"], &of_part["part"]["shard"]), (&5.into(), &"2/3".into()));
    let (alone, of_alone) = report(&as_printed(at, of_part["part"]["command"].as_str().unwrap()));
    assert_eq!((&alone, &of_alone["seed"]), (&part, &of_part["part"]["seed"]));
    assert_eq!(of_alone["verilog_sha256"], of_part["verilog_sha256"]);
    let (again, of_again) = report(&as_printed(at, of_part["command"].as_str().unwrap()));
    assert_eq!((&again, &of_again), (&part, &of_part));
    for other in [["5", "--shard", "1/3"], ["6", "--shard", "1/3"], ["6", "--shard", "2/3"]] {
        assert_ne!(run(&[&campaign[..], &other].concat()).0, part, "{other:?}");
    }
    let wrong = ["cosim", "--core", "reps", "--random", "9", "--shard"];
    refused(
        at,
        &[&wrong[..], &["4/3"]].concat(),
        &["--shard is `4/3`; allowed: I/N with I from 1 to N, and N up to 10000"],
    );
    refused(at, &[&wrong[..], &["1/10"]].concat(), &["part 1 of 10 has no cycle", "as many cycles as parts"]);
}

#[test]
fn the_log_of_a_part_that_fails_ends_with_the_commands_that_repeat_it() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    std::fs::rename(at.join(faulty_reps(at)), at.join("my faulty.v")).unwrap();
    let run = ["cosim", "--core", "reps", "--verilog", "my faulty.v", "--set", "clock_mhz=250"];
    let part = ["--random", "60000", "--seed", "5", "--shard", "2/3", "--json", "out/run.json"];
    let output = respray(at, &[&run[..], &part].concat());
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let left = ["reps_failure_2of3.csv", "reps_failure_2of3.fst", "run.json"];
    assert_eq!(names(&at.join("out")), left, "beside the report, under a name of the part's own");
    assert_eq!(names(at), ["my faulty.v", "out"]);
    let text = std::fs::read_to_string(at.join("out/run.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let command = |pointer: &str| json.pointer(pointer).unwrap().as_str().unwrap();
    let (small, part) = (command("/command"), command("/provenance/part/command"));
    let campaign = command("/provenance/command");
    assert!(campaign.contains("--seed 5 --shard 2/3 --set clock_mhz=250"), "{campaign}");
    assert!(small.contains("--ops out/reps_failure_2of3.csv"), "{small}");
    let end = format!("again: {small}\nthe part alone again: {part}\nthe run again: {campaign}\n");
    assert!(stdout(&output).ends_with(&end), "{}", stdout(&output));
    for command in [small, part, campaign] {
        let again = as_printed(at, command);
        assert_eq!(again.status.code(), Some(1), "{command}: {}", stderr(&again));
        let (again, _) = report(&again);
        let is_same = again["first_difference"] == json["first_difference"];
        assert_eq!(is_same, command != small, "{command}");
    }
}

#[test]
fn a_run_by_the_clock_says_how_far_it_came_and_is_repeated_up_to_there() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    for core in [&["--core", "ecmp", "--shard", "2/2"][..], &["--core", "rewrite_rx"]] {
        let run = [&["cosim", "--minutes", "0.001", "--seed", "3", "--json", "-"], core].concat();
        let output = respray(at, &run);
        assert!(output.status.success(), "{}", stderr(&output));
        let (json, provenance) = report(&output);
        let (cycles, command) = (json["cycles"].as_u64().unwrap(), provenance["command"].as_str().unwrap());
        assert!(command.contains(&format!("--random {cycles} --seed ")), "{command}");
        assert_eq!(report(&as_printed(at, command)).0, json, "{command}");
    }
    let run = ["cosim", "--core", "ecmp", "--minutes"];
    for minutes in ["0", "-1", "soon", "inf", "600000"] {
        let given = format!("--minutes={minutes}");
        refused(at, &[&run[..3], &[&given]].concat(), &["--minutes is", "allowed: above 0 to 525600"]);
    }
    refused(
        at,
        &[&run[..], &["1", "--random", "9"]].concat(),
        &["--minutes", "does not go with", "--random"],
    );
}
