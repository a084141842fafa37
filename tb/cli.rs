//! The binary as a user meets it: what it prints, what it leaves behind, and how it refuses bad input.

mod campaigns;
mod compare;
mod demo;
mod examples;
mod fabric;
mod help;
mod netlists;
mod networks;
mod pairs;
mod reports;
mod simulators;
mod streams;
mod suites;
mod upsets;
mod variants;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use respray_hdl::config::{Config, KEYS};

use crate::runs::{
    assert_is_refusal, command, names, project, refused, respray, respray_with_small_disk, stderr, stdout,
};

fn files_in(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = entries.filter(|path| path.is_file()).collect();
    files.sort();
    files
}

#[test]
fn generate_writes_what_is_committed() {
    let directory = tempfile::tempdir().unwrap();
    let output = respray(directory.path(), &["generate"]);
    assert!(output.status.success(), "{}", stderr(&output));
    for folder in ["generated", "constraints"] {
        let (written, committed) = (directory.path().join(folder), project().join(folder));
        assert_eq!(names(&written), names(&committed), "{folder}: a file is missing or left over");
        for path in files_in(&written) {
            let committed = committed.join(path.file_name().unwrap());
            let is_current = std::fs::read(&path).unwrap() == std::fs::read(&committed).unwrap();
            assert!(is_current, "{} is out of date", committed.display());
        }
    }
}

#[test]
fn the_top_level_has_the_folders_that_a_user_looks_for() {
    for name in ["hdl", "cosim", "constraints", "tb", "generated"] {
        assert!(project().join(name).is_dir(), "{name}/ is missing");
    }
    for name in ["Cargo.toml", "README.md", "constraints/README.md"] {
        assert!(project().join(name).is_file(), "{name} is missing");
    }
}

