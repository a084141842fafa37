//! `respray cosim` on the cores that packets stream through.

use std::path::Path;
use std::process::Output;

use respray_cosim::cores::CORES as OP_CORES;
use respray_hdl::config::Config;
use respray_hdl::cores::generate;

use crate::runs::{project, refused, respray, stderr, stdout};

const TX: [&str; 3] = ["cosim", "--core", "rewrite_tx"];
const RX: [&str; 3] = ["cosim", "--core", "rewrite_rx"];
/// The narrowest bus, whose model is built soonest.
const NARROW: [&str; 2] = ["--set", "bus_bits=64"];
/// Bytes of a pcap before its first frame, and before each frame's bytes.
const PCAP_HEADS: [usize; 2] = [24, 16];

fn passed(directory: &Path, arguments: &[&[&str]]) -> Output {
    let arguments = arguments.concat();
    let output = respray(directory, &arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}{}", stdout(&output), stderr(&output));
    assert_eq!(stderr(&output), "");
    output
}

fn json(output: &Output) -> serde_json::Value {
    serde_json::from_slice(&output.stdout).expect("JSON on standard output")
}

/// An Ethernet frame with IPv6 and UDP to `port`, no VLAN tag: 40 bytes of `strack` data behind 62 bytes of headers.
fn ip6_frame(port: u16) -> Vec<u8> {
    let payload = [&[0xc0, 0, 0xff, 0xff][..], &[7; 36]].concat();
    let length = (8 + payload.len() as u16).to_be_bytes();
    let mut frame = [&[2; 12][..], &[0x86, 0xdd, 0x60, 0, 0, 0], &length, &[17, 64], &[3; 32]].concat();
    frame.extend([&[0x12, 0x34][..], &port.to_be_bytes(), &length, &[0x55, 0x66], &payload].concat());
    frame
}

/// A list of frames as a file: EV 0xabcd for each, written if `enable` is 1.
fn list(directory: &Path, name: &str, frames: &[Vec<u8>], enable: u8) {
    let mut text = "# gap=0.25 stall=0.25 seed=3\nev,timestamp,enable,reset_after,frame\n".to_string();
    for frame in frames {
        let hex: String = frame.iter().map(|byte| format!("{byte:02x}")).collect();
        text += &format!("43981,291,{enable},,{hex}\n");
    }
    std::fs::write(directory.join(name), text).unwrap();
}

/// Frames of a pcap.
fn frames_of(path: &Path) -> Vec<Vec<u8>> {
    let bytes = std::fs::read(path).unwrap();
    let [mut at, head] = PCAP_HEADS;
    let mut frames = Vec::new();
    while at < bytes.len() {
        let length = u32::from_le_bytes(bytes[at + 8..at + 12].try_into().unwrap()) as usize;
        frames.push(bytes[at + head..at + head + length].to_vec());
        at += head + length;
    }
    frames
}

#[test]
fn a_bad_value_is_refused_with_its_menu() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let random = [&TX[..], &["--random", "100"]].concat();
    for (option, value) in [("--gap", "1"), ("--gap", "-0.1"), ("--stall", "1.5"), ("--stall", "nan")] {
        let given = format!("{option}={value}");
        let said = format!("{option} is `{value}`; allowed: 0 to below 1");
        refused(at, &[&random[..], &[&given]].concat(), &[&said]);
    }
    for (given, said) in [
        ("--gap=much", "--gap is `much`; allowed: 0 to below 1"),
        ("--seed=-1", "--seed is `-1`; allowed: 0 to 18446744073709551615"),
        ("--udp-port=65536", "--udp-port is `65536`; allowed: 0 to 65535"),
        ("--flow-label=1", "--flow-label takes no value, and is given `1`"),
        ("--frames=list.csv", "--random does not go with --frames"),
    ] {
        refused(at, &[&random[..], &[given]].concat(), &[said]);
    }
    assert_eq!(respray(at, &TX).status.code(), Some(2), "something has to be run");
}

#[test]
fn a_bad_list_of_frames_is_refused_with_its_line_and_leaves_no_capture() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let run = [&TX[..], &["--frames", "list.csv", "--pcap-out", "out.pcap"]].concat();
    refused(at, &run, &["list.csv", "No such file"]);
    let head = "ev,timestamp,enable,reset_after,frame\n";
    for (text, said) in [
        ("ev,frame\n1,00\n".to_string(), ["list.csv:1", "head of a list"]),
        (head.to_string(), ["list.csv:1", "no frame follows"]),
        (format!("{head}1,2,1,,00\n1,65536,1,,00\n"), ["list.csv:3", "`timestamp` is `65536`"]),
        (format!("{head}1,2,yes,,00\n"), ["list.csv:2", "`enable` is `yes`"]),
        (format!("{head}1,2,1,,0\n"), ["list.csv:2", "hexadecimal"]),
        (format!("# gap=2\n{head}1,2,1,,00\n"), ["list.csv:1", "`gap` is `2`"]),
    ] {
        std::fs::write(at.join("list.csv"), text).unwrap();
        refused(at, &run, &said);
    }
}

