//! `respray fabric` and `respray traffic live`: runs, figures, suites, and what they refuse.

use std::fs;
use std::process::Stdio;
use std::time::Duration;

use crate::runs::{command, names, project, refused, respray, stderr, stdout};

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
fn a_suite_runs_in_parts_and_merges() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let suite = "[[run]]\nname = \"a\"\nbytes = 100000\nseeds = 3\nengine = \"golden\"\nselectors = [\"reps\", \"ops\"]\n";
    fs::write(at.join("suite.toml"), suite).unwrap();
    fs::create_dir(at.join("results")).unwrap();
    let part = |part: &str| respray(at, &["fabric", "suite", "suite.toml", "--shard", part, "-o", "results"]);
    assert_eq!(stdout(&part("1/2")), "part 1/2 of suite.toml: 3 runs, 0 of them were there before\n");
    refused(
        at,
        &["fabric", "merge", "suite.toml", "results"],
        &["3 of 6 runs are missing, the first is `a reps 2`"],
    );
    assert!(part("2/2").status.success());
    assert_eq!(stdout(&part("2/2")), "part 2/2 of suite.toml: 3 runs, 3 of them were there before\n");
    let whole = stdout(&part("1/1"));
    assert!(
        whole.starts_with("part 1/1 of suite.toml: 6 runs, 6 of them were there before\n\nPath selectors"),
        "{whole}"
    );
    assert!(whole.contains(" ± "), "means with their intervals: {whole}");
    let merged = respray(at, &["fabric", "merge", "suite.toml", "results"]);
    let alone = respray(
        at,
        &[
            "fabric",
            "run",
            "--bytes",
            "100000",
            "--seeds",
            "3",
            "--engine",
            "golden",
            "--selector",
            "reps,ops",
            "--json",
            "-",
        ],
    );
    assert_eq!(stdout(&merged), stdout(&alone).replace("\"name\":\"run\"", "\"name\":\"a\""));
    refused(
        at,
        &["fabric", "suite", "suite.toml", "--shard", "3/2", "-o", "results"],
        &["I/N with I from 1 to N"],
    );
    refused(at, &["fabric", "suite", "nowhere.toml", "-o", "results"], &["nowhere.toml: cannot be read"]);
    fs::write(at.join("broken.toml"), "[[run]]\nseed = \"x\"\n").unwrap();
    refused(
        at,
        &["fabric", "suite", "broken.toml", "-o", "results"],
        &["broken.toml: run ``: `seed` is \"x\"; allowed: 0 to 60000"],
    );
}

/// A suite of `reps` with the Verilog of a file, and of two seeds.
const OF_A_FILE: &str = "[[run]]\nname = \"a\"\nbytes = 2000000\nseeds = 2\nselectors = [\"reps=mine.v\", \"reps:paper=mine.v\"]\n";

#[test]
fn a_line_of_the_verilog_that_changes_makes_every_result_new() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::write(at.join("suite.toml"), OF_A_FILE).unwrap();
    fs::create_dir(at.join("results")).unwrap();
    let verilog = fs::read_to_string(project().join("generated/reps.v")).unwrap();
    fs::write(at.join("mine.v"), &verilog).unwrap();
    let suite = || {
        let output = respray(at, &["fabric", "suite", "suite.toml", "-o", "results"]);
        assert!(output.status.success(), "{}", stderr(&output));
        stdout(&output)
    };
    let merge = ["fabric", "merge", "suite.toml", "results"];
    let records = || -> Vec<serde_json::Value> {
        let merged = respray(at, &merge);
        assert!(merged.status.success(), "{}", stderr(&merged));
        stdout(&merged).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    assert!(suite().contains("4 runs, 0 of them were there before"));
    let first = records();
    assert!(suite().contains("4 runs, 4 of them were there before"));
    // a comment is no other Verilog
    fs::write(at.join("mine.v"), format!("// mine\n{verilog}")).unwrap();
    assert!(suite().contains("4 runs, 4 of them were there before"));
    assert_eq!(records(), first);
    // a connection that names another EV than the one that it has cached
    let changed = verilog.replace("res_ev <= cached_ev;", "res_ev <= cached_ev ^ 16'd1;");
    assert_ne!(changed, verilog);
    fs::write(at.join("mine.v"), changed).unwrap();
    let hash = |record: &serde_json::Value| record["verilog_hash"].as_str().unwrap().to_string();
    let was = hash(&first[0]);
    refused(at, &merge, &["4 of 4 runs are missing", "of other Verilog, with the hash", &was]);
    let again = suite();
    assert!(again.contains("4 runs, 0 of them were there before"), "{again}");
    assert!(again.contains("results has 4 results of other Verilog,"), "{again}");
    let changed = records();
    assert_eq!(changed.len(), 4);
    for (old, new) in first.iter().zip(&changed) {
        assert_ne!(hash(old), hash(new));
        assert_eq!(old["build_hash"], new["build_hash"]);
        assert!(old["recycle"].as_u64() > Some(0), "the line matters: {old}");
        assert_ne!(old["event_hash"], new["event_hash"]);
    }
    // and back again: what was made of it is still there
    fs::write(at.join("mine.v"), &verilog).unwrap();
    assert!(suite().contains("4 runs, 4 of them were there before"));
    assert_eq!(records(), first);
    refused(
        at,
        &["fabric", "run", "--selector", "reps=mine.v", "--engine", "golden"],
        &["path selector reps=mine.v; allowed: the engine rtl or both"],
    );
    fs::write(at.join("mine.v"), "module reps (input wire clk);\nendmodule\n").unwrap();
    refused(at, &["fabric", "run", "--selector", "reps=mine.v"], &["mine.v: ", "`rst`"]);
    refused(at, &["fabric", "run", "--selector", "reps=none.v"], &["none.v: cannot be read"]);
}

