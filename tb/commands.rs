//! The commands that the documents show: each of them is run, those that take long cut short.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::Command;

use flate2::read::GzDecoder;
use respray_hdl::catalogue;
use respray_hdl::config::Config;

use crate::documents::blocks;
use crate::runs::{self, faulty_reps, project, stderr};

/// Documents whose commands are run.
const DOCUMENTS: [&str; 9] = [
    "README.md",
    "CONTRIBUTING.md",
    "docs/ci.md",
    "docs/cocotb.md",
    "docs/commands.md",
    "docs/configuration.md",
    "docs/fabric.md",
    "docs/integration.md",
    "docs/library.md",
];

/// A capture with at most 16 connections.
const FEW_CONNECTIONS: &str = "few_connections.pcap.gz";

/// What a command of a document begins with.
const PROGRAMS: [&str; 7] =
    ["respray", "target/release/respray", "make", "cargo", "./setup.sh", "cat", ".venv/bin/python"];

/// Values of what the CI of the example fills in.
const FILLED_IN: [(&str, &str); 3] =
    [("${{ matrix.core }}", "ops"), ("${{ github.run_number }}", "31"), ("${{ matrix.part }}", "2")];

/// The commands of a document: indented lines, spans of code and the steps of the CI's example.
fn commands(text: &str) -> BTreeSet<String> {
    let steps = blocks(text, "yaml").concat().replace("\\\n", " ");
    let outside = text.split("```").step_by(2).collect::<String>().replace("\\\n", " ");
    let indented = outside.lines().filter(|line| line.starts_with("    ")).map(str::to_string);
    let steps = steps.lines().map(|line| line.trim_start().trim_start_matches("- run: ").to_string());
    let spans = outside.split('`').skip(1).step_by(2).filter(|span| span.contains(' ')).map(str::to_string);
    let plain = |line: String| {
        let words: Vec<&str> = line.split(" # ").next().unwrap_or_default().split_whitespace().collect();
        FILLED_IN.iter().fold(words.join(" "), |line, (name, value)| line.replace(name, value))
    };
    let all = indented.chain(steps).chain(spans).map(plain);
    all.filter(|line| PROGRAMS.iter().any(|program| line.split(' ').next() == Some(program))).collect()
}

/// The block that the tests of `respray-cosim` compile, too.
const SMALL_NIC: [&str; 3] = ["connections=16", "sack.window=64", "bus_bits=64"];

/// The words of a `respray` command, with less to do where it would take long, and without what is outside of the test's folder.
fn cut_short(command: &str) -> Vec<String> {
    let mut words: Vec<String> = command.split(' ').skip(1).map(str::to_string).collect();
    for (option, most) in [
        ("--random", "20000"),
        ("--packets", "200"),
        ("--seeds", "2"),
        ("--minutes", "0.002"),
        ("--bytes", "20000"),
    ] {
        if let Some(at) = words.iter().position(|word| word == option) {
            words[at + 1] = most.to_string();
        }
    }
    if words.iter().any(|word| word == "--pair") && !words.iter().any(|word| word == "--bytes") {
        words.extend(["--bytes", "20000"].map(str::to_string));
    }
    if words.iter().any(|word| word == "nic") && words[0] == "cosim" {
        // a capture with as few connections as a small block has
        for word in words.iter_mut().filter(|word| *word == "capture.pcap.gz") {
            *word = FEW_CONNECTIONS.to_string();
        }
        for set in SMALL_NIC {
            words.extend(["--set", set].map(str::to_string));
        }
    }
    if words.iter().any(|word| word == "--netlist" || word == "--sim") {
        // the core that is synthesised and compiled soonest
        let core = words.iter().position(|word| word == "--core").expect("a run is of a core");
        words[core + 1] = "ecmp".to_string();
    }
    let subcommand = words[0].clone();
    let words_of: Vec<&str> = command.split(' ').skip(1).collect();
    let mut give = |option: &str, value: &str| match words.iter().position(|word| word == option) {
        Some(at) => words[at + 1] = value.to_string(),
        None => words.extend([option.to_string(), value.to_string()]),
    };
    if subcommand == "compare" {
        // two of the models that other commands compile, too
        give("--selectors", "reps,ops");
        if !command.contains("--traffic") {
            give("--random", "2000");
        }
    }
    if subcommand == "upset" {
        give("--core", "ecmp");
        give("--runs", "20");
    }
    if subcommand == "fabric" && words_of[1] != "suite" {
        // without models of its own
        give("--engine", "golden");
        match words_of[1] {
            "figure" => give("--seeds", "1"),
            _ => give("--bytes", "20000"),
        }
    }
    if subcommand == "report" {
        give("--core", "ops");
        give("--target", "u50");
        // one point of each sweep
        for at in 1..words.len() {
            if words[at - 1] == "--sweep" {
                words[at] = words[at].split(',').next().unwrap_or_default().to_string();
            }
        }
        words.extend(["--baseline", "baseline.json"].map(str::to_string));
        if words.iter().any(|word| word == "--html") {
            words.extend(["--recordings", "recordings"].map(str::to_string));
        }
    }
    if subcommand == "traffic" && words_of[1] == "live" {
        // it needs root, and a test of its own runs it
        words.push("--help".to_string());
    }
    words
}