#[test]
fn what_would_not_be_heeded_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    list(at, "list.csv", &[ip6_frame(4791)], 1);
    for given in [["--gap", "0.1"], ["--stall", "0.1"], ["--seed", "4"]] {
        let run = [&TX[..], &["--frames", "list.csv"], &given].concat();
        refused(at, &run, &[given[0], "does not go with --frames"]);
    }
    let label = [&RX[..], &["--random", "100", "--flow-label"]].concat();
    refused(at, &label, &["--flow-label is of rewrite_tx", "rewrite_rx"]);
    let trimmed = [&RX[..], &["--random", "100", "--dscp-trimmed", "16"]].concat();
    refused(at, &trimmed, &["--dscp-trimmed goes with `wire` = uet"]);
    let entropy = [&RX[..], &["--random", "100", "--ip-proto", "253"]].concat();
    refused(at, &entropy, &["--ip-proto goes with `wire` = uet"]);
    let trailer = [&RX[..], &["--random", "100", "--set", "uet.crc=on"]].concat();
    refused(at, &trailer, &["`uet.crc` is \"on\"; allowed: off with `wire` = strack"]);
    for given in [&["--knob", "a=1"][..], &["--shard", "1/2"], &["--rto", "9"], &["--freeze-timeout", "9"]] {
        let run = [&RX[..], &["--random", "100"], given].concat();
        refused(at, &run, &[given[0], "rewrite_rx is given frames"]);
    }
    refused(at, &[&TX[..], &["--ops", "ops.csv"]].concat(), &["--ops", "rewrite_tx is given frames"]);
    let recording = project().join("tb/recordings/steady-sender.pcap.gz");
    let traffic = ["--traffic", recording.to_str().unwrap(), "--local", "10.0.0.1"];
    refused(at, &[&TX[..], &traffic].concat(), &["--local", "rewrite_tx is given frames"]);
    for core in OP_CORES {
        for given in [
            &["--gap", "0.1"][..],
            &["--stall", "0.1"],
            &["--pcap-out", "out.pcap"],
            &["--udp-port", "4791"],
            &["--flow-label"],
        ] {
            let run = [&["cosim", "--core", core, "--random", "100"], given].concat();
            let said = format!("{core} is given ops");
            refused(at, &run, &[given[0], "rewrite_tx, rewrite_rx, shim_push, shim_pop", &said]);
        }
        let run = ["cosim", "--core", core, "--frames", "list.csv"];
        refused(at, &run, &["--frames", "rewrite_tx, rewrite_rx, shim_push, shim_pop"]);
    }
}

#[test]
fn the_screen_has_the_figures_of_the_json() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    for (core, counts) in [
        (TX, &["rewritten", "passed", "malformed"][..]),
        (RX, &["data", "ack", "probe", "other", "malformed"]),
    ] {
        let run =
            [&core[..], &NARROW, &["--random", "4000", "--gap", "0.2", "--stall", "0.1", "--seed", "5"]]
                .concat();
        let screen = stdout(&passed(at, &[&run, &["--json", "run.json"]]));
        let text = std::fs::read_to_string(at.join("run.json")).unwrap();
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!((json["core"].as_str(), json["result"].as_str()), (Some(core[2]), Some("pass")));
        assert_eq!((json["cycles"].as_u64(), json["mismatches"].as_u64()), (Some(4000), Some(0)));
        assert_eq!(json["config"]["bus_bits"], 64);
        let own: Vec<String> = counts.iter().map(|name| format!("{} {name}", json[*name])).collect();
        for line in [
            format!("{} on random frames: pass", core[2]),
            format!("{} frames in {} beats and {} cycles", json["frames"], json["beats"], json["cycles"]),
            own.join(", "),
            format!("mismatches {}, ", json["mismatches"]),
        ] {
            assert!(screen.contains(&line), "`{line}` is not in\n{screen}");
        }
        assert!(json["bytes"].as_u64() > json["beats"].as_u64());
        assert!(json["held_up"].as_u64().unwrap() > 0 && json["frames"].as_u64().unwrap() > 50);
    }
}