#[test]
fn a_suite_gives_tables_distributions_flows_and_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let suite = "[[run]]\nname = \"a\"\nbytes = 100000\nseeds = 3\nengine = \"golden\"\nselectors = [\"reps\", \"ops\"]\nwatch = \
                 [\"tor0.up1\", \"host2.nic\"]\n\n[[run]]\nname = \"b\"\nworkload = \"incast:8\"\nbytes = 50000\nengine = \"golden\"\n";
    fs::write(at.join("suite.toml"), suite).unwrap();
    fs::create_dir(at.join("results")).unwrap();
    fs::create_dir(at.join("merged")).unwrap();
    let files = ["all.jsonl", "page.html", "means.csv", "flows.csv", "cdf.csv", "ports.csv"];
    let options = ["--json", "--html", "--means", "--flows", "--cdf", "--series"];
    let into = |before: &str| -> Vec<String> {
        let pairs = options.iter().zip(files);
        pairs.flat_map(|(option, file)| [option.to_string(), format!("{before}{file}")]).collect()
    };
    let run = |words: &[&str], before: &str| {
        let files = into(before);
        respray(at, &words.iter().copied().chain(files.iter().map(String::as_str)).collect::<Vec<_>>())
    };
    let ran = run(&["fabric", "suite", "suite.toml", "-o", "results"], "");
    assert!(ran.status.success(), "{}", stderr(&ran));
    let merged = run(&["fabric", "merge", "suite.toml", "results"], "merged/");
    assert!(merged.status.success(), "{}", stderr(&merged));
    assert!(stdout(&merged).contains("Path selectors in the fabric: b"), "{}", stdout(&merged));
    let read = |name: &str| fs::read_to_string(at.join(name)).unwrap();
    for file in files {
        assert_eq!(read(file), read(&format!("merged/{file}")), "{file}");
    }
    assert_eq!(read("all.jsonl").lines().count(), 2 * 3 + 3);
    assert_eq!(read("flows.csv").lines().count(), 1 + 6 * 8 + 3 * 8);
    let means = read("means.csv");
    assert!(
        means.starts_with("name,selector,quantity,seeds,mean,ci95_low,ci95_high,least,greatest\n"),
        "{means}"
    );
    // one seed has no interval
    assert!(
        means.lines().any(|line| line.starts_with("b,ops,max_fct_us,1,") && line.contains(",,,")),
        "{means}"
    );
    assert!(
        means.lines().any(|line| line.starts_with("a,ops,max_fct_us,3,") && !line.contains(",,")),
        "{means}"
    );
    for quantity in ["fct_us", "reordering_depth"] {
        assert!(read("cdf.csv").lines().any(|line| line.starts_with(&format!("a,reps,{quantity},"))));
    }
    for port in ["tor0.up1", "host2.nic"] {
        assert!(read("ports.csv").lines().any(|line| line.starts_with(&format!("a,ops,3,{port},"))));
    }
    // what is no CSV is JSON
    let merge = ["fabric", "merge", "suite.toml", "results", "--means", "means.json"];
    assert!(respray(at, &merge).status.success());
    let json: serde_json::Value = serde_json::from_str(&read("means.json")).unwrap();
    assert_eq!(json["means"].as_array().unwrap().len() + 1, means.lines().count());
    assert_eq!(json["groups"][0]["seeds"], serde_json::json!([1, 2, 3]));
    assert!(json["build_hash"].as_str().unwrap().len() == 16 && json["version"].is_string());
    assert!(json["interval"].as_str().unwrap().contains("Student's t"));
    refused(
        at,
        &["fabric", "suite", "suite.toml", "-o", "results", "--shard", "1/2", "--html", "part.html"],
        &["--html is of a whole suite, and this is part 1/2 of it; allowed: `respray fabric merge`"],
    );
    fs::write(at.join("blind.toml"), suite.replace("watch =", "# watch =")).unwrap();
    refused(
        at,
        &["fabric", "merge", "blind.toml", "results", "--series", "none.csv"],
        &["--series: no run of the suite watches a port; allowed: a [[run]] with `watch`"],
    );
    fs::write(at.join("blind.toml"), suite.replace("host2.nic", "host128.nic")).unwrap();
    refused(
        at,
        &["fabric", "suite", "blind.toml", "-o", "results"],
        &[
            "the port to watch is host128.nic; allowed: tor0 to tor15 with .down0 to .down7",
            "host0.nic to host127.nic",
        ],
    );
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
