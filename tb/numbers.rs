//! Runs at the ends of what each number of the command line may be: whatever comes of them, none panics.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::runs::{command, project, respray, stdout};

/// How a number is run: the words before its option.
enum Row {
    /// It takes a moment, but at its greatest it may go on for years, and is ended.
    Run(&'static str),
    /// The same, with values of its own.
    Values(&'static str, &'static [&'static str]),
    /// The same, with a model or a netlist that is made for it: with the long tests.
    Long(&'static str),
    /// It is read and no more, for the reason given.
    Read,
}

use Row::{Long, Read as JustRead, Run, Values};

const CAPTURE: &str = "tb/recordings/steady-sender.pcap.gz";

/// Every number of every subcommand.
const ROWS: &[(&str, &str, Row)] = &[
    ("cosim", "--random", Run("--core ecmp")),
    ("cosim", "--minutes", Values("--core ecmp", &["1e-300", "0.0001", "525600"])),
    ("cosim", "--seed", Run("--core ecmp --random 1000")),
    ("cosim", "--shard", Values("--core ecmp --random 10000000", &["1/1", "1/10000", "10000/10000"])),
    ("cosim", "--rto-ns", Run("--core reps --traffic CAPTURE")),
    ("cosim", "--stuck-after", Run("--core ecmp --random 1000")),
    ("cosim", "--gap", Values("--core shim_push --random 1000", &["0", "0.99", "0.9999999999999999"])),
    ("cosim", "--stall", Values("--core shim_push --random 1000", &["0", "0.99", "0.9999999999999999"])),
    ("cosim", "--udp-port", Run("--core rewrite_rx --random 1000")),
    ("cosim", "--ip-proto", Run("--core rewrite_rx --set wire=uet --random 1000")),
    ("cosim", "--dscp-trimmed", Run("--core rewrite_rx --set wire=uet --random 1000")),
    ("cosim", "--dscp-trimmed-last", Run("--core rewrite_rx --set wire=uet --random 1000")),
    ("cosim", "--ethertype", Values("--core shim_push --random 1000", &["0", "65535", "0xffff"])),
    ("cosim", "--packets", Run("--core sack")),
    ("cosim", "--seeds", Run("--core sack --packets 20")),
    ("cosim", "--loss", Run("--core sack --packets 20")),
    ("cosim", "--reordering", Run("--core sack --packets 20")),
    ("cosim", "--bytes", Run("--core nic --pair equal")),
    (
        "cosim",
        "--register",
        Values(
            "--core nic --pair equal --bytes 2000",
            &["udp_port=0", "udp_port=65535", "udp_port=4294967295"],
        ),
    ),
    ("cosim", "--speedup", Run("--core nic --traffic CAPTURE")),
    ("compare", "--random", Run("--selectors ecmp")),
    ("compare", "--seeds", Run("--selectors ecmp --random 100")),
    ("compare", "--seed", Run("--selectors ecmp --random 100 --seeds 1")),
    ("compare", "--paths", Run("--selectors ecmp --random 100 --seeds 1")),
    ("compare", "--bad", Run("--selectors ecmp --random 100 --seeds 1")),
    ("compare", "--mark", Run("--selectors ecmp --random 100 --seeds 1")),
    ("compare", "--ack-every", Run("--selectors ecmp --random 5000 --seeds 1 --window 4095")),
    ("compare", "--window", Run("--selectors ecmp --random 5000 --seeds 1")),
    ("compare", "--packet-ticks", Run("--selectors ecmp --random 5000 --seeds 1")),
    ("fabric run", "--bytes", Run("--engine golden --selector ops")),
    ("fabric run", "--freeze-timeout", Run("--engine golden --selector reps --bytes 9000")),
    ("fabric run", "--seeds", Run("--engine golden --selector ops --bytes 9000")),
    ("fabric run", "--seed", Run("--engine golden --selector ops --bytes 9000")),
    ("fabric figure", "--seeds", Run("1 --engine golden")),
    ("fabric figure", "--seed", Run("1 --engine golden --seeds 1")),
    ("fabric suite", "--shard", Values("suite.toml -o .", &["1/1", "1/1000000", "1000000/1000000"])),
    ("traffic info", "--ip-proto", Run("CAPTURE --set wire=uet")),
    // it needs root, and takes minutes; a test of its own runs it
    ("traffic live", "--seed", JustRead),
    ("traffic live", "--path", JustRead),
    ("traffic live", "--down", JustRead),
    ("traffic live", "--up", JustRead),
    ("traffic live", "--duration", JustRead),
    ("traffic live", "--rate", JustRead),
    ("mutate", "--n", Long("--core ecmp --cycles 1000")),
    ("mutate", "--of", JustRead),
    ("mutate", "--seed", Long("--core ecmp --n 1 --cycles 1000")),
    ("mutate", "--cycles", Long("--core ecmp --n 1")),
    ("upset", "--runs", Long("--core ecmp")),
    ("upset", "--seed", Long("--core ecmp --runs 2")),
    ("cover", "--seed", Long("--core ecmp --cycles 1000")),
    ("cover", "--cycles", Long("--core ecmp")),
    ("report", "--clock", Long("--core ecmp --target u50 --baseline baseline.json")),
];

/// The options of a subcommand whose help says what number they take, with that.
fn numbers(words: &[&str]) -> Vec<(String, String)> {
    let help = stdout(&respray(project(), &[words, &["--help"]].concat()));
    // what stands behind the options speaks of files
    let help = help.split("\nExamples:").next().unwrap_or_default();
    let help = help.split("\nParameters of the network").next().unwrap_or_default();
    let mut found: Vec<(String, String)> = Vec::new();
    let mut option = String::new();
    let joined = help.lines().map(str::trim).fold(Vec::<String>::new(), |mut lines, line| {
        let is_option = line.starts_with("--")
            || line.starts_with("-o")
            || line.starts_with('<')
            || line.starts_with('[');
        match lines.last_mut() {
            Some(last) if !is_option => *last += &format!(" {line}"),
            _ => lines.push(line.to_string()),
        }
        lines
    });
    for line in joined {
        if let Some(start) = line.split(' ').find(|word| word.starts_with("--")) {
            option = start.to_string();
        }
        if let Some((_, rest)) = line.split_once("[allowed: ")
            && let Some((allowed, _)) = rest.split_once(']')
            && line.starts_with('-')
        {
            found.push((option.clone(), allowed.to_string()));
        }
    }
    found
}

/// Subcommands that do something.
const SUBCOMMANDS: [&str; 25] = [
    "generate",
    "cosim",
    "report",
    "prove",
    "mutate",
    "cover",
    "upset",
    "compare",
    "fabric run",
    "fabric figure",
    "fabric figures",
    "fabric suite",
    "fabric merge",
    "index",
    "traffic info",
    "traffic record",
    "traffic live",
    "cores",
    "docs",
    "doctor",
    "cache",
    "cache clear",
    "cache limit",
    "completions",
    "man",
];

/// What a setting of a core takes stands in the core's contract, and its test is with the core.
const SETTING: &str = "a whole number that the core's port holds";

/// Each option with a number, and its range.
fn all() -> BTreeMap<(String, String), String> {
    let mut all = BTreeMap::new();
    for subcommand in SUBCOMMANDS {
        let words: Vec<&str> = subcommand.split(' ').collect();
        for (option, allowed) in numbers(&words) {
            if allowed != SETTING {
                all.insert((subcommand.to_string(), option), allowed);
            }
        }
    }
    all
}

#[test]
fn every_number_of_the_helps_has_a_row() {
    let rows: Vec<(String, String)> =
        ROWS.iter().map(|(subcommand, option, _)| (subcommand.to_string(), option.to_string())).collect();
    let found = all();
    let without: Vec<_> = found.keys().filter(|option| !rows.contains(option)).collect();
    let left_over: Vec<_> = rows.iter().filter(|row| !found.contains_key(*row)).collect();
    assert!(
        without.is_empty() && left_over.is_empty(),
        "without a row: {without:?}; rows of nothing: {left_over:?}"
    );
}

/// How long a run may go on that is not ended by itself.
const PATIENCE: Duration = Duration::from_millis(1500);

/// Waits for a run, and ends it as a user does who has seen enough.
fn ended(mut run: Child) -> (Option<i32>, String) {
    let begun = Instant::now();
    while run.try_wait().expect("it is a child").is_none() {
        if begun.elapsed() > PATIENCE {
            let _ = kill(Pid::from_raw(run.id() as i32), Signal::SIGINT);
            // of what does not heed it, the second one is heeded at once
            std::thread::sleep(PATIENCE / 3);
            let _ = kill(Pid::from_raw(run.id() as i32), Signal::SIGINT);
            break;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let mut said = String::new();
    run.stderr.take().expect("it is piped").read_to_string(&mut said).expect("text");
    (run.wait().expect("it is a child").code(), said)
}

/// Runs a subcommand with an option at a value.
fn run(at: &Path, subcommand: &str, base: &str, option: &str, value: &str) {
    let capture = project().join(CAPTURE);
    let base = base.replace("CAPTURE", &capture.display().to_string());
    let words: Vec<&str> = subcommand
        .split(' ')
        .chain(base.split(' ').filter(|word| !word.is_empty()))
        .chain([option, value])
        .collect();
    let mut command = command(at, &words);
    let run = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the binary was built");
    let (code, said) = ended(run);
    let is_sound = matches!(code, None | Some(0..=2))
        && !said.contains("panicked")
        && !said.contains("error of respray");
    assert!(is_sound, "{words:?}: {code:?} {said}");
}

fn prepared() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let suite = "[[run]]\nname = \"a\"\nbytes = 2000\nengine = \"golden\"\n";
    std::fs::write(folder.path().join("suite.toml"), suite).unwrap();
    std::fs::copy(project().join("synth/baseline.json"), folder.path().join("baseline.json")).unwrap();
    folder
}

/// The ends of what is allowed.
fn ends(allowed: &str) -> Vec<String> {
    let (least, most) = allowed.split_once(" to ").unwrap_or_else(|| panic!("{allowed}"));
    vec![least.to_string(), most.to_string()]
}

fn run_rows(is_run: impl Fn(&Row) -> bool) {
    let folder = prepared();
    let found = all();
    let mut runs = Vec::new();
    for (subcommand, option, row) in ROWS.iter().filter(|(.., row)| is_run(row)) {
        let allowed = &found[&(subcommand.to_string(), option.to_string())];
        let (base, values) = match row {
            Run(base) | Long(base) => (base, ends(allowed)),
            Values(base, values) => (base, values.iter().map(|value| value.to_string()).collect()),
            JustRead => continue,
        };
        runs.extend(values.into_iter().map(|value| (*subcommand, *base, *option, value)));
    }
    respray_files::parallel::map(&runs, |(subcommand, base, option, value)| {
        run(folder.path(), subcommand, base, option, value);
    });
}

#[test]
#[ignore = "a minute of runs at the ends of every number, with the long tests"]
fn no_run_at_an_end_of_a_number_panics() {
    run_rows(|_| true);
}

#[test]
fn no_run_of_a_network_or_of_cells_that_are_linked_panics_at_an_end_of_a_number() {
    // of the quick ones those whose runs end by themselves
    let folder = prepared();
    for (subcommand, base, option, value) in [
        ("cosim", "--core ecmp --random 1000", "--seed", "18446744073709551615"),
        ("cosim", "--core ecmp --random 1000", "--stuck-after", "31536000"),
        ("cosim", "--core sack --packets 20", "--loss", "0.9"),
        ("cosim", "--core sack --packets 20", "--seed", "18446744073709551615"),
        ("compare", "--selectors ecmp --random 100 --seeds 1", "--packet-ticks", "1000000000"),
        ("compare", "--selectors ecmp --random 100 --seeds 1", "--paths", "65536"),
        ("fabric run", "--engine golden --selector ops --bytes 9000", "--seed", "60000"),
        ("fabric run", "--engine golden --selector reps --bytes 9000", "--freeze-timeout", "4294967295"),
    ] {
        run(folder.path(), subcommand, base, option, value);
    }
}
