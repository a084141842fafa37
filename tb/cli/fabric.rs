//! `respray fabric` and `respray traffic live`: runs, figures, suites, and what they refuse.

use std::fs;
use std::process::Stdio;
use std::time::Duration;

use crate::runs::{command, names, refused, respray, stderr, stdout};

/// A short scenario.
const SHORT: [&str; 6] = ["fabric", "run", "--bytes", "100000", "--workload", "tornado:8"];

#[test]
fn a_run_gives_a_table_lines_of_json_a_series_and_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let more = ["--selector", "reps,ops", "--seeds", "2", "--fail", "tor0.up0=rate=0.5"];
    let files = ["--json", "all.json", "--html", "all.html", "--series", "all.csv"];
    let output = respray(at, &[&SHORT[..], &more, &files].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(stderr(&output), "", "no progress bar in a pipe");
    let read = |name: &str| fs::read_to_string(at.join(name)).unwrap();
    let lines: Vec<serde_json::Value> =
        read("all.json").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let runs: Vec<(&str, u64)> = lines
        .iter()
        .map(|line| (line["selector"].as_str().unwrap(), line["seed"].as_u64().unwrap()))
        .collect();
    assert_eq!(runs, [("reps", 1), ("reps", 2), ("ops", 1), ("ops", 2)]);
    for line in &lines {
        assert_eq!((line["engine"].as_str(), line["new_packets"].as_u64()), (Some("rtl"), Some(200)));
        for field in [
            "max_fct_us",
            "mean_fct_us",
            "median_fct_us",
            "retransmitted",
            "trimmed",
            "dropped",
            "lost_to_failure",
            "out_of_order",
            "ops",
        ] {
            assert!(line[field].is_number(), "{field}");
        }
        assert!(line["version"].is_string() && line["event_hash"].is_string());
        assert!(line["seconds"].is_null(), "what belongs to the machine is elsewhere");
    }
    let ran: serde_json::Value = serde_json::from_str(read("all.json.run").lines().next().unwrap()).unwrap();
    assert!(ran["seconds"].is_number() && ran["cycles"].as_u64() > Some(400) && ran["mismatches"] == 0);
    let shown = stdout(&output);
    for selector in ["reps", "ops"] {
        assert!(shown.lines().any(|line| line.trim_start().starts_with(selector)), "{shown}");
        assert!(read("all.html").contains(&format!("data-bar=\"{selector}\"")));
    }
    assert!(read("all.html").contains("<svg"), "ports over time");
    let series = read("all.csv");
    assert!(series.starts_with("name,selector,seed,port,bin_start_us,offered_packets,offered_gbps,"));
    assert!(series.lines().any(|line| line.starts_with("run,ops,2,tor0.up7,0.0,")), "{series}");
    let page = read("all.html");
    assert!(page.to_lowercase().contains("offered"), "charts of load say which load it is");
    assert!(page.contains("95% confidence interval"), "bars say what their intervals are");
}

#[test]
fn verilog_and_golden_model_write_the_same_bytes_but_for_the_word() {
    let folder = tempfile::tempdir().unwrap();
    let lines = |engine: &str| {
        let more = ["--selector", "reps", "--engine", engine, "--json", "-"];
        let output = respray(folder.path(), &[&SHORT[..], &more].concat());
        assert!(output.status.success(), "{}", stderr(&output));
        // the hash of the Verilog stands where Verilog was in the loop
        let text = stdout(&output).replace(&format!("\"engine\":\"{engine}\""), "\"engine\":\"\"");
        let (before, rest) = text.split_once("\"verilog_hash\":").unwrap();
        let (hash, after) = rest.split_once(',').unwrap();
        assert_eq!(hash == "null", engine == "golden", "{hash}");
        format!("{before}{after}")
    };
    let golden = lines("golden");
    assert_eq!(golden.lines().count(), 1);
    assert_eq!(golden, lines("rtl"));
    assert_eq!(golden, lines("both"));
}

#[test]
fn a_figure_says_what_is_reproduced_and_check_fails_where_something_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    // two scenarios of figure 19 with the golden model: one is known not to be reproduced
    let figure = |scenario: &str| {
        let arguments =
            ["fabric", "figure", "19", "--seeds", "1", "--engine", "golden", "--only", scenario, "--check"];
        respray(
            at,
            &[&arguments[..], &["--json", "19.json", "--html", "19.html", "--markdown", "19.md"]].concat(),
        )
    };
    let met = figure("19, freeze 1 ms");
    assert!(met.status.success(), "{}{}", stdout(&met), stderr(&met));
    let json: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(at.join("19.json")).unwrap()).unwrap();
    assert_eq!((json["figure"].as_u64(), json["runs"].as_array().unwrap().len()), (Some(19), 2));
    assert!(json["claims"].as_array().unwrap().iter().all(|claim| claim["is_met"] == true));
    assert!(fs::read_to_string(at.join("19.html")).unwrap().contains("Reproduced: 2 of 2"));
    assert!(fs::read_to_string(at.join("19.md")).unwrap().contains("| 19, freeze 1 ms |"));
    let unmet = figure("19, freeze 100 us");
    assert_eq!(unmet.status.code(), Some(1), "{}", stderr(&unmet));
    assert!(stdout(&unmet).contains("NOT MET"));
    refused(
        at,
        &["fabric", "figure", "19", "--only", "20"],
        &["--only 20: no such scenario; allowed: 19, freeze"],
    );
    refused(at, &["fabric", "figure", "2"], &["allowed: 1, 3, 6, 9, 10, 12, 19"]);
}