#[test]
fn gap_stall_and_seed_change_the_run_and_nothing_else_does() {
    let directory = tempfile::tempdir().unwrap();
    let run = |given: &[&str]| {
        let mut json =
            json(&passed(directory.path(), &[&RX, &NARROW, &["--random", "4000", "--json", "-"], given]));
        json["cycles_per_second"] = 0.into();
        json
    };
    let by_phases = run(&[]);
    assert_eq!(by_phases, run(&["--seed", "1"]), "the default");
    assert_ne!(by_phases, run(&["--seed", "2"]));
    let plain = run(&["--gap", "0", "--stall", "0"]);
    assert_eq!(plain, run(&["--gap", "0"]), "where one is given, the other is 0");
    assert_eq!(plain, run(&["--stall", "0", "--seed", "1"]));
    assert_ne!(plain, by_phases);
    let (gap, stall) = (run(&["--gap", "0.5"]), run(&["--stall", "0.5"]));
    for paused in [&gap, &stall] {
        assert!(paused["beats"].as_u64() < plain["beats"].as_u64(), "fewer beats in as many cycles");
    }
    assert!(
        stall["held_up"].as_u64() > plain["held_up"].as_u64(),
        "a receiver that stalls holds the sender up"
    );
}

#[test]
fn the_udp_port_says_which_traffic_is_the_profiles() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    list(at, "list.csv", &[ip6_frame(4791), ip6_frame(9)], 1);
    let rewritten = |given: &[&str]| {
        json(&passed(at, &[&TX, &NARROW, &["--frames", "list.csv", "--json", "-"], given]))["rewritten"]
            .as_u64()
    };
    assert_eq!((rewritten(&[]), rewritten(&["--udp-port", "9"])), (Some(1), Some(1)));
    assert_eq!(rewritten(&["--udp-port", "10"]), Some(0));
}

#[test]
fn the_capture_holds_the_frames_that_left() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let sent = [ip6_frame(4791), vec![0xee; 61]];
    list(at, "on.csv", &sent, 1);
    list(at, "off.csv", &sent, 0);
    let left = |given: &[&str]| {
        passed(at, &[&TX, &NARROW, &["--pcap-out", "out.pcap"], given]);
        frames_of(&at.join("out.pcap"))
    };
    assert_eq!(left(&["--frames", "off.csv"]), sent, "not enabled: unchanged");
    let changed = |after: &[u8]| -> Vec<usize> {
        (0..after.len()).filter(|byte| after[*byte] != sent[0][*byte]).collect()
    };
    let (plain, labelled) = (left(&["--frames", "on.csv"]), left(&["--frames", "on.csv", "--flow-label"]));
    // ECN, source port, checksum, timestamp; and the low half of the flow label
    assert_eq!(changed(&plain[0]), [15, 54, 55, 60, 61, 74, 75]);
    assert_eq!(changed(&labelled[0]), [15, 16, 17, 54, 55, 60, 61, 74, 75]);
    assert_eq!(plain[0][54..56], [0xab, 0xcd]);
    assert_eq!((&plain[1], &labelled[1]), (&sent[1], &sent[1]));
}

#[test]
fn a_capture_that_cannot_be_whole_is_not_there() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let run = [&RX[..], &["--random", "100"]].concat();
    std::fs::write(at.join("broken.v"), "module rewrite_rx(input clk;\n").unwrap();
    let broken = ["--verilog", "broken.v", "--pcap-out", "out.pcap"];
    refused(at, &[&run[..], &broken].concat(), &["broken.v"]);
    std::fs::write(at.join("none"), "a file, no folder").unwrap();
    refused(
        at,
        &[&run[..], &["--pcap-out", "none/out.pcap"]].concat(),
        &["none/out.pcap", "Not a directory"],
    );
    refused(at, &[&run[..], &["--pcap-out", "."]].concat(), &[".: cannot be written: is a directory"]);
    // what stood there before is still there
    std::fs::write(at.join("out.pcap"), "mine").unwrap();
    refused(at, &[&run[..], &broken].concat(), &["broken.v"]);
    assert_eq!(std::fs::read(at.join("out.pcap")).unwrap(), b"mine");
}

