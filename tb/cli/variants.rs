//! A variant of one's own, compared by its outcome: the results of a run as a table, and runs that go on behind a difference.

use std::collections::BTreeSet;
use std::path::Path;

use crate::runs::{faulty_reps, names, project, refused, respray, stderr, stdout};

/// The lines of a table, each cut into its fields; the first holds the names of the columns.
fn table(path: &Path) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| line.split(',').map(str::to_string).collect()).collect()
}

/// The fields of a column, by its name.
fn column<'a>(table: &'a [Vec<String>], name: &str) -> Vec<&'a str> {
    let place =
        table[0].iter().position(|known| known == name).unwrap_or_else(|| panic!("{name}: {:?}", table[0]));
    table[1..].iter().map(|line| line[place].as_str()).collect()
}

fn json(path: &Path) -> serde_json::Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

#[test]
fn the_results_of_ops_are_a_line_each_with_what_the_contract_says_they_show() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    std::fs::write(
        at.join("ops.csv"),
        "time_ns,op,conn,ev,ecn,expect,expect_ev\n0,ack,5,77,0,,\n1,send,5,,,recycle,77\n2,send,5,,,explore,\n",
    )
    .unwrap();
    let run =
        ["cosim", "--core", "reps", "--ops", "ops.csv", "--results", "results.csv", "--json", "run.json"];
    let output = respray(at, &run);
    assert!(output.status.success(), "{}", stderr(&output));
    let table = table(&at.join("results.csv"));
    let manifest: serde_json::Value = json(&crate::runs::project().join("generated/reps.json"));
    let outputs = manifest["ports"].as_array().unwrap().iter().filter(|port| port["direction"] == "output");
    let outputs = outputs.map(|port| port["name"].as_str().unwrap()).filter(|port| *port != "op_ready");
    assert_eq!(table[0], ["cycle"].into_iter().chain(outputs).collect::<Vec<_>>());
    assert_eq!(column(&table, "res_conn"), ["5", "5", "5"], "an event of the ACK, and two sends");
    assert_eq!(column(&table, "ev_cached"), ["1", "0", "0"]);
    assert_eq!(column(&table, "res_valid"), ["0", "1", "1"]);
    // 1 recycle, 0 explore; the ACK has no result
    assert_eq!(column(&table, "res_kind"), ["", "1", "0"]);
    assert_eq!(column(&table, "res_ev")[..2], ["", "77"]);
    let cycles: Vec<u64> = column(&table, "cycle").iter().map(|cycle| cycle.parse().unwrap()).collect();
    assert!(
        cycles.is_sorted()
            && *cycles.last().unwrap() < json(&at.join("run.json"))["cycles"].as_u64().unwrap()
    );
}

#[test]
fn the_results_of_frames_are_what_left_the_core() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let run =
        ["cosim", "--core", "rewrite_rx", "--random", "4000", "--results", "r.csv", "--json", "run.json"];
    let output = respray(at, &run);
    assert!(output.status.success(), "{}", stderr(&output));
    let (table, json) = (table(&at.join("r.csv")), json(&at.join("run.json")));
    assert_eq!(table[0][..4], ["cycle", "lane", "number", "bytes"]);
    let (lanes, numbers) = (column(&table, "lane"), column(&table, "number"));
    let lines_of = |lane: &str| {
        let lines = lanes.iter().zip(&numbers).filter(|(of, _)| **of == lane);
        lines.map(|(_, number)| *number).collect::<Vec<_>>()
    };
    let frames = lines_of("m_axis");
    assert_eq!(frames.len() as u64, json["frames"].as_u64().unwrap());
    assert_eq!(frames, (0..frames.len()).map(|n| n.to_string()).collect::<Vec<_>>());
    let bytes = column(&table, "bytes").into_iter().filter_map(|bytes| bytes.parse::<u64>().ok());
    let left: u64 = bytes.sum();
    // what had begun to leave before a reset or the end is in the count of bytes alone
    assert!(left > 0 && left <= json["bytes"].as_u64().unwrap(), "{left} of {}", json["bytes"]);
    assert!(lines_of("meta").len() > 20 && lines_of("s_axis").len() > 20);
    let kinds: Vec<&str> = lanes
        .iter()
        .zip(column(&table, "meta_kind"))
        .filter_map(|(lane, kind)| (*lane == "meta").then_some(kind))
        .collect();
    assert!(kinds.contains(&"0") && kinds.contains(&"1") && !kinds.contains(&""), "{kinds:?}");
}