/// The exit code that the command must have when it is cut short.
fn code(command: &str) -> i32 {
    match command {
        // the variant is meant to differ
        _ if command.contains("my_variant.v") => 1,
        // what measures all cores is not cut to one, and that is all that is wrong with it
        _ if command.contains("--accept") => 2,
        _ => 0,
    }
}

/// The first `packets` packets of a recording.
fn first_packets(recording: &str, packets: usize) -> Vec<u8> {
    let file = fs::File::open(project().join("tb/recordings").join(recording)).expect("it is committed");
    let mut bytes = Vec::new();
    GzDecoder::new(file).read_to_end(&mut bytes).expect("a whole gzip file");
    let length =
        |at: usize| u32::from_le_bytes(bytes[at + 8..at + 12].try_into().expect("four bytes")) as usize;
    let end = (0..packets).fold(24, |at, _| at + 16 + length(at));
    bytes.truncate(end);
    bytes
}

/// A folder with every file that the commands name.
fn prepare(folder: &Path) {
    let copied = |from: &str, to: &str| {
        fs::copy(project().join(from), folder.join(to)).expect("it is committed");
    };
    for inside in ["rtl", "recordings", "results", "tb/recordings"] {
        fs::create_dir_all(folder.join(inside)).expect("the folder can be written");
    }
    copied("nic.toml", "nic.toml");
    copied("generated/reps.v", "my_reps.v");
    copied("generated/reps.v", "rtl/my_reps.v");
    let small = Config::load(None, &SMALL_NIC.map(str::to_string)).expect("it is allowed");
    let nic = catalogue::generate("nic", &small).expect("it is generated").verilog;
    fs::write(folder.join("my_nic.v"), nic).expect("the folder can be written");
    copied("synth/baseline.json", "baseline.json");
    fs::rename(folder.join(faulty_reps(folder)), folder.join("my_variant.v")).expect("the same folder");
    for (name, packets) in [
        ("capture.pcap", 400),
        ("capture.pcap.gz", 400),
        ("tb/recordings/steady-sender.pcap.gz", 400),
        (FEW_CONNECTIONS, 34),
    ] {
        let capture = first_packets("steady-sender.pcap.gz", packets);
        fs::write(folder.join(name), capture).expect("the folder can be written");
    }
    let suite = "[[run]]\nname = \"a\"\nbytes = 20000\nengine = \"golden\"\n";
    fs::write(folder.join("suite.toml"), suite).expect("the folder can be written");
    let ops = "time_ns,op,conn,ev,ecn\n0,send,5,,\n9,ack,5,77,0\n20,send,5,,\n";
    fs::write(folder.join("ops.csv.gz"), ops).expect("the folder can be written");
}

