//! `respray fabric suite` and `merge`: what is run again, what comes out, and what they refuse.

use std::fs;

use crate::runs::{project, refused, respray, stderr, stdout};

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
    let changed = verilog.replace("random_ev : cached_ev;", "random_ev : cached_ev ^ 16'd1;");
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
fn the_command_of_the_page_draws_a_figure_with_bands() {
    let page = fs::read_to_string(project().join("docs/fabric.md")).unwrap();
    let joined = page.replace("\\\n", "");
    let command = joined.lines().find(|line| line.contains("--html figure.html")).expect("the page has it");
    let mut words: Vec<&str> = command.split_whitespace().skip(1).collect();
    let value = |words: &[&str], option: &str| words.iter().position(|word| *word == option).unwrap() + 1;
    assert_eq!(
        (words[value(&words, "--selector")], words[value(&words, "--seeds")]),
        ("reps,ops,ecmp", "10")
    );
    let bytes = value(&words, "--bytes");
    words[bytes] = "50000";
    words.extend(["--engine", "golden"]);
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let output = respray(at, &words);
    assert!(output.status.success(), "{}", stderr(&output));
    let html = fs::read_to_string(at.join("figure.html")).unwrap();
    assert!(html.contains("Flow completion time") && html.contains("Reordering depth at the receiver"));
    let cdf = fs::read_to_string(at.join("cdf.csv")).unwrap();
    for selector in ["reps", "ops", "ecmp"] {
        let bands = html.matches(&format!("class=\"band of-{selector}\"")).count();
        assert_eq!(bands, 2, "a band around the times and around the depths of {selector}");
        let times = cdf.lines().filter(|line| line.starts_with(&format!("run,{selector},fct_us,")));
        let ends: Vec<bool> = times.map(|line| line.split(',').skip(5).all(|end| !end.is_empty())).collect();
        assert!(ends.len() > 10 && ends.iter().all(|has_band| *has_band), "{selector}");
    }
    // one seed has no band
    let one = value(&words, "--seeds");
    words[one] = "1";
    assert!(respray(at, &words).status.success());
    assert!(!fs::read_to_string(at.join("figure.html")).unwrap().contains("class=\"band"));
}
