//! `respray cosim --core nic --pair`: two joined blocks with a network between them.

use crate::runs::{project, refused, respray, stderr, stdout};

const PAIR: [&str; 5] = ["cosim", "--core", "nic", "--pair", "equal"];

/// Registers that are given are written, stand in the command that runs it again, and make a run longer where the window becomes small.
#[test]
fn registers_of_a_pair_are_written_and_refused() {
    let folder = tempfile::tempdir().unwrap();
    let time = |registers: &[&str]| {
        let words = [&PAIR[..], &["--bytes", "20000", "--json", "-"], registers].concat();
        let output = respray(folder.path(), &words);
        assert_eq!(output.status.code(), Some(0), "{words:?}: {}{}", stdout(&output), stderr(&output));
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let command = report["provenance"].to_string();
        for register in registers.iter().filter(|word| word.contains('=')) {
            assert!(command.contains(&format!("--register {register}")), "{command}");
        }
        report["time_us"].as_f64().expect("a time")
    };
    let few = time(&["--register", "cwnd_packets=3", "--register", "sack_threshold=9000"]);
    assert!(few > 1.5 * time(&[]), "{few} us with a window of three packets");
    for (given, said) in [
        ("cwnd_packets", "--register"),
        ("cwnd_packets=x", "--register"),
        ("other=1", "no setting has this name; allowed: "),
        ("sack_prescale=17", "to 16, not 17"),
    ] {
        refused(folder.path(), &[&PAIR[..], &["--register", given]].concat(), &[said]);
    }
}

/// Whatever the block is given, what the run leaves is that of other cores.
#[test]
fn random_traffic_of_the_block_is_a_run_like_any_other() {
    let folder = tempfile::tempdir().unwrap();
    let small = ["--set", "connections=16", "--set", "sack.window=64", "--set", "bus_bits=64"];
    let random = ["cosim", "--core", "nic", "--random", "5000", "--seed", "9", "--keep-going"];
    let files = ["--results", "out.csv", "--pcap-out", "out.pcap", "--json", "out.json"];
    let output = respray(folder.path(), &[&random[..], &files, &small].concat());
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    let said = stdout(&output);
    assert!(said.starts_with("nic on random traffic: pass\n  1 rounds, "), "{said}");
    let json = std::fs::read(folder.path().join("out.json")).unwrap();
    let report: serde_json::Value = serde_json::from_slice(&json).expect("JSON");
    let command = report["provenance"]["command"].as_str().expect("a command");
    assert!(command.contains("--random 5000 --seed 9") && command.ends_with("--keep-going"), "{command}");
    assert_eq!((&report["mismatches"], &report["differing_ports"]), (&0.into(), &serde_json::json!({})));
    let table = std::fs::read_to_string(folder.path().join("out.csv")).unwrap();
    let frames = table.lines().filter(|line| line.contains(",tx_out,")).count();
    let capture = std::fs::read(folder.path().join("out.pcap")).unwrap();
    assert!(
        frames > 20 && capture.len() > 24 + frames * (16 + 14),
        "{frames} frames, {} bytes",
        capture.len()
    );
}

/// What is of other cores, or does not go together, is said before anything runs.
#[test]
fn what_the_block_does_not_take_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("list.csv"), "5,mac,0,00\n").unwrap();
    std::fs::write(folder.path().join("x.v"), "module nic(); endmodule\n").unwrap();
    let steady = project().join("tb/recordings/flowcut-steady-sender.pcap.gz");
    let steady = steady.to_str().unwrap();
    for (given, said) in [
        (&["--random", "9", "--shard", "1/2"][..], "--shard is of other cores, not of core `nic`"),
        (&["--random", "9", "--udp-port", "53"], "--udp-port is of other cores, not of core `nic`"),
        (&["--ops", "x.csv"], "--ops is of other cores, not of core `nic`"),
        (&["--frames", "list.csv", "--gap", "0.1"], "--gap does not go with --frames"),
        (&["--random", "9", "--stall", "1"], "--stall is `1`; allowed: 0 to below 1"),
        (
            &["--traffic", steady, "--seed", "3"],
            "--seed of core `nic` is of pairs, of random traffic, and of --gap",
        ),
        (&["--pair", "equal", "--results", "-"], "--results is `-`; a pair writes a file for each end"),
        (&["--pair", "equal", "--pcap-out", "-"], "--pcap-out is `-`; a pair writes a file for each end"),
        (
            &["--pair", "equal", "--register", "event_enable=0"],
            "`--register event_enable=0`: the hosts learn from events",
        ),
        (&["--random", "9", "--verilog", "none.v"], "none.v: "),
        (&["--random", "9", "--verilog", "x.v"], "x.v: module `nic` has no "),
        (
            &["--traffic", steady, "--set", "nic.selector=reps"],
            "flowcut-steady-sender.log.gz: the recorded block has nic.selector=flowcut, and not nic.selector=reps; allowed: ",
        ),
    ] {
        refused(folder.path(), &[&["cosim", "--core", "nic"], given].concat(), &[said]);
    }
}