#[test]
fn what_is_generated_elsewhere_has_its_constraints_within() {
    let directory = tempfile::tempdir().unwrap();
    let output = respray(directory.path(), &["generate", "--core", "ecmp", "-o", "rtl"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(names(directory.path()), ["rtl"]);
    let rtl = directory.path().join("rtl");
    assert_eq!(names(&rtl.join("constraints")), names(&project().join("constraints")));
    let core = std::fs::read_to_string(rtl.join("ecmp.core")).unwrap();
    let named: Vec<&str> =
        core.lines().filter_map(|line| line.trim().strip_prefix("- constraints/")).collect();
    assert!(
        !named.is_empty() && named.iter().all(|name| rtl.join("constraints").join(name).is_file()),
        "{core}"
    );
}

#[test]
fn a_prefix_stands_in_the_names_of_files_modules_and_packages() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let generate = |more: &[&str]| {
        let output = respray(at, &[&["generate", "--core", "ecmp", "-o", "out"], more].concat());
        assert!(output.status.success(), "{}", stderr(&output));
    };
    generate(&["--prefix", "nic0"]);
    let read = |name: &str| std::fs::read_to_string(at.join("out").join(name)).unwrap();
    assert!(
        read("nic0_ecmp.v").contains("\nmodule nic0_ecmp (") && read("nic0_ecmp.tcl").contains("nic0_ecmp.v")
    );
    assert!(read("nic0_ecmp.core").contains("\nname: respray:cores:nic0_ecmp:"));
    assert!(read("nic0_ecmp_board.v").contains("nic0_ecmp core ("));
    let by_hash = |sets: &[&str]| {
        let before = names(&at.join("out"));
        generate(&[&["--prefix-by-hash"], sets].concat());
        names(&at.join("out")).into_iter().filter(|name| !before.contains(name)).collect::<Vec<_>>()
    };
    let default = by_hash(&[]);
    assert!(default.iter().any(|name| name.ends_with("_ecmp.v") && name.len() == 16), "{default:?}");
    assert_eq!(by_hash(&[]), Vec::<String>::new(), "the same configuration has the same name");
    assert_eq!(by_hash(&["--set", "connections=16"]).len(), default.len());
    let block =
        ["generate", "--core", "nic", "--set", "nic.selector=ecmp", "--prefix", "left", "-o", "block"];
    assert!(respray(at, &block).status.success());
    let files = ["_board.v", ".core", ".f", ".json", ".tcl", ".v"].map(|end| format!("left_nic{end}"));
    let registers = ["h", "json", "md", "rdl"].map(|end| format!("left_nic_registers.{end}"));
    let written: BTreeSet<String> = names(&at.join("block")).into_iter().collect();
    let constraints = ["constraints".to_string()];
    assert_eq!(written, files.into_iter().chain(registers).chain(constraints).collect());
    let header = std::fs::read_to_string(at.join("block/left_nic_registers.h")).unwrap();
    assert!(header.contains("#define LEFT_NIC_UDP_PORT "), "{header}");
    let verilog = std::fs::read_to_string(at.join("block/left_nic.v")).unwrap();
    assert!(
        verilog.contains("\nmodule left_ecmp (") && !verilog.contains("left_reps"),
        "the path selector is ecmp"
    );
    refused(
        at,
        &["generate", "--set", "nic.selector=sack_tx"],
        &[
            "nic.selector",
            "sack_tx",
            "reps, ops, ecmp, subflows, mprdma, flowlet, plb, strack, bitmap, mixed",
        ],
    );
    refused(at, &["generate", "--prefix", "0nic"], &["--prefix", "0nic", "letters, digits and _"]);
    refused(at, &["generate", "--prefix", "nic0", "--prefix-by-hash"], &["--prefix"]);
}

#[test]
fn a_shell_has_folders_of_its_own_and_what_it_cannot_carry_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let small = ["--set", "connections=16", "--set", "sack.window=64", "-o", "out"];
    for (shell, folders) in [
        ("opennic", &["opennic_250mhz", "opennic_322mhz"][..]),
        ("corundum", &["corundum"]),
        ("plain", &["plain"]),
    ] {
        let output = respray(at, &[&["generate", "--shell", shell], &small[..]].concat());
        assert!(output.status.success(), "{}", stderr(&output));
        for folder in folders {
            let files = names(&at.join("out").join(folder));
            let has = |end: &str| files.iter().any(|name| name.ends_with(end));
            let ends = [".v", ".f", ".tcl", "_registers.h", "constraints"];
            assert!(ends.iter().all(|end| has(end)), "{folder}: {files:?}");
            assert!(stdout(&output).contains(&format!("out/{folder}/")));
        }
    }
    assert_eq!(names(&at.join("out")).len(), 4);
    let narrow = ["generate", "--shell", "corundum", "--set", "bus_bits=128", "-o", "none"];
    refused(at, &narrow, &["--shell corundum", "`bus_bits` is 128", "512"]);
    refused(
        at,
        &["generate", "--shell", "nvmf", "-o", "none"],
        &["--shell", "nvmf", "opennic, corundum, plain"],
    );
    refused(at, &["generate", "--shell", "plain", "--core", "nic", "-o", "none"], &["--shell", "--core"]);
    assert!(!at.join("none").exists(), "nothing was written");
}

#[test]
fn a_wrong_configuration_is_refused_with_file_key_value_and_menu() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    std::fs::write(at.join("nic.toml"), "[reps]\ndept = 8\n").unwrap();
    refused(at, &["generate", "--config", "nic.toml"], &["nic.toml", "reps.dept", "reps.depth"]);
    refused(at, &["generate", "--config", "none.toml"], &["none.toml", "cannot be read"]);
    refused(at, &["generate", "--set", "reps.depth=9"], &["reps.depth", "9", "4, 8, 16, 32"]);
    refused(at, &["generate", "--set", "reps.ev_base=8"], &["reps.ev_base", "multiple of"]);
}

#[test]
fn a_folder_that_cannot_be_written_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("out"), "a file").unwrap();
    refused(directory.path(), &["generate", "-o", "out"], &["out", "cannot be written"]);
}