#[test]
fn a_run_that_keeps_going_counts_the_differences_of_each_port() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let verilog = faulty_reps(at);
    let run = |verilog: Option<&Path>, more: &[&str]| {
        let name = verilog.map(|path| path.to_str().unwrap());
        let given: Vec<&str> = name.into_iter().flat_map(|name| ["--verilog", name]).collect();
        let run = ["cosim", "--core", "reps", "--random", "20000", "--json", "run.json"];
        let output = respray(at, &[&run[..], &given, more].concat());
        (output, json(&at.join("run.json")))
    };
    let (output, stopped) = run(Some(&verilog), &[]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stopped.get("differing_ports").is_none());
    let (output, went_on) = run(Some(&verilog), &["--keep-going", "--results", "mine.csv"]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert_eq!(went_on["first_difference"], stopped["first_difference"]);
    assert_eq!(went_on["cycles"], 20_000, "up to the end of the run");
    assert!(went_on["provenance"]["command"].as_str().unwrap().ends_with("--verilog faulty.v --keep-going"));
    // the one difference that the other run counts is the first of them
    let count = went_on["mismatches"].as_u64().unwrap();
    assert!(stopped["mismatches"] == 1 && count > 100, "{count}");
    let (output, right) = run(None, &["--keep-going", "--results", "golden.csv"]);
    assert_eq!((output.status.code(), right["mismatches"].as_u64()), (Some(0), Some(0)));
    assert_eq!(right["differing_ports"], serde_json::json!({}));
    // the tables tell the same of the two: each send that recycles lacks in the faulty one
    let [mine, golden] = ["mine.csv", "golden.csv"].map(|name| table(&at.join(name)));
    // each cycle with a difference has another line in the two, or a line in one of them alone
    let lines = |table: &[Vec<String>]| table[1..].iter().cloned().collect::<BTreeSet<_>>();
    let cycles: BTreeSet<String> =
        lines(&mine).symmetric_difference(&lines(&golden)).map(|line| line[0].clone()).collect();
    assert_eq!(count, cycles.len() as u64);
    let sends =
        |table: &[Vec<String>]| column(table, "res_valid").iter().filter(|valid| **valid == "1").count();
    let missing = (sends(&golden) - sends(&mine)) as u64;
    assert!(missing > 0);
    assert_eq!(went_on["differing_ports"]["res_valid"].as_u64(), Some(missing));
    let screen = stdout(&run(Some(&verilog), &["--keep-going"]).0);
    assert!(screen.contains(&format!("mismatches {count}, ")), "{screen}");
    assert!(screen.contains(&format!("`res_valid` differs in {missing} cycles")), "{screen}");
}

#[test]
fn a_table_that_cannot_be_written_is_refused_before_the_run() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    std::fs::write(at.join("file"), "").unwrap();
    for core in ["reps", "rewrite_rx"] {
        let run = ["cosim", "--core", core, "--random", "100", "--results", "file/r.csv"];
        refused(at, &run, &["file/r.csv", "cannot be written"]);
    }
    let sack = ["cosim", "--core", "sack", "--packets", "9"];
    refused(at, &[&sack[..], &["--results", "r.csv"]].concat(), &["--results", "core `sack`"]);
    refused(at, &[&sack[..], &["--keep-going"]].concat(), &["--keep-going", "core `sack`"]);
    assert_eq!(names(at), ["file"]);
}

#[test]
fn verilog_of_another_core_or_configuration_is_found_by_its_head_before_it_runs() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let generated =
        ["generate", "--core", "reps", "--set", "reps.depth=16", "--set", "protect=parity", "-o", "rtl"];
    assert!(respray(at, &generated).status.success());
    let run = ["cosim", "--core", "reps", "--random", "1000", "--verilog", "rtl/reps.v"];
    refused(
        at,
        &run,
        &[
            "rtl/reps.v: its head says that it was generated with protect = parity, reps.depth = 16, and the run is of reps.depth = 8; allowed",
        ],
    );
    let frames = ["generate", "--core", "rewrite_rx", "--set", "wire=uet", "-o", "rtl"];
    assert!(respray(at, &frames).status.success());
    let run = ["cosim", "--core", "rewrite_rx", "--random", "1000", "--verilog", "rtl/rewrite_rx.v"];
    refused(at, &run, &["generated with wire = uet, and the run is of wire = strack"]);
    let other = project().join("generated/ops.v");
    let other = other.to_str().unwrap();
    let run = ["cosim", "--core", "reps", "--random", "1000", "--verilog", other];
    refused(at, &run, &["its head says that it is `ops`; allowed in this run: Verilog of `reps`"]);
    // a head of one's own says nothing of the kind
    let verilog = std::fs::read_to_string(project().join("generated/ecmp.v")).unwrap();
    std::fs::write(at.join("own.v"), format!("// my own\n\n{verilog}")).unwrap();
    let output = respray(at, &["cosim", "--core", "ecmp", "--random", "1000", "--verilog", "own.v"]);
    assert!(output.status.success(), "{}", stderr(&output));
}

#[test]
fn a_second_failure_leaves_the_reproducer_of_the_first() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    faulty_reps(at);
    let run = |seed: &str| {
        let words = ["cosim", "--core", "reps", "--random", "20000", "--verilog", "faulty.v", "--seed", seed];
        let output = respray(at, &words);
        assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
        stdout(&output)
    };
    let read = |name: &str| std::fs::read_to_string(at.join(name)).unwrap();
    assert!(run("1").contains("--ops reps_failure.csv"));
    let first = read("reps_failure.csv");
    assert!(run("2").contains("--ops reps_failure_2.csv"));
    assert_eq!(read("reps_failure.csv"), first);
    assert_ne!(read("reps_failure_2.csv"), first);
    assert!(at.join("reps_failure_2.fst").exists() && at.join("reps_failure.fst").exists());
}
