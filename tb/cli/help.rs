//! What the binary says of itself and of its surroundings: help, manual, completions, doctor.

use crate::runs::{command, path_from, program, project, respray, stderr, stdout};

#[test]
fn doctor_lists_every_tool_also_as_json() {
    let directory = tempfile::tempdir().unwrap();
    let output = respray(directory.path(), &["doctor", "--json", "-"]);
    let found: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
    let tools: Vec<&str> =
        found["tools"].as_array().unwrap().iter().map(|row| row["tool"].as_str().unwrap()).collect();
    let installed = std::fs::read_to_string(project().join("setup.sh")).unwrap();
    let needed =
        installed.lines().filter_map(|line| line.trim().strip_prefix("need ")).map(|line| line.split(' '));
    for tool in needed.filter_map(Iterator::last).chain(["yosys", "nextpnr-ecp5", "nextpnr-ice40", "fusesoc"])
    {
        assert!(tools.contains(&tool), "{tool} is not among {tools:?}");
    }
}

#[test]
fn doctor_reads_the_version_behind_a_name_that_ends_with_a_digit() {
    let directory = tempfile::tempdir().unwrap();
    program(directory.path(), "ip", "echo 'ip utility, iproute2-6.1.0, libbpf 1.1.0'");
    let path = path_from(directory.path());
    let output = command(directory.path(), &["doctor", "--json", "-"]).env("PATH", path).output().unwrap();
    let found: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
    let row = found["tools"].as_array().unwrap().iter().find(|row| row["tool"] == "ip").unwrap();
    assert_eq!((row["found"].as_str(), row["ok"].as_bool()), (Some("6.1.0"), Some(true)));
}

#[test]
fn doctor_says_of_what_is_missing_or_too_old_how_to_get_it() {
    let directory = tempfile::tempdir().unwrap();
    let programs = directory.path().join("programs");
    std::fs::create_dir(&programs).unwrap();
    for name in ["verilator", "verilator_bin"] {
        program(&programs, name, "echo 'Verilator 4.038 2020-07-11'");
    }
    let run = |more: &[&str]| {
        let arguments = [&["doctor"], more].concat();
        command(directory.path(), &arguments).env("PATH", &programs).output().unwrap()
    };
    let output = run(&[]);
    assert_eq!(output.status.code(), Some(2), "{}", stdout(&output));
    let said = stderr(&output);
    assert!(said.contains("missing or too old: verilator, g++, ") && said.lines().count() == 1, "{said}");
    let screen = stdout(&output);
    let row = |tool: &str| -> Vec<String> {
        let line = screen.lines().find(|line| line.starts_with(tool)).expect("each tool has a row");
        line.split_whitespace().map(str::to_string).collect()
    };
    assert_eq!(
        row("verilator "),
        ["verilator", "4.038", "5.006+", "NO", "cosim", "apt-get", "install", "verilator"]
    );
    assert_eq!(row("g++ ")[..4], ["g++", "-", "10.0+", "NO"]);
    // what all else runs without is told, and is not missing
    assert_eq!(row("chromium ")[..4], ["chromium", "-", "100.0+", "-"]);
    assert!(!said.contains("chromium"), "{said}");
    let json = run(&["--json", "-"]);
    let found: serde_json::Value = serde_json::from_str(&stdout(&json)).unwrap();
    let rows = found["tools"].as_array().unwrap();
    assert_eq!(
        (&rows[0]["tool"], &rows[0]["found"], &rows[0]["ok"]),
        (&"verilator".into(), &"4.038".into(), &false.into())
    );
    assert_eq!((&rows[1]["found"], &rows[1]["ok"]), (&serde_json::Value::Null, &false.into()));
}

#[test]
fn completions_name_the_subcommands() {
    let directory = tempfile::tempdir().unwrap();
    for shell in ["bash", "zsh", "fish"] {
        let output = respray(directory.path(), &["completions", shell]);
        assert!(output.status.success() && stdout(&output).contains("cosim"), "{shell}");
    }
}

#[test]
fn the_manual_has_a_page_for_each_subcommand() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let output = respray(at, &["man", "-o", "pages"]);
    assert!(output.status.success(), "{}", stderr(&output));
    for page in ["respray.1", "respray-cosim.1", "respray-traffic-info.1"] {
        let text = std::fs::read_to_string(at.join("pages").join(page)).unwrap();
        assert!(text.contains(".TH") && text.contains("respray"), "{page}");
    }
    let cosim = std::fs::read_to_string(at.join("pages/respray-cosim.1")).unwrap();
    assert!(
        cosim.contains("Examples:") && cosim.contains("Exit codes:") && cosim.contains("\\-\\-random"),
        "{cosim}"
    );
    assert!(stdout(&respray(at, &["man"])).contains(".TH"));
}

#[test]
fn the_configuration_stands_under_a_heading_of_its_own() {
    let directory = tempfile::tempdir().unwrap();
    for subcommand in ["generate", "cosim", "compare", "report"] {
        let help = stdout(&respray(directory.path(), &[subcommand, "--help"]));
        let (_, behind) = help.split_once("\nConfiguration:\n").expect("there is such a heading");
        let group = behind.split("\n\n").filter(|part| part.contains("--")).take(2).collect::<String>();
        assert!(
            group.contains("--config <FILE>") && group.contains("--set <KEY=VALUE>"),
            "{subcommand}: {help}"
        );
    }
}

#[test]
fn a_word_without_its_option_is_told_the_option() {
    let directory = tempfile::tempdir().unwrap();
    for (words, option) in [
        ("prove reps", "--core reps"),
        ("prove ecmp", "--core ecmp"),
        ("cosim reps", "--core reps"),
        ("cosim --core reps capture.pcap.gz", "--traffic capture.pcap.gz"),
        ("cosim --core reps ops.csv", "--ops ops.csv"),
        ("cosim --core reps --random 9 reps.depth=16", "--set reps.depth=16"),
        ("cosim --core nic lossy", "--pair lossy"),
        ("mutate ecmp", "--core ecmp"),
        ("upset reset", "--kind reset"),
        ("report u50", "--target u50"),
        ("report reps", "--core reps"),
        ("compare reps", "--selectors reps"),
        ("generate nic", "--core nic"),
        ("generate opennic", "--shell opennic"),
        ("fabric run reps:uet", "--selector reps:uet"),
        ("fabric run t128x3", "--topology t128x3"),
        ("fabric run incast:8", "--workload incast:8"),
        ("fabric run fabric.full=drop", "--set fabric.full=drop"),
    ] {
        let output = respray(directory.path(), &words.split(' ').collect::<Vec<_>>());
        let word = words.split(' ').next_back().unwrap();
        let said = format!("respray: `{word}` is not understood; there is `{option}`\n");
        assert_eq!((output.status.code(), stderr(&output)), (Some(2), said), "{words}");
    }
    let output = respray(directory.path(), &["prove", "anything"]);
    assert_eq!(stderr(&output), "respray: `anything` is not understood\n");
}