/// What is wrong with a command that is not run here: it builds, installs, tests or writes the project.
fn wrong_of_the_project(command: &str) -> Option<String> {
    let words: Vec<&str> = command.split(' ').collect();
    let makefile = fs::read_to_string(project().join("Makefile")).expect("it is committed");
    let after = |option: &str| words.iter().position(|word| *word == option).map(|at| words[at + 1]);
    let is_there = match words[0] {
        "make" => words[1..].iter().all(|target| makefile.contains(&format!("\n{target}:"))),
        "./setup.sh" => project().join("setup.sh").exists(),
        ".venv/bin/python" => project().join(words[1]).exists(),
        "cargo" => {
            let package = after("-p").map_or("", |package| package.trim_start_matches("respray-"));
            // the tests of some crates are a package of their own, in the same folder
            let tests = format!("{}/tests", package.trim_end_matches("-tests"));
            let folder = if package.ends_with("-tests") { tests.as_str() } else { package };
            let test = after("--test").map(|test| format!("{tests}/{test}.rs"));
            let example = after("--example").map(|example| format!("{package}/examples/{example}.rs"));
            project().join(folder).join("Cargo.toml").exists()
                && [test, example].into_iter().flatten().all(|source| project().join(source).exists())
        }
        _ => true,
    };
    (!is_there).then(|| command.to_string())
}

#[test]
fn every_command_of_the_documents_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    prepare(folder.path());
    let mut wrong = Vec::new();
    let mut ran = 0;
    let read = |document: &str| fs::read_to_string(project().join(document)).expect("it is committed");
    let commands: BTreeSet<String> =
        DOCUMENTS.iter().flat_map(|document| commands(&read(document))).collect();
    for command in commands {
        if command == "respray docs"
            || !command.split(' ').next().is_some_and(|program| program.ends_with("respray"))
        {
            wrong.extend(wrong_of_the_project(&command));
            continue;
        }
        let words = cut_short(&command);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut run = runs::command(folder.path(), &words);
        if words[0] == "cache" {
            run.env("RESPRAY_CACHE", folder.path().join("cache"));
        }
        let output = run.output().expect("the binary was built for this test");
        ran += 1;
        if output.status.code() != Some(code(&command)) {
            wrong.push(format!("`{command}`, run as {words:?}: {}", stderr(&output)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(ran > 20, "{ran} commands were found in the documents");
}

#[test]
fn commands_are_found_wherever_a_document_shows_them() {
    let text = "A line with `respray cores` and `respray` and `make demo`.\n\n    respray cosim \\\n      --core a   # a comment\n    other x\n\n```yaml\n\
                steps:\n  - run: ./setup.sh --all\n  - run: |\n      \
                target/release/respray cosim --core ${{ matrix.core }} \\\n        --shard ${{ matrix.part }}/4\n```\n";
    let found: Vec<String> = commands(text).into_iter().collect();
    let wanted = [
        "./setup.sh --all",
        "make demo",
        "respray cores",
        "respray cosim --core a",
        "target/release/respray cosim --core ops --shard 2/4",
    ];
    assert_eq!(found, wanted);
    assert_eq!(wrong_of_the_project("make nothing"), Some("make nothing".to_string()));
    assert!(wrong_of_the_project(".venv/bin/python tb/nothing.py").is_some());
    assert!(wrong_of_the_project("cargo test -p respray-nothing --test all").is_some());
    assert!(wrong_of_the_project("cargo test -p respray-fabric-tests --test all").is_some());
    assert_eq!(wrong_of_the_project("cargo test -p respray-cosim-tests --test all"), None);
    assert!(wrong_of_the_project("cargo run -p respray-hdl --example nothing").is_some());
}

/// The page says how a change of a core is tried: its commands, with the Verilog that its example prints where that was built, too.
#[test]
fn the_inner_loop_of_a_core_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    let generated = fs::read(project().join("generated/reps.v")).expect("it is committed");
    fs::create_dir(folder.path().join("build")).expect("the folder can be written");
    fs::write(folder.path().join("build/my_reps.v"), &generated).expect("the folder can be written");
    let example = std::env::current_exe().expect("it runs").with_file_name("../examples/verilog");
    if example.exists() {
        let printed = Command::new(example).arg("reps").output().expect("it was built");
        assert!(printed.stdout == generated, "{}", stderr(&printed));
    }
    let page = fs::read_to_string(project().join("docs/add-a-core.md")).expect("it is committed");
    let mut ran = 0;
    for line in page.lines().filter_map(|line| line.strip_prefix("    ")) {
        if line.starts_with("target/checks/respray ") {
            let words = cut_short(line);
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let output =
                runs::command(folder.path(), &words).output().expect("the binary was built for this test");
            assert!(output.status.success(), "`{line}`: {}", stderr(&output));
            ran += 1;
        }
        assert_eq!(wrong_of_the_project(line), None);
    }
    assert_eq!(ran, 1, "the page runs a core");
}