#[test]
fn what_cannot_be_run_is_refused_before_anything_runs() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::write(at.join("tree.toml"), "hosts = [").unwrap();
    for (more, said) in [
        (&["--topology", "tree.toml"][..], "topology tree.toml: line 1:"),
        (&["--topology", "t5"], "topology t5: allowed: t128x2,"),
        (&["--fail", "tor0.up9=down@1us"], "failure tor0.up9=down@1us: `tor0.up9` is neither"),
        (&["--selector", "best"], "path selector best; allowed: reps,"),
        (&["--set", "fabric.queue=1"], "`fabric.queue` is no parameter; allowed: packet_bytes,"),
        (&["--set", "reps.depth=9"], "--set reps.depth=9: `reps.depth` is 9; allowed: 4, 8, 16, 32"),
        (&["--permutations", "none.csv", "--workload", "permutation"], "none.csv: cannot be read"),
        (&["--permutations", "none.csv"], "`permutations` does not go with the workload tornado:8"),
        (&["--bytes", "9", "--workload", "flows.csv"], "`bytes` does not go with the workload flows.csv"),
        (&["--bytes", "1e6"], "--bytes is `1e6`; allowed: 1 to 1000000000000"),
        (&["--seed", "-1"], "--seed is `-1`; allowed: 0 to 60000"),
        (
            &["--fail", "tor16.up0=down"],
            "allowed: tor0 to tor15 with .down0 to .down7 and .up0 to .up7, t1_0 to t1_7 with",
        ),
        (&["--json", "-", "--html", "-"], "--json and --html are both `-`"),
        (&["--means", "-", "--cdf", "-"], "--means and --cdf are both `-`"),
        (
            &["--watch", "tor0.up1,tor16", "--series", "s.csv"],
            "the port to watch is tor16; allowed: tor0 to tor15 with",
        ),
        (&["--json", "tree.toml/x.json"], "tree.toml"),
    ] {
        refused(at, &[&["fabric", "run"], more].concat(), &[said]);
    }
    refused(at, &["traffic", "live", "--down", "3000", "--up", "2000"], &["allowed: one after the other"]);
}

#[test]
fn flows_that_did_not_begin_are_told_with_exit_code_1() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let flows = "id,src,dst,bytes,start_ns,after_id\n1,0,9,50000,20000000000,\n2,0,9,5000,0,1\n";
    fs::write(at.join("flows.csv"), flows).unwrap();
    let run = ["fabric", "run", "--workload", "flows.csv", "--engine", "golden", "--selector", "ops"];
    assert!(respray(at, &run).status.success(), "both run");
    let cut = respray(at, &[&run[..], &["--set", "fabric.end_ns=1000"]].concat());
    assert_eq!(cut.status.code(), Some(1), "{}", stderr(&cut));
    assert!(
        stdout(&cut).contains("FAILS: ops seed 1: 1 flows had not begun when the run ended, at "),
        "{}",
        stdout(&cut)
    );
    let suite = "[[run]]\nname = \"a\"\nworkload = \"flows.csv\"\nengine = \"golden\"\nselectors = [\"ops\"]\nset = [\"fabric.end_ns=1000\"]\n";
    fs::write(at.join("suite.toml"), suite).unwrap();
    let cut = respray(at, &["fabric", "suite", "suite.toml", "-o", "."]);
    assert_eq!(cut.status.code(), Some(1), "{}", stderr(&cut));
    assert!(stdout(&cut).contains("1 flows had not begun"), "{}", stdout(&cut));
}

#[test]
fn an_interrupted_run_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    // seconds of work
    let arguments = [
        "fabric",
        "run",
        "--topology",
        "t128x2",
        "--workload",
        "permutation",
        "--bytes",
        "100000000",
        "--engine",
        "golden",
        "--json",
        "all.json",
    ];
    let mut run = command(folder.path(), &arguments).stdout(Stdio::null()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(700));
    let process = nix::unistd::Pid::from_raw(run.id() as i32);
    nix::sys::signal::kill(process, nix::sys::signal::SIGINT).unwrap();
    let ended = run.wait().unwrap();
    assert!(!ended.success());
    assert_eq!(names(folder.path()), Vec::<String>::new());
}