/// Writes Verilog of `rewrite_rx` that inverts bit 0 of the EV read, as `faulty.v`.
fn faulty_reader(at: &Path) {
    let config = Config::load(None, &["bus_bits=64".to_string()]).unwrap();
    let generated = generate("rewrite_rx", &config).unwrap();
    let top = "module rewrite_rx (";
    let from = generated.verilog.find(top).expect("the core's module");
    let header = &generated.verilog[from..from + generated.verilog[from..].find("\n);").unwrap() + 3];
    let ports: Vec<String> = generated
        .manifest
        .ports
        .iter()
        .map(|port| match port.name.as_str() {
            "meta_ev" => ".meta_ev(ev)".to_string(),
            name => format!(".{name}({name})"),
        })
        .collect();
    let shell = format!(
        "{}\n  wire [15:0] ev;\n  engine inner ({});\n  assign meta_ev = ev ^ 16'd1;\nendmodule\n",
        header.replace("output reg", "output wire"),
        ports.join(", ")
    );
    let engine = generated.verilog.replace(top, "module engine (");
    std::fs::write(at.join("faulty.v"), format!("{engine}\n{shell}")).unwrap();
}

#[test]
fn a_mismatch_is_exit_code_1_and_its_list_replays_it() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    faulty_reader(at);
    let run = |given: &[&str]| respray(at, &[&RX[..], &NARROW, given].concat());
    let faulty = ["--verilog", "faulty.v"];

    let random = ["--random", "20000", "--seed", "3", "--json", "run.json", "--pcap-out", "out.pcap"];
    let output = run(&[&faulty[..], &random].concat());
    assert_eq!(output.status.code(), Some(1), "{}{}", stdout(&output), stderr(&output));
    let screen = stdout(&output);
    assert!(
        screen.contains("rewrite_rx on random frames: FAIL") && screen.contains("`meta_ev` is"),
        "{screen}"
    );
    let text = std::fs::read_to_string(at.join("run.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!((json["result"].as_str(), json["mismatches"].as_u64()), (Some("fail"), Some(1)));
    let first = &json["first_difference"];
    assert_eq!(first["port"], "meta_ev");
    assert!(screen.contains(&format!("cycle {}: `meta_ev`", first["cycle"])), "{screen}");
    // the capture is whole, with the frames before the difference
    assert_eq!(frames_of(&at.join("out.pcap")).len() as u64, json["frames"].as_u64().unwrap());

    assert!(at.join("rewrite_rx_failure.csv").exists() && at.join("rewrite_rx_failure.fst").exists());
    let again = ["--frames", "rewrite_rx_failure.csv", "--reproducer", "again.csv"];
    assert_eq!(run(&[&faulty[..], &again].concat()).status.code(), Some(1));
    assert_eq!(run(&again).status.code(), Some(0), "the core itself passes on it");
}

#[test]
fn a_run_of_frames_that_keeps_going_counts_what_its_results_show() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    faulty_reader(at);
    // no record waits, so that each stands at the port for one cycle
    let run = |given: &[&str]| {
        let random = ["--random", "12000", "--gap", "0", "--stall", "0", "--keep-going", "--json", "-"];
        let output = respray(at, &[&RX[..], &NARROW, &random, given].concat());
        (output.status.code(), json(&output))
    };
    let (status, went_on) = run(&["--verilog", "faulty.v", "--results", "mine.csv"]);
    assert_eq!((status, went_on["cycles"].as_u64()), (Some(1), Some(12_000)), "up to the end of the run");
    let (status, right) = run(&["--results", "golden.csv"]);
    assert_eq!((status, &right["differing_ports"]), (Some(0), &serde_json::json!({})));
    let [mine, golden] =
        ["mine.csv", "golden.csv"].map(|name| std::fs::read_to_string(at.join(name)).unwrap());
    let (mine, golden): (Vec<&str>, Vec<&str>) = (mine.lines().collect(), golden.lines().collect());
    assert_eq!((mine.len(), mine[0]), (golden.len(), golden[0]));
    let ev = golden[0].split(',').position(|column| column == "meta_ev").expect("the EV is a column");
    let mut differing = 0;
    for (mine, golden) in mine.iter().zip(&golden).skip(1) {
        let (mine, golden): (Vec<&str>, Vec<&str>) = (mine.split(',').collect(), golden.split(',').collect());
        let others = (0..golden.len()).filter(|column| *column != ev);
        assert!(others.into_iter().all(|column| mine[column] == golden[column]), "{mine:?} {golden:?}");
        if golden[1] == "meta" {
            let [mine, golden] = [mine[ev], golden[ev]].map(|ev| ev.parse::<u16>().unwrap());
            assert_eq!(mine ^ 1, golden);
            differing += 1;
        }
    }
    assert!(differing > 50, "{differing}");
    assert_eq!(went_on["mismatches"], differing);
    assert_eq!(went_on["differing_ports"], serde_json::json!({"meta_ev": differing}));
}
