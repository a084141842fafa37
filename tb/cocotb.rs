//! The bench in Python: the emitted block `nic`, driven through cocotb as a user of the Verilog drives it.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::runs::{self, foreign, project, stderr, stdout};

/// Runs the bench on the Verilog in a folder, or says why it cannot run.
fn bench(verilog: &Path, options: &[&str]) -> Option<Output> {
    let python = project().join(".venv/bin/python");
    let needed =
        "import cocotb, cocotbext.axi, scapy, cffi, numpy, find_libpython as f; assert f.find_libpython()";
    let is_installed = Command::new(&python).args(["-c", needed]).output();
    if !is_installed.is_ok_and(|output| output.status.success()) {
        eprintln!(
            "skipped: cocotb, cocotbext-axi, scapy, numpy or the library of Python is missing; `./setup.sh --all`"
        );
        return None;
    }
    let build = tempfile::tempdir().expect("a folder");
    let mut run = foreign(python);
    run.arg(project().join("tb/cocotb/run.py"))
        .arg("--verilog")
        .arg(verilog)
        .arg("--build")
        .arg(build.path());
    // the golden models, which cargo built for this test
    let library = std::env::current_exe().expect("a test").with_file_name("librespray_golden_c.so");
    run.env("RESPRAY_GOLDEN", library).env("PYTHONPATH", project().join("python"));
    run.args(options);
    Some(run.output().expect("Python is there"))
}

/// Data packets each way of the quick run: enough for each path and each kind of loss that the bench has, and for the golden model.
const QUICK_PACKETS: &str = "300";

fn passes(verilog: &Path, options: &[&str]) {
    if let Some(output) = bench(verilog, options) {
        assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
    }
}

/// The block as `respray generate` writes it with these keys, and as the bench knows its selector.
fn generated(folder: &Path, sets: &[&str]) {
    let mut words = vec!["generate", "--core", "nic", "-o", ".", "--set", "nic.loss_feedback=stalled"];
    words.extend(sets.iter().flat_map(|set| ["--set", set]));
    let output = runs::respray(folder, &words);
    assert!(output.status.success(), "{}", stderr(&output));
}

#[test]
fn a_bench_of_others_drives_the_block_as_its_page_says() {
    let folder = tempfile::tempdir().expect("a folder");
    generated(folder.path(), &[]);
    passes(folder.path(), &["--seed", "1", "--packets", QUICK_PACKETS, "--golden"]);
}

#[test]
#[ignore = "simulates other configurations and more packets, which takes minutes: `make test-long`"]
fn a_bench_of_others_drives_the_block_in_other_configurations() {
    for (sets, packets) in [
        (&["connections=64"][..], "5000"),
        (&["connections=64", "bus_bits=64", "sack.window=64", "sack.engine=fast"], "2000"),
        (&["connections=64", "bus_bits=128", "sack.window=512", "reps.depth=4"], "2000"),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        generated(folder.path(), sets);
        passes(folder.path(), &["--packets", packets]);
    }
}

/// Faults: what stands in the Verilog, what stands there instead, and the test that must fail.
const FAULTS: [[&str; 3]; 6] = [
    // no EV is ever used again: the golden model has another one
    ["assign recycle = send & ", "assign recycle = 1'b0 & ", "the_golden_model_has_the_same"],
    // the checksum of UDP is not made anew
    ["plan_is_summed <= checksum != 16'd0;", "plan_is_summed <= 1'b0;", TRAFFIC],
    // SACKs have the addresses of the packets that they answer
    [
        "if (!is_probe) begin\n            if (is_ipv6 && turn_place == 5'd7)",
        "if (is_probe) begin\n            if (is_ipv6 && turn_place == 5'd7)",
        TRAFFIC,
    ],
    // a counter misses what it counts
    ["end else if (pulses[i]) begin", "end else if (pulses[i] && i != 3) begin", TRAFFIC],
    // no EV is ever used again
    ["assign recycle = send & ", "assign recycle = 1'b0 & ", "lost_packets_are_named"],
    // the sender of a connection that is closed stays open
    ["!(steps_clearing | steps_is_close)", "!steps_clearing", "a_connection_that_is_closed_ends"],
];

const TRAFFIC: &str = "traffic_in_both_directions";

#[test]
#[ignore = "compiles the block once for each fault: `make test-long`"]
fn faults_in_the_verilog_make_the_bench_fail() {
    for [right, wrong, test] in FAULTS {
        let folder = tempfile::tempdir().expect("a folder");
        generated(folder.path(), &[]);
        let verilog = fs::read_to_string(folder.path().join("nic.v")).expect("it was generated");
        assert_eq!(verilog.matches(right).count(), 1, "`{right}` stands in the Verilog once");
        fs::write(folder.path().join("nic.v"), verilog.replace(right, wrong))
            .expect("the folder can be written");
        let Some(output) = bench(folder.path(), &["--test", test, "--seed", "1", "--golden"]) else { return };
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "`{wrong}`: {}{said}", stdout(&output));
        assert!(said.contains(&format!("{test} failed")), "`{wrong}`: {said}");
    }
}