#[test]
fn a_full_disk_is_one_sentence_and_no_half_written_file() {
    let directory = tempfile::tempdir().unwrap();
    let run = respray_with_small_disk(directory.path(), 16, &["generate", "-o", "small"]);
    let Some((output, left)) = run else { return };
    assert_is_refusal(&output, &["cannot be written", "No space"]);
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_wrong_op_trace_is_refused_with_its_line() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let cosim = ["cosim", "--core", "reps", "--ops", "ops.csv"];
    let head = "time_ns,op,conn,ev,ecn,expect,expect_ev\n";
    for (text, said) in [
        ("time_ns,op,connection\n1,send,0\n".to_string(), ["ops.csv", "connection"]),
        (format!("{head}1,sent,0,,,,\n"), ["ops.csv:2", "sent"]),
        (format!("{head}1,send,0,,,,\n2,ack,0,65536,0,,\n"), ["ops.csv:3", "65536"]),
        (format!("{head}1,send,256,,,,\n"), ["ops.csv:2", "256"]),
    ] {
        std::fs::write(at.join("ops.csv"), text).unwrap();
        refused(at, &cosim, &said);
    }
    refused(at, &["cosim", "--core", "reps", "--ops", "none.csv"], &["none.csv"]);
}

#[test]
fn a_broken_capture_is_refused_with_its_place() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    std::fs::write(at.join("magic.pcap"), [0u8; 64]).unwrap();
    let mut cut = vec![0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0];
    cut.extend([0, 0, 0, 0, 0, 0, 0, 0, 60, 0, 0, 0, 60, 0, 0, 0, 1, 2, 3]);
    std::fs::write(at.join("cut.pcap"), &cut).unwrap();
    let mut absurd = cut[..24].to_vec();
    absurd.extend([0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f]);
    std::fs::write(at.join("absurd.pcap"), absurd).unwrap();
    for name in ["magic.pcap", "cut.pcap", "absurd.pcap"] {
        refused(at, &["traffic", "info", "--strict", name], &[name]);
        refused(at, &["cosim", "--core", "reps", "--traffic", name], &[name]);
    }
}

#[test]
fn a_verilog_without_a_port_is_refused_with_the_port() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let verilog = std::fs::read_to_string(project().join("generated/reps.v")).unwrap();
    std::fs::write(at.join("mine.v"), verilog.replace("op_ecn", "op_mark")).unwrap();
    refused(
        at,
        &["cosim", "--core", "reps", "--random", "100", "--verilog", "mine.v"],
        &["mine.v", "op_ecn"],
    );
    std::fs::write(at.join("broken.v"), "module reps(input clk;\n").unwrap();
    refused(at, &["cosim", "--core", "reps", "--random", "100", "--verilog", "broken.v"], &["broken.v"]);
}

#[test]
fn without_verilator_the_sentence_says_how_to_get_it() {
    let directory = tempfile::tempdir().unwrap();
    let run = ["cosim", "--core", "reps", "--random", "100", "--set", "reps.depth=4"];
    let output = command(directory.path(), &run)
        .env("PATH", directory.path())
        .env("RESPRAY_CACHE", directory.path().join("cache"))
        .output()
        .unwrap();
    let text = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("erilator") && text.contains("doctor"), "{text}");
}

#[test]
fn the_json_of_a_run_holds_its_figures() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let arguments = ["cosim", "--core", "reps", "--random", "20000", "--seed", "5", "--json", "run.json"];
    let output = respray(at, &arguments);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(output.stderr.is_empty(), "a pipe gets no progress bar: {}", stderr(&output));
    let text = std::fs::read_to_string(at.join("run.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    for key in ["ops", "sends", "explore", "recycle", "replay", "cycles_per_second"] {
        assert!(json[key].as_f64().unwrap() > 0.0, "{key}: {text}");
    }
    assert_eq!(json["core"], "reps");
    assert_eq!(json["config"]["reps"]["depth"], 8);
    assert_eq!((json["cycles"].as_u64(), json["mismatches"].as_u64()), (Some(20000), Some(0)));
    assert_eq!(json["result"], "pass");
    assert!(json.get("first_difference").is_none());
}

#[test]
fn a_run_leaves_junit_and_markdown() {
    let directory = tempfile::tempdir().unwrap();
    let arguments = ["--random", "5000", "--junit", "run.xml", "--markdown", "run.md"];
    let output = respray(directory.path(), &[&["cosim", "--core", "reps"][..], &arguments[..]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let read = |name| std::fs::read_to_string(directory.path().join(name)).unwrap();
    assert!(read("run.xml").contains(r#"<testcase name="random ops" classname="cosim.reps""#));
    assert!(read("run.md").contains("| **pass** | 5000 | 0 |"));
}

#[test]
fn a_fault_in_the_users_verilog_is_found_and_its_reproducer_replays_it() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let verilog = std::fs::read_to_string(project().join("generated/ecmp.v")).unwrap();
    // The result of every send with the lowest bit of its EV inverted.
    assert_eq!(verilog.matches(TOP).count(), 1, "one top module");
    let faulty = verilog.replace(TOP, "module ecmp_engine (");
    std::fs::write(at.join("faulty.v"), format!("{faulty}\n{}", shell(&verilog))).unwrap();
    let run = |arguments: &[&str]| {
        let mut all = vec!["cosim", "--core", "ecmp", "--verilog", "faulty.v"];
        all.extend_from_slice(arguments);
        respray(at, &all)
    };
    let output = run(&["--random", "20000", "--json", "run.json"]);
    assert_eq!(output.status.code(), Some(1), "{}{}", stdout(&output), stderr(&output));
    let text = std::fs::read_to_string(at.join("run.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["result"], "fail");
    assert!(json["first_difference"].is_object(), "{text}");
    assert!(at.join("ecmp_failure.csv").exists() && at.join("ecmp_failure.fst").exists());
    let again = run(&["--ops", "ecmp_failure.csv"]);
    assert_eq!(again.status.code(), Some(1), "{}{}", stdout(&again), stderr(&again));
}

/// How the core's own module begins.
const TOP: &str = "module ecmp (";

/// A module `ecmp` around `ecmp_engine` that inverts bit 0 of `res_ev`; its ports are those of the generated one.
fn shell(verilog: &str) -> String {
    let from = verilog.find(TOP).expect("the core's module");
    let header = &verilog[from..from + verilog[from..].find(");").unwrap() + 2];
    let manifest = std::fs::read_to_string(project().join("generated/ecmp.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    let ports = manifest["ports"].as_array().unwrap().iter().map(|port| port["name"].as_str().unwrap());
    let connections: Vec<String> = ports
        .map(|port| match port {
            "res_ev" => ".res_ev(ev)".to_string(),
            port => format!(".{port}({port})"),
        })
        .collect();
    let header = header.replace("output reg", "output wire");
    format!(
        "{header}\n  wire [15:0] ev;\n  ecmp_engine engine ({});\n  assign res_ev = ev ^ 16'd1;\nendmodule\n",
        connections.join(", ")
    )
}

#[test]
fn a_missing_folder_of_an_output_is_made() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let run = ["cosim", "--core", "ecmp", "--random", "2000"];
    let outputs = [
        "--wave",
        "a/x.fst",
        "--json",
        "b/x.json",
        "--junit",
        "c/x.xml",
        "--markdown",
        "d/x.md",
        "--coverage",
        "e/f",
    ];
    let output = respray(at, &[&run[..], &outputs].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    for path in ["a/x.fst", "b/x.json", "c/x.xml", "d/x.md", "e/f"] {
        assert!(at.join(path).exists(), "{path}");
    }
}

#[test]
fn the_page_of_the_configuration_lists_every_key_with_its_default_and_menu() {
    let page = std::fs::read_to_string(project().join("docs/configuration.md")).unwrap();
    for key in KEYS {
        let default = Config::default().value(key.name).unwrap();
        let row = format!("| `{}` | {default} | {} | {} |", key.name, key.allowed, key.meaning);
        assert!(page.contains(&row), "docs/configuration.md lacks the row\n{row}");
    }
}

#[test]
fn the_tables_of_the_documents_are_what_docs_writes() {
    // a table that says something else is found, alone of all of them, written anew, and fine then
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    std::fs::create_dir(at.join("docs")).unwrap();
    let pages = files_in(&project().join("docs")).into_iter().filter(|path| path.is_file());
    for page in pages.chain([project().join("README.md")]) {
        let inside = page.strip_prefix(project()).unwrap();
        std::fs::copy(&page, at.join(inside)).unwrap();
    }
    let page = at.join("docs/reps.md");
    let text = std::fs::read_to_string(&page).unwrap();
    std::fs::write(&page, text.replace("| `op_conn` | input | 8 |", "| `op_conn` | input | 9 |")).unwrap();
    // and a page of figures that is of another design, which is listed and told
    let figures = at.join("docs/coverage.md");
    let told = std::fs::read_to_string(&figures).unwrap();
    let row = told.lines().find(|line| line.starts_with("ecmp  ")).unwrap();
    let name = &row[..row.len() - row.trim_start_matches("ecmp").trim_start().len()];
    std::fs::write(&figures, told.replace(row, &format!("{name}0123456789abcdef"))).unwrap();
    let output = respray(at, &["docs", "--check"]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let found = stdout(&output);
    let found: Vec<&str> = found.lines().map(|line| line.trim_start_matches("./")).collect();
    let is = |page: &str| format!("{page} is not as `respray docs` writes it");
    assert_eq!(found, [is("docs/reps.md"), is("docs/coverage.md")]);
    let listed = stdout(&respray(at, &["docs", "--stale"]));
    let line = listed.lines().find(|line| line.starts_with("cover docs/coverage.md ")).unwrap();
    assert!(line.split([' ', ',']).any(|word| word == "ecmp"), "{listed}");
    assert!(respray(at, &["docs"]).status.success());
    assert_eq!(std::fs::read_to_string(&page).unwrap(), text);
    let told = std::fs::read_to_string(&figures).unwrap();
    let is_told = |line: &str| line.starts_with("ecmp ") && line.ends_with("0123456789abcdef  changed since");
    assert!(told.lines().any(is_told), "{told}");
    assert!(respray(at, &["docs", "--stamp", "docs/coverage.md"]).status.success());
    let stamped = std::fs::read_to_string(&figures).unwrap();
    assert!(stamped.contains("\necmp  ") && !stamped.contains("0123456789abcdef"), "{stamped}");
    assert!(!stamped.contains("  changed since"), "{stamped}");
    std::fs::write(&figures, stamped.replace("<!-- begin made from -->", "")).unwrap();
    refused(at, &["docs"], &["docs/coverage.md", "made from", "`make cover`"]);
    std::fs::write(&figures, &stamped).unwrap();
    std::fs::remove_file(&page).unwrap();
    refused(at, &["docs"], &["docs/reps.md: cannot be read"]);
}

#[test]
fn every_core_is_listed_with_the_end_of_a_recording_at_which_it_stands() {
    let directory = tempfile::tempdir().unwrap();
    let output = respray(directory.path(), &["cores"]);
    let text = stdout(&output);
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().take(3).collect()).collect();
    let names: Vec<&str> = rows.iter().map(|row| row[0]).collect();
    assert_eq!(names, respray_hdl::catalogue::NAMES);
    for row in [
        ["reps", "ops", "sender"],
        ["sack_rx", "ops", "receiver"],
        ["rewrite_rx", "frames", "receiver"],
        ["nic", "frames", "both"],
    ] {
        assert!(rows.contains(&row.to_vec()), "{row:?} is not in: {text}");
    }
    let parts = stdout(&respray(directory.path(), &["cores", "--nic"]));
    assert!(
        parts.contains("\nsack_rx ") && !parts.contains("\nnic ") && !parts.contains("\necmp "),
        "{parts}"
    );
    let json = respray(directory.path(), &["cores", "--json", "-"]);
    let json: serde_json::Value = serde_json::from_str(&stdout(&json)).unwrap();
    assert_eq!((&json[0]["core"], &json[0]["takes"]), (&"reps".into(), &"ops".into()));
}

#[test]
fn the_settings_of_every_core_are_options_with_their_defaults() {
    let directory = tempfile::tempdir().unwrap();
    let help = stdout(&respray(directory.path(), &["cosim", "--help"]));
    let help: String = help.split_whitespace().collect::<Vec<_>>().join(" ");
    for said in [
        "--freeze-timeout <TICKS> `reps`: freeze timeout in ticks of `now`, 0 to 4294967295 by default [default: the op trace's, or 100000]",
        "--sack-threshold <BYTES> `sack_rx`: bytes of new packets that make a SACK due, 0 to 65535 by default [default: the op trace's, or 4096]",
        "--rto <TICKS> `sack_tx`: ticks without progress until everything is lost, 0 to 65535 by default [default: the op trace's, the recording's, or 20000]",
    ] {
        assert!(help.contains(said), "`{said}` is not in: {help}");
    }
}

#[test]
fn a_setting_beyond_its_port_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let reps = ["cosim", "--core", "reps", "--random", "100"];
    refused(
        directory.path(),
        &[&reps[..], &["--bdp-packets", "256"]].concat(),
        &["`bdp-packets` is 256", "255"],
    );
}

#[test]
fn an_option_of_another_core_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let sack_rx = ["cosim", "--core", "sack_rx", "--random", "100", "--freeze-timeout", "9"];
    let said = ["core `sack_rx` has no option `--freeze-timeout`; it has --sack-threshold"];
    refused(directory.path(), &sack_rx, &said);
    let reps = ["cosim", "--core", "reps", "--random", "100", "--sack-threshold", "9"];
    refused(directory.path(), &reps, &["core `reps`", "--sack-threshold", "--freeze-timeout, --bdp-packets"]);
    let recording = project().join("tb/recordings/steady-receiver.pcap.gz");
    let recording = recording.to_str().unwrap();
    let traffic = ["cosim", "--core", "sack_rx", "--traffic", recording, "--rto-ns", "9"];
    refused(directory.path(), &traffic, &["core `sack_rx` has no option `--rto-ns`; it has --local"]);
}

#[test]
fn the_sack_receiver_runs_on_a_recording_and_its_sacks_are_those_of_the_wire() {
    let directory = tempfile::tempdir().unwrap();
    let recording = project().join("tb/recordings/path-failure-receiver.pcap.gz");
    let arguments = ["cosim", "--core", "sack_rx", "--traffic", recording.to_str().unwrap()];
    let output = respray(directory.path(), &arguments);
    assert!(output.status.success(), "{}", stderr(&output));
    let settings = std::fs::read(project().join("tb/recordings/path-failure.json")).unwrap();
    let settings: serde_json::Value = serde_json::from_slice(&settings).unwrap();
    let acks = settings["figures"]["acks"].as_u64().expect("the recording counts the ACKs that came back");
    let said = format!("SACKs of the wire that the engine sent again exactly: {acks} of {acks}");
    assert!(acks > 10_000 && stdout(&output).contains(&said), "{acks}: {}", stdout(&output));
}

#[test]
fn a_recorded_block_is_replayed_in_its_own_configuration_by_a_whole_log() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    for name in ["losses-sender.pcap.gz", "losses-sender.log.gz"] {
        std::fs::copy(project().join("tb/recordings").join(name), at.join(name)).unwrap();
    }
    let replay = ["cosim", "--core", "nic", "--traffic", "losses-sender.pcap.gz"];
    let output = respray(at, &replay);
    assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
    let others = [&replay[..], &["--set", "sack.window=128"]].concat();
    refused(at, &others, &["losses-sender.log.gz", "sack.window=64", "sack.window=128"]);
    let log = at.join("losses-sender.log.gz");
    let packed = std::fs::read(&log).unwrap();
    std::fs::write(&log, &packed[..packed.len() / 2]).unwrap();
    refused(at, &replay, &["losses-sender.log.gz: cannot be read: "]);
    std::fs::write(&log, "# a recorded nic: \nsays,nothing\n7,cam\n").unwrap();
    refused(at, &replay, &["losses-sender.log.gz, line 3: `7,cam`; allowed: "]);
}
